"""Compares asymptotic classes: O, Theta, Omega of growth functions of one or more variables.

Two growth functions are the same class if their ratio tends to a constant that is neither zero nor infinite. The
ratio is followed along one ray to enormous arguments. Exact proportionality is proof for several variables; for one
variable a ratio that settles is.
"""

from __future__ import annotations

from itertools import pairwise

from flint import acb

from cfe_local.equivalence.evaluation import Point, evaluate
from cfe_local.equivalence.functions import Ball, UndefinedError
from cfe_local.equivalence.interpretation import settle
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.outcome import Outcome, different, equal, undecided
from cfe_local.equivalence.sampling import BITS, precision, sample_values
from cfe_local.equivalence.tree import Node, symbols

_EXPONENTS = (20, 40, 80, 160, 320)  # Powers of ten of the variable: far enough for logarithms to show.


def compare_growth(reference: Node, candidate: Node) -> Outcome:
    """Compare two classes."""
    if reference.name != candidate.name:
        return undecided("growth class", f"{reference.name} against {candidate.name}")
    left, right = settle(reference.args[0], candidate.args[0])
    names = symbols(left) | symbols(right)
    if symbols(left) != symbols(right):
        return undecided("growth", "growth in different variables")
    try:
        with precision(4 * BITS):
            if _proportional(left, right, names):
                return equal("growth", "the two growth functions are proportional")
            if len(names) == 1:
                return _along_ray(left, right, next(iter(names)))
    except (UndefinedError, LimitError, ZeroDivisionError, ValueError) as error:
        return undecided("growth", str(error))
    return undecided("growth", "not proportional, in several variables")


def _proportional(left: Node, right: Node, names: frozenset[str]) -> bool:
    ratios = []
    for turn in range(5):
        values = {name: 3 + 40 * value for name, value in sample_values(names, frozenset(), turn).items()}
        point = Point(values)
        ratios.append(evaluate(left, point) / evaluate(right, point))
        if point.opaque:
            return False
    return all(ratio.overlaps(ratios[0]) for ratio in ratios)


def _along_ray(left: Node, right: Node, name: str) -> Outcome:
    ratios: list[Ball] = []
    for exponent in _EXPONENTS:
        point = Point({name: acb(10) ** exponent})
        ratios.append(evaluate(left, point) / evaluate(right, point))
        if point.opaque:
            return undecided("growth", "unknown functions")
    sizes = [float(abs(ratio).mid()) for ratio in ratios]
    steps = [later / earlier if earlier else 0.0 for earlier, later in pairwise(sizes)]
    if all(abs(step - 1) < 1e-9 for step in steps[1:]):
        return equal("growth", f"the ratio tends to {sizes[-1]:.6g}")
    if all(step > 1.2 for step in steps) or all(step < 0.84 for step in steps):
        return different("growth", f"the ratio runs from {sizes[0]:.3g} to {sizes[-1]:.3g}")
    return undecided("growth", "the ratio does not settle")
