"""A quantity against a bare number: equal only where the problem itself names the unit; else left open.

Not here: two quantities (``quantities``).
"""

from __future__ import annotations

import re
from dataclasses import replace

from cfe_local.equivalence.compound import is_compound
from cfe_local.equivalence.measuring import measure
from cfe_local.equivalence.outcome import Outcome, different, equal, undecided
from cfe_local.equivalence.tolerance import Measured, known_to_last_place, nearness
from cfe_local.equivalence.tree import Node, symbols
from cfe_local.equivalence.units import parse_unit
from cfe_local.records import ValueContext

# What a description may name as the unit of the answer: up to four words after ``in``.
_ASKED = re.compile(r"\bin (?:units of )?((?:[^\s,;]+ ?){1,4})")
_DEGREES = re.compile(r"\bdegrees?\b|°")


def compare_with_bare_number(reference: Node, candidate: Node, context: ValueContext) -> Outcome | None:
    """Compare where exactly one side has a unit."""
    quantity, bare = (reference, candidate) if reference.head == "quantity" else (candidate, reference)
    if symbols(bare) - {"e", "i", "j"}:
        return None
    meanings = parse_unit(quantity.name)
    dimensionless = [unit for unit in meanings if all(name == "unit" for name, _ in unit.dimensions)]
    numbers = {node: measure(_number(node), has_unit=True) for node in (reference, candidate)}
    left, right = numbers[reference], numbers[candidate]
    if left is None or right is None:
        return undecided("no number", "a number that cannot be evaluated")
    if dimensionless:
        found = _as_factor(quantity, {reference: left, candidate: right}, float(dimensionless[0].factor), context)
        if found is not None:
            return found
    near = nearness(left, right)
    if near == "same" and left.whole and right.whole and left.value != right.value:
        # As between two quantities: whole numbers have no tolerance, but may have been rounded.
        return undecided("nearly equal", "two whole numbers that differ")
    if near == "apart":
        return _far_apart(quantity)
    if near == "same" and _names_unit(quantity.name, context):
        return equal("unit named by the problem", f"the problem asks for {quantity.name.strip()}")
    return undecided("missing unit", f"one side has the unit {quantity.name.strip()}, the other none")


def _as_factor(quantity: Node, numbers: dict[Node, Measured], factor: float, context: ValueContext) -> Outcome | None:
    """A quantity of dimension one as the number that it is; None where that is far from the other number."""
    own = numbers[quantity]
    scaled = numbers | {quantity: replace(own, value=own.value * factor, half_unit=own.half_unit * factor)}
    first, second = scaled.values()
    near = nearness(first, second)
    if near == "apart":
        return None
    if near == "near" or (is_compound(quantity) and not known_to_last_place(first, second)):
        return undecided("nearly equal", "too close to call")
    if "rad" in quantity.name and _DEGREES.search(context.description):
        return undecided("missing unit", "radians, where the problem speaks of degrees")
    return equal("dimensionless unit", f"{quantity.name.strip()} is the factor {factor:.6g}")


def _far_apart(quantity: Node) -> Outcome:
    if any(not unit.dimensions for unit in parse_unit(quantity.name)):
        return different("value", "different numbers, with and without a unit of dimension one")
    return undecided("missing unit", "different numbers, one without a unit")


def _number(node: Node) -> Node:
    return node.args[0] if node.head == "quantity" else node


def _names_unit(unit: str, context: ValueContext) -> bool:
    """Whether the description asks for the number in this unit: ``in cm``, ``(MPa)``."""
    plain = re.escape(re.sub(r"\\(?:text|mathrm)\s*\{([^{}]*)\}", r"\1", unit).strip())
    if re.search(rf"(?:\bin\s+(?:units of\s+)?|\()\$?\\?(?:mathrm|text)?\{{?{plain}\b", context.description):
        return True
    return any(_is_same_unit(unit, match[1]) for match in _ASKED.finditer(context.description))


def _is_same_unit(unit: str, words: str) -> bool:
    """Whether the words begin with another name of the unit: ``degrees Celsius``, ``metres per second``."""
    meanings = set(parse_unit(unit))
    first = words.split()
    return any(meanings & set(parse_unit(" ".join(first[:n]).rstrip(".,;)"))) for n in range(len(first), 0, -1))
