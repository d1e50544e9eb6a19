r"""Takes the displayed formula under a title that names a variable: ``## Power ... $$P = UI = 36\ \text{W}$$``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from cfe_local.grading.sentences import Told, fits
from cfe_local.grading.spoken_values import without_marks
from cfe_local.grading.statements import ARROW, DISPLAY
from cfe_local.grading.telling import stems, telling_words
from cfe_local.records import TargetVariable

TITLE = re.compile(
    r"^[ \t]*(?:#+[ \t]*[^\n]+$|(?:[-*•][ \t]+)?\*\*[^*\n]{3,60}\*\*|[^\W\d_][^\n:.]{2,80}:[ \t]*$)", re.MULTILINE
)
"""A heading, a lead-in in bold, or a line that ends in a colon."""

ASIDE = re.compile(
    r"\b(?:check|verification|remark|note|alternative|comparison|probe|limit\w*|example)\b", re.IGNORECASE
)


def titled(text: str, targets: Sequence[TargetVariable]) -> tuple[Told | None, ...]:
    """The last displayed formula under the last title, or behind the last lead-in, that names each variable.

    Args:
        text: The response, thinking removed.
        targets: The problem's variables, several; their references are not used.
    """
    words = telling_words(targets)
    found: list[Told | None] = [None] * len(targets)
    titles = list(TITLE.finditer(text))
    for title, following in zip_longest(titles, titles[1:]):
        scores = [len(stems(title.group()) & own) for own in words]
        if not max(scores) or scores.count(max(scores)) > 1 or ASIDE.search(title.group()):
            continue
        position = scores.index(max(scores))
        formulas = list(DISPLAY.finditer(text, title.end(), following.start() if following is not None else len(text)))
        if formulas:
            last = ARROW.split(without_marks(formulas[-1].group()))[-1]
            whole = re.sub(r"\\boxed\s*\{(.*)\}$", r"\1", last, flags=re.DOTALL).strip()
            if fits(whole, targets[position], targets):
                found[position] = Told(whole, whole, formulas[-1].end())
    return tuple(found)
