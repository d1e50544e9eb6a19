"""Exact rational value of a tree of numbers, with the size of every result estimated before it is built.

Not here: anything irrational; such trees have no exact value here.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

from cfe_local.equivalence.limits import MAX_EXACT_BITS
from cfe_local.equivalence.tree import Node

_MAX_FACTORIAL = 1500  # 1500! has 13,700 bits.


def exact_value(node: Node) -> Fraction | None:
    """The rational that the tree is, or None if it is not one or is too large to build."""
    if node.head == "num":
        return node.value
    if node.head == "percent":
        value = exact_value(node.args[0])
        return None if value is None else value / 100
    if node.head not in ("add", "mul", "pow", "fn"):
        return None
    parts = [exact_value(arg) for arg in node.args]
    values = [part for part in parts if part is not None]
    if len(values) != len(parts) or sum(map(_bits, values)) > MAX_EXACT_BITS:
        return None
    if node.head == "add":
        return sum(values, Fraction(0))
    if node.head == "mul":
        product = Fraction(1)
        for value in values:
            product *= value
        return product
    return _power(*values) if node.head == "pow" else _function(node.name, values)


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _power(base: Fraction, exponent: Fraction) -> Fraction | None:
    if exponent.denominator != 1:
        return _root(base, exponent)
    if base == 0:
        return Fraction(0) if exponent > 0 else None
    if _bits(base) * abs(exponent) > MAX_EXACT_BITS and abs(base) != 1:
        return None
    if abs(base) == 1:
        return base if exponent.numerator % 2 else Fraction(1)
    return base ** int(exponent)


def _root(base: Fraction, exponent: Fraction) -> Fraction | None:
    """A square root that comes out even; other roots are left to ball arithmetic."""
    if exponent.denominator != 2 or base < 0:
        return None
    from math import isqrt

    top, bottom = isqrt(base.numerator), isqrt(base.denominator)
    if top * top != base.numerator or bottom * bottom != base.denominator:
        return None
    return _power(Fraction(top, bottom), Fraction(exponent.numerator))


def _function(name: str, values: list[Fraction]) -> Fraction | None:
    if name == "abs" and len(values) == 1:
        return abs(values[0])
    if any(value.denominator != 1 or not 0 <= value <= _MAX_FACTORIAL for value in values):
        return None
    whole = [int(value) for value in values]
    if name == "factorial" and len(whole) == 1:
        return Fraction(factorial(whole[0]))
    if name == "binom" and len(whole) == 2:
        return Fraction(comb(whole[0], whole[1]))
    if name == "mod" and len(whole) == 2 and whole[1]:
        return Fraction(whole[0] % whole[1])
    return None
