"""Shortens a response that is longer than the judge can read, by one stated rule, and says so.

The rule: the end is kept (final answers stand there), and so is every paragraph that mentions a variable by name or
holds a boxed value, latest first, then whatever else fits; what is left out is marked in place. Nothing is rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

CHARS_PER_TOKEN = 2.5
"""ASCII characters per token, low on purpose: LaTeX takes about 2.7 with a 150k vocabulary, prose about 4."""

GAP = "[... part of the response left out ...]"
GAPS = re.compile(rf"(?:{re.escape(GAP)}\s*\n)+")
"""Gaps with nothing but blank lines between them are one gap."""

END_SHARE = 0.5
"""Share of the budget that the end of the response gets before anything else."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """A response as the judge sees it; `n_left_out` counts characters that it does not see."""

    text: str
    n_left_out: int


def estimated_tokens(text: str) -> int:
    """An upper estimate of how many tokens a text takes, without a tokenizer."""
    n_ascii = sum(character.isascii() for character in text)
    return int(n_ascii / CHARS_PER_TOKEN) + (len(text) - n_ascii)


def reduced(text: str, names: Sequence[str], *, max_tokens: int) -> Reduced:
    """Shorten a response to about `max_tokens`.

    Args:
        text: The response, thinking removed.
        names: Names of the problem's variables.
        max_tokens: The budget, estimated; at least 1.
    """
    if estimated_tokens(text) <= max_tokens:
        return Reduced(text, 0)
    paragraphs = re.split(r"(?<=\n)", text)
    mention = re.compile(
        "|".join([r"\\boxed", *(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])" for name in names if name)])
    )
    kept: set[int] = set()
    room = _take_end(paragraphs, kept, int(max_tokens * END_SHARE), max_tokens)
    for wanted in (True, False):
        for position in range(len(paragraphs) - 1, -1, -1):
            cost = estimated_tokens(paragraphs[position])
            if position in kept or (mention.search(paragraphs[position]) is not None) is not wanted or cost > room:
                continue
            kept.add(position)
            room -= cost
    if not kept:
        # One endless line: its end is all that can be kept.
        tail = text[-int(max_tokens * CHARS_PER_TOKEN / 2) :]
        return Reduced(f"{GAP}\n{tail}", len(text) - len(tail))
    shown = [
        paragraph if position in kept else (f"{GAP}\n" if position == 0 or position - 1 in kept else "")
        for position, paragraph in enumerate(paragraphs)
    ]
    return Reduced(GAPS.sub(f"{GAP}\n", "".join(shown)), sum(len(p) for i, p in enumerate(paragraphs) if i not in kept))


def _take_end(paragraphs: Sequence[str], kept: set[int], budget: int, total: int) -> int:
    """Keep lines from the end while they fit into `budget`; return what is left of `total`."""
    used = 0
    for position in range(len(paragraphs) - 1, -1, -1):
        cost = estimated_tokens(paragraphs[position])
        if used + cost > budget:
            break
        kept.add(position)
        used += cost
    return total - used
