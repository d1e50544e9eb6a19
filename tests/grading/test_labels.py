"""Files of labelled responses: what they hold, and what is wrong with them, by line and key."""

import json

import pytest

from cfe_local.errors import BenchmarkError
from cfe_local.grading.labels import labelled_tasks, read_labels
from cfe_local.records import Problem, TextPart
from tests.grading.tasks import target

PROBLEM = Problem(
    split="text",
    row=3,
    problem_id="abc",
    question=(TextPart(text="How long?"),),
    solution="It follows.",
    variables=(target("t", "3 s"), target("s", "4 m")),
)
LABEL = {
    "key": "text:3:abc:A",
    "split": "text",
    "row": 3,
    "id": "abc",
    "style": ["plain"],
    "kind": "partial",
    "response": "It takes 3 s.",
    "finish_reason": "stop",
    "gold_extraction": ["3 s", None],
    "gold_correct": [True, False],
    "gold_question_correct": False,
    "note": "",
}


def lines(*changes: dict[str, object]) -> str:
    return "\n".join(json.dumps({**LABEL, **change}) for change in changes) + "\n"


def test_labels_become_tasks_in_file_order_with_keys_of_their_own() -> None:
    labels = read_labels(lines({}, {"key": "text:3:abc:B", "response": "4 s"}), source="f")
    tasks = labelled_tasks(labels, [PROBLEM])
    assert [task.response.text for task in tasks] == ["It takes 3 s.", "4 s"]
    assert [task.key.sample for task in tasks] == [0, 1]
    assert tasks[0].question == "How long?"
    assert tasks[0].targets == PROBLEM.variables


@pytest.mark.parametrize(
    ("response", "finish", "text", "outcome"),
    [
        ("<think>3? no, 4</think>\n\nIt is 4.", "stop", "It is 4.", "answered"),
        ("<think>maybe 3", "length", "", "truncated_thinking"),
        ("3? no, 4</think>It is 4.", "stop", "It is 4.", "answered"),
        ("It is 4, because", "length", "It is 4, because", "truncated"),
    ],
)
def test_thinking_is_no_answer(response: str, finish: str, text: str, outcome: str) -> None:
    labels = read_labels(lines({"response": response, "finish_reason": finish}), source="f")
    (one,) = labelled_tasks(labels, [PROBLEM])
    assert (one.response.text, one.response.outcome) == (text, outcome)
    assert "maybe 3" in one.response.thinking or outcome != "truncated_thinking"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no labelled responses"),
        ("{", "f:1: not JSON"),
        ("[]", "f:1: line"),
        (lines({"gold_correct": ["yes", False]}), "f:1: gold_correct.0"),
        (lines({}, {"key": "B", "verdict": True}), "f:2: verdict"),
        (lines({"gold_correct": [True]}), "f:1: 2 gold_extraction but 1 gold_correct"),
        (lines({"gold_question_correct": True}), "f:1: gold_question_correct does not follow"),
        (lines({}, {}), "stands 2 times"),
        (lines({"row": -1}), "f:1: row"),
    ],
)
def test_a_file_of_the_wrong_shape_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(BenchmarkError, match=message):
        read_labels(text, source="f")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"row": 4}, "no problem text:4"),
        ({"split": "mm"}, "no problem mm:3"),
        ({"id": "xyz"}, "has the id 'abc', the label says 'xyz'"),
        ({"gold_extraction": [None], "gold_correct": [False]}, "1 labels for the 2 variables of text:3"),
    ],
)
def test_labels_of_another_benchmark_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(BenchmarkError, match=message):
        labelled_tasks(read_labels(lines(change), source="f"), [PROBLEM])
