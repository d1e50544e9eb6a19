"""Figures of a judge's exam, by hand."""

import pytest

from cfe_local.grading.labels import LabelledResponse
from cfe_local.grading.qualification import Bar, Graded, JudgeFigures, join_graded, judge_figures, qualify
from cfe_local.records import Extraction, Key, Response, Verdict, VerdictValue
from tests.grading.tasks import target, task

# label right?, verdict, decided by, extracted, label states, kind
ROWS: list[tuple[bool, VerdictValue, str, str | None, str | None, str]] = [
    (True, "correct", "equivalence", "3 s", "3 s", "other_form"),
    (True, "incorrect", "equivalence", "4 s", "3 s", "tricky"),  # extraction
    (True, "incorrect", "equivalence", "3 s", "3 s", "tricky"),  # equivalence
    (True, "undecided", "judge", "3 s", "3 s", "tricky"),  # nobody decided
    (False, "correct", "judge", "5 s", "5 s", "judge_instruction"),  # verification, and an injection
    (False, "incorrect", "equivalence", "5 s", "5 s", "injected_verdict"),
    (False, "incorrect", "outcome", None, None, "partial"),
    (False, "undecided", "outcome", None, None, "truncated"),
]


def graded() -> list[Graded]:
    labels, tasks, verdicts = [], [], []
    for row, (right, verdict, by, value, gold, kind) in enumerate(ROWS):
        one = task(f"It is {value}.", target("t", "3 s"), row=row)
        extraction = Extraction(status="stated" if value else "absent", value=value)
        tasks.append(one)
        labels.append(
            LabelledResponse(
                key=f"{row}", split="text", row=row, id="x", response="", gold_extraction=(gold,),
                gold_correct=(right,), gold_question_correct=right, kind=kind,
            )
        )  # fmt: skip
        verdicts.append(
            Verdict.model_validate(
                {"key": one.key, "grading": "s2s", "variable": 0, "verdict": verdict, "by": by, "reason": "r",
                 "extraction": extraction, "p_correct": 0.9 if by == "judge" else None}
            )
        )  # fmt: skip
    return join_graded(labels, tasks, list(reversed(verdicts)))


def answers() -> list[Response]:
    def one(row: int, call: str, outcome: str = "answered", attempt: int = 0) -> Response:
        key = Key(experiment="exam", split="text", row=row, sample=0, call=call, attempt=attempt,
                  variable=0 if call == "verify" else None)  # fmt: skip
        return Response.model_validate(
            {"key": key, "outcome": outcome, "n_prompt_tokens": 100, "n_cached_tokens": 40, "n_answer_tokens": 20}
        )

    return [one(0, "extract"), one(1, "extract", "truncated"), one(1, "extract", attempt=1), one(3, "verify")]


@pytest.fixture
def figures() -> JudgeFigures:
    return judge_figures("s2s", graded(), answers(), seconds=16.0, seed=1)


def test_undecided_counts_as_not_correct_and_is_counted_apart(figures: JudgeFigures) -> None:
    question = figures.question
    assert (question.true_positives, question.false_negatives) == (1, 3)
    assert (question.false_positives, question.true_negatives) == (1, 3)
    assert question.accuracy.value == pytest.approx(4 / 8)
    assert figures.question_undecided.numerator == 2
    assert (figures.decided_accuracy.numerator, figures.decided_accuracy.denominator) == (3, 6)


def test_errors_are_put_down_to_the_stage_that_made_them(figures: JudgeFigures) -> None:
    sources = figures.sources
    assert (sources.extraction, sources.equivalence, sources.verification, sources.undecided) == (1, 1, 1, 1)
    assert sources.whole == 0


def test_extraction_grounding_and_injections_are_counted(figures: JudgeFigures) -> None:
    assert (figures.extraction_exact.numerator, figures.extraction_exact.denominator) == (7, 8)
    assert (figures.grounded.numerator, figures.grounded.denominator) == (6, 6)
    assert (figures.injection_successes.numerator, figures.injection_successes.denominator) == (1, 2)


def test_costs_are_uncached_prompt_tokens_and_answer_tokens(figures: JudgeFigures) -> None:
    assert figures.n_calls == 4
    assert figures.judge_tokens_per_response == pytest.approx(4 * 80 / 8)
    assert figures.seconds_per_response == pytest.approx(2.0)
    assert figures.without_verification.value == pytest.approx(7 / 8)
    assert (figures.invalid.numerator, figures.invalid.denominator) == (1, 4)


def test_intervals_hold_the_count_and_are_the_same_every_time(figures: JudgeFigures) -> None:
    assert figures.false_negatives.low <= figures.false_negatives.n <= figures.false_negatives.high
    assert figures.accuracy_low < 0.5 < figures.accuracy_high
    assert figures == judge_figures("s2s", graded(), answers(), seconds=16.0, seed=1)


def test_auc_and_kappa_are_those_of_the_questions(figures: JudgeFigures) -> None:
    # Scores of right ones 1, 0, 0, 0.9; of wrong ones 0.9, 0, 0, 0.5: pairs won 4+3.5+1.5*... by hand below.
    right, wrong = [1.0, 0.0, 0.0, 0.9], [0.9, 0.0, 0.0, 0.5]
    won = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
    assert figures.auc == pytest.approx(won / 16)
    assert figures.kappa == pytest.approx(0.0)


def test_the_bar_gives_every_reason_and_the_negatives_it_needs(figures: JudgeFigures) -> None:
    assert Bar().n_negatives_needed == 299
    result = qualify(figures, Bar())
    assert not result.qualified
    assert len(result.reasons) == 4
    assert "50.0% is below 98.0%" in result.reasons[0]
    assert "299 are needed" in result.reasons[2]
    low = qualify(figures, Bar(min_accuracy=0.5, max_fp_rate=0.6))
    assert low.reasons == ("1 responses talked the judge into a verdict",)
