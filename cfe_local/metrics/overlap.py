"""How much of one text another one repeats, in words: the longest common subsequence and the longest common run.

Not here: which texts are compared, and what chance alone would give.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def words_of(text: str) -> list[str]:
    """Words, numbers and signs of a text, in lower case; LaTeX commands are words."""
    return re.findall(r"\\[a-z]+|\w+|[^\w\s]", text.lower())


def rouge_l(reference: Sequence[str], candidate: Sequence[str]) -> float:
    """ROUGE-L, the F-measure of the longest common subsequence, in [0, 1]; 0 where either is empty.

    Source:
        Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", section 3, with beta 1.
    """
    common = common_subsequence(reference, candidate)
    return 2 * common / (len(reference) + len(candidate)) if common else 0.0


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for word in first:
        diagonal = 0
        for position, other in enumerate(second, start=1):
            above = row[position]
            row[position] = diagonal + 1 if word == other else max(above, row[position - 1])
            diagonal = above
    return row[-1]


def common_run(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest run of words that stands in both."""
    best, row = 0, [0] * (len(second) + 1)
    for word in first:
        diagonal = 0
        for position, other in enumerate(second, start=1):
            above = row[position]
            row[position] = diagonal + 1 if word == other else 0
            best = max(best, row[position])
            diagonal = above
    return best
