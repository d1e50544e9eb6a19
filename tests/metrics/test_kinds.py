"""Figures by kind: credit, unparsable, renamed, and proofs outside every accuracy."""

from __future__ import annotations

import pytest

from cfe_local.metrics import ExamRecords, SummaryOptions, summarise
from cfe_local.metrics.kinds import credit
from cfe_local.metrics.samples import GradedSample
from cfe_local.records import Key, Problem, ProblemKind, Response, TargetVariable, TextPart, Verdict, VerdictValue


def problem(row: int, kind: ProblemKind, n_answers: int = 1) -> Problem:
    target = TargetVariable(name="answer", description="", value="1", type="numeric")
    return Problem(
        split="s",
        row=row,
        problem_id=f"id{row}",
        question=(TextPart(text="?"),),
        solution="",
        variables=(target,) * n_answers,
        kind=kind,
    )


def key(row: int) -> Key:
    return Key(experiment="exam", split="s", row=row, sample=0)


def verdict(row: int, value: VerdictValue, reason: str = "value", variable: int = 0) -> Verdict:
    return Verdict(key=key(row), grading="delimiter", variable=variable, verdict=value, by="equivalence", reason=reason)


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        (["correct"], 1.0),
        (["incorrect"], 0.0),
        (["correct", "incorrect"], 0.5),
        (["correct", "incorrect", "incorrect"], 0.0),
        (["correct", "correct", "undecided"], 0.5),
        (["correct", "correct"], 1.0),
        ([], 0.0),
    ],
)
def test_half_of_the_sub_answers_earn_half_the_credit(marks: list[VerdictValue], expected: float) -> None:
    found = tuple(verdict(0, mark, variable=i) for i, mark in enumerate(marks))
    asked = problem(0, "symbolic", len(marks))
    sample = GradedSample(key=key(0), problem=asked, response=None, verdicts=found, targets=asked.variables)
    assert credit(sample) == expected


def test_unparsable_and_renamed_are_counted_apart_and_proofs_stand_in_no_accuracy() -> None:
    kinds: list[ProblemKind] = ["multiple_choice", "multiple_choice", "symbolic", "symbolic", "proof"]
    problems = [problem(row, kind, 0 if kind == "proof" else 1) for row, kind in enumerate(kinds)]
    verdicts = [
        verdict(0, "correct", "letter"),
        verdict(1, "incorrect", "unparsable"),
        verdict(2, "incorrect", "renamed_symbols"),
        verdict(3, "incorrect"),
    ]
    responses = [Response(key=key(row), outcome="answered", text="x") for row in range(5)]
    records = ExamRecords(problems, [key(row) for row in range(5)], responses, verdicts)
    found = summarise(records, SummaryOptions(grading="delimiter"))
    assert (found.n_planned, found.n_without_values, found.n_not_graded) == (5, 1, 0)
    assert found.overall.question_accuracy.headline.denominator == 4
    choice, symbolic = found.by_kind
    assert (choice.kind, choice.unparsable.value, choice.figures.question_accuracy.headline.value) == (
        "multiple_choice",
        0.5,
        0.5,
    )
    assert (symbolic.renamed.value, symbolic.unparsable.value, symbolic.credit.value) == (0.5, 0.0, 0.0)


def test_a_benchmark_of_named_variables_has_no_figures_by_kind() -> None:
    records = ExamRecords([problem(0, "variables")], [key(0)], [], [])
    assert summarise(records, SummaryOptions(grading="s2s")).by_kind == ()
