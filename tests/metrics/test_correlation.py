"""Correlations against SciPy, and what cannot be said of too few or constant points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cfe_local.metrics.correlation import pearson, point_agreement, spearman

PERSON = [0, 2, 3, 3, 5, 6, 8, 8, 9, 10]
JUDGE = [1, 2, 2, 4, 4, 7, 6, 9, 10, 10]


def test_both_coefficients_agree_with_scipy_ties_included() -> None:
    r, rho = pearson(PERSON, JUDGE), spearman(PERSON, JUDGE)
    expected = stats.pearsonr(PERSON, JUDGE)
    assert r.value == pytest.approx(expected.statistic)
    assert rho.value == pytest.approx(stats.spearmanr(PERSON, JUDGE).statistic)
    interval = expected.confidence_interval(0.95)
    assert r.interval is not None
    assert (r.interval.low, r.interval.high) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize("seed", range(5))
def test_random_points_agree_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 11, 30).tolist(), rng.integers(0, 11, 30).tolist()
    assert pearson(first, second).value == pytest.approx(stats.pearsonr(first, second).statistic)
    assert spearman(first, second).value == pytest.approx(stats.spearmanr(first, second).statistic)


@pytest.mark.parametrize(("first", "second"), [([], []), ([3], [4]), ([3, 3, 3], [1, 2, 3]), ([1, 2], [5, 5])])
def test_too_few_or_constant_points_have_no_correlation(first: list[float], second: list[float]) -> None:
    assert pearson(first, second).value is None
    assert spearman(first, second).value is None


def test_perfect_agreement_has_no_interval_that_could_be_computed() -> None:
    found = pearson([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert found.value == pytest.approx(1)
    assert found.interval is None


def test_lists_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="3 values against 2"):
        pearson([1, 2, 3], [1, 2])


def test_distance_and_credit_rates_count_pairs() -> None:
    clusters = [f"p{i}" for i in range(10)]
    found = point_agreement(PERSON, JUDGE, clusters=clusters, rng=np.random.default_rng(0))
    differences = np.array(JUDGE) - np.array(PERSON)
    assert found.mean_difference == pytest.approx(np.abs(differences).mean())
    assert found.near.numerator == 10
    assert found.extra.numerator == np.sum(differences > 0) == 5
    assert found.reduced.numerator == np.sum(differences < 0) == 3
    assert found.mean_difference_interval is not None


def test_agreement_over_nothing_is_empty_and_not_zero() -> None:
    found = point_agreement([], [], clusters=[], rng=np.random.default_rng(0))
    assert (found.n, found.mean_difference, found.near.value) == (0, None, None)
