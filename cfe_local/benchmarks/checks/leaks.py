"""Leaks: references that can be read off the question or off the description that an extractor sees.

A leak in the description matters most: an extractor may then report a value that the response never states. Options
that a question or description offers by design look the same and are told at level info.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cfe_local.benchmarks.checks.rows import Row
from cfe_local.benchmarks.findings import Finding, Level
from cfe_local.records import TargetVariable

# Shorter formulas occur in a question by chance: as a symbol, a number given, an index.
MIN_FORMULA = 5
MIN_WORD = 3

_LAYOUT = re.compile(r"\\(?:left|right|displaystyle|,|;|!|quad|qquad|big|Big|bigg|Bigg)(?![A-Za-z])|[\s${}~]|\\[,;! ]")
_WORDS = re.compile(r"[a-z0-9]+")
_OFFERS_CHOICE = re.compile(r"\b(?:or|options?|choices?|either|whether)\b|\w/\w")
_TRUTH = frozenset({"true", "false", "yes", "no"})


def check_leaks(row: Row) -> Iterator[Finding]:
    """Every finding about references that stand elsewhere in the same row."""
    question = row.problem.question_text
    for position, variable in enumerate(row.problem.variables):
        if _stands_in(variable, question):
            level: Level = "warning" if variable.type == "formula" else "info"
            message = "the reference stands in the question: as an option, a given value, or a result to show"
            yield row.finding(level, "value_in_question", f"short_answer_value[{position}]", message)
        if _stands_in(variable, variable.description):
            message = "the description names the reference: an extractor may find it where the response has none"
            level = "info" if _OFFERS_CHOICE.search(variable.description) else "warning"
            yield row.finding(level, "value_in_description", f"short_answer_description[{position}]", message)


def _stands_in(variable: TargetVariable, text: str) -> bool:
    value = variable.value.strip()
    if variable.type == "other" and "$" not in value and "\\" not in value:
        return _words_stand_in(value, text)
    expression = _bare(value)
    if len(expression) < MIN_FORMULA or expression.replace(".", "").isdigit():
        return False
    return any(len(side) >= MIN_FORMULA and side in _bare(text) for side in {expression, expression.split("=")[-1]})


def _words_stand_in(value: str, text: str) -> bool:
    """Whether the value's words stand next to each other in the text."""
    words = _WORDS.findall(value.lower())
    if not words or len("".join(words)) < MIN_WORD or value.lower() in _TRUTH:
        return False
    return f" {' '.join(words)} " in f" {' '.join(_WORDS.findall(text.lower()))} "


def _bare(text: str) -> str:
    return _LAYOUT.sub("", text)
