from __future__ import annotations

from cfe_local.grading.labels import labelled_tasks, read_labels
from cfe_local.metrics.samples import GradedSample
from cfe_local.review.agreement import Adjudicated, Reviewer, adjudicate
from cfe_local.review.judged import judge_against_labels, labelled_responses, variable_counts
from cfe_local.review.labels import ReviewLine, Standing, label_line
from tests.report.runs import problem, response

from .desks import sample, samples


def places_of(
    graded: tuple[GradedSample, ...], truths: list[list[str]], value: str | None = None
) -> tuple[Adjudicated, ...]:
    lines: list[ReviewLine] = []
    for one, labels in zip(graded, truths, strict=True):
        for i, label in enumerate(labels):
            place = (one.key.label, f"v{i}")
            lines.append(label_line("ann", place, label, group=one.problem.variables[i].type, value=value))
    return adjudicate([Reviewer("ann", Standing(tuple(lines)))], variable_counts(graded))


def test_the_judges_errors_are_counted_per_type_and_per_question() -> None:
    """Verdicts: right; undecided; right and wrong. Labels: wrong; right; right and right."""
    graded = samples()
    places = places_of(graded, [["incorrect"], ["correct"], ["correct", "correct"]])
    found = {row.group: row for row in judge_against_labels(places, graded)}
    counts = {name: (r.agreement.false_positives, r.agreement.false_negatives, r.n) for name, r in found.items()}
    assert counts == {"all variables": (1, 2, 4), "formula": (0, 1, 1), "numeric": (1, 1, 3), "question": (1, 2, 3)}
    assert found["numeric"].n_undecided == 1
    rate = found["all variables"].agreement.false_negative_rate
    assert (rate.numerator, rate.denominator) == (2, 3)
    assert rate.interval is not None


def test_unsettled_places_and_ungraded_samples_do_not_count() -> None:
    graded = (sample(problem(0), None), sample(problem(1), "correct"))
    assert judge_against_labels(places_of(graded, [["correct"], ["unsure"]]), graded) == ()


def test_labelled_responses_are_read_back_by_the_exam_of_a_judge() -> None:
    graded = samples()
    places = places_of(graded, [["incorrect"], ["correct"], ["correct", "incorrect"]], value="$2$")
    written = labelled_responses(places, graded)
    text = "".join(one.model_dump_json() + "\n" for one in written)
    assert read_labels(text, source="labelled.jsonl") == written
    tasks = labelled_tasks(written, [one.problem for one in graded])
    assert [task.response.text for task in tasks] == [one.response.text for one in graded if one.response]
    assert [one.gold_question_correct for one in written] == [False, True, False]
    assert written[2].gold_extraction == ("$2$", "$2$")
    assert written[2].note == ""


def test_a_value_that_no_reviewer_wrote_down_is_the_gradings_and_said_so() -> None:
    graded = (sample(problem(0), "correct"),)
    (written,) = labelled_responses(places_of(graded, [["correct"]]), graded)
    assert written.gold_extraction == ("2",)
    assert written.note == "stated values as the grading extracted them: variables 0"


def test_a_response_with_a_variable_that_is_not_settled_is_left_out() -> None:
    graded = samples()
    written = labelled_responses(places_of(graded, [["unsure"], ["correct"], ["correct"]]), graded)
    assert [one.row for one in written] == [1]


def test_thinking_comes_back_as_thinking() -> None:
    one = problem(0)
    thought = response(one, "It is 2.", thinking="Is it 3?")
    cut = thought.model_copy(update={"outcome": "truncated_thinking", "text": "", "thinking_end": "unclosed"})
    for given in (thought, cut):
        base = sample(one, "correct")
        graded = (
            GradedSample(key=base.key, problem=one, response=given, verdicts=base.verdicts, targets=one.variables),
        )
        written = labelled_responses(places_of(graded, [["correct"]]), graded)
        (task,) = labelled_tasks(written, [one])
        assert task.response.text == given.text
        assert task.response.outcome == given.outcome
        assert "Is it 3?" in task.response.thinking
