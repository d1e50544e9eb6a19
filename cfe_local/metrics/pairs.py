"""How well comparisons of values agree with labels: equal pairs found, wrong accepts, wrong rejects, what stays open.

Not here: the comparisons themselves, and where the labels come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from pydantic import Field

from cfe_local.records import Comparison, Record


class PairCounts(Record):
    """Counts over the labelled pairs of one group."""

    n_equal: int = Field(default=0, ge=0, description="Pairs labelled equal.")
    n_found: int = Field(default=0, ge=0, description="Of those, called equal.")
    n_wrong_rejects: int = Field(default=0, ge=0, description="Of those, called different.")
    n_different: int = Field(default=0, ge=0, description="Pairs labelled different.")
    n_decided: int = Field(default=0, ge=0, description="Of those, called different.")
    n_wrong_accepts: int = Field(default=0, ge=0, description="Of those, called equal.")

    @property
    def n_undecided(self) -> int:
        """Pairs without a verdict, of both labels."""
        settled = self.n_found + self.n_wrong_rejects + self.n_decided + self.n_wrong_accepts
        return self.n_equal + self.n_different - settled


class VerdictCounts(Record):
    """Counts over pairs whether labelled or not."""

    n_equal: int = Field(default=0, ge=0)
    n_different: int = Field(default=0, ge=0)
    n_undecided: int = Field(default=0, ge=0)

    @property
    def n(self) -> int:
        """All pairs."""
        return self.n_equal + self.n_different + self.n_undecided


class Timing(Record):
    """How long single comparisons took, in seconds; None without any."""

    p50_s: float | None = None
    p99_s: float | None = None
    max_s: float | None = None


def count_labelled(pairs: Iterable[tuple[bool, Comparison]]) -> PairCounts:
    """Count verdicts against labels.

    Args:
        pairs: Label (True where the values are equal) and comparison.
    """
    seen = [(label, comparison.verdict) for label, comparison in pairs]
    return PairCounts(
        n_equal=sum(label for label, _ in seen),
        n_found=seen.count((True, "equal")),
        n_wrong_rejects=seen.count((True, "different")),
        n_different=sum(not label for label, _ in seen),
        n_decided=seen.count((False, "different")),
        n_wrong_accepts=seen.count((False, "equal")),
    )


def count_verdicts(comparisons: Iterable[Comparison]) -> VerdictCounts:
    """Count verdicts alone."""
    verdicts = [comparison.verdict for comparison in comparisons]
    return VerdictCounts(
        n_equal=verdicts.count("equal"),
        n_different=verdicts.count("different"),
        n_undecided=verdicts.count("undecided"),
    )


def timing(seconds: Sequence[float]) -> Timing:
    """Median, 99th percentile (linear between the two nearest) and maximum of durations in seconds."""
    if not seconds:
        return Timing()
    p50, p99 = np.percentile(seconds, [50, 99])
    return Timing(p50_s=float(p50), p99_s=float(p99), max_s=max(seconds))


def labelled_by_group(rows: Iterable[tuple[str, bool, Comparison]]) -> Mapping[str, PairCounts]:
    """Counts per group, in the order in which groups first appear.

    Args:
        rows: Group, label, comparison.
    """
    groups: dict[str, list[tuple[bool, Comparison]]] = {}
    for group, label, comparison in rows:
        groups.setdefault(group, []).append((label, comparison))
    return {group: count_labelled(pairs) for group, pairs in groups.items()}
