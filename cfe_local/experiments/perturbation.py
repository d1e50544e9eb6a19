"""Problems with other givens: which values are put in, what the question and the answer become. All deterministic.

The rule: a whole number up to 20 grows by 1, 2 or 3; any other given is multiplied by 1.2, 1.4 or 1.6 and rounded to as
many decimals as it has. Which of the three is a hash of the problem, the given and the variant. Givens that move the
answer by less than 3 % are drawn again: the old answer would pass for the new one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from cfe_local.benchmarks.formulas import FormulaError, formula_value
from cfe_local.benchmarks.written import filled_template
from cfe_local.records import ImagePart, Part, Perturbation, Problem, TargetVariable, TextPart

FACTORS = (1.2, 1.4, 1.6)
STEPS = (1, 2, 3)
SMALL = 20
"""Whole numbers up to this one are counts, which grow by counts."""

N_DRAWS = 12
MIN_CHANGE = 0.03
"""Of the answer; three times the tolerance of the 1 % rule."""


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A problem asked with other givens."""

    question: tuple[Part, ...]
    target: TargetVariable


def perturbed(problem: Problem, perturb: Perturbation, variant: int) -> Perturbed:
    """The problem's variant number ``variant`` (from 1).

    Raises:
        FormulaError: If the formula has no value at any of the givens that are tried, or none moves it.
    """
    givens, value = _moved(problem, perturb, variant)
    text = filled_template(perturb.template, {name: _written(value) for name, value in givens.items()})
    images = [part for part in problem.question if isinstance(part, ImagePart)]
    original = problem.variables[0]
    answer = _like(value, original.value)
    return Perturbed((TextPart(text=text), *images), original.model_copy(update={"value": answer}))


def _moved(problem: Problem, perturb: Perturbation, variant: int) -> tuple[dict[str, int | float], float]:
    """The first draw of givens that moves the answer, and the answer there."""
    before = formula_value(perturb.formula, perturb.givens)
    for draw in range(N_DRAWS):
        givens = {
            name: _changed(value, f"{problem.label}|{name}|{variant}|{draw}") for name, value in perturb.givens.items()
        }
        try:
            after = formula_value(perturb.formula, givens)
        except FormulaError:
            continue
        if abs(after - before) > MIN_CHANGE * abs(before):
            return givens, after
    raise FormulaError(f"{problem.label}: no change of the givens by the rule moves the answer")


def _changed(value: int | float, label: str) -> int | float:
    choice = hashlib.sha256(label.encode()).digest()[0] % 3
    if isinstance(value, int):
        return value + STEPS[choice] if abs(value) <= SMALL else round(value * FACTORS[choice])
    decimals = len(_written(value).partition(".")[2])
    changed = round(value * FACTORS[choice], decimals)
    return changed if changed != value else value + 10.0**-decimals


def _written(value: int | float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.12g}" if value != int(value) else f"{value:.1f}"


def _like(value: float, reference: str) -> str:
    """The number with six digits; a decimal where the reference is one, so that the 1 % rule applies to both."""
    text = f"{value:.6g}"
    return text if "." not in reference or any(mark in text for mark in ".e") else f"{text}.0"
