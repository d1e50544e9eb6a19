"""What is put before a reviewer: items, the questions asked about each, and the order and choice of them.

An exam item is one response; a benchmark item is one problem. Both ask a list of aspects, so the page, the file and the
measuring of agreement need not know which of them they handle.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from cfe_local.metrics.samples import GradedSample
from cfe_local.records import Problem, RubricItem, Verdict
from cfe_local.review.labels import RUBRIC, UNSURE

FilterName = Literal["all", "undecided", "disagreement", "low-confidence", "random"]
FILTERS: dict[FilterName, str] = {
    "all": "every response, in the benchmark's order",
    "undecided": "a variable is undecided",
    "disagreement": "gradings, or judge and equivalence, say different things",
    "low-confidence": "the judge was not sure",
    "random": "every response, shuffled by the seed",
}
UNSURE_BELOW, UNSURE_ABOVE = 0.1, 0.9
"""Between these a judge's probability of "correct" is low confidence: at most nine to one for either side."""

RIGHT = ("correct", "incorrect", UNSURE)
QUESTION = "question"
YES_NO = ("yes", "no", UNSURE)


_RESPONSE = re.compile(r"[^/]*/[^/]*/(?P<problem>.+:\d+)/[^/]+/\d+")
"""The label of a response's key: experiment, condition, problem, step, sample."""


def problem_of(unit: str) -> str:
    """The problem, as ``split:row``, that a unit of review belongs to: what makes labels of several units dependent."""
    found = _RESPONSE.fullmatch(unit)
    return found["problem"] if found else unit


@dataclass(frozen=True, slots=True)
class Aspect:
    """One question about an item.

    Attributes:
        name: Unique in the item; stands in the file of labels.
        title: What the reviewer is asked.
        choices: The labels, in the order of their keys 1, 2, 3.
        group: What it is a kind of; agreement is measured per group.
        takes_value: Whether the reviewer may write down the value that the response states.
        is_optional: Whether an item is done without it, because the other answers imply it.
    """

    name: str
    title: str
    choices: tuple[str, ...]
    group: str
    takes_value: bool = False
    is_optional: bool = False

    def key(self, choice: str) -> str:
        """The key that gives this label: its place or, of points, its number; empty where there is none."""
        if self.group != RUBRIC:
            return str(self.choices.index(choice) + 1)
        return "u" if choice == UNSURE else choice if len(choice) == 1 else ""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to look at. ``sample`` is None where a benchmark is reviewed."""

    unit: str
    problem: Problem
    aspects: tuple[Aspect, ...]
    sample: GradedSample | None = None
    filters: frozenset[FilterName] = field(default_factory=frozenset)

    @property
    def required(self) -> tuple[Aspect, ...]:
        """What must be answered before the item counts as done."""
        return tuple(one for one in self.aspects if not one.is_optional)

    def aspect(self, name: str) -> Aspect | None:
        """The aspect of this name."""
        return next((one for one in self.aspects if one.name == name), None)


def exam_items(samples: Sequence[GradedSample], other_gradings: Sequence[Verdict] = ()) -> tuple[Item, ...]:
    """One item per response that has any text.

    Args:
        samples: As planned, with the verdicts of the grading that is reviewed.
        other_gradings: Verdicts of the run's other gradings, to find disagreements.
    """
    others: dict[tuple[str, int], set[str]] = {}
    for verdict in other_gradings:
        others.setdefault((verdict.key.label, verdict.variable), set()).add(verdict.verdict)
    return tuple(
        Item(sample.key.label, sample.problem, _exam_aspects(sample.problem), sample, _filters(sample, others))
        for sample in samples
        if sample.response is not None and (sample.response.text or sample.response.thinking)
    )


def _exam_aspects(problem: Problem) -> tuple[Aspect, ...]:
    variables = tuple(
        Aspect(
            f"v{i}",
            f"{variable.name}",
            RIGHT,
            variable.type,
            takes_value=True,
        )
        for i, variable in enumerate(problem.variables)
    )
    whole = Aspect(QUESTION, "Question as a whole", RIGHT, QUESTION, is_optional=bool(variables))
    if problem.rubric and not variables:
        return _rubric_aspects(problem)
    return (*variables, whole, *_rubric_aspects(problem))


def _rubric_aspects(problem: Problem) -> tuple[Aspect, ...]:
    return tuple(
        Aspect(
            f"{RUBRIC} {i}",
            f"Part {i}: at most {item.points} points" if item.points > 1 else f"Part {i}: at most 1 point",
            (*map(str, range(item.points + 1)), UNSURE),
            RUBRIC,
        )
        for i, item in enumerate(problem.rubric, start=1)
    )


def rubric_item(aspect: Aspect, problem: Problem) -> RubricItem | None:
    """The part of the solution that an aspect gives points for; None for every other aspect."""
    return problem.rubric[int(aspect.name.split()[1]) - 1] if aspect.group == RUBRIC else None


def _filters(sample: GradedSample, others: dict[tuple[str, int], set[str]]) -> frozenset[FilterName]:
    found: set[FilterName] = {"all", "random"}
    if "undecided" in sample.marks:
        found.add("undecided")
    for verdict in sample.verdicts:
        if verdict is None:
            continue
        if _is_unsure(verdict):
            found.add("low-confidence")
        if _contradicts(verdict) or others.get((verdict.key.label, verdict.variable), set()) - {verdict.verdict}:
            found.add("disagreement")
    return frozenset(found)


def _is_unsure(verdict: Verdict) -> bool:
    chance = verdict.p_correct
    return verdict.confidence == "low" or (chance is not None and UNSURE_BELOW < chance < UNSURE_ABOVE)


def _contradicts(verdict: Verdict) -> bool:
    """Whether the judge decided otherwise than equivalence, where equivalence has a view."""
    if verdict.comparison is None or verdict.by != "judge":
        return False
    return (verdict.comparison.verdict, verdict.verdict) in (("equal", "incorrect"), ("different", "correct"))


def benchmark_items(problems: Sequence[Problem]) -> tuple[Item, ...]:
    """One item per problem: is it too easy, is its answer well defined, does its reasoning flow hold?"""
    return tuple(
        Item(problem.label, problem, _benchmark_aspects(problem), filters=frozenset({"all", "random"}))
        for problem in problems
    )


def _benchmark_aspects(problem: Problem) -> tuple[Aspect, ...]:
    aspects = [
        Aspect("trivial", "Is the problem too trivial to tell models apart?", YES_NO, "trivial"),
        Aspect("well-defined", "Is the answer well defined by what is asked?", YES_NO, "well-defined"),
    ]
    if any(part.kind == "image" for part in problem.question):
        aspects.append(Aspect("image-needed", "Can it be solved only with the image?", YES_NO, "image-needed"))
    for step in problem.steps:
        name = f"step {step.step_id}"
        aspects += [
            Aspect(f"{name} right", f"Step {step.step_id}: is its answer right?", YES_NO, "step right"),
            Aspect(f"{name} leak-free", f"Step {step.step_id}: is it free of later answers?", YES_NO, "step leak-free"),
            Aspect(
                f"{name} in-order", f"Step {step.step_id}: does it need only earlier steps?", YES_NO, "step in-order"
            ),
        ]
    return tuple(aspects)


def chosen(items: Sequence[Item], name: FilterName, *, seed: int) -> tuple[Item, ...]:
    """The items of one filter, in the order in which they are shown.

    Args:
        items: All of them.
        name: Which filter.
        seed: For ``random``: the same seed gives the same order.
    """
    found = [item for item in items if name in item.filters]
    if name == "random":
        random.Random(seed).shuffle(found)
    return tuple(found)
