"""What a reviewer says, as lines that are only ever appended, and what stands after all of them.

A line gives a label, or takes back the last one that still stands. So nothing is overwritten, and the history of a
reviewer's mind is in the file.

Not here: the file (``files``), and what can be asked (``items``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Self
from uuid import uuid4

from pydantic import Field, model_validator

from cfe_local.records import Record

MAX_COMMENT = 4_000
"""Characters of a comment or of a stated value: a note, not an upload."""

UNSURE = "unsure"
"""The one label of every question that says nothing: it counts as seen, and as missing where agreement is measured."""


RUBRIC = "rubric"
"""Group of the questions that ask for points; their labels are whole numbers."""

_POINTS = re.compile(r"[0-9]{1,2}")
_VARIABLE = re.compile(r"v([0-9]{1,4})")


def variable_position(aspect: str) -> int | None:
    """0-based position of the variable that an aspect is about; None for every other aspect."""
    found = _VARIABLE.fullmatch(aspect)
    return int(found[1]) if found else None


class ReviewLine(Record):
    """One line of a reviewer's file."""

    id: str = Field(min_length=1, description="Unique per line.")
    time: str = Field(description="UTC, ISO 8601, when the reviewer said so.")
    reviewer: str
    action: Literal["label", "undo"]
    unit: str = Field(default="", description="What was looked at: a response's key, or ``split:row``.")
    aspect: str = Field(default="", description="Which question about it: ``v0``, ``question``, ``step 2 right`` ...")
    group: str = Field(default="", description="What the aspect is a kind of: ``numeric``, ``question`` ...")
    label: str = ""
    value: str | None = Field(
        default=None, max_length=MAX_COMMENT, description="The value that the response states, where told."
    )
    comment: str = Field(default="", max_length=MAX_COMMENT)
    blind: bool = Field(default=False, description="Whether verdicts were hidden from the reviewer.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.action == "label" and not (self.unit and self.aspect and self.label):
            raise ValueError("a label needs unit, aspect and label")
        if (
            self.group == RUBRIC
            and self.action == "label"
            and self.label != UNSURE
            and not _POINTS.fullmatch(self.label)
        ):
            raise ValueError("points are a whole number")
        return self

    @property
    def place(self) -> tuple[str, str]:
        """What the label is about."""
        return (self.unit, self.aspect)


def label_line(
    reviewer: str, place: tuple[str, str], label: str, *, group: str = "", value: str | None = None, comment: str = ""
) -> ReviewLine:
    """A new label, said now."""
    return ReviewLine(
        id=uuid4().hex,
        time=_now(),
        reviewer=reviewer,
        action="label",
        unit=place[0],
        aspect=place[1],
        group=group,
        label=label,
        value=value,
        comment=comment,
    )


def undo_line(reviewer: str) -> ReviewLine:
    """Take the last standing label back, now."""
    return ReviewLine(id=uuid4().hex, time=_now(), reviewer=reviewer, action="undo")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Standing:
    """What a file of lines says in the end.

    Attributes:
        history: Labels that were not taken back, oldest first; of one place the last one stands.
    """

    history: tuple[ReviewLine, ...] = ()

    @classmethod
    def after(cls, lines: Iterable[ReviewLine]) -> Standing:
        """Replay lines in their order; an undo without anything to undo does nothing."""
        history: list[ReviewLine] = []
        for line in lines:
            if line.action == "label":
                history.append(line)
            elif history:
                history.pop()
        return cls(tuple(history))

    def labels(self) -> dict[tuple[str, str], ReviewLine]:
        """The label of every place that has one."""
        return {line.place: line for line in self.history}
