"""Compares two expressions by their values at random points, in ball arithmetic.

At each point both trees are enclosed in balls. Balls that do not meet prove a difference there. Agreement at every
point to 20 digits is taken as equality: two different expressions of ordinary size that agree at random rational
points to that many digits do not occur. Symbols are positive reals first, as physical quantities are; symbols that
must be whole numbers (in bounds of sums, modulus, double factorials) get whole numbers.

Not here: how notation such as e, i and log is to be understood (``interpretation``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, ctx

from cfe_local.equivalence.evaluation import Point, ball, evaluate, unit_interval
from cfe_local.equivalence.functions import Ball, UndefinedError
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.outcome import Outcome, different, equal, undecided
from cfe_local.equivalence.tolerance import Measured, nearness
from cfe_local.equivalence.tree import Node, has_decimal, has_head, is_integer, symbols, walk

BITS = 160
CONSTANT_BITS = 420  # About 126 digits: constants are compared once, so they can afford it.
N_POINTS = 8
_MIN_POINTS = 3
_AGREEMENT = 1e-20
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


def sample_values(names: frozenset[str], whole: frozenset[str], turn: int, *, signed: bool = False) -> dict[str, Ball]:
    """Reproducible values for symbols: rationals in a range that changes with ``turn``, or small whole numbers."""
    low, high = _RANGES[turn % len(_RANGES)]
    values: dict[str, Ball] = {}
    for name in names:
        share = unit_interval(f"{name}|{turn}")
        if name in whole:
            values[name] = acb(2 + int(share * 7))
            continue
        value = Fraction(low) + share * (Fraction(high) - Fraction(low))
        if signed and unit_interval(f"sign {name}|{turn}") < Fraction(1, 2):
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
        self.opaque = False

    def run(self) -> Outcome:
        """Points until something is known."""
        n_agreed = 0
        reason = "no point where both have a value"
        turns = N_POINTS * 2 if self.names else 1
        for turn in range(turns):
            for sign in self._signs():
                try:
                    found = self._at(turn, sign)
                except (UndefinedError, ZeroDivisionError, ValueError) as error:
                    reason = str(error)
                    continue
                if found is not None:
                    return found
                n_agreed += 1
            if n_agreed >= N_POINTS * len(self._signs()):
                break
        if n_agreed >= (_MIN_POINTS if self.names else 1):
            return self._agreed(n_agreed)
        return undecided("no common point", reason)

    def _signs(self) -> tuple[int, ...]:
        return (1, -1) if has_head(self.pair[0], "pm") or has_head(self.pair[1], "pm") else (1,)

    def _agreed(self, n_agreed: int) -> Outcome:
        places = "" if not self.names else f" at {n_agreed} random points"
        how = "within the precision of the decimals" if self.decimal else "to 20 digits"
        return equal("values", f"agree{places} {how}{self.reading.label}")

    def _point(self, turn: int, sign: int, blur: Fraction = Fraction(0)) -> Point:
        values = {**sample_values(self.names, self.whole, turn), **fixed_values(self.reading)}
        return Point(values, sign, self.reading.log_base, blur)

    def _at(self, turn: int, sign: int) -> Outcome | None:
        """None if the two agree at this point."""
        point = self._point(turn, sign)
        left, right = (evaluate(node, point) for node in self.pair)
        if point.opaque:
            self.opaque = True
        if left.overlaps(right):
            if not _sharp(left, right):
                raise UndefinedError("the values cannot be enclosed sharply enough")
            return None
        if self.decimal:
            return self._with_decimals(left, right, turn, sign)
        return self._apart(left, right, point)

    def _with_decimals(self, left: Ball, right: Ball, turn: int, sign: int) -> Outcome | None:
        blurred = self._point(turn, sign, Fraction(1, 2))
        radii = [float(evaluate(node, blurred).rad()) for node in self.pair]
        measured = [
            Measured(complex(value.mid()), radius if has_decimal(node) else 0.0, is_integer(node))
            for value, radius, node in zip((left, right), radii, self.pair, strict=True)
        ]
        near = nearness(measured[0], measured[1])
        if near == "same":
            return None
        if near == "near":
            return undecided("nearly equal", f"{_show(left)} and {_show(right)} are too close to call")
        return self._apart(left, right, blurred)

    def _apart(self, left: Ball, right: Ball, point: Point) -> Outcome:
        where = ", ".join(f"{name}={_show(point.values[name])}" for name in sorted(self.names)[:6])
        at = f" at {where}" if where else ""
        evidence = f"differ{at}: {_show(left)} against {_show(right)}{self.reading.label}"
        if self.opaque or point.opaque:
            return undecided("unknown functions", f"not the same form; {evidence}")
        return different("values", evidence)


def _sharp(left: Ball, right: Ball) -> bool:
    """Whether agreement of two balls says enough: 20 digits."""
    scale = 1 + min(float(abs(left).mid()), 1e300)
    return max(float(left.rad()), float(right.rad())) <= _AGREEMENT * scale


def _show(value: Ball) -> str:
    number = complex(value.mid())
    if number.imag == 0:
        return f"{number.real:.6g}"
    return f"{number.real:.6g}{number.imag:+.6g}i"
