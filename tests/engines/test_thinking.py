"""Thinking against answer, as tables."""

from __future__ import annotations

import pytest

from cfe_local.engines.thinking import (
    PromptThinking,
    ThinkingMarks,
    count_through_mark,
    split_thinking,
    thinking_end,
    thinking_in_prompt,
)

MARKS = ThinkingMarks("<think>", "</think>")
ASSISTANT = "<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("tail", "left"),
    [
        (ASSISTANT, "none"),
        (ASSISTANT + "<think>\n", "open"),  # DeepSeek-R1 and Qwen3 thinking templates
        (ASSISTANT + "<think>", "open"),
        (ASSISTANT + "<think>\n\n</think>\n\n", "closed"),  # Qwen3.5 with thinking off
        (ASSISTANT + "</think>", "closed"),
        ("put your reasoning between <think> and </think>.<|im_end|>\n" + ASSISTANT, "none"),
        ("<think>old</think>answer<|im_end|>" + ASSISTANT + "<think>\n", "open"),
    ],
)
def test_the_tail_of_the_prompt_says_whether_thinking_is_open(tail: str, left: PromptThinking) -> None:
    assert thinking_in_prompt("<|im_start|>user\nhow?<|im_end|>\n" + tail, MARKS) == left


@pytest.mark.parametrize(
    ("prompt", "text", "thinking", "answer", "end"),
    [
        ("open", "foo</think>42", "foo", "42", "closed"),
        ("open", "\nfoo\n</think>\n\n42\n", "foo", "42", "closed"),
        ("open", "<think>foo</think>42", "foo", "42", "closed"),  # opened twice
        ("open", "maybe x=3? no, 4", "maybe x=3? no, 4", "", "unclosed"),
        ("open", "", "", "", "unclosed"),
        ("open", "a</think>b</think>c", "a", "b</think>c", "closed"),
        ("open", "</think>42", "", "42", "closed"),
        ("closed", "42", "", "42", "none"),
        ("closed", "foo</think>42", "", "foo</think>42", "none"),
        ("closed", "<think>again</think>42", "again", "42", "closed"),
        ("none", "42", "", "42", "none"),
        ("none", "  42 ", "", "  42 ", "none"),
        ("none", "\n<think>\nfoo</think>\n42", "foo", "42", "closed"),
        ("none", "<think>maybe x=3? no, 4", "maybe x=3? no, 4", "", "unclosed"),
        ("none", "HTML has no <think> tag", "", "HTML has no <think> tag", "none"),
        ("none", "the mark </think> ends it", "", "the mark </think> ends it", "none"),
    ],
)
def test_only_thinking_that_was_opened_is_taken_out(
    prompt: PromptThinking, text: str, thinking: str, answer: str, end: str
) -> None:
    split = split_thinking(text, prompt, MARKS)
    assert (split.thinking, split.answer, split.end) == (thinking, answer, end)


def test_marks_of_other_models_work_the_same_way() -> None:
    marks = ThinkingMarks("[THINK]", "[/THINK]")
    assert split_thinking("[THINK]a</think>b[/THINK]c", "none", marks).answer == "c"


@pytest.mark.parametrize(
    ("token_ids", "mark_ids", "count"),
    [
        ([1, 2, 9, 4], [9], 3),
        ([9], [9], 1),
        ([1, 7, 8, 7, 9, 3], [7, 9], 5),
        ([1, 2, 3], [9], None),
        ([], [9], None),
        ([7], [7, 9], None),
        ([9, 1, 9], [9], 1),
    ],
)
def test_tokens_are_counted_through_the_first_mark(
    token_ids: list[int], mark_ids: list[int], count: int | None
) -> None:
    assert count_through_mark(token_ids, mark_ids) == count


@pytest.mark.parametrize(
    ("text", "n_tokens", "budget", "end"),
    [
        ("a</think>b", 5, 16, "closed"),
        ("a</think>b", 16, 16, "closed_by_budget"),
        ("a</think>b", 40, None, "closed"),
        ("a", 16, 16, "unclosed"),
    ],
)
def test_a_used_up_budget_means_that_thinking_was_closed_by_force(
    text: str, n_tokens: int, budget: int | None, end: str
) -> None:
    assert thinking_end(split_thinking(text, "open", MARKS), n_tokens, budget) == end
