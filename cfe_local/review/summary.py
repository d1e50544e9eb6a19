"""The results of ``agreement`` as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from cfe_local.grading.labels import LabelledResponse
from cfe_local.records import Record
from cfe_local.review.agreement import Adjudicated, GroupAgreement
from cfe_local.review.judged import JudgeAgainstLabels
from cfe_local.review.points import RubricPoints
from cfe_local.store import write_atomically


class AgreementSummary(Record):
    """Everything that the labels say together."""

    reviewers: tuple[str, ...]
    adjudicator: str | None
    groups: tuple[GroupAgreement, ...]
    judge: tuple[JudgeAgainstLabels, ...] = Field(description="Empty where no run was given or it is not graded.")
    points: RubricPoints | None = Field(default=None, description="None without a run or without labels of a rubric.")
    disputed: tuple[Adjudicated, ...]
    n_settled: int = Field(ge=0)
    n_open: int = Field(ge=0)


def write_summary(
    folder: Path,
    summary: AgreementSummary,
    places: Sequence[Adjudicated],
    labelled: Sequence[LabelledResponse],
    points: Sequence[Record],
) -> tuple[Path, ...]:
    """Write agreement.json, adjudicated.jsonl and, where there are any, labelled.jsonl and points.jsonl.

    Raises:
        StoreError: If the folder cannot be written.
    """
    contents = {
        "agreement.json": summary.model_dump_json(indent=2) + "\n",
        "adjudicated.jsonl": _lines(places),
        "labelled.jsonl": _lines(labelled),
        "points.jsonl": _lines(points),
    }
    written = []
    for name, text in contents.items():
        if text:
            write_atomically(folder / name, text.encode())
            written.append(folder / name)
    return tuple(written)


def _lines(records: Sequence[Record]) -> str:
    return "".join(record.model_dump_json() + "\n" for record in records)
