"""Lists where a response states values in so many words: boxes, displayed formulas, list items, "final answer" lines.

Typography only: no statement is believed here (see `settled`), none is read as mathematics, no reference is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from cfe_local.grading.chunks import chunks
from cfe_local.grading.equations import is_plain_name, parts

Mark = Literal["boxed", "final", "bold", "display", "item", "inline"]

DISPLAY = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\begin\{(?:equation|align|gather)\*?\}(.+?)\\end\{", re.DOTALL)
ARROW = re.compile(
    r"(?:\\;|\\q?quad|\s)*\\(?:Rightarrow|implies|Longrightarrow|Leftrightarrow|iff)\b(?:\\;|\\q?quad|\s)*|⇒"
)
"""Between the steps of one formula; the last step is what it states."""

INLINE = re.compile(r"(?<![\\$])\$(?!\$)([^$\n]+?)\$(?!\$)|\\\((.+?)\\\)", re.DOTALL)
ITEM = re.compile(r"[ \t]*(?:[-*•+]|\d+[.)])[ \t]+")
QUANTITY = re.compile(
    r"(?<![\w.^_{])[-−+]?\d+(?:[.,]\d+)*(?:\s?[×x·]\s?10\S+|[eE][-+]?\d+)?(?:\s?[%°‰]C?|\s[^\W\d_]\S*(?<![.,;:]))?"
)
PLAIN = re.compile(r"(?<![\w\\])([A-Za-zΑ-ω][\w₀-₉]*(?:\([A-Za-z]\))?)[ \t]*[=≈][ \t]*([^\n]+)")
FINAL_WORDS = (
    r"(?:the\s+)?(?:final\s+)?(?:answers?|results?|conclusions?|values?)|in\s+conclusion|to\s+conclude"
    r"|(?:最终|最后)?(?:答案|结果|结论)|(?:End)?ergebnis|(?:Schluss)?antwort|réponses?|résultats?|respuestas?|resultados?"
    r"|risposte?|risposta|risultat[oi]|resposta|ответ|результат|結論|答え|정답|결론"
)
FINAL = re.compile(
    rf"^[ \t]*(?:#+[ \t]*|[-*•>][ \t]+)?(?:\*\*|__)?(?:step\s+\d+\s*[:.–-]\s*|\d+[.)]\s*)?(?:{FINAL_WORDS})"
    r"(?P<more>[^\n:：.]{0,40})(?P<end>[:：.]|(?:\*\*|__)[ \t]*|\n)",
    re.MULTILINE | re.IGNORECASE,
)
TABLE_ROW = re.compile(r"^[ \t]*\|(?P<name>[^|\n]+)\|(?P<value>[^|\n]+)\|[ \t]*$", re.MULTILINE)
CLOSING_LENGTH = 1000
"""Characters; without an announcement, answers of hand-written responses stood within the last 700."""

LABELLED = re.compile(
    r"^[ \t]*(?:[-*•][ \t]+|\*\*)+(?P<label>[^\W\d_][^:=\n]{0,40}?)(?:\*\*)?[:：](?:\*\*)?[ \t]+(?P<value>[^\n]+)$",
    re.MULTILINE,
)
PRINTED = re.compile(r"^[ \t]*```(?:text|console|output)?[ \t]*\n(?P<rows>.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
PRINTED_ROW = re.compile(
    r"^[ \t]*(?:(?P<label>[^\s:=][^:=\n]{0,30}?)[ \t]*[:=][ \t]+|(?P<first>[A-Z][A-Z\d]*)(?: [a-z]+){0,4} {2,})"
    r"(?P<value>\S[^\n]*?)(?= {2,}|[ \t]*$)",
    re.MULTILINE,
)
"""A row of a program's output: a label with a colon or equals sign, or a register's name, a few words and a column."""

FORMULA_AND_REMARK = re.compile(r"^\$([^$]+)\$\s*[,;(].*$")
HEADING = re.compile(r"^[ \t]*(?:#+[ \t]|\*\*[^*\n]+\*\*[ \t]*$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Statement:
    """A value that stands in a response, with the name before it (empty without one) and where.

    Attributes:
        whole: The formula as it stands, before names and parts were split off.
        start: Position of the formula in the response; several statements of one formula share it.
    """

    name: str
    value: str
    whole: str
    mark: Mark
    start: int
    end: int


def statements(text: str) -> list[Statement]:
    """All statements of a response, in order of position; a formula inside a box is listed as boxed only."""
    found: list[Statement] = []
    found.extend(_printed(text))
    taken: list[tuple[int, int]] = [(one.start, one.end) for one in found]
    sources: tuple[tuple[Mark, Iterator[tuple[int, int, str]]], ...] = (
        ("boxed", _boxes(text)),
        ("display", _matches(DISPLAY, text)),
        ("item", _table_rows(text)),
        ("item", _labelled_items(text)),
        ("inline", _matches(INLINE, text)),
        ("inline", _plain(text)),
    )
    for mark, spans in sources:
        for start, end, content in spans:
            if any(start < stop and begin < end for begin, stop in taken):
                continue
            taken.append((start, end))
            found.extend(Statement(part.name, part.value, content.strip(), mark, start, end) for part in parts(content))
    blocks = final_blocks(text)
    found.extend(_unnamed_quantities(text, blocks, found))
    return sorted((_marked(one, text, blocks) for one in found), key=lambda one: one.start)


def final_blocks(text: str) -> list[tuple[int, int]]:
    """Where the response says that it now gives its answer: from the words to the end of the line or section."""
    blocks = []
    for match in FINAL.finditer(text):
        line_end = text.find("\n", match.end())
        rest = text[match.end() : line_end if line_end >= 0 else len(text)].strip(" *_#:：")
        if rest and not match.group("end").isspace():
            blocks.append((match.end(), match.end() + _line_length(text[match.end() :])))
            continue
        heading = HEADING.search(text, match.end() + 1)
        blocks.append((match.end(), heading.start() if heading else len(text)))
    return blocks


def announcement(text: str) -> int:
    """Where the last box or "final answer" block of a response begins; 0 without one."""
    blocks = final_blocks(text)
    return max(blocks[-1][0] if blocks else 0, text.rfind("\\boxed"), 0)


def closing(text: str) -> str:
    """Where a single answer is looked for: from the last words that announce it, else the response's last stretch.

    A last stretch is `CLOSING_LENGTH` characters, extended to the beginning of its first line.
    """
    blocks = final_blocks(text)
    if blocks:
        return text[blocks[-1][0] :]
    return text[text.rfind("\n", 0, max(0, len(text) - CLOSING_LENGTH)) + 1 :]


def _unnamed_quantities(text: str, blocks: list[tuple[int, int]], found: list[Statement]) -> Iterator[Statement]:
    """``Result: the probability is 22.5 %.``: the one number of a final block that states nothing else."""
    for start, end in blocks:
        if any(start <= one.start < end for one in found):
            continue
        numbers = list(QUANTITY.finditer(text, start, end))
        if len(numbers) == 1:
            value = numbers[0].group().strip()
            yield Statement("", value, value, "final", numbers[0].start(), numbers[0].start() + len(value))


def _line_length(rest: str) -> int:
    """Length of the first line; with the next paragraph if the line does not end a sentence (a formula follows)."""
    end = rest.find("\n")
    if end < 0:
        return len(rest)
    if rest[:end].rstrip().endswith("**") and rest[:end].strip(" *"):
        return end
    if not rest[:end].rstrip(" *_").endswith((".", "!", "。", "$", "\\)", "|")):
        start = end + len(rest[end:]) - len(rest[end:].lstrip("\n"))
        following = rest.find("\n\n", start)
        return following if following >= 0 else len(rest)
    return end


def _marked(one: Statement, text: str, blocks: list[tuple[int, int]]) -> Statement:
    if one.mark == "boxed":
        return one
    if any(start <= one.start < end for start, end in blocks):
        return replace(one, mark="final")
    if one.mark == "inline":
        line_start = text.rfind("\n", 0, one.start) + 1
        before = text[line_start : one.start]
        if before.count("**") % 2:
            return replace(one, mark="bold")
        if ITEM.match(before):
            return replace(one, mark="item")
    return one


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, str]]:
    for match in pattern.finditer(text):
        content = next(group for group in match.groups() if group is not None)
        yield match.start(), match.end(), ARROW.split(content)[-1]


def _table_rows(text: str) -> Iterator[tuple[int, int, str]]:
    """Rows of tables with two columns, ``| $T_2$ | 563.8 °C |``, as a name and its value."""
    for match in TABLE_ROW.finditer(text):
        name, value = (match.group(column).strip().strip("$*` ") for column in ("name", "value"))
        if is_plain_name(name) and any(character.isdigit() or character == "\\" for character in value):
            yield match.start(), match.end(), f"{name} = {value}"


def _labelled_items(text: str) -> Iterator[tuple[int, int, str]]:
    """List items and bold lines of the form ``decimal value: 13``."""
    for match in LABELLED.finditer(text):
        value = FORMULA_AND_REMARK.sub(r"\1", match.group("value").strip())
        value = value.strip("*_ ").rstrip(".").strip("$* ")
        label = match.group("label").strip(" *_`$")
        if value and "=" not in value and len(label.split()) <= 4 and not FINAL.match(match.group()):
            yield match.start("label"), match.end("value"), f"{label.replace(' ', '_')} = {value}"


def _printed(text: str) -> Iterator[Statement]:
    """``det: exp(-3*t)`` and ``BP at the snapshot   0x1264`` in a block of output: a row with its label."""
    for block in PRINTED.finditer(text):
        for row in PRINTED_ROW.finditer(block.group("rows")):
            label, value = (row.group("label") or row.group("first")).strip(), row.group("value").strip()
            start, end = block.start("rows") + row.start("value"), block.start("rows") + row.end("value")
            yield Statement(label, value, value, "display", start, end)


def _plain(text: str) -> Iterator[tuple[int, int, str]]:
    """``BP = 0x125C`` in prose: the value ends with the clause."""
    for match in PLAIN.finditer(text):
        value = re.split(
            r"[,;](?=\s)|\.(?=\s|$)|[。，；]|\s\(|\*\*|`|\s(?:and|or|und|et|y)\s", match.group(2), maxsplit=1
        )[0]
        if value.strip():
            end = match.start(2) + len(value)
            yield match.start(), end, text[match.start() : end]


def _boxes(text: str) -> Iterator[tuple[int, int, str]]:
    for match in re.finditer(r"\\(?:boxed|fbox)\s*\{", text):
        depth, position = 1, match.end()
        for piece in chunks(text[match.end() :]):
            position += len(piece)
            depth += (piece == "{") - (piece == "}")
            if depth == 0:
                yield match.start(), position, text[match.end() : position - 1]
                break
