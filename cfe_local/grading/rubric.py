"""Points by rubric: each item earns points only with a quotation of the response, and the total is their sum.

Impossible by construction: points for items that the rubric does not have, more than an item's points, a total that is
no sum, evidence that does not stand in the response. A response that matches no item earns 0.

Source: ARB (arXiv:2307.13692), model-graded rubrics; there, models gave credit outside the rubric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field, model_validator

from cfe_local.grading.asking import JudgeSettings
from cfe_local.grading.assessment import ClaimField, asked_claims
from cfe_local.grading.base import GradingTask, Judged, Pair, not_finished
from cfe_local.grading.claims import Claim, ClaimStatus
from cfe_local.records import RUBRIC_POINTS, Case, Key, Record, RubricItem

RubricAuthor = Literal["person", "judge"]


class ItemScore(Record):
    """What one item of a rubric earned."""

    points: int = Field(ge=0)
    maximum: int = Field(ge=1, le=RUBRIC_POINTS)
    status: ClaimStatus
    quote: str = Field(default="", description="The words of the response that earn the points.")
    reason: str = ""

    @model_validator(mode="after")
    def _points_are_earned(self) -> ItemScore:
        if self.points > self.maximum:
            raise ValueError(f"{self.points} points for an item of {self.maximum}")
        if (self.points > 0) != (self.status == "earned") or (self.points > 0 and not self.quote.strip()):
            raise ValueError("points need a quotation, and nothing else has any")
        return self


class RubricScore(Record):
    """What one response earned."""

    key: Key
    author: RubricAuthor = Field(description="Who wrote the rubric.")
    outcome: str = Field(description="``graded``, or why there are no points: the response's or the judge's outcome.")
    items: tuple[ItemScore, ...] = ()

    @property
    def total(self) -> int | None:
        """The sum of the items, in [0, 10]; None where nothing was graded."""
        return sum(item.points for item in self.items) if self.outcome == "graded" else None

    @model_validator(mode="after")
    def _items_make_a_rubric(self) -> RubricScore:
        if self.outcome == "graded" and sum(item.maximum for item in self.items) != RUBRIC_POINTS:
            raise ValueError(f"the items' points sum to {sum(item.maximum for item in self.items)}")
        if self.outcome != "graded" and self.items:
            raise ValueError("items without a grade")
        return self


@dataclass(frozen=True, slots=True)
class Rubric:
    """The items of one problem's rubric, and who wrote them."""

    items: tuple[RubricItem, ...]
    author: RubricAuthor = "person"


@dataclass(frozen=True, slots=True)
class RubricGrading:
    """Grades responses to problems that have a rubric.

    Attributes:
        designed: Rubrics by (split, row) for problems that come without one.
    """

    settings: JudgeSettings = field(default_factory=JudgeSettings)
    designed: Mapping[tuple[str, int], Rubric] = field(default_factory=dict)
    name: str = "rubric"

    def pairs(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Pair]:
        """Nothing is compared."""
        del tasks, judged
        return []

    def calls(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Case]:
        """One call per response that says something."""
        found = []
        for task, rubric in self._with_rubric(tasks):
            if _outcome_without_points(task) is None:
                asked = asked_claims(task, self.name, _fields(rubric), judged, self.settings)
                found += [asked.due] if asked.due is not None else []
        return found

    def records(self, tasks: Sequence[GradingTask], judged: Judged) -> list[RubricScore]:
        """One score per response to a problem with a rubric."""
        return [self._score(task, rubric, judged) for task, rubric in self._with_rubric(tasks)]

    def _score(self, task: GradingTask, rubric: Rubric, judged: Judged) -> RubricScore:
        outcome = _outcome_without_points(task)
        if outcome is not None:
            return RubricScore(key=task.key, author=rubric.author, outcome=outcome)
        asked = asked_claims(task, self.name, _fields(rubric), judged, self.settings)
        if asked.due is not None:
            raise not_finished(self.name, task)
        if asked.value is None:
            return RubricScore(key=task.key, author=rubric.author, outcome=asked.failure or "judge_invalid")
        items = tuple(_item(claim, item) for claim, item in zip(asked.value, rubric.items, strict=True))
        return RubricScore(key=task.key, author=rubric.author, outcome="graded", items=items)

    def _with_rubric(self, tasks: Sequence[GradingTask]) -> list[tuple[GradingTask, Rubric]]:
        found = []
        for task in tasks:
            rubric = Rubric(task.rubric) if task.rubric else self.designed.get((task.key.split, task.key.row))
            if rubric is not None:
                found.append((task, rubric))
        return found


def _fields(rubric: Rubric) -> list[ClaimField]:
    return [ClaimField(item.criterion, item.points) for item in rubric.items]


def _item(claim: Claim, item: RubricItem) -> ItemScore:
    return ItemScore(
        points=claim.points, maximum=item.points, status=claim.status, quote=claim.quote, reason=claim.reason
    )


def _outcome_without_points(task: GradingTask) -> str | None:
    """Why a response cannot be graded by rubric; an answer that says nothing is graded, and earns nothing."""
    return None if task.response.outcome in {"answered", "truncated"} else task.response.outcome
