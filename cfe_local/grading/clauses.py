"""Cuts a response into clauses with its formulas hidden, and tells which of them commit to nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from cfe_local.grading.telling import MATH

CODE = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)
HIDDEN = "\ue000"
"""Stands for every character of a formula while sentences are cut, so that no comma or stop inside one counts."""

NOT_ABBREVIATED = (
    r"(?<!\bi\.e\.)(?<!\be\.g\.)(?<!\bapprox\.)(?<!\bca\.)(?<!\bz\.B\.)(?<!\bd\.h\.)(?<!\bvs\.)(?<!\bEq\.)"
)
BORDER = re.compile(
    rf"(?<=[.!?]){NOT_ABBREVIATED}(?:\*\*)?(?=\s|$)|[。！？，]|;\s|\n[ \t]*\n(?![ \t]*{HIDDEN})"
    r"|\n(?=[ \t]*(?:[-*•+]|\d+[.)]|\#|\|)[ \t])|\n(?=[ \t]*\*\*)|[ ]{2}\n"
    r"|,?\s(?:and|und|et|y|e|и)\s(?=(?:the|its|that|der|die|das|la|le|l'|el|il|a|o)\s)"
)
"""Where a clause ends: a stop, a paragraph that no formula continues, a list item, ``and the ...``."""

UNSURE = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|depend\w*|between|could|might|may|whether|if|unless|would|suppose|assum\w+"
    r"|oder|vielleicht|zwischen|wenn|falls|ou|entre|si|oppure|se|bien)\b|\?|或",
    re.IGNORECASE,
)
NOT = re.compile(
    r"\b(?:not|never|no longer|cannot|nicht|kein\w*|n'est|non|não|unlike|instead of|rather than|once|first"
    r"|at first|initially|compar\w+|for example|e\.g\.|half of|twice)\b|n't\b|不是|并非",
    re.IGNORECASE,
)
OTHERS = re.compile(
    r"\b(?:claim\w*|forum|textbooks?|some (?:people|authors|students|sources)|according to|students?|colleague"
    r"|wikipedia|naive(?:ly)?|tempt\w+|common (?:mistake|error|misconception)|(?:wrong|erroneous)ly|misleading|quoted"
    r"|reported|manual|previous|earlier|they say|it is (?:often|sometimes) said|published|literature|behaupte\w+|selon"
    r"|según|secondo)\b",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r"\b(?:so|thus|therefore|hence|in total|altogether|finally|answer|result|conclusion|summary|to sum up"
    r"|also|daher|somit|insgesamt|donc|por lo tanto|portanto|quindi|dunque|logo|итак)\b|因此|所以|答案|最终",
    re.IGNORECASE,
)
LABEL = re.compile(r"\s*(?:[-*•+]|\d+[.)])?\s*(?:\*\*)?[^\W\d_][^:=.\n\ue000]{0,60}:(?:\*\*)?\s")
"""``- **Volume of the solution:** 64.3 mL``, an item with its label."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a response.

    Attributes:
        text: The stretch as it stands.
        masked: As long as `text`, with every character of a formula replaced by `HIDDEN`.
        end: Where it ends in the response.
    """

    text: str
    masked: str
    end: int

    @property
    def commits(self) -> bool:
        """Whether it says something without supposing, hedging, denying or quoting others."""
        return not any(doubt.search(self.masked) for doubt in (UNSURE, NOT, OTHERS))

    @property
    def concludes(self) -> bool:
        """Whether it begins like a conclusion (``so``, ``in total``) or is an item with its label."""
        return CLOSING.search(self.masked) is not None or LABEL.match(self.masked) is not None

    @property
    def has_number(self) -> bool:
        """Whether a formula or a digit stands in it."""
        return HIDDEN in self.masked or any(character.isdigit() for character in self.masked)


def clauses(text: str) -> list[Clause]:
    """The clauses of a response in order; blocks of code belong to none."""
    prose = CODE.sub(lambda found: "\n" * len(found.group()), text)
    masked = MATH.sub(lambda found: HIDDEN * len(found.group()), prose)
    borders = [0, *sorted({found.end() for found in BORDER.finditer(masked)} - {len(text)}), len(text)]
    return [
        Clause(text[start:end], masked[start:end], end) for start, end in pairwise(borders) if masked[start:end].strip()
    ]
