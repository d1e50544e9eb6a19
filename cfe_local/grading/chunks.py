"""Cuts mathematical text into the smallest pieces that mean something: words, numbers, LaTeX commands, signs.

A value taken from a response must begin and end at such a border: 5 is not stated by "35", nor 0.65 by "= -0.65".
Both the grammar that binds the judge and the check of what it wrote use these pieces. No reading of values here.
"""

from __future__ import annotations

import re

PIECE = re.compile(
    r"""
    \\[A-Za-z]+ | \\.                           # a LaTeX command
  | 0[xX][0-9A-Fa-f]+                           # a hexadecimal number
  | \d{1,3}(?:,\d{3})+(?:\.\d+)? | \d+(?:\.\d+)?  # a number, thousands by comma
  | [零〇一二三四五六七八九十百千万亿两]+(?:分之[零〇一二三四五六七八九十百千万亿两]+)?   # a number in words
  | [\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]   # scripts without blanks between words: one character each
  | [^\W\d_]+                                   # a word
  | \s+ | .                                     # blanks, any other character
    """,
    re.VERBOSE | re.DOTALL,
)

MINUS = frozenset("-−")
BEFORE_UNARY = frozenset("=([{,:;≈<>≤≥&|$~") | {r"\approx", r"\simeq", r"\le", r"\ge", r"\to", r"\in", r"\;", r"\,"}
"""After one of these, or at a line's start, a minus belongs to what follows and must not be cut off."""


def chunks(text: str) -> list[str]:
    r"""Cut text into pieces whose concatenation is the text.

    A sign that belongs to what follows it stays with it: ``x=-\frac12`` gives ``x``, ``=``, ``-\frac``, ``12``.
    """
    pieces = PIECE.findall(text)
    joined: list[str] = []
    previous = "="
    position = 0
    while position < len(pieces):
        piece = pieces[position]
        following = pieces[position + 1] if position + 1 < len(pieces) else ""
        if piece in MINUS and _binds(previous) and following and not following.isspace():
            joined.append(piece + following)
            previous = following
            position += 2
            continue
        joined.append(piece)
        if not piece.isspace() or "\n" in piece:
            previous = piece
        position += 1
    return joined


def _binds(previous: str) -> bool:
    return previous in BEFORE_UNARY or "\n" in previous
