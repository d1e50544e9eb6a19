"""One item as values for the page's template: typeset and cut as in a report, with what blind mode hides left out here.

What is hidden never reaches the template, so no style or script can bring it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from markupsafe import Markup

from cfe_local.records import ImagePart, Problem
from cfe_local.report.characters import shortened, visible
from cfe_local.report.mathml import Typesetter
from cfe_local.report.model import ProblemPage
from cfe_local.report.page import (
    LINE,
    NAME,
    VALUE,
    PageLimits,
    ShownProblem,
    ShownSample,
    ShownVerdict,
    Typesetters,
    show_problem,
)
from cfe_local.report.prose import prose, value
from cfe_local.review.items import Aspect, Item, rubric_item
from cfe_local.review.labels import ReviewLine

MAX_MATHML = 1_500_000
"""Characters of typeset formulas in one response; later ones stand as they were written."""

LIMITS = PageLimits(response_chars=60_000, thinking_chars=200_000, samples=1, answer_mathml=MAX_MATHML)


@dataclass(frozen=True, slots=True)
class ShownAspect:
    """One question about the item, with what the reviewer needs to answer it and what was answered.

    Attributes:
        verdict: What the grading said; None in blind mode and where there is none.
        stated: What stands in the field for the value that the response states.
    """

    aspect: Aspect
    anchor: str
    said: ReviewLine | None
    is_active: bool
    reference: Markup | None = None
    description: Markup | None = None
    verdict: ShownVerdict | None = None
    stated: str = ""


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One step of the reasoning flow."""

    step_id: int
    question: Markup
    answer: Markup


@dataclass(frozen=True, slots=True)
class ShownItem:
    """Everything that the page says about one item."""

    problem: ShownProblem
    sample: ShownSample | None
    aspects: tuple[ShownAspect, ...]
    solution: Markup
    steps: tuple[ShownStep, ...]
    references: tuple[tuple[str, Markup], ...]


def show_item(
    item: Item, said: Mapping[tuple[str, str], ReviewLine], *, active: str, image_url: str, blind: bool
) -> ShownItem:
    """Put one item into words and formulas.

    Args:
        item: What to look at.
        said: The reviewer's labels, by (unit, aspect).
        active: Name of the aspect that the keyboard acts on.
        image_url: Address below which images are served, by their sha256.
        blind: Whether to leave out verdicts, extracted values and the judge's words.
    """
    typesetters = Typesetters(Typesetter(), Typesetter(budget=MAX_MATHML))

    def image(part: ImagePart) -> str:
        return f"{image_url}/{part.sha256}"

    page = ProblemPage(item.problem, (item.sample,) if item.sample else ())
    problem = show_problem(page, typesetters, image, LIMITS)
    sample = problem.samples[0] if problem.samples else None
    verdicts = sample.verdicts if sample and not blind else ()
    aspects = tuple(
        _aspect(item, i, said, typesetters.benchmark, verdicts, is_active=aspect.name == active)
        for i, aspect in enumerate(item.aspects)
    )
    return ShownItem(
        problem=problem,
        sample=replace(sample, verdicts=()) if sample else None,
        aspects=aspects,
        solution=prose(shortened(item.problem.solution, LIMITS.response_chars), typesetters.benchmark),
        steps=_steps(item.problem, typesetters.benchmark),
        references=tuple(
            (shortened(v.name, NAME), value(shortened(v.value, VALUE), typesetters.benchmark))
            for v in item.problem.variables
        ),
    )


def _aspect(
    item: Item,
    position: int,
    said: Mapping[tuple[str, str], ReviewLine],
    typesetter: Typesetter,
    verdicts: tuple[ShownVerdict, ...],
    *,
    is_active: bool,
) -> ShownAspect:
    aspect = item.aspects[position]
    line = said.get((item.unit, aspect.name))
    shown = ShownAspect(aspect, f"a{position}", line, is_active)
    if (part := rubric_item(aspect, item.problem)) is not None:
        return replace(
            shown,
            reference=prose(shortened(part.solution_excerpt, VALUE), typesetter),
            description=prose(shortened(part.criterion, LINE), typesetter),
        )
    if not aspect.takes_value:
        return shown
    variable = item.problem.variables[position]
    shown = replace(
        shown,
        reference=value(shortened(variable.value, VALUE), typesetter),
        description=prose(shortened(variable.description, LINE), typesetter),
        stated=(line.value if line else None) or "",
    )
    return replace(shown, verdict=verdicts[position]) if verdicts else shown


def _steps(problem: Problem, typesetter: Typesetter) -> tuple[ShownStep, ...]:
    return tuple(
        ShownStep(
            step.step_id,
            prose(shortened(step.question, VALUE), typesetter),
            prose(visible(shortened(str(step.answer), VALUE)), typesetter),
        )
        for step in problem.steps
    )
