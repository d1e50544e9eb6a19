r"""Texts: what was repaired, what looks damaged and was not, and notation that models or readers may stumble over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cfe_local.benchmarks.checks.rows import Row
from cfe_local.benchmarks.entries import text_fields
from cfe_local.benchmarks.findings import Finding
from cfe_local.benchmarks.repair import EATEN, EATEN_NEWLINE, LATIN1, ROW_SEPARATOR, UNICODE, UNREADABLE, repair_text

# Longer questions than these have been seen to be two problems pasted together, shorter ones to lack their data.
LONG_QUESTION = 4000
SHORT_QUESTION = 80

_REPAIRED = {
    EATEN: "{n} LaTeX commands had lost their backslash and were restored",
    EATEN_NEWLINE: "{n} LaTeX commands beginning with n had become line breaks and were restored",
    ROW_SEPARATOR: r"{n} row separators \\ beside lost commands were restored",
    LATIN1: "{n} characters whose escape was cut after \\u00 were restored",
    UNICODE: r"{n} escapes \uXXXX that stood as text were replaced by their characters",
    UNREADABLE: "{n} control characters cannot be restored and were replaced by U+FFFD",
}
# A backslash before a digit, sign or lone capital is no command; in damaged text with an environment it was \\.
_LOST_SEPARATOR = re.compile(r"(?<!\\)\\(?:[0-9=&+\-]|\n|[B-GI-KMNQRT-Z](?![A-Za-z]))")
_LETTER_SPACED = re.compile(
    r"\\(?:mathrm|mathbf|mathsf|mathit|text|textrm|operatorname\*?|boldsymbol)\s*"
    r"\{[^{}]*?(?<![A-Za-z])[A-Za-z]~? [A-Za-z](?![A-Za-z])[^{}]*\}"
)
_HTML_TABLE = re.compile(r"<\s*(?:table|td|tr)\b", re.IGNORECASE)
_LITERAL_ESCAPE = re.compile(r"(?<!\\)\\[ntr](?![A-Za-z{])")
_CJK = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\u3040-\u30ff\uff00-\uffef]")
_DOLLAR = re.compile(r"(?<!\\)\$")
_BLANK = re.compile(r"^\s|\s$")
_PLAIN_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def check_text(row: Row) -> Iterator[Finding]:
    """Every finding about the texts of one row."""
    yield from _repairs(row)
    for field, text in text_fields(row.raw):
        yield from _damage(row, field, text)
    yield from _question(row)
    yield from _values(row)
    yield from _names(row)


def _repairs(row: Row) -> Iterator[Finding]:
    for repair in row.problem.repairs:
        yield row.finding("warning", repair.kind, repair.field, _REPAIRED[repair.kind].format(n=repair.count))


def _damage(row: Row, field: str, text: str) -> Iterator[Finding]:
    repaired = repair_text(text)
    if repaired.uncertain:
        shown = ", ".join(f"\\{name}" for name in repaired.uncertain[:3])
        yield row.finding(
            "warning", "uncertain_damage", field, f"may have lost a backslash and was left alone: {shown}"
        )
    if repaired.counts and "\\begin" in repaired.text:
        lost = len(_LOST_SEPARATOR.findall(repaired.text))
        if lost:
            message = rf"about {lost} row separators \\ were halved and cannot be told from other text; not restored"
            yield row.finding("warning", "lost_row_separator", field, message)
    if field.startswith("short_answer_variable") and repaired.counts:
        yield row.finding("error", "damaged_variable_name", field, "the name holds control characters")
    if _LITERAL_ESCAPE.search(repaired.text) and field == "question.text":
        yield row.finding("warning", "literal_escape", field, r"holds a backslash and n, t or r where a blank is meant")
    if "\ufffd" in text:
        yield row.finding("warning", "replacement_character", field, "holds U+FFFD: a character was lost earlier")


def _question(row: Row) -> Iterator[Finding]:
    text = str(row.problem.question_text)
    field = "question.text"
    if _DOLLAR.subn("", text)[1] % 2:
        yield row.finding("info", "odd_dollar_count", field, "an odd number of $: money, or an open formula")
    if _HTML_TABLE.search(text):
        yield row.finding("info", "html_table", field, "holds an HTML table")
    if _LETTER_SPACED.search(text):
        yield row.finding("info", "letter_spaced_command", field, "holds commands with letters set apart, an OCR habit")
    cjk = _CJK.findall(text)
    if cjk:
        yield row.finding(
            "info", "cjk_character", field, f"{len(cjk)} full-width or CJK characters, first U+{ord(cjk[0]):04X}"
        )
    if "\u2212" in text:
        yield row.finding("info", "unicode_minus", field, f"{text.count(chr(0x2212))} minus signs are U+2212, not '-'")
    others = sorted({character for character in text if ord(character) > 127 and character not in "\u2212\ufffd"})
    if others:
        yield row.finding("info", "non_ascii", field, "non-ASCII characters: " + " ".join(others[:12]))
    if len(text) > LONG_QUESTION:
        yield row.finding("info", "long_question", field, f"{len(text)} characters")
    if len(text) < SHORT_QUESTION:
        yield row.finding("info", "short_question", field, f"only {len(text)} characters")


def _values(row: Row) -> Iterator[Finding]:
    for position, variable in enumerate(row.problem.variables):
        field = f"short_answer_value[{position}]"
        if "\n" in variable.value:
            yield row.finding("info", "newline_in_value", field, "the reference runs over several lines")
        if _BLANK.search(variable.value):
            yield row.finding("info", "blank_around_value", field, "the reference begins or ends with a blank")
        if not variable.description.strip():
            message = "no description; an extractor has only the name to go by"
            yield row.finding("warning", "empty_description", f"short_answer_description[{position}]", message)
    if not row.problem.solution.strip():
        yield row.finding("info", "empty_solution", "answer.text", "there is no solution text")


def _names(row: Row) -> Iterator[Finding]:
    names = [variable.name for variable in row.problem.variables]
    for position, name in enumerate(names):
        field = f"short_answer_variable[{position}]"
        if names.index(name) < position:
            yield row.finding(
                "warning", "repeated_variable_name", field, f"the name {name!r} stands twice in this problem"
            )
        if not _PLAIN_NAME.match(name):
            yield row.finding("info", "name_is_no_identifier", field, f"{name!r} cannot be a file name, pattern or key")
        restored = f"\\n{name}"
        if name.startswith("u_") and restored in row.problem.question_text:
            message = f"{name!r} probably lost its beginning: the question has {restored}"
            yield row.finding("warning", "damaged_variable_name", field, message)
