"""Steps of a reasoning flow in diagnostics: which of them are asked about, their results as text and as targets.

A step's position counts from 1 in the order of the flow; the benchmark's own step ids are labels and may repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from cfe_local.grading.base import Pair
from cfe_local.grading.candidates import candidates, references
from cfe_local.records import Problem, Step, TargetVariable, ValueContext

RULE = (
    "Of a flow with more steps than asked for, the first, the last and evenly spread ones between them are taken "
    "(of one step, the middle one)."
)


def chosen_positions(n_steps: int, max_steps: int | None) -> tuple[int, ...]:
    """Positions that are asked about, ascending: all, or ``max_steps`` of them spread evenly from first to last.

    Args:
        n_steps: Length of the flow, at least 1.
        max_steps: At most this many, at least 1; None for all.
    """
    if max_steps is None or n_steps <= max_steps:
        return tuple(range(1, n_steps + 1))
    if max_steps == 1:
        return ((n_steps + 1) // 2,)
    return tuple(1 + (2 * j * (n_steps - 1) + max_steps - 1) // (2 * (max_steps - 1)) for j in range(max_steps))


def result_text(step: Step) -> str:
    """A step's result as text: ``150`` for 150.0, ``True`` for a boolean."""
    answer = step.answer
    if isinstance(answer, float) and answer.is_integer() and abs(answer) < 1e15:
        return str(int(answer))
    return answer.strip() if isinstance(answer, str) else str(answer)


def step_target(step: Step) -> TargetVariable:
    """A step as something to be graded."""
    is_number = isinstance(step.answer, float) and not isinstance(step.answer, bool)
    is_formula = isinstance(step.answer, str) and any(c.isdigit() or c in "\\=^_+*/" for c in step.answer)
    return TargetVariable(
        name="result",
        description=step.question.strip(),
        value=result_text(step),
        type="numeric" if is_number else "formula" if is_formula else "other",
    )


def answer_pairs(problem: Problem, position: int) -> list[Pair]:
    """Comparisons that tell whether a step's result is the value of a target variable of its problem.

    A boolean is compared in the last step alone: any other yes would equal a yes that is asked for.
    """
    step = problem.steps[position - 1]
    text = result_text(step)
    if not text or (isinstance(step.answer, bool) and position < len(problem.steps)):
        return []
    found: list[Pair] = []
    for i, target in enumerate(problem.variables):
        context = ValueContext(
            type=target.type, variable=target.name, description=target.description, question=problem.question_text
        )
        found += [
            Pair(reference, form, context)
            for reference in _references(problem.variables, i)
            for form in _forms(text, reference)
        ]
    return found


@lru_cache(maxsize=5_000)
def _references(targets: tuple[TargetVariable, ...], position: int) -> tuple[str, ...]:
    """The same for every step of a problem."""
    return references(targets, position)


@lru_cache(maxsize=50_000)
def _forms(value: str, reference: str) -> tuple[str, ...]:
    """The analysis asks for the forms of every step twice; making them for a whole benchmark takes seconds."""
    return candidates(value, reference)


def flow_pairs(problems: Sequence[Problem]) -> list[Pair]:
    """All comparisons that `answer_pairs` needs for these problems, each once."""
    found = {
        pair.label: pair
        for problem in problems
        for position in range(1, len(problem.steps) + 1)
        for pair in answer_pairs(problem, position)
    }
    return list(found.values())
