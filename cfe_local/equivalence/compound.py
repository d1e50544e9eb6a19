"""Quantities that are written in several units: ``1 h 30 min``, ``5 ft 6 in``, ``30° 15' 22"``.

Only chains of one dimension in falling units, each part smaller than one unit of the part before it, as such values
are written. The value comes in the last unit of the chain, and its last digit is what it is known to.

Not here: quantities with one unit (``quantities``).
"""

from __future__ import annotations

import re
from fractions import Fraction

from cfe_local.equivalence.tree import Node, num
from cfe_local.equivalence.units import Unit, parse_unit

_UNIT = r"\^\\circ|\^\{\\circ\}|''|'|\"|(?:\\(?:text|mathrm)\{\s*)?[A-Za-z]+(?:\s*\})?"
_PART = re.compile(rf"\s*(?:,\s*)?(?:and\s+)?(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>{_UNIT})\.?(?![A-Za-z^])")
_ANGLES = {"^\\circ": "deg", "'": "arcmin", "''": "arcsec", '"': "arcsec"}
_MAX_PARTS = 4


def compound_quantity(body: str) -> Node | None:
    """The quantity that a text of several numbers with units states; None if it is something else."""
    sign = -1 if body.startswith("-") else 1
    parts = _parts(body[1:] if sign < 0 else body)
    if parts is None:
        return None
    for chain in _chains([unit for _, unit in parts]):
        ratios = [unit.factor / chain[-1].factor for unit in chain]
        if _is_falling([number for number, _ in parts], ratios):
            last = parts[-1][0]
            total = sum((number.value * ratio for (number, _), ratio in zip(parts, ratios, strict=True)), Fraction(0))
            number = num(sign * total, last.ulp or Fraction(1))
            return Node("quantity", (number,), name=parts[-1][1], ulp=last.ulp or Fraction(1))
    return None


def _parts(body: str) -> list[tuple[Node, str]] | None:
    """Numbers and units in order, the units by names of the table."""
    parts: list[tuple[Node, str]] = []
    at = 0
    while at < len(body):
        match = _PART.match(body, at)
        if match is None or len(parts) == _MAX_PARTS:
            return None
        digits = match["number"]
        ulp = Fraction(1, 10 ** len(digits.partition(".")[2])) if "." in digits else None
        unit = re.sub(r"\\(?:text|mathrm)\{|[{}]", "", match["unit"]).strip()
        parts.append((num(Fraction(digits), ulp), _ANGLES.get(unit, unit)))
        at = match.end()
    if len(parts) < 2 or any(unit in ("arcmin", "arcsec") for _, unit in parts[:1]):
        return None
    hours = any(unit in ("h", "hr", "hrs", "hour", "hours") for _, unit in parts)
    return [(number, "min" if hours and unit == "m" else unit) for number, unit in parts]


def _chains(names: list[str]) -> list[list[Unit]]:
    """Meanings of the units, one chain per meaning of the first, all of its dimension."""
    chains: list[list[Unit]] = []
    for first in parse_unit(names[0]):
        chain = [first]
        for name in names[1:]:
            alike = [unit for unit in parse_unit(name) if unit.dimensions == first.dimensions and not unit.offset]
            chain.extend(alike[:1])
        if len(chain) == len(names) and not first.offset:
            chains.append(chain)
    return chains


def _is_falling(numbers: list[Node], ratios: list[Fraction]) -> bool:
    """Whether each part is less than one unit of the part before it, and all but the last are whole."""
    if any(number.ulp is not None for number in numbers[:-1]):
        return False
    pairs = zip(ratios, ratios[1:], numbers[1:], strict=False)
    return all(low < high and number.value * low < high for high, low, number in pairs)


def is_compound(node: Node) -> bool:
    """Whether a quantity was written in several units."""
    return node.head == "quantity" and node.ulp is not None
