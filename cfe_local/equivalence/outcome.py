"""What a rule says about two values: a verdict, the rule's name and one line of evidence; and how to combine several.

Not here: the rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cfe_local.records import ComparisonVerdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """Verdict of one rule."""

    verdict: ComparisonVerdict
    by: str
    evidence: str


def equal(by: str, evidence: str) -> Outcome:
    """The values are equal."""
    return Outcome("equal", by, evidence)


def different(by: str, evidence: str) -> Outcome:
    """The values are certainly different."""
    return Outcome("different", by, evidence)


def undecided(by: str, evidence: str) -> Outcome:
    """The rule cannot tell."""
    return Outcome("undecided", by, evidence)


def all_of(by: str, parts: Iterable[Outcome]) -> Outcome:
    """Values that consist of parts: different if one part is, equal if all are, else undecided."""
    first_open: Outcome | None = None
    n_parts = 0
    for part in parts:
        n_parts += 1
        if part.verdict == "different":
            return different(by, part.evidence)
        if part.verdict == "undecided" and first_open is None:
            first_open = part
    if first_open is not None:
        return undecided(first_open.by, first_open.evidence)
    return equal(by, f"all {n_parts} parts agree")


def any_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Ways of reading the same pair: equal if one way is, different only if every way is."""
    seen: list[Outcome] = []
    for outcome in outcomes:
        if outcome.verdict == "equal":
            return outcome
        seen.append(outcome)
    if not seen:
        return undecided("nothing to compare", "no reading in common")
    return next((outcome for outcome in seen if outcome.verdict == "undecided"), seen[0])
