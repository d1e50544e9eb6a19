import pytest

from cfe_local.metrics.accuracy import accuracy_of_type, mean_pass_at_k, question_accuracy, variable_accuracy
from cfe_local.metrics.samples import GradedSample, join_samples
from tests.metrics.exams import exam, problem


def samples_of(*marks: str, n_variables: int = 2) -> list[GradedSample]:
    """One problem per text of marks."""
    records = exam([(problem(i, ["numeric"] * n_variables), [text]) for i, text in enumerate(marks)])
    return join_samples(records.problems, records.planned, records.responses, records.verdicts, grading="s2s")


def test_a_sample_is_right_only_if_every_variable_is() -> None:
    got = question_accuracy(samples_of("cc", "ci", "ii", "cc")).headline
    assert (got.value, got.numerator, got.denominator) == (0.5, 2, 4)


def test_undecided_counts_as_not_correct_in_the_headline_and_is_left_out_beside_it() -> None:
    got = question_accuracy(samples_of("cc", "cu", "ci", "uu"))
    assert (got.headline.numerator, got.headline.denominator) == (1, 4)
    assert (got.decided_only.numerator, got.decided_only.denominator) == (1, 2)
    assert (got.coverage.numerator, got.coverage.denominator) == (2, 4)


def test_one_wrong_variable_decides_the_sample_whatever_is_undecided() -> None:
    got = question_accuracy(samples_of("iu"))
    assert got.decided_only.value == 0.0
    assert got.coverage.value == 1.0


def test_variable_accuracy_averages_over_problems_not_over_variables() -> None:
    records = exam([(problem(0, ["numeric"]), ["c"]), (problem(1, ["numeric"] * 4), ["ciii"])])
    samples = join_samples(records.problems, records.planned, records.responses, records.verdicts, grading="s2s")
    got = variable_accuracy(samples).headline
    assert got.value == pytest.approx((1 + 0.25) / 2)
    assert (got.numerator, got.denominator) == (1.25, 2)


def test_variable_accuracy_over_decided_leaves_undecided_variables_out() -> None:
    got = variable_accuracy(samples_of("cu", "ci", "uu"))
    assert got.headline.value == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert got.decided_only.value == pytest.approx((1 + 0.5) / 2)
    assert (got.coverage.numerator, got.coverage.denominator) == (3, 6)


def test_an_ungraded_variable_is_undecided() -> None:
    got = question_accuracy(samples_of("c.", "cc"))
    assert (got.headline.numerator, got.coverage.numerator) == (1, 1)


def test_nothing_planned_gives_no_value_and_no_interval() -> None:
    for got in (question_accuracy([]), variable_accuracy([]), accuracy_of_type([], "formula")):
        assert got.headline.value is None
        assert got.headline.interval is None
        assert got.headline.denominator == 0


def test_a_problem_without_variables_is_undecided_not_right() -> None:
    got = question_accuracy(samples_of("", n_variables=0))
    assert (got.headline.value, got.coverage.value) == (0.0, 0.0)


def test_an_engine_failure_stays_in_the_denominator() -> None:
    """Ten planned, one failed, eight of nine right: 80 %, not 88.9 %."""
    got = question_accuracy(samples_of(*["c"] * 8, "i", "u", n_variables=1))
    assert got.headline.value == pytest.approx(0.8)
    assert got.decided_only.value == pytest.approx(8 / 9)


def test_accuracy_of_a_type_counts_variables_of_that_type_alone() -> None:
    records = exam([(problem(0, ["numeric", "formula"]), ["ci"]), (problem(1, ["formula"]), ["c"])])
    samples = join_samples(records.problems, records.planned, records.responses, records.verdicts, grading="s2s")
    got = accuracy_of_type(samples, "formula")
    assert (got.headline.numerator, got.headline.denominator) == (1, 2)


def test_two_copies_of_one_problem_are_one_cluster() -> None:
    rows = [(problem(i, ["numeric"], problem_id="same" if i < 2 else ""), ["c"]) for i in range(4)]
    records = exam(rows)
    samples = join_samples(records.problems, records.planned, records.responses, records.verdicts, grading="s2s")
    got = question_accuracy(samples).headline
    assert got.denominator == 4
    assert got.interval is not None
    assert got.interval.n_clusters == 3


def test_pass_at_k_leaves_out_problems_with_fewer_samples_than_k() -> None:
    records = exam([(problem(0, ["numeric"]), ["c", "i"]), (problem(1, ["numeric"]), ["c"])])
    samples = join_samples(records.problems, records.planned, records.responses, records.verdicts, grading="s2s")
    assert mean_pass_at_k(samples, 1).headline.value == pytest.approx((0.5 + 1) / 2)
    two = mean_pass_at_k(samples, 2).headline
    assert (two.value, two.denominator) == (1.0, 1)
    assert mean_pass_at_k(samples, 3).headline.value is None


def test_pass_at_k_reads_undecided_samples_as_wrong_in_the_headline_only() -> None:
    records = exam([(problem(0, ["numeric"]), ["c", "u", "u", "i"])])
    samples = join_samples(records.problems, records.planned, records.responses, records.verdicts, grading="s2s")
    got = mean_pass_at_k(samples, 1)
    assert got.headline.value == pytest.approx(1 / 4)
    assert got.decided_only.value == pytest.approx(1 / 2)
