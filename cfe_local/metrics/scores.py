"""A share that never travels alone: value, numerator, denominator and, where one can be had, an interval.

Not here: how any of them is computed.
"""

from __future__ import annotations

from pydantic import Field

from cfe_local.records import Record


class Interval(Record):
    """A two-sided confidence interval."""

    low: float
    high: float
    level: float = Field(default=0.95, gt=0, lt=1, description="Nominal coverage.")
    n_clusters: int = Field(ge=1, description="Independent units behind it: problems, for everything in an exam.")
    method: str = Field(description="How it was made, for example ``wilson, clustered by problem``.")


class Share(Record):
    """A part of a whole, in [0, 1]. ``value`` is None where the whole is empty: nothing was measured."""

    value: float | None
    numerator: float = Field(ge=0, description="A count, or a sum of shares where each unit has one.")
    denominator: int = Field(ge=0)
    interval: Interval | None = Field(default=None, description="None for fewer than two clusters.")


class Count(Record):
    """How often one named thing occurred, among how many."""

    name: str
    n: int = Field(ge=0)
    share: float | None = Field(description="n over the whole, None where the whole is empty.")


def share_of(numerator: float, denominator: int, *, interval: Interval | None = None) -> Share:
    """A Share from its two counts; an empty denominator gives no value, never 0."""
    value = numerator / denominator if denominator else None
    return Share(value=value, numerator=numerator, denominator=denominator, interval=interval)


def count_names(names: list[str]) -> tuple[Count, ...]:
    """How often each name occurs, most frequent first, ties by name."""
    total = len(names)
    counts = {name: names.count(name) for name in sorted(set(names))}
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Count(name=name, n=n, share=n / total) for name, n in ordered)
