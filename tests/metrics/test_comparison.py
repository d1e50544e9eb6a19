"""Which rows runs are compared on, and every pair's figures, against answers worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from scipy.stats import binomtest

from cfe_local.metrics.comparison import common_rows, compare_pairs, question_shares
from cfe_local.metrics.samples import GradedSample, join_samples
from cfe_local.records import Problem, VerdictValue
from tests.report.runs import key_of, problem, response, verdict

MARKS: dict[str, VerdictValue] = {"1": "correct", "0": "incorrect", "?": "undecided"}


def run_of(marks: str, problems: Sequence[Problem] | None = None, *, samples: int = 1) -> list[GradedSample]:
    """One character per sample: 1 right, 0 wrong, ? undecided; ``samples`` in a row belong to one problem."""
    places = [(i // samples, i % samples) for i in range(len(marks))]
    own = problems or [problem(i) for i in range(len(marks) // samples)]
    return join_samples(
        own,
        [key_of(own[row], sample) for row, sample in places],
        [response(own[row], sample=sample) for row, sample in places],
        [verdict(own[row], MARKS[m], sample=s) for (row, s), m in zip(places, marks, strict=True)],
        grading="s2s",
    )


def test_mcnemar_counts_who_is_right_alone() -> None:
    """6 against 2 discordant problems: two-sided binomial p of 2 in 8."""
    (pair,) = compare_pairs([run_of("1111111100"), run_of("0000001111")])
    assert pair.mcnemar is not None
    assert (pair.mcnemar.only_first, pair.mcnemar.only_second) == (6, 2)
    assert pair.question_p == pytest.approx(binomtest(2, 8).pvalue)
    assert pair.question_p == pytest.approx(0.2890625)
    assert pair.question.difference == pytest.approx(-0.4)
    assert pair.question.interval is not None
    assert pair.question.interval.low < -0.4 < pair.question.interval.high


def test_undecided_is_not_right() -> None:
    (pair,) = compare_pairs([run_of("11??"), run_of("1111")])
    assert pair.question.difference == 0.5
    assert pair.mcnemar is not None
    assert (pair.mcnemar.only_first, pair.mcnemar.only_second) == (0, 2)


def test_a_run_and_its_copy_do_not_differ() -> None:
    (pair,) = compare_pairs([run_of("1010"), run_of("1010")])
    assert (pair.question.difference, pair.question_p, pair.variable.difference) == (0, 1, 0)
    assert pair.smallest_question is None


def test_several_samples_are_averaged_within_their_problem_and_mcnemar_is_left_out() -> None:
    first, second = run_of("1100" + "1000", samples=4), run_of("1111" + "1100", samples=4)
    assert question_shares(first) == {"text:0": 0.5, "text:1": 0.25}
    (pair,) = compare_pairs([first, second])
    assert pair.mcnemar is None
    assert pair.question.difference == pytest.approx((0.5 + 0.25) / 2)
    assert pair.question_p == pair.question.p_value


def test_holm_multiplies_the_smallest_p_by_the_number_of_pairs() -> None:
    runs = [run_of("1" * 12), run_of("0" * 12), run_of("1" * 11 + "0")]
    pairs = compare_pairs(runs)
    assert [(pair.first, pair.second) for pair in pairs] == [(0, 1), (0, 2), (1, 2)]
    raw = [pair.question_p for pair in pairs]
    assert raw == [pytest.approx(2 / 2**12), 1.0, pytest.approx(2 / 2**11)]
    assert [pair.question_p_holm for pair in pairs] == [pytest.approx(3 * 2 / 2**12), 1.0, pytest.approx(2 * 2 / 2**11)]


def test_the_same_runs_give_the_same_figures() -> None:
    runs = [run_of("1101001"), run_of("1001101")]
    assert compare_pairs(runs) == compare_pairs(runs)


def test_only_rows_that_all_runs_planned_count() -> None:
    first, second = run_of("1111"), run_of("0000", [problem(i) for i in range(4)])[2:]
    common = common_rows([first, second])
    assert common.rows == (("text", 2), ("text", 3))
    assert [len(samples) for samples in common.runs] == [2, 2]


def test_later_copies_of_a_problem_do_not_count_twice() -> None:
    problems = [problem(0), problem(1), problem(2).model_copy(update={"problem_id": problem(0).problem_id})]
    common = common_rows([run_of("110", problems), run_of("011", problems)])
    assert common.rows == (("text", 0), ("text", 1))
    assert common.n_common == 3


def test_a_row_with_another_problem_is_left_out() -> None:
    other = [problem(0), problem(1, "How much is $2+2$?")]
    common = common_rows([run_of("11"), run_of("11", other)])
    assert common.rows == (("text", 0),)
    assert common.n_other_problem == 1


def test_runs_without_a_common_row_have_none() -> None:
    common = common_rows([run_of("11"), run_of("11", [problem(i, split="mm") for i in range(2)])])
    assert common.rows == ()
