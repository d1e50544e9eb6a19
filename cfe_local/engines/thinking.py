"""Tells a model's thinking from its answer, by how the prompt ended and what the model wrote. Pure functions.

Chat templates differ: some open thinking in the prompt (the response then holds only the end mark), some open and close
it there (the response is all answer), some leave it to the model. The model's name says nothing reliable about it, so
the tail of the rendered prompt decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cfe_local.records import ThinkingEnd

PromptThinking = Literal["open", "closed", "none"]
"""What a rendered prompt leaves behind: thinking opened, thinking opened and closed again, or nothing about it."""


@dataclass(frozen=True, slots=True)
class ThinkingMarks:
    """The texts between which a model thinks."""

    start: str
    end: str


@dataclass(frozen=True, slots=True)
class SplitText:
    """A response, taken apart. ``answer`` is empty where thinking never ended: there is no answer then."""

    thinking: str
    answer: str
    end: Literal["none", "closed", "unclosed"]


def thinking_in_prompt(prompt: str, marks: ThinkingMarks) -> PromptThinking:
    """How a rendered prompt ends; blanks and newlines after the mark do not matter."""
    tail = prompt.rstrip()
    if tail.endswith(marks.start):
        return "open"
    return "closed" if tail.endswith(marks.end) else "none"


def split_thinking(text: str, prompt: PromptThinking, marks: ThinkingMarks) -> SplitText:
    """Take a response apart.

    Args:
        text: Everything that the model wrote.
        prompt: What the prompt left open.
        marks: The model's marks.

    Returns:
        Thinking up to the first end mark, if the prompt opened thinking or the response begins with the start mark.
        Otherwise everything is answer: a mark inside an answer is only text.
    """
    body = text.lstrip()
    if body.startswith(marks.start):
        body = body.removeprefix(marks.start)
    elif prompt != "open":
        return SplitText(thinking="", answer=text, end="none")
    thinking, mark, answer = body.partition(marks.end)
    if not mark:
        return SplitText(thinking=thinking.strip(), answer="", end="unclosed")
    return SplitText(thinking=thinking.strip(), answer=answer.strip(), end="closed")


def count_through_mark(token_ids: Sequence[int], mark_ids: Sequence[int]) -> int | None:
    """Number of tokens up to and with the first occurrence of a mark; None if it does not occur as these tokens."""
    wanted = list(mark_ids)
    for start in range(len(token_ids) - len(wanted) + 1):
        if list(token_ids[start : start + len(wanted)]) == wanted:
            return start + len(wanted)
    return None


def thinking_end(split: SplitText, n_thinking_tokens: int, budget: int | None) -> ThinkingEnd:
    """How thinking ended.

    Args:
        split: The response.
        n_thinking_tokens: Thinking tokens without the end mark, those in the prompt after the start mark included.
        budget: The cap that the engine enforced, in tokens; None if there was none.

    Returns:
        ``closed_by_budget`` when thinking was closed with its budget used up. A model that closes by itself with its
        very last allowed token looks the same and is counted there.
    """
    if split.end == "closed" and budget is not None and n_thinking_tokens >= budget:
        return "closed_by_budget"
    return split.end
