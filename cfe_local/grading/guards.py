"""Cheap checks that a judge's "correct" has to pass: they can only withhold belief, never give it.

A small judge was seen to call "Yes, such an algorithm exists" equal to "Impossible" with a probability of 0.999. What
these checks stop stays undecided. They look at words and digits, not at mathematics.
"""

from __future__ import annotations

import re

from cfe_local.records import VariableType

NEGATION = re.compile(
    r"\b(?:not?|none|never|cannot|without|false|impossible|unsolvable|undecidable|un\w+able)\b|n't\b"
    r"|\b(?:nicht|nie|kein\w*|unmöglich|un\w+bar|falsch)\b|\b(?:ne|pas|aucun\w*|faux|imposible|ningun\w*|falso)\b"
    r"|[不无非没]",
    re.IGNORECASE,
)
ALTERNATIVE = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|depending|oder|vielleicht|ou|o bien)\b|或", re.IGNORECASE
)
WORD = re.compile(r"(?<!\\)\b[^\W\d_]{3,}")
NUMBER = re.compile(r"(?<![\w^{.])\d+(?:\.\d+)?(?![\w}])")


def doubt(reference: str, value: str, kind: VariableType) -> str | None:
    """Why a "correct" for this value should not be believed; None if nothing speaks against it.

    Args:
        reference: The reference value.
        value: The response's value.
        kind: The variable's type; formulas are not looked at for negations and numbers.
    """
    if ALTERNATIVE.search(value) and not ALTERNATIVE.search(reference):
        return "the value offers alternatives"
    if kind == "formula":
        return None
    in_words = WORD.search(reference) and WORD.search(value)
    if in_words and bool(NEGATION.search(reference)) != bool(NEGATION.search(value)):
        return "one side negates and the other does not"
    ours, theirs = ({float(number) for number in NUMBER.findall(text)} for text in (value, reference))
    if ours and theirs and not ours & theirs:
        return "no number of the value stands in the reference"
    return None
