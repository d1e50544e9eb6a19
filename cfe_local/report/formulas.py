r"""Finds the formulas in a text: ``$..$``, ``$$..$$``, ``\(..\)``, ``\[..\]`` and bare display environments.

A dollar sign is also money. ``$`` opens a formula only where a ``$`` closes it soon, nothing between looks like a
sentence, and no digit follows the closing one. Linear in the text, whatever the text holds.

Not here: typesetting (``mathml``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_FORMULA = 4000
"""Characters. Beyond any formula of the published benchmark; a longer stretch is shown as it is written."""

_OPEN = re.compile(r"(?<!\\)\$\$?|\\\(|\\\[|\\begin\{(?:align|aligned|equation|gather|multline|eqnarray)\*?\}")
_CLOSE = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TEXT_GROUP = re.compile(r"\\(?:text|mathrm|operatorname\*?|mbox|textbf|textit|mathbf)\s*\{[^{}]*\}")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_WORD = re.compile(r"(?<![\w{])[A-Za-z]{3,}(?![\w}])")


@dataclass(frozen=True, slots=True)
class Plain:
    """Text that is no formula."""

    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula: its LaTeX without the delimiters, and the whole as it was written."""

    latex: str
    written: str
    display: bool


def split_formulas(text: str) -> Iterator[Plain | Formula]:
    """The text in pieces, in order; the pieces' ``text`` and ``written`` join to the whole text again."""
    start = position = 0
    while match := _OPEN.search(text, position):
        formula = _formula_at(text, match)
        if formula is None:
            position = match.end()
            continue
        if match.start() > start:
            yield Plain(text[start : match.start()])
        yield formula
        start = position = match.start() + len(formula.written)
    if start < len(text):
        yield Plain(text[start:])


def _formula_at(text: str, match: re.Match[str]) -> Formula | None:
    opening = match.group()
    if opening.startswith("\\begin"):
        closing = opening.replace("begin", "end", 1)
        end = text.find(closing, match.end(), match.end() + MAX_FORMULA)
        written = text[match.start() : end + len(closing)]
        return None if end < 0 else Formula(written, written, display=True)
    closing = _CLOSE[opening]
    end = _find_closing(text, closing, match.end())
    if end < 0:
        return None
    latex = text[match.end() : end].strip()
    written = text[match.start() : end + len(closing)]
    if not latex or _BLANK_LINE.search(latex):
        return None
    if opening == "$" and (_is_sentence(latex) or text[end + 1 : end + 2].isdigit()):
        return None
    return Formula(latex, written, display=opening in ("$$", "\\["))


def _find_closing(text: str, closing: str, start: int) -> int:
    limit = start + MAX_FORMULA
    end = text.find(closing, start, limit)
    while closing == "$" and end > 0 and text[end - 1] == "\\":
        end = text.find(closing, end + 1, limit)
    return end


def _is_sentence(latex: str) -> bool:
    """Whether what stands between two dollar signs reads as prose: amounts of money on both sides."""
    bare = _COMMAND.sub(" ", _TEXT_GROUP.sub(" ", latex))
    n_words = len(_WORD.findall(bare))
    return n_words >= 5 or (n_words >= 2 and not re.search(r"[\\^_={}]", latex))
