"""Rows whose references are doubtful: for a second figure beside the published one, never in place of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from cfe_local.errors import BenchmarkError
from cfe_local.records import Problem, Record

ERRATA_PATH = Path(__file__).with_name("cfe_errata.yaml")


class Erratum(Record):
    """One doubtful row. It counts only where position and id both fit, so it never hits another benchmark's row."""

    split: str
    row: int = Field(ge=0)
    id8: str = Field(pattern=r"^[0-9a-f]{8}$", description="First eight characters of the problem's id.")
    variables: tuple[str, ...] = Field(min_length=1, description="The doubtful variables by name.")
    reason: str = Field(min_length=1)
    checked: Literal["computed", "reasoned", "reported"] = Field(
        description="computed: recalculated, and the reference was not met; reasoned: shown by argument, without"
        " numbers; reported: noted by a reader, not confirmed here."
    )


def load_errata(path: Path = ERRATA_PATH) -> tuple[Erratum, ...]:
    """Read an errata file.

    Raises:
        BenchmarkError: If it is not a YAML list of such entries.
    """
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
        return TypeAdapter(tuple[Erratum, ...]).validate_python(entries or ())
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise BenchmarkError(
            f"{path}: not an errata file: {error}\n"
            "Fix: give a YAML list of entries with split, row, id8, variables, reason and checked."
        ) from error


def doubtful_rows(problems: Iterable[Problem], errata: Iterable[Erratum]) -> dict[tuple[str, int], Erratum]:
    """The errata that concern these problems, by (split, row).

    Raises:
        BenchmarkError: If an entry that fits a row names a variable which that problem does not have.
    """
    by_place = {(erratum.split, erratum.row, erratum.id8): erratum for erratum in errata}
    found: dict[tuple[str, int], Erratum] = {}
    for problem in problems:
        erratum = by_place.get((problem.split, problem.row, problem.problem_id[:8]))
        if erratum is None:
            continue
        missing = set(erratum.variables) - {variable.name for variable in problem.variables}
        if missing:
            raise BenchmarkError(
                f"errata entry {problem.label} names variables that the problem lacks: {', '.join(sorted(missing))}\n"
                "Fix: correct the entry's variables."
            )
        found[problem.split, problem.row] = erratum
    return found
