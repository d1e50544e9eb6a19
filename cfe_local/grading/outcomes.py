"""Verdicts on responses that hold no answer: the judge is not asked, and none of them is called wrong silently."""

from __future__ import annotations

from cfe_local.grading.base import GradingTask
from cfe_local.records import Extraction, Verdict


def verdict_without_grading(task: GradingTask, grading: str) -> tuple[Verdict, ...] | None:
    """One verdict per variable if the response's outcome settles them all; None if it has to be read.

    A response that never left its thinking, did not fit or failed is undecided with that reason. One that ended by
    itself and says nothing is incorrect: the values are absent. What a truncated one does say is read.
    """
    response = task.response
    empty = not response.text.strip()
    if response.outcome in {"answered", "truncated"} and not empty:
        return None
    absent = response.outcome == "answered"
    extraction = Extraction(status="absent" if absent else "no_answer")
    return tuple(
        Verdict(
            key=task.key,
            grading=grading,
            variable=position,
            verdict="incorrect" if absent else "undecided",
            by="outcome",
            reason="absent" if absent else response.outcome,
            evidence=response.detail,
            extraction=extraction,
        )
        for position in range(len(task.targets))
    )
