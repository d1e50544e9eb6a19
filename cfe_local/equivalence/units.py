"""Physical units: what a written unit means (a factor, dimensions, an offset), read from the fixed table only.

Not here: numbers, or how two quantities compare.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from cfe_local.equivalence.unit_table import PREFIX_WORDS, PREFIXES, TABLE

Dimensions = tuple[tuple[str, Fraction], ...]
_MAX_EXPONENT = 24
_MAX_INTERPRETATIONS = 8


@dataclass(frozen=True, slots=True)
class Unit:
    """One meaning of a written unit: value in SI = (number + offset) * factor."""

    factor: Fraction
    dimensions: Dimensions
    offset: Fraction = Fraction(0)


DIMENSIONLESS = Unit(Fraction(1), ())


def _dimensions(text: str) -> Dimensions:
    parts = (part.partition("^") for part in text.split())
    return tuple(sorted((name, Fraction(exponent or "1")) for name, _, exponent in parts))


@lru_cache(maxsize=1)
def _symbols() -> dict[str, tuple[Unit, ...]]:
    """Every name with every prefix, and all the units that it may stand for."""
    table: dict[str, list[Unit]] = defaultdict(list)
    prefixed: dict[str, list[Unit]] = defaultdict(list)
    for line in TABLE.strip().splitlines():
        names, factor, dimensions, *flags = (cell.strip() for cell in line.split("|"))
        flag = flags[0] if flags else ""
        offset = Fraction(flag[1:]) if flag.startswith("o") else Fraction(0)
        unit = Unit(Fraction(factor), _dimensions(dimensions), offset)
        for name in names.split():
            table[name].append(unit)
            powers = (PREFIXES if "p" in flag else {}) | (PREFIX_WORDS if "w" in flag else {})
            for prefix, power in powers.items():
                prefixed[prefix + name].append(Unit(unit.factor * Fraction(10) ** power, unit.dimensions))
    for name, units in prefixed.items():
        if name not in table:
            table[name].extend(units)
    return {name: tuple(units) for name, units in table.items()}


def is_unit_name(name: str) -> bool:
    """Whether a word is a unit of the table, with or without a prefix."""
    return name in _symbols()


_UPRIGHT = re.compile(r"\\(?:text|mathrm|textrm|operatorname|mbox|rm|mathit|bf|mathbf)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
# ``k\Omega``: a prefix that touches the command, upright or not.
_PREFIXED_OMEGA = re.compile(
    r"(?:\\(?:text|mathrm|textrm)\s*\{\s*(?P<upright>[TGMkmunp])\s*\}\s*|(?<![A-Za-z\\])(?P<plain>[TGMkmunp]|\\mu\s*))\\Omega(?![a-zA-Z])"
)
_ITEM = re.compile(
    r"\s*(?:(?P<times>\*|\\cdot(?![a-zA-Z])|\\times(?![a-zA-Z])|·|-(?=[A-Za-z]))|(?P<over>/|\bper\b)|(?P<open>\()|(?P<close>\))"
    r"|(?P<name>\\?[A-Za-z]+(?:_\{?\\?[a-z]+\}?)?|%|\\%)"
    r"(?:(?:\s*\^\s*)?(?:\{\s*\(?(?P<braced>[+-]?\d+(?:/\d+)?)\)?\s*\}|\((?P<bracketed>[+-]?\d+)\)|(?P<bare>[+-]?\d+)))?"
    r"|(?P<one>1(?=\s*/)))"
)


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> tuple[Unit, ...]:
    r"""All meanings of a written unit.

    Args:
        text: The unit in cleaned notation, such as ``kJ/kg``, ``\mathrm{m s^{-1}}`` or ``kilometres per hour``.

    Returns:
        One entry per meaning; empty if any part is not a known unit.
    """
    plain = _plain(text)
    if not plain or len(plain) > 120:
        return ()
    meanings = [DIMENSIONLESS]
    at, sign, signs = 0, 1, []
    while at < len(plain):
        item = _ITEM.match(plain, at)
        if item is None or item.end() == at:
            return () if plain[at:].strip() else tuple(meanings)
        at = item.end()
        if item["over"]:
            sign = -1
        elif item["open"]:
            signs.append(sign)
        elif item["close"]:
            if not signs:
                return ()
            sign = signs.pop()
        elif item["name"]:
            meanings = _times(meanings, item, sign)
            if not meanings:
                return ()
    return tuple(meanings) if not signs else ()


def _plain(text: str) -> str:
    """The unit without LaTeX dress."""
    text = _PREFIXED_OMEGA.sub(lambda match: f"{(match['upright'] or match['plain']).strip()}Omega", text)
    for _ in range(4):
        text = _UPRIGHT.sub(r" \1 ", text)
    text = re.sub(
        r"\\[dt]?frac\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r" (\1)/(\2) ", text
    )
    text = re.sub(r"\\mu\s*", r"\\mu", text)
    text = re.sub(r"\^\s*\{?\s*\\circ\s*\}?\s*([CFR])(?![a-z])", r" deg\1 ", text)
    text = re.sub(r"\^\s*\{?\s*\\circ\s*\}?", " deg ", text)
    text = re.sub(r"\bdeg(?:rees?)?\s*\.?\s*(C|F|Celsius|Fahrenheit)\b", lambda m: f"deg{m.group(1)[0]}", text)
    text = re.sub(r"\bsolar mass(?:es)?\b", "M_odot", text)
    text = re.sub(r"\blight[- ]years?\b", "ly", text)
    text = re.sub(r"\bp\.u\.?|\bper[- ]unit\b", "pu", text)
    text = re.sub(r"\b(square|cubic)\s+([A-Za-z]+)", lambda m: f"{m[2]}^{2 if m[1] == 'square' else 3}", text)
    text = re.sub(r"\b([A-Za-z]+)\s+(squared|cubed)\b", lambda m: f"{m[1]}^{2 if m[2] == 'squared' else 3}", text)
    text = text.replace("\\,", " ").replace("{}", "").replace("**", "^")
    if re.fullmatch(r"\s*\{[^{}]*\}\s*", text):
        text = text.strip()[1:-1]
    return text.strip().rstrip(".")


def _times(meanings: list[Unit], item: re.Match[str], sign: int) -> list[Unit]:
    """Multiply every meaning so far by every meaning of one more factor."""
    name = item["name"].lstrip("\\").replace("{", "").replace("}", "").replace("_\\", "_")
    if name == "%":
        name = "percent"
    exponent = Fraction(item["braced"] or item["bracketed"] or item["bare"] or 1) * sign
    if abs(exponent) > _MAX_EXPONENT or exponent.denominator > 4:
        return []
    if exponent.denominator != 1:
        return []
    found = _symbols().get(name, ())
    if not found and name.startswith("mu"):
        found = _symbols().get("u" + name[2:], ())
    out = []
    for meaning in meanings:
        for unit in found:
            single = meaning == DIMENSIONLESS and exponent == 1
            out.append(_product(meaning, unit, exponent, unit.offset if single else Fraction(0)))
    return out[:_MAX_INTERPRETATIONS]


def _product(left: Unit, right: Unit, exponent: Fraction, offset: Fraction) -> Unit:
    dimensions: dict[str, Fraction] = defaultdict(Fraction)
    for name, power in left.dimensions:
        dimensions[name] += power
    for name, power in right.dimensions:
        dimensions[name] += power * exponent
    kept = tuple(sorted((name, power) for name, power in dimensions.items() if power))
    return Unit(left.factor * right.factor ** int(exponent), kept, offset)
