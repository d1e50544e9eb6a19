"""Cluster bootstrap of many related means at once: the clusters are drawn once, every figure is computed on each draw.

Curves, their difference and the place where the difference is largest then rest on the same draws, so that "the peak
lies between here and there" has a meaning. Means over clusters that lack a column are over those that have it.

Not here: what clusters and columns are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfe_local.metrics.intervals import N_RESAMPLES
from cfe_local.metrics.scores import Interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Grid:
    """Values of clusters in columns.

    Attributes:
        columns: What the columns are called, in order.
        sums: Shape (clusters, columns): sum of a cluster's values in a column.
        counts: The same shape: how many values that are; 0 where the cluster has none.
    """

    columns: tuple[float, ...]
    sums: Floats
    counts: Floats

    @property
    def means(self) -> Floats:
        """Shape (columns,): the mean over all values; NaN where a column is empty."""
        return _ratio(self.sums.sum(axis=0), self.counts.sum(axis=0))

    @property
    def n_clusters(self) -> NDArray[np.int64]:
        """Shape (columns,): clusters that have a value in each column."""
        return np.asarray((self.counts > 0).sum(axis=0), dtype=np.int64)


def grid_of(values: Mapping[tuple[str, float], Sequence[float]], clusters: Sequence[str]) -> Grid:
    """Lay values out by (cluster, column).

    Args:
        values: The values of each pair that has any.
        clusters: Every cluster, also those without a value: the draws are over these.
    """
    columns = tuple(sorted({column for _, column in values}))
    place = {cluster: i for i, cluster in enumerate(clusters)}
    sums, counts = (np.zeros((len(clusters), len(columns))) for _ in range(2))
    for (cluster, column), found in values.items():
        at = place[cluster], columns.index(column)
        sums[at] += sum(found)
        counts[at] += len(found)
    return Grid(columns, sums, counts)


@dataclass(frozen=True, slots=True)
class ClusterDraws:
    """How often each cluster occurs in each draw: shape (draws, clusters)."""

    weights: Floats
    level: float = 0.95

    def means(self, grid: Grid) -> Floats:
        """Shape (draws, columns): the mean in every draw; NaN where a draw has no value in a column."""
        return _ratio(self.weights @ grid.sums, self.weights @ grid.counts)

    def limits(self, drawn: Floats) -> tuple[float, float] | None:
        """Percentile limits of one figure over the draws; None where fewer than half of the draws have it."""
        known = drawn[~np.isnan(drawn)]
        if 2 * len(known) < len(drawn) or not len(known):
            return None
        low, high = np.quantile(known, (0.5 - self.level / 2, 0.5 + self.level / 2))
        return float(low), float(high)

    def column_limits(self, grid: Grid) -> list[tuple[float, float] | None]:
        """Limits of each column's mean; None for columns with fewer than two clusters, which say nothing of others."""
        drawn = self.means(grid)
        return [self.limits(drawn[:, i]) if n > 1 else None for i, n in enumerate(grid.n_clusters)]

    def interval(self, limits: tuple[float, float] | None) -> Interval | None:
        """Limits as a record that says how they were made."""
        if limits is None:
            return None
        return Interval(
            low=limits[0],
            high=limits[1],
            level=self.level,
            n_clusters=self.weights.shape[1],
            method="percentile bootstrap over problems",
        )


def draw_clusters(n_clusters: int, *, seed: int, n_resamples: int = N_RESAMPLES) -> ClusterDraws:
    """Draw clusters with replacement.

    Args:
        n_clusters: At least 1.
        seed: The same seed gives the same draws.
        n_resamples: How many draws.

    Source:
        Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 8 and 13; whole clusters are drawn, as in
        Cameron, Gelbach, Miller 2008, doi:10.1162/rest.90.3.414.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, n_clusters, size=(n_resamples, n_clusters))
    weights = np.zeros((n_resamples, n_clusters))
    np.add.at(weights, (np.arange(n_resamples)[:, None], drawn), 1.0)
    return ClusterDraws(weights)


@dataclass(frozen=True, slots=True)
class Peak:
    """Where a difference is largest, and how sure that is.

    Attributes:
        column: The column with the largest mean difference, the first of several.
        height: That difference. It was chosen for being large, so it tends to be too large.
        height_limits: Of the difference in that column.
        column_limits: Range of columns that holds the peak in 95 % of the draws.
    """

    column: float
    height: float
    height_limits: tuple[float, float] | None
    column_limits: tuple[float, float] | None


def peak_of(grid: Grid, draws: ClusterDraws) -> Peak | None:
    """The peak of a grid of differences; None where no column has a value."""
    means = grid.means
    if not len(means) or bool(np.isnan(means).all()):
        return None
    at = int(np.nanargmax(means))
    drawn = draws.means(grid)
    n_clusters = int(grid.n_clusters[at])
    full = drawn[~np.isnan(drawn).all(axis=1)]
    places = np.sort(np.nanargmax(full, axis=1))
    low, high = (
        places[min(len(places) - 1, int(q * len(places)))] for q in (0.5 - draws.level / 2, 0.5 + draws.level / 2)
    )
    return Peak(
        column=grid.columns[at],
        height=float(means[at]),
        height_limits=draws.limits(drawn[:, at]) if n_clusters > 1 else None,
        column_limits=(grid.columns[low], grid.columns[high]) if draws.weights.shape[1] > 1 else None,
    )


def _ratio(sums: Floats, counts: Floats) -> Floats:
    found: Floats = np.divide(sums, counts, out=np.full(np.shape(sums), np.nan), where=counts > 0)
    return found
