"""Ranges in words: ``between 5 and 10 cm``, ``from 5 to 10``, ``5 to 10``; both ends are compared.

Not here: intervals and inequalities in notation (``conditions``).
"""

from __future__ import annotations

import re

_END = r"(?:\\dollar\s*|\\pounds\s*|\\euro\s*)?-?\d[\d.,]*(?:\s*(?:\\%|%))?"
_RANGE = re.compile(
    rf"(?P<lead>between|from)?\s*(?P<low>{_END})\s*(?P<unit>[^\d\\]*?)\s*(?P<joint>and|to)\s+(?P<high>{_END})\s*(?P<rest>[^\d]*)",
    re.IGNORECASE,
)
_JOINTS = {"between": "and", "from": "to", "": "to"}


def ends(text: str) -> tuple[str, str] | None:
    """The low and high end of a range in words, each with its unit; None for other texts."""
    match = _RANGE.fullmatch(text.strip())
    if match is None or _JOINTS[(match["lead"] or "").lower()] != match["joint"].lower():
        return None
    unit, rest = match["unit"].strip(), match["rest"].strip()
    return f"{match['low']} {unit or rest}".strip(), f"{match['high']} {rest}".strip()
