"""Counting of verdicts against labels."""

from __future__ import annotations

import pytest

from cfe_local.metrics.pairs import PairCounts, count_labelled, count_verdicts, labelled_by_group, timing
from cfe_local.records import Comparison, ComparisonVerdict


def said(verdict: ComparisonVerdict) -> Comparison:
    return Comparison(verdict=verdict, by="test", evidence="")


ROWS: list[tuple[str, bool, Comparison]] = [
    ("formula", True, said("equal")),
    ("formula", True, said("different")),
    ("numeric", True, said("undecided")),
    ("formula", False, said("equal")),
    ("numeric", False, said("different")),
    ("numeric", False, said("different")),
    ("numeric", False, said("undecided")),
]


def test_each_verdict_is_counted_under_its_label() -> None:
    counts = count_labelled((label, comparison) for _, label, comparison in ROWS)
    assert counts == PairCounts(n_equal=3, n_found=1, n_wrong_rejects=1, n_different=4, n_decided=2, n_wrong_accepts=1)
    assert counts.n_undecided == 2


def test_groups_keep_the_order_in_which_they_appear_and_add_up() -> None:
    groups = labelled_by_group(ROWS)
    assert list(groups) == ["formula", "numeric"]
    assert sum(counts.n_equal + counts.n_different for counts in groups.values()) == len(ROWS)
    assert (groups["formula"].n_wrong_accepts, groups["numeric"].n_wrong_accepts) == (1, 0)


def test_verdicts_without_labels_are_counted_too() -> None:
    counts = count_verdicts(comparison for _, _, comparison in ROWS)
    assert (counts.n_equal, counts.n_different, counts.n_undecided, counts.n) == (2, 3, 2, 7)


def test_nothing_to_count_gives_zeros_and_no_times() -> None:
    assert count_labelled([]) == PairCounts()
    assert timing([]).p50_s is None


def test_percentiles_lie_between_the_nearest_durations() -> None:
    found = timing([n / 100 for n in range(101)])
    assert [found.p50_s, found.p99_s, found.max_s] == pytest.approx([0.50, 0.99, 1.0])
