"""Values that a response settles typographically: one box, or one final statement under the variable's own name.

Where a response states its answer so plainly, copying it needs no judge. Everything less plain goes to the judge:
prose, tables, retractions, several candidates, unnamed values among several variables. No reference is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cfe_local.grading.chunks import chunks
from cfe_local.grading.equations import CLOSING, OPENING, SEPARATORS, same_name, symbols
from cfe_local.grading.statements import Statement, final_blocks, statements
from cfe_local.grading.tables import looked_up
from cfe_local.records import TargetVariable

STRONG = frozenset({"boxed", "final", "bold", "display", "item"})
RIVALS = frozenset({"boxed", "final", "bold"})
RETRACTION = re.compile(
    r"\bwait\b|scratch that|on second thought|\bmistake\b|\bcorrection\b|\b(?:is|was) (?:wrong|incorrect|not right)"
    r"|let me (?:re|correct)|\bretract|\bwithdraw|\bdiscard|should (?:instead )?(?:be|read)\b|\brevis(?:e|ed)\b"
    r"|\binstead\b.{0,30}\banswer\b|\boops\b|\bsorry\b|\bhmm+\b|\bhold on\b|\bsecond thoughts?\b|\breconsider"
    r"|\bon reflection\b|\bthink (?:about (?:this|that|it) )?again\b|\btak(?:e|ing) .{0,40}\bback\b"
    r"|\b(?:should|must) (?:not be used|be (?:ignored|replaced))|\bmoment mal\b|\bkorrigier|\bKorrektur"
    r"|\bdoch (?:nicht|falsch)\b|\btromp[ée]|\bequivoqu|\bsbagliat|\benganei|ошиб|更正|不对|错了|訂正",
    re.IGNORECASE,
)
"""After a final statement, any of these words makes it unsettled. Kept wide: the price of a match is one judge call."""

WORD = re.compile(r"[^\W\d_]{2,}")
MAX_OTHER_WORDS = 20
"""A final line with more words around its one formula is prose that may say anything about it."""

INDEX_WORD = re.compile(r"_\{?\\?(?:rm|mathrm|text|textrm)?\s*\{?\s*(?:eq|tot|total|max|min|final|opt|ans|avg|net)\}*$")

MIN_SPOKEN_NAME = 4
"""Shorter names are symbols, not words of a sentence."""

MAX_BRIEF_WORDS = 4
MAX_BRIEF_LENGTH = 60
HEDGE = re.compile(
    r"[=\n]|\b(?:or|either|maybe|perhaps|possibly|oder|vielleicht|ou|o bien|o)\b|或|[,;，。；]", re.IGNORECASE
)

CLAIM = re.compile(r"\d|[=≈$|]|\\\(|.{200}", re.DOTALL)
"""After the last displayed formula, any of these may be another claim: a digit, more mathematics, or long prose."""

MAX_TAIL = 700
"""Characters that may follow a displayed formula that is taken as the answer without a box; more text may revise it."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A value that the response states plainly.

    Attributes:
        value: The response's own text, the name before it left out.
        quote: The whole formula.
        rivals: Other final statements under the same name or in a final block; where one of them is a different
            value, the response contradicts itself.
    """

    value: str
    quote: str
    rivals: tuple[str, ...] = ()


def settled(text: str, targets: Sequence[TargetVariable]) -> tuple[Settled | None, ...]:
    """Find the plainly stated value of every variable; None where the judge has to read, as behind an empty box.

    Args:
        text: The response, thinking removed.
        targets: The problem's variables; their references are not used.
    """
    found = statements(text)
    values = (_single(text, found, targets[0].name),) if len(targets) == 1 else _several(text, found, targets)
    return tuple(None if one is None or not one.value.strip() else one for one in values)


def last_member(value: str) -> str:
    """The last member of a chain of equalities: ``a(b+c) = 0.5`` gives ``0.5``; approximations stay attached."""
    depth = position = start = 0
    for piece in chunks(value):
        depth += (piece in OPENING or piece == "\\begin") - (piece in CLOSING or piece == "\\end")
        position += len(piece)
        if depth == 0 and piece in SEPARATORS:
            # What follows is another statement (the definition of a symbol, say): no chain crosses it.
            return value
        if depth == 0 and piece == "=":
            start = position
    return value[start:].strip().lstrip("&").strip() or value


def _single(text: str, found: list[Statement], name: str) -> Settled | None:
    boxed = [one for one in found if one.mark == "boxed"]
    if boxed:
        last = boxed[-1]
        answer: Statement | None = _of_whole([one for one in boxed if one.start == last.start])
    else:
        answer = _unboxed(text, found, name)
    if answer is None or RETRACTION.search(text, answer.end):
        return None
    value = last_member(answer.value)
    rivals = (last_member(one.value) for one in found if _is_rival(one, answer, text))
    return Settled(value, answer.whole, tuple(rival for rival in rivals if symbols(rival) == symbols(value)))


def _is_rival(one: Statement, answer: Statement, text: str) -> bool:
    """Whether a statement claims to be the answer too, before `answer` and without being taken back."""
    if one.mark not in RIVALS or answer.start <= one.start < answer.end:
        return False
    if one.name and not same_name(one.name, answer.name):
        return False
    return not RETRACTION.search(text, one.end, max(one.end, answer.start))


def _of_whole(group: list[Statement]) -> Statement:
    """One statement for a formula with several parts (a value and the definition of a symbol in it)."""
    first = group[0]
    if len(group) == 1:
        return first
    value = first.whole[first.whole.find(first.value) :]
    return Statement(first.name, value.strip().rstrip("., "), first.whole, first.mark, first.start, first.end)


def _unboxed(text: str, found: list[Statement], name: str) -> Statement | None:
    """The one statement of the last final block, or the last displayed formula under the variable's name."""
    blocks = final_blocks(text)
    if blocks:
        start, end = blocks[-1]
        inside = [one for one in found if start <= one.start < end]
        named = [one for one in inside if one.name and same_name(one.name, name)]
        if named:
            return named[-1]
        formulas = {one.start for one in inside}
        brief = _brief_answer(text, start, end) if not formulas else None
        if brief is not None:
            return brief
        return _of_whole(inside) if len(formulas) == 1 and _says_little_else(text[start:end], inside[0]) else None
    named = [one for one in found if one.name and same_name(one.name, name)]
    if named and named[-1].mark == "display" and len(text) - named[-1].end <= MAX_TAIL:
        return _of_whole([one for one in found if one.start == named[-1].start])
    last = found[-1] if found else None
    if last is not None and last.mark == "display" and not CLAIM.search(text, last.end):
        return _of_whole([one for one in found if one.start == last.start])
    return None


def _brief_answer(text: str, start: int, end: int) -> Statement | None:
    """``Answer: Thymine``: a final line of a few words is the answer itself, whatever it is."""
    line = text[start:end].strip().strip(":*_ \n").rstrip(".").strip("* ")
    if not line or len(line) > MAX_BRIEF_LENGTH or len(line.split()) > MAX_BRIEF_WORDS or HEDGE.search(line):
        return None
    return Statement("", line, line, "final", text.find(line, start), text.find(line, start) + len(line))


def _says_little_else(block: str, one: Statement) -> bool:
    rest = block.replace(one.whole, "")
    return len(WORD.findall(rest)) <= MAX_OTHER_WORDS and not any(character.isdigit() for character in rest)


def _several(text: str, found: list[Statement], targets: Sequence[TargetVariable]) -> tuple[Settled | None, ...]:
    strong = [one for one in found if one.mark in STRONG]
    chosen: list[Statement | None] = []
    for target in targets:
        exact = [one for one in strong if one.name and same_name(one.name, target.name)]
        finals = [one for one in exact if one.mark in {"boxed", "final"}] or _described(strong, target, targets)
        last = next(reversed(finals or exact), None)
        chosen.append(None if last is not None and _is_said_again(text, last, target.name) else last)
    _eliminate(found, chosen)
    cells = looked_up(text, targets) if not any(chosen) else None
    if cells is not None and not RETRACTION.search(text, text.rfind(cells[-1].value)):
        return tuple(Settled(cell.value, cell.row) for cell in cells)
    return tuple(
        None if one is None or RETRACTION.search(text, one.end) else _with_rivals(text, one, found) for one in chosen
    )


def _with_rivals(text: str, answer: Statement, found: list[Statement]) -> Settled:
    """A value with the other final ones under its name: where one differs, the response contradicts itself."""
    value = last_member(answer.value)
    others = [
        last_member(one.value)
        for one in found
        if one.mark in {"boxed", "final"} and answer.mark in {"boxed", "final"} and answer.name
        if one.name and _is_rival(one, answer, text)
    ]
    return Settled(value, answer.whole, tuple(other for other in others if symbols(other) == symbols(value)))


def _described(strong: list[Statement], target: TargetVariable, targets: Sequence[TargetVariable]) -> list[Statement]:
    r"""Boxed values under the variable's symbol with a word for an index: ``r_{\rm eq}`` for ``r``."""
    if any(one.name and same_name(one.name, target.name) for one in strong):
        return []
    found = [one for one in strong if one.mark == "boxed" and INDEX_WORD.search(one.name)]
    bare = [(one, INDEX_WORD.sub("", one.name)) for one in found]
    taken = [one for one, _ in bare if any(same_name(one.name, other.name) for other in targets)]
    return [one for one, name in bare if same_name(name, target.name) and one not in taken]


def _is_said_again(text: str, one: Statement, name: str) -> bool:
    """Whether a value from a list or table is followed by a sentence that gives its quantity a number again."""
    words = name.replace("_", " ")
    if one.mark not in {"item", "final"} or len(words) < MIN_SPOKEN_NAME:
        return False
    return re.search(rf"(?<!\\)\b{re.escape(words)}\b[^.\n|]{{0,40}}\d", text[one.end :], re.IGNORECASE) is not None


def _eliminate(found: list[Statement], chosen: list[Statement | None]) -> None:
    """If one variable is left and the boxes hold one part per variable, the part that is left is its value."""
    boxed = [one for one in found if one.mark == "boxed"]
    missing = [position for position, one in enumerate(chosen) if one is None]
    left = [one for one in boxed if one not in chosen]
    if len(missing) == 1 and len(boxed) == len(chosen) and len(left) == 1:
        chosen[missing[0]] = left[0]
    elif (
        any(chosen)
        and len(boxed) == len(chosen)
        and len({one.start for one in boxed}) == 1
        and all(one is None or one == part for one, part in zip(chosen, boxed, strict=True))
    ):
        # One box with as many parts as variables, those with known names at their places: it has their order.
        chosen[:] = boxed
