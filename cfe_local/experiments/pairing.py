"""Two figures of the same problems side by side, with their difference: one row of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cfe_local.experiments.analysis import Cell, Column
from cfe_local.experiments.step_points import Row
from cfe_local.metrics.paired import paired_difference

METHOD = "Paired by problem; interval: BCa bootstrap over problems; p: sign flips, two-sided."


def paired_columns(first: str, second: str) -> tuple[Column, ...]:
    """Columns of `paired_row`."""
    return (
        Column(name="per cent"),
        Column(name="problems", kind="count"),
        Column(name=first, kind="share"),
        Column(name=second, kind="share"),
        Column(name="difference", kind="points"),
        Column(name="95 %", kind="points_interval"),
        Column(name="p", kind="number"),
    )


def paired_row(
    name: str, first: Mapping[Row, float], second: Mapping[Row, float], ids: Mapping[Row, str], *, seed: Sequence[int]
) -> tuple[Cell, ...] | None:
    """Means over the problems that both have, and second minus first; None where they have none in common.

    Args:
        name: First cell.
        first: Share right by row.
        second: The same; rows that only one of them has are left out.
        ids: The problem's own id by row; rows with one id are one observation.
        seed: Of the resamples.
    """
    common = [row for row in second if row in first]
    values = [by_problem({row: shares[row] for row in common}, ids) for shares in (first, second)]
    paired = paired_difference(values[0], values[1], rng=np.random.default_rng(list(seed)))
    if paired.difference is None:
        return None
    limits = (paired.interval.low, paired.interval.high) if paired.interval else None
    means = [sum(shares.values()) / len(shares) for shares in values]
    return (name, paired.n_problems, *means, paired.difference, limits, paired.p_value)


def by_problem(values: Mapping[Row, float], ids: Mapping[Row, str]) -> dict[str, float]:
    """Means over rows with the same id."""
    groups: dict[str, list[float]] = {}
    for row, value in values.items():
        groups.setdefault(ids[row], []).append(value)
    return {name: sum(group) / len(group) for name, group in groups.items()}
