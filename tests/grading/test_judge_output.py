"""Reading the judge: the whole text is JSON of the right shape, or it is nothing."""

import math

import pytest

from cfe_local.grading.judge_output import read_extraction, read_overall, read_verification, truth_probabilities
from cfe_local.records import Key, Response, TokenLogprob

# Source: judge outputs that other graders took for verdicts.
NOT_A_VERDICT = [
    "",
    "[ERROR] 500",
    '{"is_correct": "maybe"}',
    '```json\n{"is_correct": true}\n```',
    '{{"is_correct": true}}',
    "0 - the correct value is 10",
    r'The value \frac{1}{2}... {"is_correct": true}',
    '{"is_correct": true}',
    '{"reasoning": "", "is_correct": 1, "confidence": "high"}',
    '{"reasoning": "", "is_correct": true, "confidence": "certain"}',
    '{"reasoning": "", "is_correct": true, "confidence": "high", "more": 1}',
    '{"verdict":' + " " * 900,
]


@pytest.mark.parametrize("text", NOT_A_VERDICT)
def test_what_is_not_exactly_a_verdict_is_none(text: str) -> None:
    assert read_verification(text) is None


def test_a_verdict_is_read() -> None:
    found = read_verification('{"reasoning": "same", "is_correct": true, "confidence": "medium"}')
    assert found is not None
    assert (found.is_correct, found.reasoning, found.confidence) == (True, "same", "medium")


def test_extraction_needs_exactly_its_fields() -> None:
    assert read_extraction('{"v1": "3", "v2": null}', 2) == ("3", None)
    assert read_extraction('{"v1": "  "}', 1) == (None,)
    assert read_extraction('{"v1": "3"}', 2) is None
    assert read_extraction('{"v1": "3", "v2": "4", "v3": "5"}', 2) is None
    assert read_extraction('{"v1": 3}', 1) is None


def test_latex_that_json_took_for_an_escape_is_invalid() -> None:
    assert read_extraction(r'{"v1": "\frac{1}{2}"}', 1) is None
    assert read_extraction(r'{"v1": "\\frac{1}{2}"}', 1) == (r"\frac{1}{2}",)


def test_overall_verdicts_are_read_in_order() -> None:
    found = read_overall('{"reasoning": "r", "v1": true, "v2": false}', 2)
    assert found is not None
    assert found.is_correct == (True, False)


def test_the_verdict_tokens_probability_is_rescaled_to_both_words() -> None:
    token = TokenLogprob(
        token=" true", logprob=math.log(0.6), alternatives={" true": math.log(0.6), " false": math.log(0.2)}
    )
    other = TokenLogprob(token="x", logprob=0.0)
    key = Key(experiment="e", split="s", row=0, sample=0)
    answer = Response(key=key, outcome="answered", text="", logprobs=(other, token))
    assert truth_probabilities(answer) == pytest.approx((0.75,))
