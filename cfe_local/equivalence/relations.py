"""Compares equations by where they hold, and single inequalities by where their two sides meet.

Between random points where one equation's difference of sides has opposite signs there is a
zero; it is enclosed by bisection, and the other equation must change sign across the same tiny gap. A zero of one
that is no zero of the other is a proof that they differ. Equality needs every zero that is found, in both directions,
to be shared; a constant ratio of the two differences is enough by itself.

Not here: conditions in one variable, intervals and sets of reals (``conditions``), statements without numbers
(``logic``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cfe_local.equivalence import solving
from cfe_local.equivalence.evaluation import Point, ball, evaluate, unit_interval
from cfe_local.equivalence.functions import Ball, UndefinedError, real
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.outcome import Outcome, different, equal, undecided
from cfe_local.equivalence.sampling import BITS, Reading, fixed_values, precision, whole_symbols
from cfe_local.equivalence.tree import ONE, Node, add, has_head, mul, neg, num, size, symbols

_N_SEGMENTS = 160
_WANTED_ZEROS = 6
_BISECTIONS = 90  # Each halves the gap: 2**-90 of a segment.
_N_RATIOS = 6
_HIDING = 1e50  # With 96 digits, terms of size 1 still show beside such a value.
_MOST_RATIOS = 80
_SCALES = (1.0, 3.0, 10.0)
_FAILURES = (UndefinedError, LimitError, ZeroDivisionError, ValueError, OverflowError)
_NODE_BUDGET = 25_000  # Nodes evaluated for one side: about a third of a second.
Values = dict[str, Fraction]


class _BudgetError(Exception):
    """The bound on evaluations is reached. Internal."""


@dataclass(slots=True)
class _Side:
    """The difference of an equation's sides, as a function of a point; evaluated a bounded number of times."""

    tree: Node
    reading: Reading
    n_left: int = 0

    def __post_init__(self) -> None:
        self.n_left = _NODE_BUDGET // size(self.tree)

    def at(self, values: Values) -> tuple[Ball, bool]:
        """Value and whether stand-ins were used."""
        self.n_left -= 1
        if self.n_left < 0:
            raise _BudgetError("the search for common solutions took too many evaluations")
        point = Point({**{name: ball(value) for name, value in values.items()}, **fixed_values(self.reading)})
        value = evaluate(self.tree, point)
        if point.left_reals:
            raise UndefinedError("outside of the real domain")
        if abs(value).mid() > _HIDING:
            raise UndefinedError("a term so large that it would hide the others")
        return value, point.opaque

    def sign(self, values: Values) -> int:
        """Sign of the value: -1, 1, or 0 where it is not known."""
        value = real(self.at(values)[0])
        return 1 if value > 0 else -1 if value < 0 else 0


def difference(equation: Node) -> Node:
    """Left side minus right side, without factors and powers that do not change where it is zero."""
    left, right = equation.args
    if right == num(0):
        return _radical(left)
    if left == num(0):
        return _radical(right)
    return add(left, neg(right))


def _radical(node: Node) -> Node:
    """A product without exponents and numbers: ``3 x^2 cos^2 t`` is zero where ``x cos t`` is."""
    if node.head == "pow" and node.args[1].head == "num" and node.args[1].value > 0:
        return _radical(node.args[0])
    if node.head == "mul":
        parts = [_radical(arg) for arg in node.args]
        kept = [part for part in parts if part.head not in ("num", "sym")]
        letters = [part for part in parts if part.head == "sym"]
        if kept:
            return mul(*kept)
        return mul(*letters) if letters else ONE
    return node


def compare_equations(reference: Node, candidate: Node, reading: Reading) -> Outcome:
    """Compare two equations with two sides each, whose notation is settled."""
    sides = [_Side(difference(equation), reading) for equation in (reference, candidate)]
    names = frozenset().union(*(symbols(side.tree) for side in sides)) - frozenset(reading.fixed)
    if whole_symbols(reference, candidate):
        return undecided("equation", "an equation in whole numbers")
    ours, theirs = (symbols(equation) - frozenset(reading.fixed) for equation in (reference, candidate))
    if ours - theirs and theirs - ours:
        return undecided("equation", "equations in different symbols")
    if any(has_head(side.tree, "cases") for side in sides):
        return undecided("equation", "an equation with cases")
    try:
        return _compare_zero_sets(sides, names)
    except _BudgetError as error:
        return undecided("limit", str(error))


def _compare_zero_sets(sides: list[_Side], names: frozenset[str]) -> Outcome:
    with precision(2 * BITS):
        ratio = _constant_ratio(sides, names)
        if ratio is not None:
            return equal("equation", f"the sides are in the constant ratio {complex(ratio.mid()).real:.6g}")
        if symbols(sides[0].tree) & names != symbols(sides[1].tree) & names:
            return undecided("equation", "equations in different symbols")
        solved = solving.compare_solutions((sides[0].tree, sides[1].tree), sides[0].reading, names)
        if solved is not None:
            return solved
        return _shared_zeros(sides, names)


def compare_inequalities(reference: Node, candidate: Node, reading: Reading) -> Outcome:
    """Compare two inequalities of two sides each: the same side everywhere, the same boundary, the same strictness."""
    (first, strict), (second, other_strict) = _oriented(reference), _oriented(candidate)
    sides = [_Side(first, reading), _Side(second, reading)]
    names = (symbols(first) | symbols(second)) - frozenset(reading.fixed)
    try:
        return _compare_sides(sides, names, same_strictness=strict == other_strict)
    except _BudgetError as error:
        return undecided("limit", str(error))


def _compare_sides(sides: list[_Side], names: frozenset[str], *, same_strictness: bool) -> Outcome:
    first, second = (side.tree for side in sides)
    with precision(2 * BITS):
        disagreement = _sides_differ(sides, names, signed=False)
        if disagreement is not None:
            if symbols(first) - symbols(second) and symbols(second) - symbols(first):
                return undecided("other symbols", disagreement)
            return different("inequality", f"at {disagreement} one holds, the other does not")
        ratio = _constant_ratio(sides, names)
        if ratio is not None and not (ratio.imag.contains(0) and ratio.real > 0):
            return undecided("inequality", "sides in a ratio that is not positive")
        shared = equal("inequality", "") if ratio is not None else _shared_zeros(sides, names)
        if shared.verdict != "equal":
            return undecided("inequality", f"the same at random points, but: {shared.evidence}")
        if not same_strictness:
            return different("strictness", "one includes the boundary, the other does not")
        if _sides_differ(sides, names, signed=True) is not None and ratio is None:
            return undecided("inequality", "the same for positive symbols only")
        return equal("inequality", "the same side of the same boundary")


def _oriented(relation: Node) -> tuple[Node, bool]:
    """The difference that is negative (or zero) where the inequality holds, and whether it is strict."""
    left, right = relation.args
    strict = relation.name in ("<", ">")
    return (add(left, neg(right)) if relation.name in ("<", "<=") else add(right, neg(left))), strict


def _sides_differ(sides: list[_Side], names: frozenset[str], *, signed: bool) -> str | None:
    """A point where the two differences have opposite signs, in words; None if none was found."""
    for turn in range(_N_SEGMENTS):
        values = _place(names, f"side {turn}", signed=signed)
        try:
            signs = [side.sign(values) for side in sides]
            opaque = any(side.at(values)[1] for side in sides)
        except _FAILURES:
            continue
        if 0 not in signs and signs[0] != signs[1] and not opaque:
            return ", ".join(f"{name}={float(value):.5g}" for name, value in sorted(values.items())[:6])
    return None


def _constant_ratio(sides: list[_Side], names: frozenset[str]) -> Ball | None:
    """The ratio of the two differences where it is the same number at every point."""
    ratios: list[Ball] = []
    for turn in range(_MOST_RATIOS):
        try:
            values = [side.at(_place(names, f"ratio {turn}", signed=False))[0] for side in sides]
            ratios.append(values[1] / values[0])
        except _FAILURES:
            continue
        if not ratios[-1].is_finite():
            ratios.pop()
        elif not ratios[-1].overlaps(ratios[0]) or ratios[-1].contains(0):
            return None
        if len(ratios) == _N_RATIOS:
            return ratios[0]
    return None


def _place(names: frozenset[str], key: str, *, signed: bool) -> Values:
    """A reproducible rational point."""
    values: Values = {}
    for name in sorted(names):
        share = unit_interval(f"{name}|{key}")
        scale = _SCALES[int(unit_interval(f"scale {name}|{key}") * len(_SCALES))]
        values[name] = Fraction(scale) * (share + Fraction(1, 50))
        if signed and unit_interval(f"sign {name}|{key}") < Fraction(1, 2):
            values[name] = -values[name]
    return values


def _shared_zeros(sides: list[_Side], names: frozenset[str]) -> Outcome:
    outcomes = []
    for signed in (False, True):
        for first, second in ((0, 1), (1, 0)):
            found = _zeros_of(sides[first], sides[second], names, signed=signed)
            if found.verdict == "different" and signed:
                return undecided("equation", f"the same for positive symbols only; {found.evidence}")
            if found.verdict == "different":
                return found
            outcomes.append(found)
    if all(found.verdict == "equal" for found in outcomes[:2]):
        return equal("equation", "the equations hold at the same points, both ways")
    return next(found for found in outcomes if found.verdict == "undecided")


def _zeros_of(first: _Side, second: _Side, names: frozenset[str], *, signed: bool) -> Outcome:
    """Whether zeros of one side are zeros of the other."""
    n_shared = 0
    for turn in range(_N_SEGMENTS):
        try:
            ends = _bracket(first, names, f"{turn}|{signed}", signed=signed)
            if ends is None:
                continue
            verdict = _zero_in(second, ends)
        except _FAILURES:
            continue
        if verdict is None:
            continue
        if not verdict:
            low = ", ".join(f"{name}={float(value):.5g}" for name, value in sorted(ends[0].items())[:6])
            return different("equation", f"one holds near {low}, the other does not")
        n_shared += 1
        if n_shared >= _WANTED_ZEROS:
            return equal("equation", f"{n_shared} zeros are shared")
    return undecided("equation", f"only {n_shared} common solutions found")


def _bracket(side: _Side, names: frozenset[str], key: str, *, signed: bool) -> tuple[Values, Values] | None:
    """Two points very close together between which the side changes sign; None if it has the same sign at both ends."""
    low, high = (_place(names, f"{end} {key}", signed=signed) for end in ("low", "high"))
    if unit_interval(f"line {key}") < Fraction(2, 3) and names:
        moved = sorted(names)[int(unit_interval(f"which {key}") * len(names))]
        high = {**low, moved: high[moved]}
    signs = side.sign(low), side.sign(high)
    if 0 in signs or signs[0] == signs[1]:
        return None
    for _ in range(_BISECTIONS):
        middle = {name: (low[name] + high[name]) / 2 for name in names}
        sign = side.sign(middle)
        if sign == 0:
            return None
        if sign == signs[0]:
            low = middle
        else:
            high = middle
    if abs(side.at(low)[0]).mid() > 1e-12 * (1 + abs(side.at(_centre(low, names))[0]).mid()):
        return None  # A jump or a pole, not a zero.
    return low, high


def _centre(low: Values, names: frozenset[str]) -> Values:
    """A point a little away, for the size of the function nearby."""
    return {name: low[name] * Fraction(11, 10) for name in names}


def _zero_in(side: _Side, ends: tuple[Values, Values]) -> bool | None:
    """Whether the side has a zero in the tiny gap; None if that is not certain."""
    low, opaque = side.at(ends[0])
    high, _ = side.at(ends[1])
    product = real(low) * real(high)
    if product < 0:
        return True
    names = frozenset(ends[0])
    scale = abs(side.at(_centre(ends[0], names))[0]).mid()
    if abs(low).lower() > 1e-9 * scale and abs(high).lower() > 1e-9 * scale and product > 0:
        return None if opaque else False
    if abs(low).upper() < 1e-20 * scale and abs(high).upper() < 1e-20 * scale:
        return True  # A zero of even order.
    return None
