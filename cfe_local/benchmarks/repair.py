r"""Put back the backslashes that a JSON decoder ate from LaTeX, where that is certain, and say what was done.

A file that was written with one level of escaping too few turns ``\beta`` into a backspace and ``eta``, ``\frac``
into a form feed and ``rac``, ``\nu`` into a newline and ``u``. Each of these has its own rule:

    backspace, form feed    before a letter: always a lost command; no text contains these characters on purpose
    tab, carriage return    before the rest of a known LaTeX command: lost; where that rest is a word too (``an`` of
                            ``tan``), only inside mathematics; anything else is genuine white space
    newline                 before a tail that is no English word (``eq``, ``abla``): lost, inside mathematics;
                            before ``u``: lost where the same field shows other damage and the newline stands
                            directly inside a formula; everything else stays a newline
    ``\u`` and 4 hex digits  a character whose escape stands as text; LaTeX's own ``\u`` is never followed by these
    NUL and two hex digits  a Latin-1 character whose escape was cut (``\u00b0``)

Where a lost command follows a lone backslash, that backslash was a row separator ``\\`` and gets its second one back.
Other control characters cannot be restored. They become U+FFFD, so that no NUL reaches a tokenizer, and are recorded
as such. Not here: what a whole problem looks like (cfe.py), and what else may be wrong with it (checks/).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from cfe_local.benchmarks.latex_commands import AMBIGUOUS, COMMANDS
from cfe_local.records import Repair

EATEN = "eaten_backslash"
EATEN_NEWLINE = "eaten_newline_command"
ROW_SEPARATOR = "row_separator"
LATIN1 = "cut_latin1_escape"
UNICODE = "literal_unicode_escape"
UNREADABLE = "unreadable_control_characters"

_LETTERS = {"\b": "b", "\t": "t", "\f": "f", "\r": "r"}
_EATEN = re.compile(r"(?P<before>(?<!\\)\\)?(?P<control>[\b\t\f\r])(?P<word>[A-Za-z]+)")
_NEWLINE = re.compile(r"(?P<before>(?<!\\)\\)?\n(?P<word>[A-Za-z]+)")
_CUT_ESCAPE = re.compile(r"(?<!\x00)\x00([a-f][0-9a-f])(?![0-9A-Za-z])")
_UNICODE = re.compile(r"(?<!\\)\\u([0-9a-fA-F]{4})(?![0-9A-Fa-f])")
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f](?:[\t\r]*[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f])*")
_MATH_MARK = re.compile(r"\\[()\[\]]|(?<!\\)\$\$?")

# Tails of \n-commands that are no English word, so that a newline before them is no line break.
CERTAIN_TAILS = frozenset(
    {"abla", "eq", "otin", "obreak", "obreakspace", "onumber", "ewline", "ewpage", "ewcommand", "ormalsize", "earrow"}
    | {"warrow", "leq", "geq", "leqslant", "geqslant", "subseteq", "supseteq", "cong", "vdash", "atural"}
    | {"leftarrow", "rightarrow", "Leftarrow", "Rightarrow", "leftrightarrow"}
)
# Tails that are words or variable names as well: only reported, ``u`` is decided by its surroundings.
AMBIGUOUS_TAILS = frozenset({"u", "e", "i", "ot", "mid", "less", "parallel", "exists", "sim", "prec", "succ"})


@dataclass(frozen=True, slots=True)
class RepairedText:
    """A text after repair, and how often each kind of repair was made.

    ``uncertain`` holds what looks eaten but was left alone: the control character's letter and what follows.
    """

    text: str
    counts: dict[str, int] = field(default_factory=dict)
    uncertain: tuple[str, ...] = ()


def repair_text(text: str) -> RepairedText:
    """Repair one field of a problem.

    Args:
        text: The field as the file has it.

    Returns:
        The repaired text; equal to ``text`` and without counts where nothing was damaged.
    """
    if text.isprintable() and "\\u" not in text:
        return RepairedText(text)
    counts: Counter[str] = Counter()
    uncertain: list[str] = []
    text = _restore_commands(text, counts, uncertain)
    text = _restore_newline_commands(text, counts, uncertain)
    text = _restore_cut_escapes(text, counts)
    text = _restore_unicode_escapes(text, counts)
    text = _replace_unreadable(text, counts)
    return RepairedText(text, dict(counts), tuple(uncertain))


class Repairer:
    """Repairs field after field and keeps the account."""

    def __init__(self) -> None:
        self.repairs: list[Repair] = []

    def __call__(self, field: str, text: str) -> str:
        """The repaired text of a field, which is named in the account."""
        repaired = repair_text(text)
        self.repairs += [Repair(field=field, kind=kind, count=count) for kind, count in repaired.counts.items()]
        return repaired.text


def _restore_commands(text: str, counts: Counter[str], uncertain: list[str]) -> str:
    in_math = _MathPositions(text)

    def restore(match: re.Match[str]) -> str:
        control, word = match["control"], match["word"]
        command = _LETTERS[control] + word
        if control in "\t\r":
            if command not in COMMANDS:
                return match.group()
            if command in AMBIGUOUS and not in_math(match.start("control")):
                uncertain.append(command)
                return match.group()
        counts[EATEN] += 1
        return _separator(match["before"], counts) + "\\" + command

    return _EATEN.sub(restore, text)


def _restore_newline_commands(text: str, counts: Counter[str], uncertain: list[str]) -> str:
    in_math = _MathPositions(text)
    damaged = bool(counts) or any(match["word"] in CERTAIN_TAILS for match in _NEWLINE.finditer(text))

    def restore(match: re.Match[str]) -> str:
        word, newline = match["word"], match.start("word") - 1
        if not in_math(newline) or word not in CERTAIN_TAILS | AMBIGUOUS_TAILS:
            return match.group()
        if word in CERTAIN_TAILS or (word == "u" and damaged and _stands_inside_formula(text, newline)):
            counts[EATEN_NEWLINE] += 1
            return _separator(match["before"], counts) + "\\n" + word
        if damaged:
            uncertain.append("n" + word)
        return match.group()

    return _NEWLINE.sub(restore, text)


def _restore_cut_escapes(text: str, counts: Counter[str]) -> str:
    def restore(match: re.Match[str]) -> str:
        counts[LATIN1] += 1
        return chr(int(match[1], 16))

    return _CUT_ESCAPE.sub(restore, text)


def _restore_unicode_escapes(text: str, counts: Counter[str]) -> str:
    def restore(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        if not character.isprintable() or "\ud800" <= character <= "\udfff":
            return match.group()
        counts[UNICODE] += 1
        return character

    return _UNICODE.sub(restore, text)


def _replace_unreadable(text: str, counts: Counter[str]) -> str:
    def replace(match: re.Match[str]) -> str:
        counts[UNREADABLE] += len(match.group())
        return "\ufffd"

    return _UNREADABLE.sub(replace, text)


def _separator(before: str | None, counts: Counter[str]) -> str:
    r"""A lone backslash before a lost command was ``\\``: one more level of escaping ate its half."""
    if before:
        counts[ROW_SEPARATOR] += 1
        return "\\\\"
    return ""


def _stands_inside_formula(text: str, newline: int) -> bool:
    r"""Whether a newline has formula directly before it, so that nobody broke the line there on purpose."""
    before = text[max(0, newline - 2) : newline]
    return bool(before) and not before.endswith(("\n", "\r", " ", "$$", r"\[", r"\\"))


class _MathPositions:
    """Says which positions of a text lie inside mathematics, by counting the marks before them."""

    def __init__(self, text: str) -> None:
        self._marks = [(match.start(), match.group()) for match in _MATH_MARK.finditer(text)]

    def __call__(self, position: int) -> bool:
        opened = ""
        for start, mark in self._marks:
            if start >= position:
                break
            if mark[0] == "$":
                opened = "" if opened == mark else (opened or mark)
            elif mark in (r"\(", r"\["):
                opened = opened or mark
            elif opened in (r"\(", r"\["):
                opened = ""
        return bool(opened)
