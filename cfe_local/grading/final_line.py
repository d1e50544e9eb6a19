r"""Finds what a response states behind the delimiter ``ANSWER:``, and reads letters and sub-answers from it.

The last delimiter counts. It is found in bold, in LaTeX, in headings and boxes; capital letters may stand anywhere in a
line, other spellings only where a line begins. Not here: what is right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from cfe_local.grading.chunks import chunks
from cfe_local.grading.equations import CLOSING, OPENING

LEAD = (
    r"[ \t>*_#`$\\({\[-]*(?:(?:boxed|text|textbf|mathbf|mathrm|displaystyle)[ \t*_{\\$]*)*"
    r"(?i:(?:the|my)[ ]+)?(?i:final[ ]+)?"
)
CLOSE = r"(?:[ \t*_`}]|\\[,;: ])*"
DELIMITER = re.compile(rf"(?:^{LEAD}(?i:answer)|\bANSWER){CLOSE}[:：]{CLOSE}", re.MULTILINE)

WRAPPED = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf|fbox)\s*\{(?P<inner>.*)\}", re.DOTALL)
MARKS = (("**", "**"), ("__", "__"), ("`", "`"), ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))
DISPLAY = {"$$": "$$", r"\[": r"\]"}


@dataclass(frozen=True, slots=True)
class FinalLine:
    """What stands behind the last delimiter.

    Attributes:
        value: Without marks of typesetting.
        quote: As it is written, delimiter included.
        at_end: Nothing follows it, so that it may be incomplete where the response was cut.
    """

    value: str
    quote: str
    at_end: bool = False


def final_line(text: str) -> FinalLine | None:
    """The statement behind the last delimiter of a response; None without a delimiter or with nothing behind it."""
    found = list(DELIMITER.finditer(text))
    if not found:
        return None
    rest = text[found[-1].end() :]
    body = _statement(rest)
    value = bare(_without_stray_ends(body))
    if not value:
        return None
    at_end = text.rstrip().endswith(body.rstrip()) and not text.endswith("\n")
    return FinalLine(value, (found[-1].group().strip() + " " + body).strip(), at_end)


def _statement(rest: str) -> str:
    """The rest of the line, a display that begins there, or the next line that says something."""
    start = len(rest) - len(rest.lstrip(" \t\n*_"))
    opened = next((mark for mark in DISPLAY if rest.startswith(mark, start)), None)
    if opened is not None:
        end = rest.find(DISPLAY[opened], start + len(opened))
        if end >= 0:
            return rest[start : end + len(DISPLAY[opened])]
    line = rest.split("\n", 1)[0].strip()
    if line.strip("*_`$} "):
        return line
    return next((following.strip() for following in rest.split("\n")[1:] if following.strip("*_` \t\r")), "")


STRAY = {"$$": "$$", "$": "$", "`": "`", "**": "**", "__": "__", "}": "{", r"\]": r"\[", r"\)": r"\("}
"""What may close behind a statement, and what opens it."""


def _without_stray_ends(text: str) -> str:
    r"""``5}`` of ``\boxed{ANSWER: 5}`` is 5: marks at the end whose opening stands before the delimiter."""
    text = text.strip()
    while mark := next((mark for mark in STRAY if text.endswith(mark) and _is_stray(text, mark)), None):
        text = text.removesuffix(mark).rstrip()
    return text


def _is_stray(text: str, mark: str) -> bool:
    opening = STRAY[mark]
    return text.count(mark) % 2 == 1 if mark == opening else text.count(mark) > text.count(opening)


def bare(text: str) -> str:
    """A statement without marks of emphasis and mathematics around the whole of it, and without its full stop."""
    previous = None
    while text != previous:
        previous = text
        text = text.strip().removesuffix(".").strip()
        match = WRAPPED.fullmatch(text)
        if match and _is_whole(match["inner"]):
            text = match["inner"]
        for opening, closing in MARKS:
            inner = text[len(opening) : len(text) - len(closing)]
            if (
                len(text) > len(opening)
                and text.startswith(opening)
                and text.endswith(closing)
                and opening not in inner
            ):
                text = inner
    return text


def _is_whole(inner: str) -> bool:
    """Whether the brace that a command opened closes only at the end."""
    depth = 0
    for character in inner:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0


# ---------------------------------------------------------------- sub-answers


LABEL = re.compile(r"^\s*(?:\(?(?:[ivx]{1,4}|[a-h]|\d)\)|\d\.(?!\d))\s*:?\s*")

INLINE_LABEL = re.compile(r"\s*\((?:[ivx]{1,4}|[a-h]|[1-9])\)\s*")
"""``(i) x (ii) y``: labels that separate parts by themselves."""


def sub_answers(value: str, n_wanted: int) -> tuple[str, ...] | None:
    """The parts of a statement that answers several questions; None if it has another number of parts.

    Parts are separated by semicolons, else by ``and`` or commas outside brackets; labels as ``(ii)`` are left out.
    """
    if n_wanted == 1:
        return (value,)
    labelled = [bare(part).rstrip(",;").removesuffix("and") for part in INLINE_LABEL.split(value)]
    named = tuple(bare(part) for part in labelled if part.strip())
    if len(named) == n_wanted and all(named) and INLINE_LABEL.match(value):
        return named
    for separators in ({";"}, {";", "\\quad", "\\qquad", "and"}, {";", ",", "and"}):
        parts = [bare(LABEL.sub("", bare(part))) for part in _split(value, frozenset(separators))]
        if len(parts) == n_wanted and all(parts):
            return tuple(parts)
    return None


def _split(text: str, separators: frozenset[str]) -> list[str]:
    depth = 0
    parts = [""]
    for piece in chunks(text):
        depth += (piece in OPENING) - (piece in CLOSING)
        if depth <= 0 and piece in separators:
            parts.append("")
        else:
            parts[-1] += piece
    return [part for part in parts if part.strip(" ,;$")]


# ---------------------------------------------------------------- letters


@dataclass(frozen=True, slots=True)
class Choice:
    """The 0-based position of the option that was chosen, or why none can be told."""

    position: int | None
    why: str = ""


LETTERED = re.compile(
    r"^(?:(?:option|choice|candidate|answer)\s+)?[(\[]?(?P<letter>[A-Za-z])[)\]]?(?P<rest>.*)$", re.I | re.S
)
NAMED = re.compile(
    r"\b(?:option|choice|candidate|answer)\s+[(\[]?([A-Z])\b|[(\[]([A-Z])[)\]]|(?<![\w'’])([B-HJ-Z])(?![\w'’])"
    r"|(?<![\w'’])([AI])(?=\s*(?:[).,;:/]|$))"
)
"""Letters that name an option inside a sentence: after a word for it, in brackets, or alone.

A and I are words too; they count where a clause ends.
"""


def chosen_option(value: str, options: Sequence[str]) -> Choice:
    """Which option a statement names, by its letter, its text, or both.

    Two letters, a letter with another option's text, or no option at all leave it unparsable.
    """
    texts = [_folded(option) for option in options]
    said = _folded(value)
    if said in texts:
        return Choice(texts.index(said))
    match = LETTERED.match(value.strip())
    letter = _position(match["letter"], options) if match and _stands_alone(match) else None
    named = {position for found in NAMED.finditer(value) if (position := _position(_first(found), options)) is not None}
    quoted = {position for position, text in enumerate(texts) if text and text in said}
    if letter is not None:
        named.add(letter)
    if len(named) > 1:
        return Choice(None, f"names several options: {', '.join(sorted(chr(ord('A') + one) for one in named))}")
    if named and len(quoted) == 1 and quoted != named:
        return Choice(None, "names one option and quotes another")
    found = named or (quoted if len(quoted) == 1 else set())
    return Choice(next(iter(found))) if found else Choice(None, "names none of the options")


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether the first letter is an option's letter and not a word: nothing, a bracket or punctuation follows."""
    bracketed = match.group()[: match.start("rest")].rstrip().endswith((")", "]"))
    rest = match["rest"]
    return (
        bracketed
        or not rest.strip()
        or rest.lstrip(" *")[:1] in {".", ":", ")", ",", "-", "–", "—", ";", "/", "&"}
        or bool(re.match(r"\s+(?:because|since|is|and|or)\b", rest))
    )


def _position(letter: str, options: Sequence[str]) -> int | None:
    position = ord(letter.upper()) - ord("A")
    return position if 0 <= position < len(options) else None


def _first(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group)


def _folded(text: str) -> str:
    """A text without case, punctuation and typesetting: what two spellings of one sentence share."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", re.sub(r"\\(?:text|mathrm|textbf)\b", " ", plain)))
