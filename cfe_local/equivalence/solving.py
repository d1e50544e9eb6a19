"""Compares two equations that are linear in a power of some symbol, by solving both for it at random points.

``A w + B = 0`` with w = v, v^2, v^3 or v^4 has the one solution w = -B / A. Two such equations hold at the same points
if their solutions agree wherever the other symbols are put, and if the factor between them never changes sign.

Not here: equations that are not linear in any power of any symbol (``relations``).
"""

from __future__ import annotations

from fractions import Fraction

from flint import acb

from cfe_local.equivalence.evaluation import Point, ball, evaluate, unit_interval
from cfe_local.equivalence.functions import Ball, UndefinedError
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.outcome import Outcome, different, equal
from cfe_local.equivalence.sampling import Reading, fixed_values
from cfe_local.equivalence.tree import Node

_POWERS = (1, 2, 3, 4)
_N_POINTS = 8
_N_TRIES = 20
_AGREE = 1e-25
_FAILURES = (UndefinedError, LimitError, ZeroDivisionError, ValueError, OverflowError)


def compare_solutions(pair: tuple[Node, Node], reading: Reading, names: frozenset[str]) -> Outcome | None:
    """Solve both for the first symbol in whose power both are linear; None if there is none, or nothing is certain."""
    for name in sorted(names):
        for power in _POWERS:
            if all(_is_linear(tree, reading, names, (name, power)) for tree in pair):
                return _compare(pair, reading, names, (name, power))
    return None


def _is_linear(tree: Node, reading: Reading, names: frozenset[str], target: tuple[str, int]) -> bool:
    """Whether the second difference in w = v^k vanishes at two places."""
    try:
        for key in ("first", "second"):
            values = [_at(tree, reading, names, target, key, Fraction(w)) for w in (1, 2, 3, 5)]
            slope = values[1] - values[0]
            bends = [values[2] - values[1] - slope, values[3] - values[2] - 2 * slope]
            size = max(abs(value).mid() for value in values)
            if any(not bend.contains(0) or bend.rad() > _AGREE * (1 + size) for bend in bends) or slope.contains(0):
                return False
    except _FAILURES:
        return False
    return True


def _at(tree: Node, reading: Reading, names: frozenset[str], target: tuple[str, int], key: str, w: Fraction) -> Ball:
    """Value of the tree where the target's power is w and the other symbols have the values of ``key``."""
    name, power = target
    values = {
        other: ball(Fraction(1, 5) + 3 * unit_interval(f"{other}|solve {key}")) for other in names if other != name
    }
    root = acb(ball(w)) if power == 1 else ball(w) ** (acb(1) / power)
    point = Point({**values, name: root, **fixed_values(reading)})
    value = evaluate(tree, point)
    if point.opaque:
        raise UndefinedError("unknown functions prove no difference")
    return value


def _compare(
    pair: tuple[Node, Node], reading: Reading, names: frozenset[str], target: tuple[str, int]
) -> Outcome | None:
    n_agreed = 0
    factors: list[Ball] = []
    for turn in range(_N_TRIES):
        try:
            lines = [_line(tree, reading, names, target, f"{turn}") for tree in pair]
            roots = [-intercept / slope for slope, intercept in lines]
        except _FAILURES:
            continue
        if all(root.contains(0) for root in roots):
            return None  # The symbol is a factor of both: that they vanish with it says nothing about the rest.
        if not roots[0].overlaps(roots[1]):
            shown = [f"{complex(root.mid()).real:.6g}" for root in roots]
            power = f"^{target[1]}" if target[1] > 1 else ""
            return different("equation", f"solved for {target[0]}{power}: {shown[0]} against {shown[1]}")
        factors.append(lines[1][0] / lines[0][0])
        n_agreed += 1
        if n_agreed == _N_POINTS:
            break
    if n_agreed < _N_POINTS or not _one_sign(factors):
        return None
    return equal("equation", f"solved for {target[0]}, both give the same at {n_agreed} random points")


def _line(tree: Node, reading: Reading, names: frozenset[str], target: tuple[str, int], key: str) -> tuple[Ball, Ball]:
    """Slope and intercept in w."""
    one, two = (_at(tree, reading, names, target, key, Fraction(w)) for w in (1, 2))
    slope = two - one
    if slope.contains(0):
        raise UndefinedError("the symbol drops out")
    return slope, one - slope


def _one_sign(factors: list[Ball]) -> bool:
    """Whether the factor between the equations keeps its sign (or, if complex, is one number)."""
    if all(factor.imag.contains(0) for factor in factors):
        return all(factor.real > 0 for factor in factors) or all(factor.real < 0 for factor in factors)
    return all(factor.overlaps(factors[0]) for factor in factors)
