"""What checks look at: a usable row as the file has it beside the problem made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from cfe_local.benchmarks.findings import Finding, Level
from cfe_local.records import Problem


@dataclass(frozen=True, slots=True)
class Row:
    """One usable row. ``problem`` holds only those images that exist inside the benchmark folder."""

    raw: Mapping[str, JsonValue]
    problem: Problem
    image_paths: tuple[str, ...]

    @property
    def label(self) -> str:
        """``split:row (id)`` with the id's first eight characters."""
        return f"{self.problem.label} ({self.problem.problem_id[:8]})"

    def finding(self, level: Level, code: str, field: str | None, message: str) -> Finding:
        """A finding about this row."""
        return Finding(
            level=level,
            code=code,
            split=self.problem.split,
            row=self.problem.row,
            problem_id=self.problem.problem_id,
            field=field,
            message=message,
        )
