"""What went wrong in an answer: kinds of error that the judge marks with a quotation each, and checked arithmetic.

Kinds are not exclusive. Only wrong answers are asked about errors; right ones are asked whether their reasoning is. The
arithmetic that equivalence refutes is reported apart, as verified: it is no opinion.

Source: the categories are those of ARB's error analysis (arXiv:2307.13692); their wording is ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from cfe_local.grading.arithmetic import ArithmeticClaim, arithmetic_claims
from cfe_local.grading.asking import Attempted, JudgeSettings
from cfe_local.grading.assessment import ClaimField, asked_claims
from cfe_local.grading.base import GradingTask, Judged, Pair, not_finished
from cfe_local.grading.claims import Claim
from cfe_local.records import Case, Key, Record

ErrorKind = Literal["misread", "approach", "logic", "arithmetic", "reasoning"]
OF_WRONG: Mapping[ErrorKind, str] = {
    "misread": "misread the problem: answers another question or uses givens that it does not have",
    "approach": "wrong approach: the method cannot lead to the answer",
    "logic": "logical error or invented fact: a step that does not follow or a statement that is false",
    "arithmetic": "arithmetic mistake: a calculation with a wrong result",
}
OF_RIGHT: Mapping[ErrorKind, str] = {
    "reasoning": "right answer with wrong reasoning: a step that is false or does not follow",
}
AnswerMark = Literal["right", "wrong"]


class MarkedError(Record):
    """One kind of error that the judge saw, with the words that show it."""

    kind: ErrorKind
    quote: str = Field(min_length=1)
    reason: str = ""


class WrongArithmetic(Record):
    """A claim of arithmetic that equivalence refutes."""

    quote: str
    evidence: str


class ErrorReport(Record):
    """What one answer got wrong."""

    key: Key
    answer: AnswerMark
    outcome: str = Field(description="``marked``, or why the judge's marks are missing.")
    errors: tuple[MarkedError, ...] = ()
    n_dropped: int = Field(default=0, ge=0, description="Marks without a quotation that stands in the answer.")
    n_claims: int = Field(default=0, ge=0, description="Claims of arithmetic that were checked.")
    n_claims_open: int = Field(default=0, ge=0, description="Those that equivalence left undecided.")
    wrong_arithmetic: tuple[WrongArithmetic, ...] = ()

    def has(self, kind: ErrorKind) -> bool:
        """Whether the judge marked this kind."""
        return any(error.kind == kind for error in self.errors)


@dataclass(frozen=True, slots=True)
class ErrorMarking:
    """Marks the errors of answers whose verdict is known.

    Attributes:
        marks: By the label of the response's key: answers that are neither right nor wrong are left out.
    """

    marks: Mapping[str, AnswerMark]
    settings: JudgeSettings = field(default_factory=JudgeSettings)
    name: str = "errors"

    def pairs(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Pair]:
        """Claims of arithmetic that are not checked yet."""
        found = {claim.pair.label: claim.pair for task in self._mine(tasks) for claim in _claims(task)}
        return [pair for label, pair in found.items() if label not in judged.comparisons]

    def calls(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Case]:
        """One call per answer."""
        found = (self._asked(task, judged).due for task in self._mine(tasks))
        return [case for case in found if case is not None]

    def records(self, tasks: Sequence[GradingTask], judged: Judged) -> list[ErrorReport]:
        """One report per answer that is right or wrong."""
        return [self._report(task, judged) for task in self._mine(tasks)]

    def _mine(self, tasks: Sequence[GradingTask]) -> list[GradingTask]:
        return [task for task in tasks if task.key.label in self.marks]

    def _kinds(self, task: GradingTask) -> Mapping[ErrorKind, str]:
        return OF_RIGHT if self.marks[task.key.label] == "right" else OF_WRONG

    def _asked(self, task: GradingTask, judged: Judged) -> Attempted[tuple[Claim, ...]]:
        fields = [ClaimField(text) for text in self._kinds(task).values()]
        return asked_claims(task, self.name, fields, judged, self.settings)

    def _report(self, task: GradingTask, judged: Judged) -> ErrorReport:
        asked = self._asked(task, judged)
        claims = _claims(task)
        checked = [judged.comparisons.get(claim.pair.label) for claim in claims]
        if asked.due is not None or None in checked:
            raise not_finished(self.name, task)
        marks = asked.value or ()
        kinds = list(self._kinds(task))
        return ErrorReport(
            key=task.key,
            answer=self.marks[task.key.label],
            outcome="marked" if asked.value is not None else asked.failure or "judge_invalid",
            errors=tuple(
                MarkedError(kind=kinds[position], quote=mark.quote, reason=mark.reason)
                for position, mark in enumerate(marks)
                if mark.status == "earned"
            ),
            n_dropped=sum(mark.status in ("no_evidence", "ungrounded") for mark in marks),
            n_claims=len(claims),
            n_claims_open=sum(one is not None and one.verdict == "undecided" for one in checked),
            wrong_arithmetic=tuple(
                WrongArithmetic(quote=claim.quote, evidence=one.evidence)
                for claim, one in zip(claims, checked, strict=True)
                if one is not None and one.verdict == "different"
            ),
        )


def _claims(task: GradingTask) -> tuple[ArithmeticClaim, ...]:
    return arithmetic_claims(task.response.text)
