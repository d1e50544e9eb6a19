"""Notations that leave a difference open, because the writer may well have meant the same number by them.

    2,5          a decimal comma, against 2.5
    0b101, 101   the digits of a number in another base, with and without its sign
    12.5 k       a prefix without a unit, against 12500

Not here: notations that have one meaning.
"""

from __future__ import annotations

import re
from decimal import Decimal

from cfe_local.equivalence.outcome import Outcome, equal, undecided

_COMMA = re.compile(r"(?<![\d,.])(\d+),(\d+)(?![\d,.])")
_BASE = re.compile(r"(?:0[xX]|0[oO]|0[bB])(?P<marked>[0-9A-Fa-f]+)|\(?(?P<based>[0-9A-Fa-f]+)\)?_\{?(?:\d{1,2})\}?")
_PREFIXED = re.compile(r"(?P<sign>[-+]?)(?P<number>\d+(?:\.\d+)?)\s*(?P<prefix>[kKMG])")
_POWERS = {"k": 3, "K": 3, "M": 6, "G": 9}
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def decimal_comma(text: str) -> str | None:
    """The text with its one comma between digits as a decimal point; None if it has none or looks like a list."""
    if text.count(",") != 1 or re.search(r"[()\[\]]", text):
        return None
    match = _COMMA.search(text)
    if match is None or (len(match[2]) == 3 and match[1] != "0"):
        return None
    return text[: match.start()] + f"{match[1]}.{match[2]}" + text[match.end() :]


def check_difference(outcome: Outcome, reference: str, candidate: str) -> Outcome:
    """A difference that depends on how a base or a prefix was meant is no difference for certain."""
    if outcome.verdict != "different":
        return outcome
    if _same_digits(reference, candidate) or _same_digits(candidate, reference):
        return undecided("base", "the same digits, with and without a base")
    scaled = _scaled(candidate)
    if scaled is not None and _NUMBER.fullmatch(reference) and Decimal(reference) == scaled:
        return equal("prefix", f"{candidate} is {scaled:f}")
    return outcome


def _same_digits(marked: str, bare: str) -> bool:
    match = _BASE.fullmatch(marked)
    digits = (match["marked"] or match["based"]) if match else ""
    return bool(digits) and digits.lower() == bare.lower()


def _scaled(text: str) -> Decimal | None:
    """The number that ``12.5 k`` is."""
    match = _PREFIXED.fullmatch(text)
    if match is None:
        return None
    return Decimal(f"{match['sign']}{match['number']}").scaleb(_POWERS[match["prefix"]])
