"""Differences between two runs on the same problems: tests and intervals that use the pairing.

Which one when:

    mcnemar_exact               one sample per problem, right or wrong
    paired_difference           any figure that has one value per problem: several samples, variable accuracy
    holm                        several comparisons at once
    smallest_difference_*       what this many problems can show at all

Not here: which problems two runs share, and whether they may be compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import numpy as np
from pydantic import Field

from cfe_local.metrics.intervals import N_RESAMPLES, bca_limits, t_quantile
from cfe_local.metrics.scores import Interval
from cfe_local.records import Record

_NORMAL = NormalDist()


class McNemar(Record):
    """Exact McNemar test of two runs on the same problems."""

    n: int = Field(ge=0, description="Problems.")
    only_first: int = Field(ge=0, description="Right in the first run alone.")
    only_second: int = Field(ge=0, description="Right in the second run alone.")
    p_value: float = Field(ge=0, le=1, description="Two-sided; 1 where the runs never differ.")


class PairedDifference(Record):
    """Mean of second minus first over problems."""

    difference: float | None
    n_problems: int = Field(ge=0)
    interval: Interval | None = None
    p_value: float | None = Field(default=None, description="Two-sided, from the sign-flip distribution.")


def mcnemar_exact(first: Mapping[str, bool], second: Mapping[str, bool]) -> McNemar:
    """Exact two-sided McNemar test; undecided answers are to be handed in as not correct.

    Args:
        first: Problem to right or not, one sample per problem.
        second: The same problems.

    Raises:
        ValueError: If the problems differ.

    Source:
        McNemar 1947, doi:10.1007/BF02295996; the exact form is the binomial test on the discordant pairs.
    """
    if first.keys() != second.keys():
        raise ValueError(f"problems differ: {sorted(first.keys() ^ second.keys())[:5]}")
    only_first = sum(first[key] and not second[key] for key in first)
    only_second = sum(second[key] and not first[key] for key in first)
    n_discordant = only_first + only_second
    tail = sum(math.comb(n_discordant, i) for i in range(min(only_first, only_second) + 1))
    p_value = min(1.0, 2 * tail / 2**n_discordant)
    return McNemar(n=len(first), only_first=only_first, only_second=only_second, p_value=p_value)


def paired_difference(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
) -> PairedDifference:
    """Mean difference second - first over problems, with a BCa interval over problems and a sign-flip test.

    Args:
        first: Problem to its value (mean over its samples), any range.
        second: The same problems.
        rng: Source of the resamples.
        level: Nominal coverage.
        n_resamples: For interval and test, at least 200.

    Raises:
        ValueError: If the problems differ.

    Source:
        BCa: Efron 1987; sign flips: Fisher's randomisation test, with (1 + hits)/(1 + flips) as in
        Phipson and Smyth 2010, doi:10.2202/1544-6115.1585.
    """
    if first.keys() != second.keys():
        raise ValueError(f"problems differ: {sorted(first.keys() ^ second.keys())[:5]}")
    differences = np.asarray([second[key] - first[key] for key in sorted(first)], dtype=np.float64)
    n = len(differences)
    if n == 0:
        return PairedDifference(difference=None, n_problems=0)
    mean = float(differences.mean())
    if n == 1:
        return PairedDifference(difference=mean, n_problems=1)
    low, high = bca_limits(differences, lambda rows: rows.mean(axis=1), level=level, rng=rng, n_resamples=n_resamples)
    flips = rng.choice(np.array([-1.0, 1.0]), size=(n_resamples, n)) @ differences / n
    n_as_far = int(np.count_nonzero(np.abs(flips) >= abs(mean) - 1e-12))
    return PairedDifference(
        difference=mean,
        n_problems=n,
        interval=Interval(low=low, high=high, level=level, n_clusters=n, method="BCa bootstrap over problems, paired"),
        p_value=(1 + n_as_far) / (1 + n_resamples),
    )


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjustment, in the order given; compare each with the level for all of them together.

    Source:
        Holm 1979, Scandinavian Journal of Statistics 6(2), 65-70.
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = running
    return tuple(adjusted)


def smallest_difference_of_pairs(
    n_problems: int, *, discordant: float, level: float = 0.95, power: float = 0.8
) -> float | None:
    """The smallest difference in question accuracy that McNemar's test shows with the given power.

    Args:
        n_problems: Pairs, at least 1.
        discordant: Share of problems on which the runs differ, in (0, 1].
        level: 1 - significance level, two-sided.
        power: Chance to find the difference when it is there.

    Returns:
        A difference in (0, discordant], or None where even a wholly one-sided disagreement would not show.

    Raises:
        ValueError: If an argument is out of range.

    Source:
        Connor 1987, doi:10.2307/2531961: sqrt(n) d = z_a sqrt(psi) + z_b sqrt(psi - d^2), solved for d.
    """
    if n_problems < 1 or not 0 < discordant <= 1:
        raise ValueError(f"need n_problems >= 1 and discordant in (0, 1], got {n_problems}, {discordant}")
    z_level, z_power = _NORMAL.inv_cdf(0.5 + level / 2), _NORMAL.inv_cdf(power)

    def shortfall(d: float) -> float:
        return (
            z_level * math.sqrt(discordant)
            + z_power * math.sqrt(max(0.0, discordant - d * d))
            - math.sqrt(n_problems) * d
        )

    low, high = 0.0, discordant
    if shortfall(high) > 0:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if shortfall(middle) > 0 else (low, middle)
    return high


def smallest_difference_of_means(
    differences: Sequence[float], *, level: float = 0.95, power: float = 0.8
) -> float | None:
    """The smallest mean difference that a paired t test on problems this variable shows with the given power.

    Args:
        differences: One per problem, second - first.
        level: 1 - significance level, two-sided.
        power: Chance to find the difference when it is there.

    Returns:
        (t + z) standard errors, or None for fewer than two problems.
    """
    n = len(differences)
    if n < 2:
        return None
    error = float(np.std(np.asarray(differences, dtype=np.float64), ddof=1)) / math.sqrt(n)
    return (t_quantile(0.5 + level / 2, n - 1) + _NORMAL.inv_cdf(power)) * error
