"""What a look at benchmark files finds: one record per thing, with its place."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cfe_local.records import Record

Level = Literal["error", "warning", "info"]
"""error: the files cannot be used; warning: a score may suffer or a person should look; info: worth knowing."""


class Finding(Record):
    """One thing found in a benchmark; place fields are None where they do not apply."""

    level: Level
    code: str = Field(description="Kind of finding, stable across versions.")
    split: str | None = None
    row: int | None = None
    problem_id: str | None = None
    field: str | None = Field(default=None, description="For example ``question.text`` or an image's path.")
    message: str

    @property
    def place(self) -> str:
        """Where, in words; empty for findings about the whole benchmark."""
        row = "" if self.row is None else f":{self.row}"
        label = f" ({self.problem_id[:8]})" if self.problem_id else ""
        return " ".join(filter(None, [f"{self.split or ''}{row}{label}", self.field or ""]))
