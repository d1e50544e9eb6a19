import numpy as np
import pytest
from scipy import stats

from cfe_local.metrics.intervals import bootstrap_mean_interval, clustered_share_interval, wilson_interval

WILSON = [
    # hits, n, low, high: statsmodels 0.15.0, proportion_confint(method="wilson")
    (0, 24, 0.0, 0.13797620),
    (1, 24, 0.00739346, 0.20241806),
    (7, 144, 0.02374399, 0.09693568),
    (71, 144, 0.41264637, 0.57382563),
    (213, 449, 0.42861311, 0.52059648),
    (305, 305, 0.98756171, 1.0),
]


@pytest.mark.parametrize(("hits", "n", "low", "high"), WILSON)
def test_wilson_agrees_with_statsmodels(hits: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(hits, n) == pytest.approx((low, high), abs=1e-7)


@pytest.mark.parametrize("n", [2, 9, 50, 449])
def test_wilson_agrees_with_scipy_at_every_count(n: int) -> None:
    for hits in range(n + 1):
        expected = stats.binomtest(hits, n).proportion_ci(method="wilson")
        assert wilson_interval(hits, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(("hits", "n"), [(1, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_impossible_counts(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="n_hits"):
        wilson_interval(hits, n)


def test_one_answer_per_problem_gives_wilson() -> None:
    got = clustered_share_interval([1] * 71 + [0] * 73, [1] * 144)
    assert got is not None
    assert (got.low, got.high) == pytest.approx((0.41264637, 0.57382563), abs=1e-7)
    assert got.n_clusters == 144


def test_answers_that_always_agree_within_a_problem_are_worth_one_each() -> None:
    one = clustered_share_interval([1] * 30 + [0] * 70, [1] * 100)
    eight = clustered_share_interval([8] * 30 + [0] * 70, [8] * 100)
    assert one is not None
    assert eight is not None
    assert eight.high - eight.low == pytest.approx(one.high - one.low, rel=0.05)


def test_independent_answers_within_a_problem_narrow_the_interval() -> None:
    rng = np.random.default_rng(0)
    hits = rng.binomial(8, 0.5, size=200)
    got = clustered_share_interval(hits.tolist(), [8] * 200)
    flat = wilson_interval(float(hits.sum()), 1600)
    assert got is not None
    assert got.high - got.low == pytest.approx(flat[1] - flat[0], rel=0.15)


def test_no_right_answer_still_gives_an_interval_with_a_width() -> None:
    got = clustered_share_interval([0] * 24, [4] * 24)
    assert got is not None
    assert got.low == 0.0
    assert 0.1 < got.high < 0.2


@pytest.mark.parametrize("counts", [([], []), ([1], [1]), ([3, 0], [4, 0])])
def test_fewer_than_two_problems_give_no_interval(counts: tuple[list[float], list[int]]) -> None:
    assert clustered_share_interval(*counts) is None


@pytest.mark.parametrize("counts", [([1], [1, 1]), ([2, 0], [1, 1]), ([-1, 0], [1, 1])])
def test_impossible_counts_are_refused(counts: tuple[list[float], list[int]]) -> None:
    with pytest.raises(ValueError, match=r"numerator|denominator"):
        clustered_share_interval(*counts)


def test_bca_agrees_with_scipy() -> None:
    values = np.random.default_rng(3).exponential(size=60)
    got = bootstrap_mean_interval(values.tolist(), rng=np.random.default_rng(1), n_resamples=20_000)
    expected = stats.bootstrap(
        (values,), np.mean, method="BCa", n_resamples=20_000, rng=np.random.default_rng(2)
    ).confidence_interval
    assert got is not None
    assert (got.low, got.high) == pytest.approx((expected.low, expected.high), abs=0.015)


def test_equal_values_give_a_point() -> None:
    got = bootstrap_mean_interval([2.0] * 5, rng=np.random.default_rng(0))
    assert got is not None
    assert (got.low, got.high) == (2.0, 2.0)
    assert bootstrap_mean_interval([2.0], rng=np.random.default_rng(0)) is None
