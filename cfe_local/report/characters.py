"""Texts of unknown origin on a page: characters that would change it without being seen, and texts without end.

Controls, direction marks and lone surrogates are evidence, so they are shown by name; none reaches the page as itself.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, tab, newline and carriage return aside
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks, overrides and isolates
    "\u2028\u2029\ufeff\ufff9-\ufffb"  # separators, byte order mark, annotation marks
    "\ud800-\udfff"  # halves of characters, which UTF-8 cannot hold
    "\ufdd0-\ufdef\ufffe\uffff"  # never characters
    "\U000e0000-\U000e007f"  # tags: text that nobody sees
    "]"
)


def visible(text: str) -> str:
    """The text with each hidden character as ``⟨U+202E⟩``; a carriage return becomes a newline."""
    return _HIDDEN.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", text.replace("\r\n", "\n").replace("\r", "\n"))


def shortened(text: str, limit: int) -> str:
    """The text in at most ``limit`` characters and an ellipsis that says how many are left out."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} more)"
