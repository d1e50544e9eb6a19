"""pass@k: the chance that at least one of k drawn samples is right, estimated from n samples without bias.

Not here: intervals and averages over problems (``accuracy``).
"""

from __future__ import annotations

from math import comb


def pass_at_k(n_samples: int, n_correct: int, k: int) -> float:
    """Estimate the chance that at least one of k drawn samples is correct.

    Args:
        n_samples: Samples drawn for one problem, at least k.
        n_correct: How many of them were judged correct, in [0, n_samples].
        k: Size of the draw without replacement, at least 1.

    Returns:
        1 - C(n-c, k) / C(n, k), in [0, 1]; exact, from whole numbers.

    Raises:
        ValueError: If k is not in [1, n_samples], where the estimator is undefined, or n_correct is out of range.

    Source:
        Chen et al. 2021, arXiv:2107.03374, eq. 1.
    """
    if not 1 <= k <= n_samples:
        raise ValueError(f"pass@{k} is undefined for {n_samples} samples; k must be in [1, {n_samples}]")
    if not 0 <= n_correct <= n_samples:
        raise ValueError(f"n_correct must be in [0, {n_samples}], got {n_correct}")
    n_draws = comb(n_samples, k)
    return (n_draws - comb(n_samples - n_correct, k)) / n_draws
