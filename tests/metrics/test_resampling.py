"""Cluster bootstrap of several columns on the same draws: means, limits, peaks, and what cannot be said."""

from __future__ import annotations

import numpy as np
import pytest

from cfe_local.metrics.resampling import draw_clusters, grid_of, peak_of

VALUES = {("a", 1.0): [1.0], ("b", 1.0): [0.0, 1.0], ("a", 2.0): [0.5], ("c", 3.0): [1.0]}


def test_means_are_over_the_values_that_a_column_has() -> None:
    grid = grid_of(VALUES, ["a", "b", "c"])
    assert grid.columns == (1.0, 2.0, 3.0)
    assert grid.means == pytest.approx([2 / 3, 0.5, 1.0])
    assert list(grid.n_clusters) == [2, 1, 1]


def test_one_cluster_has_no_limits_and_agreement_has_no_width() -> None:
    grid = grid_of({("a", 1.0): [1.0], ("b", 1.0): [1.0], ("a", 2.0): [0.5]}, ["a", "b"])
    assert draw_clusters(2, seed=1).column_limits(grid) == [(1.0, 1.0), None]


def test_every_draw_has_as_many_clusters_as_there_are_and_a_seed_fixes_them() -> None:
    first, again, other = (draw_clusters(7, seed=seed).weights for seed in (3, 3, 4))
    assert set(first.sum(axis=1)) == {7.0}
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_limits_of_a_mean_are_near_those_of_normal_theory() -> None:
    rng = np.random.default_rng(5)
    data = rng.normal(size=200)
    grid = grid_of({(f"c{i}", 0.0): [float(x)] for i, x in enumerate(data)}, [f"c{i}" for i in range(200)])
    limits = draw_clusters(200, seed=0).column_limits(grid)[0]
    assert limits is not None
    half = 1.96 * float(data.std(ddof=1)) / np.sqrt(200)
    assert limits == pytest.approx((data.mean() - half, data.mean() + half), abs=0.02)


def test_a_peak_that_every_cluster_shares_has_one_place() -> None:
    values = {(c, x): [h] for c in "abcd" for x, h in ((10.0, 0.1), (50.0, 0.6), (90.0, 0.2))}
    peak = peak_of(grid_of(values, list("abcd")), draw_clusters(4, seed=0))
    assert peak is not None
    assert (peak.column, peak.column_limits) == (50.0, (50.0, 50.0))
    assert peak.height == pytest.approx(0.6)


def test_a_peak_that_clusters_dispute_has_a_range() -> None:
    values = {(f"c{i}", x): [float(x == 10.0 + 40.0 * (i % 2))] for i in range(8) for x in (10.0, 50.0)}
    peak = peak_of(grid_of(values, [f"c{i}" for i in range(8)]), draw_clusters(8, seed=0))
    assert peak is not None
    assert peak.column_limits == (10.0, 50.0)


def test_there_is_no_peak_of_nothing() -> None:
    assert peak_of(grid_of({}, ["a"]), draw_clusters(1, seed=0)) is None
