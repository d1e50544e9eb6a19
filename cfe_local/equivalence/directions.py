"""Directions that are written after a value: ``10 N to the left``, ``5 m/s (east)``, ``3 N m, clockwise``.

Not here: signs and unit vectors, which are part of the value.
"""

from __future__ import annotations

import re

_SAME = {
    "leftward": "left", "rightward": "right", "upward": "up", "upwards": "up", "downward": "down", "downwards": "down",
    "northward": "north", "southward": "south", "eastward": "east", "westward": "west", "leftwards": "left",
    "rightwards": "right", "anticlockwise": "counterclockwise", "anti-clockwise": "counterclockwise",
    "counter-clockwise": "counterclockwise", "inwards": "inward", "outwards": "outward", "ccw": "counterclockwise",
    "cw": "clockwise", "forwards": "forward", "backwards": "backward",
}  # fmt: skip
_OPPOSITES = (
    ("left", "right"), ("up", "down"), ("north", "south"), ("east", "west"), ("clockwise", "counterclockwise"),
    ("inward", "outward"), ("forward", "backward"),
)  # fmt: skip
_WORDS = sorted({word for pair in _OPPOSITES for word in pair} | set(_SAME), key=len, reverse=True)
_PHRASE = (
    r"(?:(?:directed|pointing|acting|vertically|horizontally|radially|due|to|toward|towards|in|the)\s+)*"
    rf"(?P<word>{'|'.join(_WORDS)})(?:\s+direction)?"
)
_AFTER = re.compile(rf"(?P<value>.*?[\w}})])\s*(?:,\s*|\s|(?P<open>\())\s*{_PHRASE}\s*(?(open)\))", re.IGNORECASE)


def split_direction(text: str) -> tuple[str, str] | None:
    """The value and the direction that follows it, in its usual word; None if none does."""
    plain = re.sub(r"\\(?:text|mathrm|textrm|mbox)\s*\{\s*([^{}]*?[a-z]{2}[^{}]*?)\s*\}\s*$", r" \1", text)
    match = _AFTER.fullmatch(re.sub(r"\s+", " ", plain).strip())
    if match is None:
        return None
    return match["value"].strip(), _usual(match["word"])


def direction(words: str) -> str | None:
    """The direction that a note is, in its usual word."""
    match = re.fullmatch(_PHRASE, words.strip(), re.IGNORECASE)
    return _usual(match["word"]) if match else None


def _usual(word: str) -> str:
    return _SAME.get(word.lower(), word.lower())


def are_opposite(first: str, second: str) -> bool:
    """Whether two directions are opposites."""
    return any({first, second} == set(pair) for pair in _OPPOSITES)
