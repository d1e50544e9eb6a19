"""Marks that people gave, from JSON-lines files: points by rubric, kinds of error. Every fault is named by its line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import Field, ValidationError

from cfe_local.benchmarks.entries import read_text
from cfe_local.errors import UsageError
from cfe_local.grading.errors import ErrorKind
from cfe_local.records import RUBRIC_POINTS, Key, Record


class HumanMark(Record):
    """Which response a person marked."""

    split: str
    row: int = Field(ge=0)
    sample: int = Field(default=0, ge=0)


class HumanPoints(HumanMark):
    """A line of a points file."""

    points: float = Field(ge=0, le=RUBRIC_POINTS)


class HumanErrors(HumanMark):
    """A line of an errors file; an empty list says that there is none of the kinds."""

    kinds: tuple[ErrorKind, ...]


MarkT = TypeVar("MarkT", bound=HumanMark)


def read_marks(path: Path, kind: type[MarkT], known: Iterable[Key]) -> dict[str, MarkT]:
    """A file of people's marks, by the label of the response's key.

    Args:
        path: JSON lines.
        kind: What a line holds.
        known: Keys of the responses that can be marked.

    Raises:
        BenchmarkError: If the file cannot be read.
        UsageError: For a line of another shape, an unknown response, or one that is marked twice; names the line.
    """
    labels = {(key.split, key.row, key.sample): key.label for key in known}
    found: dict[str, MarkT] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            mark = kind.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise UsageError(
                f"{path}, line {number}: {where + ': ' if where else ''}{first['msg']}\nFix: correct that line."
            ) from error
        label = labels.get((mark.split, mark.row, mark.sample))
        if label is None:
            raise UsageError(
                f"{path}, line {number}: no response to mark at {mark.split}:{mark.row}, sample {mark.sample}\n"
                "Fix: name a response of this run, to a problem that is marked this way."
            )
        if label in found:
            raise UsageError(f"{path}, line {number}: marks {label} a second time\nFix: keep one line of the two.")
        found[label] = mark
    return found
