"""Which words of a problem's descriptions tell its variables apart; no reference and no response is looked at."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cfe_local.records import TargetVariable

MATH = re.compile(
    r"\$\$.+?\$\$|\\\[.+?\\\]|(?<!\\)\$[^$\n]+?\$|\\\(.+?\\\)|\\begin\{(\w+\*?)\}.+?\\end\{\1\}", re.DOTALL
)
WORDS = re.compile(r"[^\W\d_]{3,}")
STEM = 5
"""Letters by which words are compared: ``dissipated`` and ``dissipates`` are one."""

COMMON_WORDS = (
    "the and for with that this from its given value values expressed terms which when their has have been are should"
    " after all any both formula expression latex mathematical numerical number answer result final calculated term"
    " determined unit units total into onto than under over while where what whether true false first second"
)
COMMON = frozenset(COMMON_WORDS.split())
"""Words that describe values of any kind."""


def telling_words(targets: Sequence[TargetVariable]) -> list[frozenset[str]]:
    """Stems of every variable's name and description that no other variable has."""
    every = [stems(f"{target.name.replace('_', ' ')} {target.description}") for target in targets]
    if len(every) == 1:
        return every
    return [
        own - frozenset().union(*(other for number, other in enumerate(every) if number != position))
        for position, own in enumerate(every)
    ]


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words, formulas and common words left out."""
    bare = MATH.sub(" ", text)
    return frozenset(word.lower()[:STEM] for word in WORDS.findall(bare) if word.lower() not in COMMON)
