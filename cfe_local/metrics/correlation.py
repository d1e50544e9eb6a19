"""How far a judge's points and a person's go together: correlation, distance, and who gives more.

Not here: where points come from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from pydantic import Field

from cfe_local.metrics.intervals import N_RESAMPLES, bca_limits, clustered_share_interval
from cfe_local.metrics.scores import Interval, Share, share_of
from cfe_local.records import Record

_NORMAL = NormalDist()
NEAR = 2.0
"""Points within which two marks count as near, of 10; the tolerance that ARB's authors discuss."""


class Correlation(Record):
    """A correlation coefficient in [-1, 1]."""

    value: float | None = Field(description="None below two pairs, or where one side never varies.")
    n: int = Field(ge=0)
    interval: Interval | None = Field(default=None, description="None below four pairs, and at exactly 1 or -1.")


class PointAgreement(Record):
    """A judge's points against a person's, pair by pair."""

    n: int = Field(ge=0)
    pearson: Correlation
    spearman: Correlation
    mean_difference: float | None = Field(description="Mean of |judge - person|, in points.")
    mean_difference_interval: Interval | None = None
    near: Share = Field(description="Pairs at most 2 points apart.")
    extra: Share = Field(description="Pairs in which the judge gives more.")
    reduced: Share = Field(description="Pairs in which the judge gives less.")


def pearson(first: Sequence[float], second: Sequence[float], *, level: float = 0.95) -> Correlation:
    """Pearson's r with Fisher's interval.

    Raises:
        ValueError: If the lists differ in length.

    Source:
        Fisher 1921, Metron 1, 3-32: atanh(r) is about normal with variance 1 / (n - 3).
    """
    return _correlation(_pairs(first, second), variance=lambda _: 1.0, level=level, method="Fisher z")


def spearman(first: Sequence[float], second: Sequence[float], *, level: float = 0.95) -> Correlation:
    """Spearman's rho (ties share their mean rank) with Bonett and Wright's interval.

    Raises:
        ValueError: If the lists differ in length.

    Source:
        Bonett and Wright 2000, doi:10.1007/BF02294183: variance (1 + rho^2 / 2) / (n - 3) of atanh(rho).
    """
    pairs = _pairs(first, second)
    ranks = np.stack([_ranks(column) for column in pairs]) if pairs.size else pairs
    return _correlation(ranks, variance=lambda r: 1 + r * r / 2, level=level, method="Bonett and Wright")


def point_agreement(
    person: Sequence[float], judge: Sequence[float], *, clusters: Sequence[str], rng: np.random.Generator
) -> PointAgreement:
    """Everything about two lists of points for the same responses.

    Args:
        person: Points in [0, 10].
        judge: Points in [0, 10], same order.
        clusters: What makes responses dependent, the problem's id for example.
        rng: Source of the resamples for the mean difference.

    Raises:
        ValueError: If the lists differ in length.
    """
    difference = np.asarray(judge, dtype=np.float64) - np.asarray(person, dtype=np.float64)
    n = len(difference)
    interval = None
    if n >= 2 and np.ptp(np.abs(difference)) > 0:
        low, high = bca_limits(
            np.abs(difference), lambda rows: rows.mean(axis=1), level=0.95, rng=rng, n_resamples=N_RESAMPLES
        )
        interval = Interval(low=low, high=high, n_clusters=n, method="BCa bootstrap over responses")
    return PointAgreement(
        n=n,
        pearson=pearson(person, judge),
        spearman=spearman(person, judge),
        mean_difference=float(np.abs(difference).mean()) if n else None,
        mean_difference_interval=interval,
        near=_clustered(np.abs(difference) <= NEAR, clusters),
        extra=_clustered(difference > 0, clusters),
        reduced=_clustered(difference < 0, clusters),
    )


Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def _pairs(first: Sequence[float], second: Sequence[float]) -> Array:
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values against {len(second)}")
    return np.asarray([first, second], dtype=np.float64)


def _correlation(pairs: Array, *, variance: Callable[[float], float], level: float, method: str) -> Correlation:
    n = pairs.shape[1] if pairs.ndim == 2 else 0
    if n < 2 or np.ptp(pairs[0]) == 0 or np.ptp(pairs[1]) == 0:
        return Correlation(value=None, n=n)
    r = float(np.clip(np.corrcoef(pairs)[0, 1], -1, 1))
    if n < 4 or abs(r) > 1 - 1e-12:
        return Correlation(value=r, n=n)
    half = _NORMAL.inv_cdf(0.5 + level / 2) * math.sqrt(variance(r) / (n - 3))
    low, high = math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)
    return Correlation(value=r, n=n, interval=Interval(low=low, high=high, level=level, n_clusters=n, method=method))


def _ranks(values: Array) -> Array:
    """Ranks from 1, ties at their mean."""
    sorted_values = np.sort(values)
    below = np.searchsorted(sorted_values, values, side="left")
    through = np.searchsorted(sorted_values, values, side="right")
    return np.asarray((below + through + 1) / 2, dtype=np.float64)


def _clustered(hits: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], clusters: Sequence[str]) -> Share:
    sums: dict[str, list[int]] = {}
    for cluster, hit in zip(clusters, hits.tolist(), strict=True):
        entry = sums.setdefault(cluster, [0, 0])
        entry[0] += int(hit)
        entry[1] += 1
    numerators, denominators = [e[0] for e in sums.values()], [e[1] for e in sums.values()]
    interval = clustered_share_interval(numerators, denominators)
    return share_of(sum(numerators), sum(denominators), interval=interval)
