"""How often nominal 95 % intervals hold the truth, on stated grids; fixed seeds, so that a change shows as a change.

Found (share of intervals that hold the truth):

    one answer per problem, exact over the binomial; n 144, 305, 449; p .03 to .97            0.938 to 0.957
    the same, n 24 and 50                                                                     0.935 to 0.972
    4 or 8 samples, shares of variables, unequal clusters; n 144, 449; p .05, .2, .5;
        correlation within a problem .3, .7                                                   0.938 to 0.966
    the same, n 50: a handful of right answers is read cautiously                             0.952 to 0.980
    paired differences, BCa, n 50 and 144                                                     0.93 to 0.97
    Krippendorff's alpha, two or three reviewers of the variables of 60 or 150 responses, half
        of them right; a reviewer errs on 5 or 15 % of the variables, errors in one response
        correlated by .05 or .4, so that alpha is .51 to .89                                  0.93 to 0.97
    the same with 30 responses                                                                0.93 to 0.98
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from cfe_local.metrics.agreement import krippendorff_alpha, krippendorff_alpha_with_interval
from cfe_local.metrics.intervals import bootstrap_mean_interval, clustered_share_interval, wilson_interval

N_REPEATS = 1200
"""The standard error of a coverage near 95 % is then 0.6 points."""

N_VARIABLES = np.repeat(np.arange(1, 11), [288, 90, 29, 22, 7, 5, 2, 4, 1, 1])
"""Variables per problem as the published benchmark's 449 rows have them."""

Table = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Draw = Callable[[np.random.Generator, int, float, float], tuple[Table, Table]]


def chances(rng: np.random.Generator, n: int, p: float, rho: float) -> Table:
    """One chance per repeat and problem, mean p; rho is the correlation of two answers to the same problem."""
    scale = (1 - rho) / rho
    return rng.beta(p * scale, (1 - p) * scale, size=(N_REPEATS, n))


def four_samples(rng: np.random.Generator, n: int, p: float, rho: float) -> tuple[Table, Table]:
    return rng.binomial(4, chances(rng, n, p, rho)).astype(float), np.full((N_REPEATS, n), 4.0)


def eight_samples(rng: np.random.Generator, n: int, p: float, rho: float) -> tuple[Table, Table]:
    return rng.binomial(8, chances(rng, n, p, rho)).astype(float), np.full((N_REPEATS, n), 8.0)


def shares_of_variables(rng: np.random.Generator, n: int, p: float, rho: float) -> tuple[Table, Table]:
    sizes = rng.choice(N_VARIABLES, size=(N_REPEATS, n))
    return rng.binomial(sizes, chances(rng, n, p, rho)) / sizes, np.ones((N_REPEATS, n))


def unequal_clusters(rng: np.random.Generator, n: int, p: float, rho: float) -> tuple[Table, Table]:
    sizes = rng.choice(N_VARIABLES, size=(N_REPEATS, n))
    return rng.binomial(sizes, chances(rng, n, p, rho)).astype(float), sizes.astype(float)


@pytest.mark.parametrize(
    ("n", "low", "high"),
    [(24, 0.93, 0.975), (50, 0.93, 0.975), (144, 0.93, 0.97), (305, 0.93, 0.97), (449, 0.93, 0.97)],
)
def test_wilson_holds_its_level_exactly_computed(n: int, low: float, high: float) -> None:
    limits = [wilson_interval(hits, n) for hits in range(n + 1)]
    for p in (0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.97):
        weights = binom.pmf(np.arange(n + 1), n, p)
        covered = sum(w for w, (a, b) in zip(weights, limits, strict=True) if a <= p <= b)
        assert low <= covered <= high, f"p={p}: {covered:.4f}"


@pytest.mark.parametrize("draw", [four_samples, eight_samples, shares_of_variables, unequal_clusters])
@pytest.mark.parametrize(("n", "high"), [(50, 0.985), (144, 0.97), (449, 0.97)])
def test_clustered_intervals_hold_their_level(draw: Draw, n: int, high: float) -> None:
    for p in (0.05, 0.2, 0.5):
        for rho in (0.3, 0.7):
            rng = np.random.default_rng([n, int(100 * p), int(10 * rho)])
            n_held = 0
            for hits, sizes in zip(*draw(rng, n, p, rho), strict=True):
                got = clustered_share_interval(hits.tolist(), sizes.astype(int).tolist())
                assert got is not None
                n_held += got.low <= p <= got.high
            assert 0.93 <= n_held / N_REPEATS <= high, f"p={p}, rho={rho}: {n_held / N_REPEATS:.3f}"


@pytest.mark.parametrize("n", [50, 144])
def test_paired_differences_hold_their_level(n: int) -> None:
    """Two runs right with chance .35 and .45 on average, answers correlated through the problem."""
    rng = np.random.default_rng(n)
    hardness = chances(rng, n, 0.4, 0.6)
    first = rng.random(hardness.shape) < hardness - 0.05 * hardness / 0.4
    second = rng.random(hardness.shape) < hardness + 0.05 * (1 - hardness) / 0.6
    n_held = 0
    for difference in second.astype(float) - first:
        got = bootstrap_mean_interval(difference.tolist(), rng=rng, n_resamples=400)
        assert got is not None
        n_held += got.low <= 0.1 <= got.high
    assert 0.93 <= n_held / N_REPEATS <= 0.97, n_held / N_REPEATS


@pytest.mark.parametrize(
    ("n", "high", "n_reviewers", "error", "rho"),
    [
        (30, 0.98, 2, 0.05, 0.4),
        (30, 0.98, 3, 0.15, 0.05),
        (60, 0.97, 2, 0.05, 0.4),
        (60, 0.97, 2, 0.15, 0.4),
        (60, 0.97, 3, 0.15, 0.05),
        (150, 0.97, 2, 0.15, 0.4),
    ],
)
def test_intervals_of_alpha_hold_their_level(n: int, high: float, n_reviewers: int, error: float, rho: float) -> None:
    """Reviewers err on each variable with a chance that its response has in common."""
    rng = np.random.default_rng([n, n_reviewers, int(100 * error)])
    _, many = labels(rng, 50_000, n_reviewers, error, rho)
    truth = krippendorff_alpha(many).value
    assert truth is not None
    n_held = n_defined = 0
    for _ in range(N_REPEATS):
        clusters, units = labels(rng, n, n_reviewers, error, rho)
        got = krippendorff_alpha_with_interval(units, clusters=clusters).interval
        n_defined += got is not None
        n_held += got is not None and got.low <= truth <= got.high
    assert n_defined > 0.99 * N_REPEATS
    assert 0.93 <= n_held / n_defined <= high, n_held / n_defined


def labels(
    rng: np.random.Generator, n: int, n_reviewers: int, error: float, rho: float
) -> tuple[list[str], list[list[str]]]:
    """Clusters and units: what reviewers say of the variables of n responses, half of them right."""
    sizes = rng.choice(N_VARIABLES, size=n)
    scale = (1 - rho) / rho
    chance = np.repeat(rng.beta(error * scale, (1 - error) * scale, size=n), sizes)
    right = np.repeat(rng.beta(0.5 * scale, 0.5 * scale, size=n), sizes)
    truth = rng.random(len(chance)) < right
    said = truth[:, None] ^ (rng.random((len(chance), n_reviewers)) < chance[:, None])
    return np.repeat(np.arange(n), sizes).astype(str).tolist(), np.where(said, "c", "i").tolist()
