"""Compares two expressions by their values at random points, in ball arithmetic.

At each point both trees are enclosed in balls. Balls that do not meet prove a difference there. Agreement at every
point to 20 digits is taken as equality: two different expressions of ordinary size that agree at random rational
points to that many digits do not occur. Symbols are positive reals first, as physical quantities are; symbols that
must be whole numbers (in bounds of sums, modulus, double factorials) get whole numbers.

Not here: how notation such as e, i and log is to be understood (``interpretation``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, ctx

from cfe_local.equivalence.evaluation import Point, ball, evaluate, unit_interval
from cfe_local.equivalence.functions import Ball, NoCaseError, UndefinedError
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.outcome import Outcome, different, equal, undecided
from cfe_local.equivalence.tolerance import Measured, formula_nearness, nearness
from cfe_local.equivalence.tree import Node, has_decimal, has_head, is_integer, symbols, walk

BITS = 160
CONSTANT_BITS = 420  # About 126 digits: constants are compared once, so they can afford it.
N_POINTS = 8
_MIN_POINTS = 3
_MOST_TURNS = 30
_N_BRANCHING_POINTS = 48  # Where max, min or cases choose, so that each branch is reached.
_CUSTOMARY_WHOLE = frozenset({"n", "m", "k", "N"})
_N_CONSECUTIVE = 66
_N_JUMPS = 96
_OFTEN_COMPLEX = re.compile(r"(?:psi|Psi|z|Z|H|chi)(?![A-Za-z])")
_CONJUGATE = re.compile(r".+\*$|bar\((?:z|w|psi|Psi|Z)(?:_\w+)?\)$")
_RADII = frozenset({"r", "rho"})  # Distances from a centre or an axis.
_UNREACHED = "unreached branch"
_AGREEMENT = 1e-20
_THREE_DIGITS = 100
_HIDING = 1e25  # With 48 digits, terms of size 1 still show beside such a value.
_SMALL, _LARGE = 1e-60, 1e60
_RANGES = ((0.4, 2.5), (0.05, 0.95), (1.2, 6.0))
_WHOLE_CONTEXTS = frozenset({"mod", "factorial2", "gcd", "lcm"})


@dataclass(frozen=True, slots=True)
class Reading:
    """How a pair is understood while it is evaluated.

    Attributes:
        fixed: Symbols with one value: ``euler`` or ``imaginary``.
        log_base: Base of a bare ``log``; None for natural.
        label: What to say about it in the evidence; empty for the plain reading.
    """

    fixed: Mapping[str, str]
    log_base: int | None = None
    label: str = ""


PLAIN = Reading({})


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with this many bits inside."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def sample_values(
    names: frozenset[str],
    whole: frozenset[str],
    turn: int,
    *,
    signed: frozenset[str] = frozenset(),
    wide: bool = False,
) -> dict[str, Ball]:
    """Reproducible values for symbols: rationals in a range that changes with ``turn``, or small whole numbers."""
    low, high = _RANGES[turn % len(_RANGES)]
    values: dict[str, Ball] = {}
    for name in names:
        share = unit_interval(f"{name}|{turn}")
        if name in whole:
            values[name] = acb(2 + int(share * 7))
            continue
        value = Fraction(low) + share * (Fraction(high) - Fraction(low))
        if wide:
            value *= 2 ** int(unit_interval(f"scale {name}|{turn}") * 7)
        if name in signed and unit_interval(f"sign {name}|{turn}") < Fraction(1, 2):
            value = -value
        values[name] = ball(value)
    return values


def fixed_values(reading: Reading) -> dict[str, Ball]:
    """Values of Euler's number and the imaginary unit, at the precision of now."""
    known = {"euler": acb(1).exp(), "imaginary": acb(0, 1)}
    return {name: known[kind] for name, kind in reading.fixed.items()}


def whole_symbols(*nodes: Node) -> frozenset[str]:
    """Symbols that stand where only whole numbers make sense."""
    found: frozenset[str] = frozenset()
    for node in nodes:
        for here in walk(node):
            if here.head in ("sum", "prod"):
                found = found.union(*(symbols(limit) for limit in here.args[2:]))
            elif here.head == "fn" and here.name in _WHOLE_CONTEXTS:
                found = found.union(*(symbols(arg) for arg in here.args))
    return found


def compare_expressions(reference: Node, candidate: Node, reading: Reading = PLAIN) -> Outcome:
    """Compare two expressions under one reading."""
    names = (symbols(reference) | symbols(candidate)) - frozenset(reading.fixed)
    try:
        with precision(BITS if names else CONSTANT_BITS):
            return _Sampler(reference, candidate, reading, names).run()
    except LimitError as error:
        return undecided("limit", str(error))


class _Sampler:
    """One comparison of two expressions."""

    def __init__(self, reference: Node, candidate: Node, reading: Reading, names: frozenset[str]) -> None:
        self.pair = (reference, candidate)
        self.reading = reading
        self.names = names
        self.whole = whole_symbols(reference, candidate)
        self.decimal = has_decimal(reference) or has_decimal(candidate)
        self.common = _decimals(reference) & _decimals(candidate)
        self.opaque = False
        self.branching = {
            id(here): len(here.args)
            for node in (reference, candidate)
            for here in walk(node)
            if here.head == "cases" or (here.head == "fn" and here.name in ("max", "min"))
        }
        self.visited: set[tuple[int, int]] = set()
        self.conjugates = self._conjugates()
        self.complex = "imaginary" in reading.fixed.values()

    def run(self) -> Outcome:
        """Points until something is known: positive reals, then any reals where the sign of a symbol may matter."""
        outcome = self._round(signed=frozenset())
        if outcome.verdict != "undecided" and self._rounds():
            return self._at_whole_numbers(outcome)
        signed = self._two_sided()
        if not signed or (outcome.verdict != "equal" and outcome.by != _UNREACHED):
            return outcome
        again = self._round(signed=signed)
        if again.verdict == "different" or (again.verdict == "undecided" and again.by == "domain"):
            return undecided("sign of symbols", f"equal for positive symbols only; {again.evidence}")
        if self._round(signed=frozenset(), is_complex=True).verdict == "different":
            return undecided("complex symbols", "equal for real symbols only")
        return again if outcome.by == _UNREACHED else outcome

    def _rounds(self) -> bool:
        """Whether there are floors or ceilings of symbols."""
        return bool(self.names) and any(
            here.head == "fn" and here.name in ("floor", "ceil") for side in self.pair for here in walk(side)
        )

    def _at_whole_numbers(self, outcome: Outcome) -> Outcome:
        """What random points say, checked where floors jump.

        Letters that customarily are whole numbers are looked at there alone; other values have to agree there too.
        """
        customary = self.names <= _CUSTOMARY_WHOLE
        if outcome.verdict == "different" and not customary:
            return outcome
        n_agreed = 0
        for turn in range(_N_JUMPS):
            point = Point(
                {**jump_values(self.names, turn, whole=customary), **fixed_values(self.reading)},
                log_base=self.reading.log_base,
            )
            try:
                left, right = (evaluate(node, point) for node in self.pair)
            except (UndefinedError, LimitError, ZeroDivisionError, ValueError, OverflowError):
                continue
            if not left.overlaps(right):
                return self._apart(left, right, point) if customary else undecided("jumps", "differ where floors jump")
            n_agreed += not point.opaque and _sharp(left, right)
        if n_agreed < _N_JUMPS:
            return undecided("jumps", f"cannot be told at {_N_JUMPS - n_agreed} places where floors may jump")
        where = "whole numbers" if customary else "places where floors may jump"
        return equal("floors", f"agree at {n_agreed} {where}")

    def _conjugates(self) -> dict[str, str]:
        """Names such as ``psi*`` beside psi where a modulus is taken, and the names that they conjugate."""
        if not any(here.head == "fn" and here.name == "abs" for side in self.pair for here in walk(side)):
            return {}
        pairs = {name: name[:-1] if name.endswith("*") else name[4:-1] for name in self.names if _CONJUGATE.match(name)}
        return {name: base for name, base in pairs.items() if base in self.names}

    def _two_sided(self) -> frozenset[str]:
        """Symbols whose sign may matter.

        An absolute value that is present on one side only, or around different things, is no accident: there any
        symbol may be negative. Conditions of cases may be about the sign of what they compare.
        """
        here = [node for side in self.pair for node in walk(side)]
        if any(node.head == "fn" and node.name in ("abs", "sgn") for node in here):
            return self.names
        conditions = [node.args[1] for node in here if node.head == "case"]
        return self.names & frozenset().union(*map(symbols, conditions)) - _RADII

    def _round(self, *, signed: frozenset[str], is_complex: bool = False) -> Outcome:
        n_agreed = 0
        n_skipped = 0
        reason = "no point where both have a value"
        wanted = (_N_BRANCHING_POINTS if self.branching else N_POINTS) if self.names else 1
        for turn in range(max(_MOST_TURNS, 2 * wanted) if self.names else 1):
            for sign in self._signs():
                try:
                    found = self._at(turn, sign, signed=signed, is_complex=is_complex)
                except (UndefinedError, LimitError, ZeroDivisionError, ValueError, OverflowError) as error:
                    reason = str(error)
                    n_skipped += 1
                    continue
                if found is not None:
                    return found
                n_agreed += 1
            if n_agreed >= wanted * len(self._signs()):
                break
        if self.names and self._unvisited():
            return undecided(_UNREACHED, "a branch of a piecewise value was never reached")
        if n_agreed >= (_MIN_POINTS if self.names else 1):
            return self._agreed(n_agreed)
        return undecided("no common point", reason)

    def _unvisited(self) -> bool:
        return any((node, place) not in self.visited for node, n in self.branching.items() for place in range(n))

    def _signs(self) -> tuple[int, ...]:
        return (1, -1) if has_head(self.pair[0], "pm") or has_head(self.pair[1], "pm") else (1,)

    def _agreed(self, n_agreed: int) -> Outcome:
        places = "" if not self.names else f" at {n_agreed} random points"
        how = "within the precision of the decimals" if self.decimal else "to 20 digits"
        return equal("values", f"agree{places} {how}{self.reading.label}")

    def _point(self, turn: int, sign: int, *, signed: frozenset[str], blur: Fraction = Fraction(0)) -> Point:
        values = {
            **sample_values(self.names, self.whole, turn, signed=signed, wide=bool(self.branching)),
            **fixed_values(self.reading),
        }
        values |= {name: values[base] for name, base in self.conjugates.items()}
        return Point(values, sign, self.reading.log_base, blur, self.common if self.names else frozenset())

    def _at(self, turn: int, sign: int, *, signed: frozenset[str], is_complex: bool = False) -> Outcome | None:
        """None if the two agree at this point."""
        point = self._point(turn, sign, signed=signed)
        if is_complex:
            turned = {name: self._turned(name, value, turn) for name, value in point.values.items()}
            point.values = {**turned, **{name: turned[base].conjugate() for name, base in self.conjugates.items()}}
        values = [_value_or_gap(node, point) for node in self.pair]
        self.opaque |= point.opaque
        if signed and values[0] is None and values[1] is not None:
            raise UndefinedError("the reference speaks of positive values only")
        if (values[0] is None) != (values[1] is None):
            return undecided("domain", "one piecewise value has no case where the other has one")
        left, right = values
        if left is None or right is None:
            raise UndefinedError("no case applies")
        self.visited |= point.visited
        if self.names and max(abs(left).mid(), abs(right).mid()) > _HIDING:
            raise UndefinedError("a term so large that it would hide the others")
        if left.overlaps(right):
            if not _sharp(left, right):
                raise UndefinedError("the values cannot be enclosed sharply enough")
            return None
        if point.left_reals and self.names and not self.complex:
            raise UndefinedError("differ only where a root or logarithm leaves the reals")
        if self.decimal:
            return self._with_decimals(left, right, self._point(turn, sign, signed=signed, blur=Fraction(1, 2)))
        return self._apart(left, right, point)

    def _with_decimals(self, left: Ball, right: Ball, blurred: Point) -> Outcome | None:
        radii = [float(evaluate(node, blurred).rad()) for node in self.pair]
        measured = [
            Measured(complex(value.mid()), radius if has_decimal(node) else 0.0, is_integer(node))
            for value, radius, node in zip((left, right), radii, self.pair, strict=True)
        ]
        if self.names and not all(_SMALL < abs(number.value) < _LARGE for number in measured if number.value):
            raise UndefinedError("too large or small for a comparison with tolerance")
        near = (formula_nearness if self.names else nearness)(measured[0], measured[1])
        if near == "same" and self.names and _is_coarse(*self.pair):
            return undecided(
                "few digits", f"{_show(left)} and {_show(right)}: decimals too short to round an exact form"
            )
        if near == "same":
            return None
        if near == "near":
            return undecided("nearly equal", f"{_show(left)} and {_show(right)} are too close to call")
        return self._apart(left, right, blurred)

    def _turned(self, name: str, value: Ball, turn: int) -> Ball:
        """A complex value for a symbol that often is complex: a wave function, an impedance."""
        if not _OFTEN_COMPLEX.match(name) and name not in self.conjugates.values():
            return value
        return value * (acb(0, 1) * ball(unit_interval(f"phase {name}|{turn}") + Fraction(1, 5))).exp()

    def _apart(self, left: Ball, right: Ball, point: Point) -> Outcome:
        where = ", ".join(f"{name}={_show(point.values[name])}" for name in sorted(self.names)[:6])
        at = f" at {where}" if where else ""
        evidence = f"differ{at}: {_show(left)} against {_show(right)}{self.reading.label}"
        if self.opaque or point.opaque:
            return undecided("unknown functions", f"not the same form; {evidence}")
        return different("values", evidence)


def jump_values(names: frozenset[str], turn: int, *, whole: bool) -> dict[str, Ball]:
    """Values at which floors may jump: whole numbers, or multiples of 1/12 and 1/10.

    A symbol that is alone takes 1, 2, 3 ... and numbers around powers of two; several take reproducible ones up to 64.
    """
    values: dict[str, Ball] = {}
    for name in names:
        number = 1 + int(unit_interval(f"whole {name}|{turn}") * 64)
        if len(names) == 1:
            beyond = turn - _N_CONSECUTIVE
            number = turn + 1 if beyond < 0 else int(2 ** (6 + beyond // 3)) + beyond % 3 - 1
        values[name] = ball(Fraction(number) if whole else Fraction(number, 12 if turn % 2 else 10))
    return values


def _value_or_gap(node: Node, point: Point) -> Ball | None:
    """The value, or None where a piecewise value has no case."""
    try:
        return evaluate(node, point)
    except NoCaseError:
        return None


def _decimals(node: Node) -> frozenset[Fraction]:
    """Values of the decimals in a tree."""
    return frozenset(here.value for here in walk(node) if here.head == "num" and here.ulp is not None)


def _is_coarse(reference: Node, candidate: Node) -> bool:
    """Whether no decimal of the candidate has the three digits that a rounding of an exact reference needs."""
    digits = [
        abs(here.value / here.ulp)
        for here in walk(candidate)
        if here.head == "num" and here.ulp is not None and here.ulp
    ]
    return not has_decimal(reference) and bool(digits) and max(digits) < _THREE_DIGITS


def _sharp(left: Ball, right: Ball) -> bool:
    """Whether agreement of two balls says enough: 20 digits."""
    scale = 1 + min(float(abs(left).mid()), 1e300)
    return max(float(left.rad()), float(right.rad())) <= _AGREEMENT * scale


def _show(value: Ball) -> str:
    number = complex(value.mid())
    if number.imag == 0:
        return f"{number.real:.6g}"
    return f"{number.real:.6g}{number.imag:+.6g}i"
