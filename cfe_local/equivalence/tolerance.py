"""When two numbers count as the same: exact ones exactly, decimals by their precision and a stated relative tolerance.

The rules, with d the difference, rel = d / |reference|:

    exact against exact           no tolerance at all
    exact reference, decimal      rel <= 0.1 %, or the decimal's own last digit where that is within 1 %
    whole-number reference        a decimal must be the same number; nearly the same is undecided
    decimal reference             rel <= 1 %, or the reference's own last digit where that is within 2 %
    measured whole numbers        (with a unit) like decimals, but two different whole numbers need rel <= 0.1 %
    formulas with decimals        the difference must be explained by the last digits of the decimals that differ
    otherwise                     below 2 %, or explained by few digits: undecided; else different

Source of the 1 % and of "1 to 2 % undecided": the conventions of the benchmark's own labels.
Not here: what the numbers are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Nearness = Literal["same", "near", "apart"]

EXACT_TOLERANCE = 1e-3
DECIMAL_TOLERANCE = 1e-2
FAR = 2e-2
_FLOAT_NOISE = 1e-13  # Exact numbers never come here; this is what conversion of units leaves.
_ROUNDING_SLACK = 1.02  # Half a unit of the last digit, and a little for what the conversion itself rounds.


@dataclass(frozen=True, slots=True)
class Measured:
    """A number with what is known about its precision.

    Attributes:
        value: The number; complex where needed.
        half_unit: Half a unit of the last digit, 0 for an exact number.
        whole: It was written as a whole number.
        has_unit: It was measured: written with a physical unit.
    """

    value: complex
    half_unit: float = 0.0
    whole: bool = False
    has_unit: bool = False


def nearness(reference: Measured, candidate: Measured) -> Nearness:
    """Whether two numbers that are not identical count as the same.

    Returns:
        ``same``, ``apart``, or ``near`` where it cannot be told.
    """
    distance = abs(reference.value - candidate.value)
    size = abs(reference.value)
    if size == 0:
        return _near_zero(reference, candidate, distance)
    relative = distance / size
    if relative < _FLOAT_NOISE:
        return "same"
    if reference.whole and candidate.whole:
        if not reference.has_unit:
            return "apart"
        return "same" if relative <= EXACT_TOLERANCE else _far(reference, distance, relative)
    if reference.whole and not reference.has_unit:
        return _far(reference, distance, relative)
    if reference.half_unit == 0 and not reference.whole:
        rounded = distance <= candidate.half_unit * _ROUNDING_SLACK and relative <= DECIMAL_TOLERANCE * _ROUNDING_SLACK
        same = rounded or (relative <= EXACT_TOLERANCE and candidate.half_unit > 0)
    else:
        rounded = distance <= reference.half_unit * _ROUNDING_SLACK and relative <= FAR
        same = rounded or relative <= DECIMAL_TOLERANCE
    return "same" if same else _far(reference, distance, relative)


def formula_nearness(reference: Measured, candidate: Measured) -> Nearness:
    """Whether two values of formulas at one point count as the same.

    Here ``half_unit`` is what the decimals of each formula, other than those that stand in both, leave open.
    """
    distance = abs(reference.value - candidate.value)
    relative = distance / abs(reference.value) if reference.value else float("inf")
    if relative < _FLOAT_NOISE:
        return "same"
    half_unit = max(reference.half_unit, candidate.half_unit)
    if distance <= half_unit * _ROUNDING_SLACK and relative <= FAR:
        return "same"
    if distance <= 2 * half_unit and relative <= EXACT_TOLERANCE:
        return "same"  # Cut off instead of rounded.
    return "near" if relative < FAR else "apart"


def known_to_last_place(reference: Measured, candidate: Measured) -> bool:
    """Whether two numbers agree to half of the coarser last digit of the two."""
    place = max(reference.half_unit, candidate.half_unit, 1e-12 * abs(reference.value))
    return abs(reference.value - candidate.value) <= place * _ROUNDING_SLACK


def _far(reference: Measured, distance: float, relative: float) -> Nearness:
    few_digits = distance <= reference.half_unit * _ROUNDING_SLACK
    return "near" if relative < FAR or few_digits else "apart"


def _near_zero(reference: Measured, candidate: Measured, distance: float) -> Nearness:
    if distance == 0:
        return "same"
    if distance <= max(reference.half_unit, candidate.half_unit):
        return "near"
    return "apart"
