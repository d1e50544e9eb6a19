"""Small desks for the tests of the review page."""

from __future__ import annotations

from pathlib import Path

from cfe_local.metrics.samples import GradedSample
from cfe_local.records import Comparison, Problem, Step, TargetVariable, Verdict, VerdictValue
from cfe_local.review.desk import Desk, DeskSettings
from cfe_local.review.files import LabelBook
from cfe_local.review.items import exam_items
from tests.report.runs import key_of, problem, response, verdict


def two_variables(row: int) -> Problem:
    """A problem that asks for two values."""
    one = problem(row)
    more = TargetVariable(name="product", description="The product", value="$1$", type="formula")
    return one.model_copy(update={"variables": (*one.variables, more)})


def sample(of: Problem, *marks: VerdictValue | None, text: str = "It is $2$.") -> GradedSample:
    """A graded response; None is a variable without a verdict."""
    verdicts = tuple(
        verdict(of, mark).model_copy(update={"variable": i}) if mark else None for i, mark in enumerate(marks)
    )
    return GradedSample(
        key=key_of(of), problem=of, response=response(of, text), verdicts=verdicts, targets=of.variables
    )


def samples() -> tuple[GradedSample, ...]:
    """One right, one undecided, one with two variables of which one is wrong."""
    return (
        sample(problem(0), "correct"),
        sample(problem(1), "undecided"),
        sample(two_variables(2), "correct", "incorrect"),
    )


def desk(folder: Path, *, settings: DeskSettings | None = None) -> Desk:
    """A desk with an open book; the caller closes the book."""
    return Desk(exam_items(samples()), LabelBook.open(folder, "ann"), settings or DeskSettings(title="run"))


def judged(of: Problem, mark: VerdictValue, compared: str, *, p_correct: float = 0.99) -> Verdict:
    """A verdict of the judge, with what equivalence said."""
    comparison = Comparison.model_validate({"verdict": compared, "by": "number", "evidence": ""})
    update = {"by": "judge", "comparison": comparison, "p_correct": p_correct}
    return verdict(of, mark).model_copy(update=update)


def with_steps(row: int) -> Problem:
    """A problem with a reasoning flow of two steps."""
    steps = (Step(step_id=1, question="One?", answer=1.0), Step(step_id=2, question="Two?", answer=True))
    return problem(row).model_copy(update={"steps": steps})
