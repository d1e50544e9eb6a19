import math

import numpy as np
import pytest
from scipy import stats

from cfe_local.metrics.agreement import (
    area_under_curve,
    binary_agreement,
    cohen_kappa,
    krippendorff_alpha,
    krippendorff_alpha_with_interval,
)


def units_of(*observers: str) -> list[list[str | None]]:
    """Units from one text per observer, one letter per unit, ``*`` where missing."""
    return [[None if mark == "*" else mark for mark in unit] for unit in zip(*observers, strict=True)]


FOUR_OBSERVERS = ("123321412***", "12332241 25*3".replace(" ", ""), "*3332342251*", "12332441251*")
THREE_OBSERVERS = ("*****3412113 3*3".replace(" ", ""), "1*213343*******", "**21344*211 33*4".replace(" ", ""))

ALPHAS = [
    # observers, alpha, source
    (FOUR_OBSERVERS, 0.743, 5e-4, "Krippendorff 2011, section C: nominal data, any number of observers, missing data"),
    (FOUR_OBSERVERS, 0.7434210526, 1e-9, "the same by krippendorff 0.9.0"),
    (
        THREE_OBSERVERS,
        0.6913580247,
        1e-9,
        "example in the documentation of the krippendorff package, by krippendorff 0.9.0",
    ),
    (("aaaabbbb", "aaaabbbb"), 1.0, 1e-12, "perfect agreement"),
    (("ab", "ba"), -0.5, 1e-12, "by hand: observed 1, expected 2*2*2/(4*3) = 2/3"),
]


@pytest.mark.parametrize(("observers", "alpha", "tolerance", "source"), ALPHAS)
def test_alpha_agrees_with_published_values(
    observers: tuple[str, ...], alpha: float, tolerance: float, source: str
) -> None:
    assert krippendorff_alpha(units_of(*observers)).value == pytest.approx(alpha, abs=tolerance), source


@pytest.mark.parametrize(
    ("observers", "alpha", "source"),
    [
        (FOUR_OBSERVERS, 0.849, "Krippendorff 2011, section D: the data of section C as interval data"),
        (THREE_OBSERVERS, 0.811, "the example of the krippendorff package's documentation, interval metric"),
        (("0606", "5101"), -0.2181, "by hand: observed 2 x (25 + 25 + 0 + 25), expected 862 over 7 = 123.1"),
    ],
)
def test_alpha_of_numbers_agrees_with_published_values(observers: tuple[str, ...], alpha: float, source: str) -> None:
    assert krippendorff_alpha(units_of(*observers), distance="interval").value == pytest.approx(alpha, abs=5e-4), source


def test_labels_that_are_no_numbers_have_no_distances() -> None:
    with pytest.raises(ValueError, match="could not convert"):
        krippendorff_alpha([["a", "b"]], distance="interval")


def test_alpha_of_binary_data_by_hand() -> None:
    """Krippendorff 2011, section A: coincidences 10, 4, 4, 2 from two observers and ten units give alpha = 0.095."""
    got = krippendorff_alpha(units_of("0100000000", "1110010100"))
    assert got.value == pytest.approx(0.095, abs=5e-4)
    assert got.n_units == 10


@pytest.mark.parametrize("units", [[], [["a"], [None, "b"]], [["a", "a"], ["a", "a"]]])
def test_alpha_is_undefined_without_pairs_or_without_variation(units: list[list[str | None]]) -> None:
    assert krippendorff_alpha(units).value is None


def test_alpha_has_an_interval_that_holds_it_and_narrows_with_more_units() -> None:
    few = krippendorff_alpha_with_interval(units_of(*FOUR_OBSERVERS), clusters=names(12))
    many = krippendorff_alpha_with_interval(units_of(*FOUR_OBSERVERS) * 10, clusters=names(120))
    for got in (few, many):
        assert got.value is not None
        assert got.interval is not None
        assert got.interval.low < got.value < got.interval.high
    assert few.interval is not None
    assert many.interval is not None
    assert many.interval.high - many.interval.low < 0.5 * (few.interval.high - few.interval.low)


def test_units_that_always_come_together_are_worth_one() -> None:
    once = krippendorff_alpha_with_interval(units_of(*FOUR_OBSERVERS), clusters=names(12))
    often = krippendorff_alpha_with_interval(units_of(*FOUR_OBSERVERS) * 10, clusters=names(12) * 10)
    assert once.interval is not None
    assert often.interval is not None
    assert often.interval.n_clusters == once.interval.n_clusters == 11
    assert often.interval.high - often.interval.low > 0.9 * (once.interval.high - once.interval.low)


def test_the_interval_of_alpha_agrees_with_the_jackknife_over_clusters() -> None:
    """An independent way to the variance of log(1 - alpha): leave each cluster out in turn."""
    rng = np.random.default_rng(4)
    clusters = [str(i // 3) for i in range(600)]
    truth = rng.random(600) < 0.5
    units = [[("ab"[t ^ (rng.random() < 0.1)]) for _ in range(2)] for t in truth.tolist()]
    got = krippendorff_alpha_with_interval(units, clusters=clusters)
    logs = []
    for left_out in range(200):
        rest = krippendorff_alpha(units[: 3 * left_out] + units[3 * left_out + 3 :]).value
        assert rest is not None
        logs.append(math.log(1 - rest))
    error = math.sqrt(199 / 200 * sum((x - sum(logs) / 200) ** 2 for x in logs))
    assert got.value is not None
    assert got.interval is not None
    reach = math.exp(stats.t.ppf(0.975, 199) * error)
    expected = (1 - (1 - got.value) * reach, 1 - (1 - got.value) / reach)
    assert (got.interval.low, got.interval.high) == pytest.approx(expected, abs=0.01)


def test_reviewers_who_never_differ_are_not_known_to_agree_perfectly() -> None:
    got = krippendorff_alpha_with_interval([["a", "a"], ["b", "b"]] * 10, clusters=names(20))
    assert (got.value, got.interval.high if got.interval else None) == (1.0, 1.0)
    # Wilson's limit for 0 of 20 clusters is 0.161; by chance 20 * 20 * 2 / 39 of 40 labels would meet another one.
    assert got.interval is not None
    assert got.interval.low == pytest.approx(1 - 0.16113 * 40 / (800 / 39), abs=1e-4)


def test_one_cluster_says_nothing_about_others() -> None:
    assert krippendorff_alpha_with_interval([["a", "b"], ["b", "b"]], clusters=["p", "p"]).interval is None


def names(n: int) -> list[str]:
    return [f"problem {i}" for i in range(n)]


KAPPAS = [
    # cells yes/yes, yes/no, no/yes, no/no, kappa, source
    ((20, 5, 10, 15), 0.4, "textbook example: observed .7, expected .5"),
    ((45, 15, 25, 15), 0.1304347826, "by hand: (.6 - .54) / .46"),
    ((25, 35, 5, 35), 0.2592592593, "by hand: (.6 - .46) / .54"),
]


@pytest.mark.parametrize(("cells", "kappa", "source"), KAPPAS)
def test_kappa_agrees_with_worked_examples(cells: tuple[int, int, int, int], kappa: float, source: str) -> None:
    pairs = [p for n, p in zip(cells, ["yy", "yn", "ny", "nn"], strict=True) for _ in range(n)]
    got = cohen_kappa([p[0] for p in pairs], [p[1] for p in pairs])
    assert got.value == pytest.approx(kappa, abs=1e-9), source


def test_kappa_of_three_labels_agrees_with_scikit_learn() -> None:
    """scikit-learn's documented example [2,0,2,2,0,1] against [0,0,2,2,0,2]."""
    assert cohen_kappa(list("202201"), list("002202")).value == pytest.approx(0.4285714286)


def test_kappa_leaves_missing_labels_out_and_is_undefined_without_variation() -> None:
    assert cohen_kappa(["a", None, "b"], ["a", "a", "b"]).n_units == 2
    assert cohen_kappa(["a", "a"], ["a", "a"]).value is None
    assert cohen_kappa([], []).value is None


def test_binary_agreement_counts_and_rates() -> None:
    labels = [True] * 10 + [False] * 10
    answers = [True] * 8 + [False] * 2 + [True] * 1 + [False] * 9
    got = binary_agreement(labels, answers, clusters=[str(i) for i in range(20)])
    assert (got.true_positives, got.false_positives, got.false_negatives, got.true_negatives) == (8, 1, 2, 9)
    assert got.precision.value == pytest.approx(8 / 9)
    assert got.recall.value == pytest.approx(0.8)
    assert got.f1 == pytest.approx(16 / 19)
    assert got.accuracy.value == pytest.approx(17 / 20)
    assert (got.false_positive_rate.numerator, got.false_positive_rate.denominator) == (1, 10)
    assert (got.false_negative_rate.numerator, got.false_negative_rate.denominator) == (2, 10)
    assert got.false_positive_rate.interval is not None


def test_binary_agreement_without_cases_has_no_values() -> None:
    got = binary_agreement([], [], clusters=[])
    assert (got.accuracy.value, got.precision.value, got.f1) == (None, None, None)


AUCS = [
    # labels, scores, area, source
    ([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.75, "scikit-learn's documented example"),
    ([0, 1, 0, 1, 1, 0, 1], [0.5, 0.5, 0.2, 0.9, 0.5, 0.7, 0.2], 0.5416666667, "scikit-learn 1.9.1, with ties"),
    ([0, 1], [0.5, 0.5], 0.5, "a tie"),
]


@pytest.mark.parametrize(("labels", "scores", "area", "source"), AUCS)
def test_area_under_the_curve(labels: list[int], scores: list[float], area: float, source: str) -> None:
    assert area_under_curve([bool(x) for x in labels], scores) == pytest.approx(area), source


def test_area_needs_both_kinds() -> None:
    assert area_under_curve([True, True], [0.1, 0.2]) is None
