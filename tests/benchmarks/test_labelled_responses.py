"""The labelled responses to the sample benchmark: their shape, and that the labels agree with the texts."""

import json
import re
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "cfe_local" / "benchmarks" / "sample"
PROBLEMS: dict[str, list[dict[str, Any]]] = {
    split: json.loads((SAMPLE / f"CFE_{split}.json").read_text(encoding="utf-8")) for split in ("text", "mm")
}
LINES = (SAMPLE / "labelled_responses.jsonl").read_text(encoding="utf-8").splitlines()
RESPONSES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
FIELDS = {
    "key": str,
    "split": str,
    "row": int,
    "id": str,
    "style": list,
    "kind": str,
    "response": str,
    "finish_reason": str,
    "gold_extraction": list,
    "gold_correct": list,
    "gold_question_correct": bool,
    "note": str,
}
THINKING = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
by_key = pytest.mark.parametrize("response", RESPONSES, ids=[response["key"] for response in RESPONSES])


def visible(response: dict[str, Any]) -> str:
    """What stands outside thinking blocks, with every run of white space as one blank."""
    return " ".join(THINKING.sub(" ", response["response"]).split())


@by_key
def test_every_response_has_the_fields_and_belongs_to_its_problem(response: dict[str, Any]) -> None:
    assert {name: type(value) for name, value in response.items()} == FIELDS
    problem = PROBLEMS[response["split"]][response["row"]]
    assert response["id"] == problem["id"]
    assert re.fullmatch(rf"{response['split']}:{response['row']}:{problem['id'][:8]}:[A-Z]", response["key"])
    assert response["finish_reason"] in ("stop", "length")
    n_variables = len(problem["short_answer_value"])
    assert len(response["gold_extraction"]) == len(response["gold_correct"]) == n_variables
    assert all(value is None or (isinstance(value, str) and value) for value in response["gold_extraction"])
    assert all(isinstance(value, bool) for value in response["gold_correct"])
    assert response["note"]


@by_key
def test_every_labelled_value_stands_in_the_visible_text_and_no_absent_value_is_right(response: dict[str, Any]) -> None:
    text = visible(response)
    for value, correct in zip(response["gold_extraction"], response["gold_correct"], strict=True):
        assert value is not None or not correct
        assert value is None or " ".join(value.split()) in text
    assert response["gold_question_correct"] == all(response["gold_correct"])


@by_key
def test_the_kind_of_a_response_fits_its_labels(response: dict[str, Any]) -> None:
    kind, text = response["kind"], response["response"]
    right_kinds = ("correct_", "retracts_wrong_answer", "truncated_after_answer", "injected_right")
    assert kind.startswith(right_kinds) == response["gold_question_correct"]
    assert (kind == "empty") == (text == "")
    assert (response["finish_reason"] == "length") == (
        kind.startswith("truncated") or (kind == "thinking_only" and "</think>" not in text)
    )
    if kind in ("empty", "thinking_only", "truncated_in_think"):
        assert visible(response) == ""
    if kind in ("contradictory_finals", "different_question", "partial_variables", "truncated_before_answer"):
        assert None in response["gold_extraction"]


def test_keys_are_unique_and_every_problem_is_answered_at_least_five_times() -> None:
    assert len({response["key"] for response in RESPONSES}) == len(RESPONSES)
    per_problem = Counter((response["split"], response["row"]) for response in RESPONSES)
    assert per_problem.keys() == {(split, row) for split, rows in PROBLEMS.items() for row in range(len(rows))}
    assert min(per_problem.values()) >= 5
    assert len({response["response"] for response in RESPONSES if response["response"]}) == len(RESPONSES) - 2


def test_the_mix_holds_every_kind_of_response_that_misleads_judges() -> None:
    kinds = Counter(response["kind"].split("_")[0] for response in RESPONSES)
    expected = {
        "correct": 50,
        "injected": 15,
        "wrong": 20,
        "one": 8,
        "swapped": 2,
        "hedged": 4,
        "retracts": 6,
        "truncated": 8,
        "contradictory": 4,
        "partial": 4,
        "different": 2,
        "thinking": 3,
        "empty": 2,
        "others": 2,
        "right": 2,
    }
    assert {name: count for name, count in expected.items() if kinds[name] < count} == {}
    assert len(RESPONSES) >= 120
    assert 0.4 <= statistics.mean(response["gold_question_correct"] for response in RESPONSES) <= 0.6
    languages = {"german", "chinese", "french", "spanish", "italian", "portuguese", "russian", "japanese"}
    assert languages <= {style for response in RESPONSES for style in response["style"]}


def test_lengths_vary_around_a_hundred_words() -> None:
    lengths = [len(response["response"].split()) for response in RESPONSES if response["response"]]
    assert 100 <= statistics.median(lengths) <= 180
    assert sum(length >= 200 for length in lengths) >= 10
    assert max(lengths) <= 500
