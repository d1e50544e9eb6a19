r"""Finds claims of arithmetic in a response: ``a = b`` where both sides are numbers, for equivalence to check.

Careful rather than complete: a side with a symbol or a unit, or one that may go on beyond what was read, is no claim.
Whether a claim is true is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cfe_local.grading.base import Pair
from cfe_local.records import ValueContext

SEGMENT = re.compile(
    r"\$\$(.{1,1500}?)\$\$|\\\[((?:(?!\\\[).){1,1500}?)\\\]|\\\(((?:(?!\\\().){1,800}?)\\\)|(?<!\\)\$([^$\n]{1,800}?)\$",
    re.DOTALL,
)
"""Formulas; bounded, so that a mark that never closes costs little."""

RELATION = re.compile(r"=|\\approx(?![A-Za-z])|≈|\\simeq(?![A-Za-z])")
COMMANDS = r"\\(?:[dt]?frac|sqrt|times|cdot|div|pi|left|right)(?![A-Za-z])|\\[,;! ]"
NUMERIC = re.compile(rf"\s*(?:{COMMANDS}|[\d.+\-−*/×·÷^(){{}}\s])+")
OPERATION = re.compile(r"\d\s*(?:[+\-−*/×·÷^]|\\times|\\cdot|\\div)|\\(?:d|t)?frac|\\sqrt")
LEFT_BORDER = re.compile(r"(?:^|[:;,]\s|(?:[A-Za-z]{3,}|[Ss]o|is|[Ww]e)\s)\s*$")
MAX_CLAIMS = 40
REACH = 240
"""Characters of a side that are looked at."""

MAX_SIDE = 120
"""Characters of one side; longer ones are no arithmetic that a person does in a line."""


@dataclass(frozen=True, slots=True)
class ArithmeticClaim:
    """Two numbers that a response says are the same; ``quote`` is how it says so."""

    left: str
    right: str
    quote: str

    @property
    def pair(self) -> Pair:
        """What equivalence is asked."""
        return Pair(self.left, self.right, ValueContext(type="numeric"))


def arithmetic_claims(text: str) -> tuple[ArithmeticClaim, ...]:
    """The claims of a response, in order, each once; at most 40."""
    found: dict[tuple[str, str], ArithmeticClaim] = {}
    for stretch in _stretches(text):
        for claim in _in_stretch(stretch):
            found.setdefault((claim.left, claim.right), claim)
    return tuple(found.values())[:MAX_CLAIMS]


def _stretches(text: str) -> Iterator[str]:
    """Formulas one by one, then each line of what stands around them."""
    for match in SEGMENT.finditer(text):
        for row in re.split(r"\\\\|\n", next(group for group in match.groups() if group is not None)):
            yield row.replace("&", "")
    yield from SEGMENT.sub("\n", text).splitlines()


def _in_stretch(stretch: str) -> Iterator[ArithmeticClaim]:
    sides = RELATION.split(stretch)
    for position in range(len(sides) - 1):
        left = _number_at_end(sides[position], is_first=position == 0)
        right = _number_at_start(sides[position + 1], is_last=position == len(sides) - 2)
        if left and right and (OPERATION.search(left) or OPERATION.search(right)):
            yield ArithmeticClaim(left, right, f"{left} = {right}")


def _number_at_end(side: str, *, is_first: bool) -> str:
    """A side that is a number: the whole of it, or in the first side of a chain what follows a word."""
    if len(side) > REACH:
        # A mark stands for what is cut off, so that the cut is no border.
        side = "…" + side[-REACH:]
    if NUMERIC.fullmatch(side):
        return _usable(side)
    if not is_first:
        return ""
    for match in re.finditer(r"(?<=\s)\S", side):
        if NUMERIC.fullmatch(side, match.start()) and LEFT_BORDER.search(side[: match.start()]):
            return _usable(side[match.start() :])
    return ""


def _number_at_start(side: str, *, is_last: bool) -> str:
    """A side that is a number, followed by nothing or by the end of a clause."""
    match = NUMERIC.match(side, 0, REACH)
    if match is None:
        return ""
    rest = side[match.end() :]
    if match.end() == len(side):
        return _usable(side)
    ended = rest.startswith((",", ";")) or match.group().rstrip().endswith(".")
    return _usable(match.group()) if is_last and ended and not match.group().endswith(tuple("+-*/^(")) else ""


def _usable(side: str) -> str:
    bare = side.strip().rstrip(".").strip()
    balanced = bare.count("(") == bare.count(")") and bare.count("{") == bare.count("}")
    return bare if balanced and any(c.isdigit() for c in bare) and len(bare) <= MAX_SIDE else ""
