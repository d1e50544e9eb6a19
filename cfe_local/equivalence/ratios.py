"""Compares ratios such as ``9 : 3 : 3 : 1`` with each other and, where they have two parts, with numbers.

``20:34`` may be a time of the day; two texts that can both be one are compared as times, and not told apart.

Not here: ratios that are names (``a : b = 1 : 2``, see ``shaping``).
"""

from __future__ import annotations

import re

from cfe_local.equivalence.groups import CompareParts
from cfe_local.equivalence.outcome import Outcome, all_of, different, equal, undecided
from cfe_local.equivalence.tree import Node, div

_CLOCK = re.compile(
    r"(?P<hours>[01]?\d|2[0-4]):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?(?:\s*(?P<half>[aApP])\.?[mM]\.?)?"
)
_IN_WORDS = re.compile(r"\d+(?:\.\d+)?(?:[\s-]+to[\s-]+\d+(?:\.\d+)?)+")


def ratio_in_words(body: str) -> str | None:
    """``3 to 1`` as ``3 : 1``; None for other texts. It may be a range as well."""
    return re.sub(r"[\s-]+to[\s-]+", " : ", body) if _IN_WORDS.fullmatch(body) else None


def compare_clocks(reference: str, candidate: str) -> Outcome | None:
    """Compare two cleaned texts that can be times of the day; None for other texts."""
    matches = [_CLOCK.fullmatch(text) for text in (reference, candidate)]
    left, right = (None if match is None else _seconds(match) for match in matches)
    if left is None or right is None:
        return None
    if left == right:
        return equal("time of the day", f"both are {left // 60} minutes after midnight")
    return undecided("time of the day", "a time of the day or a ratio")


def _seconds(match: re.Match[str]) -> int:
    hours = int(match["hours"])
    if match["half"]:
        hours = hours % 12 + (12 if match["half"].lower() == "p" else 0)
    return hours * 3600 + int(match["minutes"]) * 60 + int(match["seconds"] or 0)


def compare_ratios(reference: Node, candidate: Node, compare: CompareParts) -> Outcome:
    """Equal where all parts are in the same proportion to the first."""
    if len(reference.args) != len(candidate.args):
        return different("ratio", f"{len(reference.args)} parts against {len(candidate.args)}")
    shares = [[div(part, side.args[0]) for part in side.args[1:]] for side in (reference, candidate)]
    return all_of("ratio", (compare(left, right) for left, right in zip(*shares, strict=True)))


def compare_with_number(reference: Node, candidate: Node, compare: CompareParts) -> Outcome:
    """``3 : 2`` is 1.5; that it was meant as 2 : 3 stays open."""
    ratio, number = (reference, candidate) if reference.head == "ratio" else (candidate, reference)
    if len(ratio.args) != 2:
        return different("ratio", f"a ratio of {len(ratio.args)} parts against one number")
    first, second = ratio.args
    forward, backward = (
        compare(share, number) if ratio is reference else compare(number, share)
        for share in (div(first, second), div(second, first))
    )
    if forward.verdict == "different" and backward.verdict == "equal":
        return undecided("ratio", "the number is the ratio the other way round")
    return forward
