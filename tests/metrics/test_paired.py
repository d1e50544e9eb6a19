import numpy as np
import pytest
from scipy import stats

from cfe_local.metrics.paired import (
    holm,
    mcnemar_exact,
    paired_difference,
    smallest_difference_of_means,
    smallest_difference_of_pairs,
)

MCNEMAR = [
    # right in the first alone, right in the second alone, p: statsmodels 0.15.0, mcnemar(exact=True)
    (10, 2, 0.03857421875),
    (0, 5, 0.0625),
    (3, 3, 1.0),
    (25, 12, 0.04703102743951604),
    (121, 59, 4.4344492637551645e-06),
    (86, 150, 3.7159361395713866e-05),
    (0, 0, 1.0),
]


def outcomes(only_first: int, only_second: int, both: int = 7) -> tuple[dict[str, bool], dict[str, bool]]:
    pairs = [(True, False)] * only_first + [(False, True)] * only_second + [(True, True)] * both
    return {str(i): a for i, (a, _) in enumerate(pairs)}, {str(i): b for i, (_, b) in enumerate(pairs)}


@pytest.mark.parametrize(("only_first", "only_second", "p_value"), MCNEMAR)
def test_mcnemar_agrees_with_statsmodels(only_first: int, only_second: int, p_value: float) -> None:
    got = mcnemar_exact(*outcomes(only_first, only_second))
    assert got.p_value == pytest.approx(p_value, rel=1e-9)
    assert (got.only_first, got.only_second) == (only_first, only_second)


def test_different_problems_are_refused() -> None:
    with pytest.raises(ValueError, match="problems differ"):
        mcnemar_exact({"a": True}, {"b": True})
    with pytest.raises(ValueError, match="problems differ"):
        paired_difference({"a": 1.0}, {"b": 1.0}, rng=np.random.default_rng(0))


def test_holm_agrees_with_statsmodels() -> None:
    """statsmodels 0.15.0, multipletests(method='holm')."""
    assert holm([0.01, 0.04, 0.03, 0.005, 0.5]) == pytest.approx((0.04, 0.09, 0.09, 0.025, 0.5))
    assert holm([]) == ()


def test_a_clear_difference_shows_and_its_sign_is_second_minus_first() -> None:
    rng = np.random.default_rng(0)
    first = {str(i): float(v) for i, v in enumerate(rng.random(80))}
    second = {key: value + 0.2 for key, value in first.items()}
    noisy = {key: value + rng.normal(0, 0.1) for key, value in second.items()}
    got = paired_difference(first, noisy, rng=rng)
    assert got.difference == pytest.approx(0.2, abs=0.05)
    assert got.interval is not None
    assert got.interval.low > 0
    assert got.p_value == pytest.approx(1 / 2001)


def test_the_sign_flip_test_agrees_with_scipy() -> None:
    rng = np.random.default_rng(5)
    differences = rng.normal(0.1, 0.5, size=40)
    first = {str(i): 0.0 for i in range(40)}
    got = paired_difference(first, {str(i): float(d) for i, d in enumerate(differences)}, rng=rng, n_resamples=20_000)
    expected = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1)
    )
    assert got.p_value == pytest.approx(expected.pvalue, abs=0.015)


def test_equal_runs_differ_by_nothing() -> None:
    same = {str(i): float(i % 2) for i in range(10)}
    got = paired_difference(same, same, rng=np.random.default_rng(0))
    assert (got.difference, got.p_value) == (0.0, 1.0)
    assert got.interval is not None
    assert (got.interval.low, got.interval.high) == (0.0, 0.0)


def test_no_common_problem_gives_no_difference() -> None:
    assert paired_difference({}, {}, rng=np.random.default_rng(0)).difference is None


def test_the_smallest_difference_of_pairs_has_the_stated_power() -> None:
    """By simulation of McNemar's test at the difference found; the exact test is a little conservative."""
    d = smallest_difference_of_pairs(449, discordant=0.3)
    assert d is not None
    assert d == pytest.approx(0.072, abs=0.002)
    rng = np.random.default_rng(0)
    n_found = 0
    for _ in range(2000):
        only_second, only_first, _ = rng.multinomial(449, [(0.3 + d) / 2, (0.3 - d) / 2, 0.7])
        n_found += stats.binomtest(int(only_first), int(only_first + only_second)).pvalue < 0.05
    assert n_found / 2000 == pytest.approx(0.78, abs=0.04)


def test_too_few_disagreements_show_nothing() -> None:
    assert smallest_difference_of_pairs(10, discordant=0.1) is None
    with pytest.raises(ValueError, match="discordant"):
        smallest_difference_of_pairs(10, discordant=0.0)


def test_the_smallest_difference_of_means_has_the_stated_power() -> None:
    d = smallest_difference_of_means([0.5, -0.5] * 72)
    assert d is not None
    rng = np.random.default_rng(0)
    draws = rng.choice([0.5, -0.5], size=(4000, 144)) + d
    found = stats.ttest_1samp(draws, 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)
    assert smallest_difference_of_means([0.1]) is None
