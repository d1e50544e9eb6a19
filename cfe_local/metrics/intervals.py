"""95 % intervals for shares and means whose observations come in clusters (all samples and copies of one problem).

Two kinds:

    clustered_share_interval   a share or a mean of values in [0, 1]; no randomness; used for every figure of an exam
    bootstrap_mean_interval    BCa over clusters, for means that are not in [0, 1] (differences, token counts)

Why the first is a Wilson interval on an effective sample size: at one response per problem it *is* Wilson's interval,
which keeps its level for small n and for shares near 0 (the usual normal interval does not, and at 0 of n it has no
width); with several responses per problem, or with shares of variables, the between-problem variance says how many
independent yes/no answers the data are worth. ``tests/metrics/test_interval_coverage.py`` holds the coverage found by
simulation, with its grid.

Not here: differences between runs (``paired``), and which clusters there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from cfe_local.metrics.scores import Interval

Floats = NDArray[np.float64]

N_RESAMPLES = 2000
"""Bootstrap resamples: the 2.5 % limits then rest on 50 resamples beyond each."""

_NORMAL = NormalDist()


def wilson_interval(n_hits: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for ``n_hits`` of ``n`` independent trials; fractional counts are allowed.

    Args:
        n_hits: In [0, n].
        n: Number of trials, above 0.
        level: Nominal coverage in (0, 1).

    Returns:
        (low, high), inside [0, 1]. At 0 hits low is 0, at n hits high is 1.

    Raises:
        ValueError: If n is not positive or n_hits is not in [0, n].

    Source:
        Wilson 1927, doi:10.1080/01621459.1927.10502953; recommended in Brown, Cai, DasGupta 2001,
        doi:10.1214/ss/1009213286.
    """
    if not n > 0 or not 0 <= n_hits <= n:
        raise ValueError(f"need 0 <= n_hits <= n and n > 0, got n_hits={n_hits}, n={n}")
    z = _NORMAL.inv_cdf(0.5 + level / 2)
    p = n_hits / n
    centre = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if n_hits == 0 else max(0.0, (centre - half) / scale)
    high = 1.0 if n_hits == n else min(1.0, (centre + half) / scale)
    return low, high


def clustered_share_interval(
    numerators: Sequence[float], denominators: Sequence[int], *, level: float = 0.95
) -> Interval | None:
    """Interval for sum(numerators) / sum(denominators), where each pair belongs to one cluster.

    At one yes/no answer per cluster this is Wilson's interval. Otherwise it is Wilson's interval on the effective
    sample size p(1-p) / variance, with three corrections for few or unequal clusters:

    - the variance is the jackknife's, which does not shrink when one large cluster pulls the ratio towards itself;
    - one pseudo-cluster is added to it that behaves as badly as can be (all its answers alike), because the variance
      that a handful of right answers shows is itself mostly noise;
    - the size is multiplied by (z/t)^2, t on as many degrees of freedom as there are equal-sized clusters' worth.

    Args:
        numerators: Per cluster, the sum of its values, each value in [0, 1].
        denominators: Per cluster, how many values it has. Clusters with 0 are left out.
        level: Nominal coverage in (0, 1).

    Returns:
        The interval, or None for fewer than two clusters: one problem says nothing about others.

    Raises:
        ValueError: If the lists differ in length or a numerator is not in [0, denominator].

    Source:
        Effective sample size with the t correction: Korn and Graubard 1998, Survey Methodology 24(2), 193-201; with
        Wilson's interval in place of Clopper and Pearson's: Franco et al. 2019, doi:10.1093/jssam/smy019.
    """
    if len(numerators) != len(denominators):
        raise ValueError(f"{len(numerators)} numerators for {len(denominators)} denominators")
    y = np.asarray(numerators, dtype=np.float64)
    m = np.asarray(denominators, dtype=np.float64)
    if bool(np.any((y < 0) | (y > m + 1e-9))):
        raise ValueError("every numerator must be in [0, its denominator]")
    y, m = y[m > 0], m[m > 0]
    if len(m) < 2:
        return None
    single = bool(np.all(m == 1) and np.all((y == 0) | (y == 1)))
    n_effective = float(len(m)) if single else _effective_size(y, m, level=level)
    p = min(1.0, float(y.sum() / m.sum()))
    low, high = wilson_interval(p * n_effective, n_effective, level=level)
    method = "Wilson" if single else "Wilson on the effective sample size"
    return Interval(low=low, high=high, level=level, n_clusters=len(m), method=f"{method}, clustered by problem")


def _effective_size(y: Floats, m: Floats, *, level: float) -> float:
    total = m.sum()
    p = y.sum() / total
    # How many clusters of equal size carry as much information as these unequal ones (Kish).
    n_equal = float(total**2 / np.sum(m**2))
    q = 0.5 + level / 2
    shrink = (_NORMAL.inv_cdf(q) / t_quantile(q, max(1.0, n_equal - 1))) ** 2
    spread = p * (1 - p)
    n_informative = min(np.count_nonzero(y > 0), np.count_nonzero(y < m))
    if spread <= 1e-12 or n_informative == 0:
        # All right or all wrong shows no variance; one independent answer per cluster is the cautious reading.
        return n_equal * shrink
    jackknife = float(np.sum(((y - p * m) / (1 - m / total)) ** 2)) / total**2
    worst = spread / n_equal
    variance = (n_informative * jackknife + worst) / (n_informative + 1)
    return float(spread / variance) * shrink


def t_quantile(q: float, df: float) -> float:
    """Quantile of Student's t distribution with ``df`` degrees of freedom, at least 1."""
    # Here and not above: a tenth of a second to import, and only clustered figures need it.
    from scipy.special import stdtrit

    return float(stdtrit(df, q))


def bootstrap_mean_interval(
    values: Sequence[float], *, level: float = 0.95, rng: np.random.Generator, n_resamples: int = N_RESAMPLES
) -> Interval | None:
    """BCa bootstrap interval for the mean of one value per cluster.

    Args:
        values: One number per cluster, of any size and sign.
        level: Nominal coverage in (0, 1).
        rng: Source of the resamples.
        n_resamples: At least 200.

    Returns:
        The interval, or None for fewer than two values. If all values are equal, low = high = that value.

    Source:
        Efron 1987, doi:10.1080/01621459.1987.10478410.
    """
    data = np.asarray(values, dtype=np.float64)
    if len(data) < 2:
        return None
    low, high = bca_limits(data, lambda rows: rows.mean(axis=1), level=level, rng=rng, n_resamples=n_resamples)
    return Interval(low=low, high=high, level=level, n_clusters=len(data), method="BCa bootstrap over problems")


def bca_limits(
    data: Floats,
    statistic: Callable[[Floats], Floats],
    *,
    level: float,
    rng: np.random.Generator,
    n_resamples: int = N_RESAMPLES,
) -> tuple[float, float]:
    """Bias-corrected and accelerated limits of a statistic of independent values.

    Args:
        data: Shape (n,), n at least 2.
        statistic: Maps samples of shape (b, m) to values of shape (b,).
        level: Nominal coverage in (0, 1).
        rng: Source of the resamples.
        n_resamples: At least 200.

    Raises:
        ValueError: If n_resamples is below 200, where the limits would be noise.
    """
    if n_resamples < 200:
        raise ValueError(f"n_resamples must be at least 200, got {n_resamples}")
    n = len(data)
    observed = float(statistic(data[None, :])[0])
    if np.ptp(data) == 0:
        return observed, observed
    draws = statistic(data[rng.integers(0, n, size=(n_resamples, n))])
    # Ties count half, so that a symmetric discrete distribution has no bias to correct.
    below = (np.count_nonzero(draws < observed) + 0.5 * np.count_nonzero(draws == observed)) / n_resamples
    z0 = _NORMAL.inv_cdf(min(max(below, 1 / n_resamples), 1 - 1 / n_resamples))
    left_out = statistic(np.stack([np.delete(data, i) for i in range(n)]))
    deviations = left_out.mean() - left_out
    denominator = 6 * float(np.sum(deviations**2)) ** 1.5
    acceleration = float(np.sum(deviations**3)) / denominator if denominator else 0.0
    limits = [_bca_level(q, z0, acceleration) for q in (0.5 - level / 2, 0.5 + level / 2)]
    low, high = np.quantile(draws, limits)
    return float(low), float(high)


def _bca_level(q: float, z0: float, acceleration: float) -> float:
    shifted = z0 + _NORMAL.inv_cdf(q)
    return _NORMAL.cdf(z0 + shifted / (1 - acceleration * shifted))
