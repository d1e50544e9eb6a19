"""References: declared types that the content contradicts, and units that do not measure what the variable names.

Types are looked at by content because graders that trust them compare numbers as formulas and prose as numbers.
Not here: reading a value fully (equivalence) or whether it is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from cfe_local.benchmarks.checks.rows import Row
from cfe_local.benchmarks.findings import Finding
from cfe_local.records import TargetVariable

if TYPE_CHECKING:
    import pint

_PLAIN_NUMBER = re.compile(r"^[+-]?\d+(\.\d+)?$")
_POWER_OF_TEN = r"(?:[eE][+-]?\d+|\s*(?:×|x|·|\\times|\\cdot)\s*10\^?\{?[+-]?\d+\}?)"
_NUMBER = rf"[+-]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+|(?=\.))(?:\.\d+)?{_POWER_OF_TEN}?"
_QUANTITY = re.compile(rf"^\$?\(?({_NUMBER})(?:\s*±\s*[\d.]+\))?(\s*)([^\d\s=+*<>(){{}}\\,;:][^=<>,;:]{{0,20}})?$")
# LaTeX words that stand for no quantity: structure, operators, fixed numbers.
_NO_SYMBOL = re.compile(
    r"\\(?:d?frac|tfrac|sqrt|times|cdot|left|right|binom|text|mathrm|pi|infty|pm|ln|log|sin|cos|tan|exp|arctan|arcsin"
    r"|arccos|quad|qquad|approx|circ|degree|displaystyle|big|Big|begin|end|in|cup|cap|ldots|dots)(?![A-Za-z])"
)
_BARE_SYMBOL = re.compile(r"^(?:\\[A-Za-z]+|[A-Za-z])'*(?:_(?:\{[^{}]*\}|\w))?(?:\^(?:\{[^{}]*\}|\w))?(?:\[[a-z]\])?$")
_LEADING_RELATION = re.compile(r"^(?:[<>=≤≥]|\\(?:leq?|geq?|ll|gg|lt|gt)(?![A-Za-z]))")
# Mathematics in running text: a command, a power, a product or quotient of single letters, x = ...
_FORMULA_SIGN = re.compile(
    r"\\(?:frac|sqrt|pi|exp)|[A-Za-z0-9)]\s*\^|(?<![A-Za-z])[A-Za-z]\w{0,2}(?:\([A-Za-z]\))?\s*=\s|\d[a-zπ√](?![A-Za-z])"
    r"|\d/√?\d|√\d|\d π|[a-z]\([a-zπ ]+x"
)
_JOINED = re.compile(r"^\d+[A-Za-z](?![A-Za-z0-9])")
_WORD = re.compile(r"[A-Za-z]+")

# What a name's last word says a variable measures, as an SI unit of that quantity.
QUANTITY_UNITS = {
    "m": {"thickness", "length", "height", "distance", "radius", "diameter", "width", "depth", "wavelength"},
    "s": {"time", "duration", "period"},
    "Pa": {"pressure", "stress"},
    "J": {"energy", "work", "heat"},
    "W": {"power"},
    "V": {"voltage"},
    "A": {"current"},
    "ohm": {"resistance"},
    "K": {"temperature"},
    "Hz": {"frequency"},
    "kg": {"mass"},
    "N": {"force"},
    "m/s": {"speed", "velocity"},
    "m^2": {"area"},
    "m^3": {"volume"},
}
# Units that mean one thing everywhere. Others are no ground for a complaint: mu is a map unit to a geneticist.
PLAIN_UNITS = frozenset(
    {
        "m",
        "cm",
        "mm",
        "km",
        "nm",
        "um",
        "μm",
        "s",
        "sec",
        "ms",
        "min",
        "h",
        "hr",
        "Pa",
        "kPa",
        "MPa",
        "GPa",
        "J",
        "kJ",
        "MJ",
    }
    | {
        "eV",
        "keV",
        "MeV",
        "GeV",
        "W",
        "kW",
        "MW",
        "V",
        "mV",
        "kV",
        "A",
        "mA",
        "Ω",
        "ohm",
        "K",
        "Hz",
        "kHz",
        "MHz",
        "GHz",
    }
    | {"kg", "g", "mg", "N", "kN", "lb", "ft", "rad"}
)
# Words in a description that announce another quantity than the name's last word does, for example a wave height
# that is an angle, or work per mass.
_OTHER_QUANTITY = re.compile(
    r"\b(angle|radian|degree|dimensionless|ratio|per|fraction|percent|specific|normali[sz]ed)", re.I
)


def check_references(row: Row) -> Iterator[Finding]:
    """Every finding about one row's references."""
    for position, variable in enumerate(row.problem.variables):
        field = f"short_answer_value[{position}]"
        for code, message in _type_findings(variable):
            yield row.finding("info", code, field, message)
        unit = _wrong_unit(variable)
        if unit is not None:
            message = f"unit {unit!r} does not measure what {variable.name!r} names"
            yield row.finding("warning", "wrong_unit", field, message)


def _type_findings(variable: TargetVariable) -> Iterator[tuple[str, str]]:
    bare = variable.value.replace("$", "").strip()
    if variable.type == "formula":
        yield from _formula_findings(variable.value, bare)
    elif variable.type == "numeric":
        if not _PLAIN_NUMBER.match(bare):
            yield "numeric_not_plain", "declared numeric, written as more than a plain decimal number"
    elif _JOINED.match(bare):
        yield "other_is_formula", "declared other, is a number joined to a letter: a product, or a unit without blank"
    elif _QUANTITY.match(bare):
        yield "other_is_number", "declared other, is a number, with or without unit"
    elif _FORMULA_SIGN.search(bare):
        yield "other_is_formula", "declared other, holds a formula"


def _formula_findings(value: str, bare: str) -> Iterator[tuple[str, str]]:
    if _LEADING_RELATION.match(bare):
        yield "relation_without_left_side", "begins with a relation sign"
    elif _is_constant(bare):
        yield "formula_is_constant", "declared formula, holds no symbol: a number, or a set or interval of numbers"
    elif _BARE_SYMBOL.match(bare):
        yield "formula_is_bare_symbol", "declared formula, is a single name: perhaps a label"
    if value.count("$") != 2:
        yield "dollar_layout", f"{value.count('$')} $ signs where formulas have 2"


def _is_constant(value: str) -> bool:
    rest = _NO_SYMBOL.sub(" ", re.sub(r"\\(?:text|mathrm)\s*\{[^{}]*\}", " ", value))
    return bool(re.search(r"\d|\\pi", value)) and not re.search(r"[A-Za-zα-ωΑ-Ω]", rest)


def _wrong_unit(variable: TargetVariable) -> str | None:
    """The unit of a reference, where it is certain that it does not belong to the variable's quantity."""
    quantity = _QUANTITY.match(variable.value.strip())
    words = _WORD.findall(variable.name.replace("_", " ").lower())
    if quantity is None or not quantity[3] or not words or _OTHER_QUANTITY.search(variable.description):
        return None
    expected = next((unit for unit, names in QUANTITY_UNITS.items() if words[-1] in names), None)
    unit = quantity[3].strip()
    if expected is None or not re.fullmatch(r"[A-Za-zμΩ·*/^0-9 {}-]+", unit):
        return None
    if not set(re.findall(r"[A-Za-zμΩ]+", unit)) <= PLAIN_UNITS:
        return None
    import pint

    try:
        found = _units().Unit(unit.replace("{", "").replace("}", "").replace("·", "*"))
    except (pint.PintError, ValueError, AttributeError, TypeError, SyntaxError):
        return None  # no unit that can be read is no ground for a complaint
    # Pounds are weights as often as masses, and electron volts stand for masses in particle physics.
    alike = {_units().Unit(expected).dimensionality}
    if expected in {"N", "kg"}:
        alike |= {_units().Unit(name).dimensionality for name in ("N", "kg", "eV")}
    return None if found.dimensionality in alike else unit


@cache
def _units() -> pint.UnitRegistry[float]:
    import pint

    return pint.UnitRegistry(cache_folder=None)
