import json
from dataclasses import replace

import jsonschema
import pytest

from cfe_local.errors import StoreError
from cfe_local.metrics.effort import EngineTime
from cfe_local.metrics.exam import ExamMetrics, metrics_json_schema
from cfe_local.metrics.summary import ExamRecords, SummaryOptions, summarise
from cfe_local.records import Response
from tests.metrics.exams import exam, key_of, problem, response, verdicts

S2S = SummaryOptions(grading="s2s")


def small_exam() -> ExamRecords:
    """Four problems: right, half right, undecided, wrong; two splits, topics, one repeated id."""
    return exam(
        [
            (problem(0, ["numeric"], topic="optics"), ["c"]),
            (problem(1, ["formula", "other"], topic="optics"), ["ci"]),
            (problem(0, ["numeric"], split="mm", problem_id="twin"), ["u"]),
            (problem(1, ["numeric"], split="mm", problem_id="twin"), ["i"]),
        ]
    )


def test_the_figures_of_a_small_exam() -> None:
    got = summarise(small_exam(), S2S)
    assert got.overall.question_accuracy.headline.value == pytest.approx(1 / 4)
    assert got.overall.question_accuracy.decided_only.value == pytest.approx(1 / 3)
    assert got.overall.variable_accuracy.headline.value == pytest.approx(1.5 / 4)
    assert {f.name: f.question_accuracy.headline.denominator for f in got.by_split} == {"mm": 2, "text": 2}
    assert [f.name for f in got.by_topic] == ["optics", "(no topic)"]
    assert {t.type: (t.accuracy.headline.numerator, t.n_variables) for t in got.by_type} == {
        "numeric": (1, 3),
        "formula": (1, 1),
        "other": (0, 1),
    }


def test_repeated_ids_get_a_second_figure_in_which_the_first_copy_counts() -> None:
    got = summarise(small_exam(), S2S)
    assert got.overall.n_problems == 4
    assert got.first_copies is not None
    assert got.first_copies.n_problems == 3
    assert got.first_copies.question_accuracy.coverage.numerator == 2
    no_repeats = exam([(problem(0, ["numeric"]), ["c"])])
    assert summarise(no_repeats, S2S).first_copies is None


def test_rows_with_doubtful_references_stay_in_the_headline() -> None:
    got = summarise(small_exam(), replace(S2S, errata=frozenset({("text", 1), ("text", 99)})))
    assert got.overall.question_accuracy.headline.denominator == 4
    assert got.without_errata is not None
    assert got.without_errata.question_accuracy.headline.denominator == 3
    assert got.n_errata_rows == 1
    assert summarise(small_exam(), S2S).without_errata is None


def test_planned_samples_without_a_response_stay_in_the_denominator() -> None:
    records = small_exam()
    got = summarise(replace(records, responses=records.responses[:1], verdicts=records.verdicts[:1]), S2S)
    assert got.overall.question_accuracy.headline.denominator == 4
    assert got.n_missing == 3
    assert {c.name: c.n for c in got.outcomes} == {"answered": 1, "missing": 3}
    assert {c.name: c.n for c in got.undecided_reasons} == {"no response": 4}
    assert any("no response yet" in warning for warning in got.warnings)


def test_responses_without_a_verdict_are_counted_and_warned_about() -> None:
    got = summarise(replace(small_exam(), verdicts=[]), S2S)
    assert got.n_not_graded == 4
    assert got.overall.question_accuracy.headline.value == 0.0
    assert got.overall.question_accuracy.decided_only.value is None
    assert [(d.by, d.n, d.n_undecided) for d in got.deciders] == [("nobody", 5, 5)]
    assert any("not graded yet" in warning for warning in got.warnings)


def test_truncation_above_two_per_cent_is_warned_about_and_scored_apart() -> None:
    problems = [problem(i, ["numeric"]) for i in range(50)]
    records = exam([(p, ["c" if i % 2 else "i"]) for i, p in enumerate(problems)])
    cut = [response(p, outcome="truncated_thinking" if i < 2 else "answered") for i, p in enumerate(problems)]
    got = summarise(replace(records, responses=cut), S2S)
    assert got.truncation.value == pytest.approx(0.04)
    assert "2 of 50 samples (4.0%) ran into a token limit" in got.warnings[0]
    assert got.finished is not None
    assert got.truncated is not None
    assert got.finished.question_accuracy.headline.denominator == 48
    assert got.truncated.question_accuracy.headline.denominator == 2
    one = [response(p, outcome="truncated" if i < 1 else "answered") for i, p in enumerate(problems)]
    assert summarise(replace(records, responses=one), S2S).warnings == ()


@pytest.mark.parametrize("outcome", ["prompt_too_long", "bad_input", "failed"])
def test_other_outcomes_than_an_answer_are_warned_about(outcome: str) -> None:
    records = small_exam()
    changed = [r.model_copy(update={"outcome": outcome}) if i == 0 else r for i, r in enumerate(records.responses)]
    got = summarise(replace(records, responses=changed), S2S)
    assert any(warning.startswith("1 of 4 samples:") for warning in got.warnings)
    assert {c.name: c.n for c in got.outcomes}[outcome] == 1


def test_who_decided_is_counted_in_variables() -> None:
    got = summarise(small_exam(), S2S)
    assert {d.by: (d.n, d.n_correct, d.n_incorrect, d.n_undecided) for d in got.deciders} == {
        "equivalence": (4, 2, 2, 0),
        "outcome": (1, 0, 0, 1),
    }


def test_records_that_nobody_planned_change_nothing() -> None:
    records = small_exam()
    stranger = problem(7, ["numeric"])
    more = replace(
        records,
        responses=[*records.responses, response(stranger)],
        verdicts=[*records.verdicts, *verdicts(stranger, "c"), *verdicts(records.problems[3], "c", grading="l2l")],
    )
    assert summarise(more, S2S) == summarise(records, S2S)


def test_of_two_verdicts_on_one_variable_the_later_counts() -> None:
    records = small_exam()
    again = replace(records, verdicts=[*records.verdicts, *verdicts(records.problems[3], "c")])
    assert summarise(again, S2S).overall.question_accuracy.headline.numerator == 2


def test_a_planned_row_that_the_benchmark_lacks_is_an_error_that_says_so() -> None:
    records = small_exam()
    with pytest.raises(StoreError, match="text:99"):
        summarise(replace(records, planned=[key_of(problem(99, []))]), S2S)


def test_token_statistics_leave_out_responses_that_generated_nothing() -> None:
    problems = [problem(i, ["numeric"]) for i in range(3)]
    records = exam([(p, ["c"]) for p in problems])
    responses = [
        response(problems[0], n_answer_tokens=100),
        response(problems[1], n_answer_tokens=300),
        response(problems[2], outcome="prompt_too_long", n_answer_tokens=0),
    ]
    tokens = summarise(replace(records, responses=responses), S2S).effort.answer_tokens
    assert (tokens.n, tokens.mean, tokens.p50, tokens.max, tokens.total) == (2, 200, 200, 300, 400)
    assert tokens.p90 == pytest.approx(280)


def test_judge_tokens_are_given_per_graded_variable() -> None:
    records = small_exam()
    calls = [
        Response(
            key=key_of(records.problems[0]).model_copy(update={"call": call, "attempt": i}),
            outcome="answered",
            n_prompt_tokens=1000,
            n_cached_tokens=600,
            n_answer_tokens=50,
        )
        for i, call in enumerate(["extract", "extract", "verify"])
    ]
    judge = summarise(replace(records, judge_responses=calls), S2S).judge
    assert {c.name: c.n for c in judge.calls} == {"extract": 2, "verify": 1}
    assert judge.tokens_per_variable == pytest.approx(3 * 1050 / 5)
    assert judge.uncached_tokens_per_variable == pytest.approx(3 * 450 / 5)


def test_gpu_hours_count_every_device_and_no_cpu() -> None:
    times = (
        EngineTime(phase="generate", seconds=1800, n_devices=4, device="cuda"),
        EngineTime(phase="grade", seconds=3600, device="cpu"),
    )
    assert summarise(small_exam(), replace(S2S, engine_times=times)).gpu_hours == pytest.approx(2.0)
    assert summarise(small_exam(), S2S).gpu_hours is None


def test_upstream_names_repeat_the_headline_figures() -> None:
    records = exam([(problem(0, ["numeric"]), ["c", "i"]), (problem(1, ["numeric"]), ["i", "i"])])
    got = summarise(records, SummaryOptions(grading="s2s", k=(1, 2)))
    assert got.upstream == {
        "overall_question_accuracy": 0.25,
        "overall_avg_variable_accuracy": 0.25,
        "pass@1": 0.25,
        "pass@2": 0.5,
    }


def test_an_empty_exam_has_no_values() -> None:
    got = summarise(ExamRecords(problems=[], planned=[], responses=[], verdicts=[]), S2S)
    assert got.overall.question_accuracy.headline.value is None
    assert got.truncation.value is None
    assert got.upstream["overall_question_accuracy"] is None


def test_metrics_survive_json_and_fit_their_schema() -> None:
    got = summarise(small_exam(), replace(S2S, errata=frozenset({("text", 1)})))
    text = got.model_dump_json()
    assert "NaN" not in text
    assert ExamMetrics.model_validate_json(text) == got
    schema = metrics_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(text), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**json.loads(text), "surprise": 1}, schema)
