"""How every judge call is made: the response reduced, fenced and quoted, a deterministic key, at most two attempts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from cfe_local.grading.base import GradingTask, Judged
from cfe_local.grading.fence import Fenced, fenced
from cfe_local.grading.reduce import Reduced, reduced
from cfe_local.prompts import render, text_message
from cfe_local.records import Case, Constraint, ExtractionStatus, Key, Response, Sampling

N_ATTEMPTS = 2
"""A call that fails is made once more, with the reason said; greedy decoding would repeat itself without that."""

TOKENS_PER_VALUE = 160
"""Room for one extracted value, tokens; the longest reference of the published benchmark takes about 120."""

FIGURE_MARK = "[figure]"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What a grading needs to know about the judge.

    Attributes:
        sampling: How judge calls are sampled; ``max_tokens`` and ``n_logprobs`` are set per call.
        max_response_tokens: Longer responses are reduced before the judge sees them, estimated tokens.
        max_reasoning: Characters of reasoning before a verdict; at most.
        accept_from: The probability of the verdict token from which the judge's word is believed, "correct" or
            "incorrect"; a lower one leaves the value undecided.
        typography: Whether values that a response states in a box or a final line are taken without asking the judge.
            A judge that an exam shows to copy better than this may be asked about everything.
    """

    sampling: Sampling = field(default_factory=lambda: Sampling(temperature=0.0))
    max_response_tokens: int = 6000
    max_reasoning: int = 300
    accept_from: float = 0.9
    typography: Literal["first", "never"] = "first"


@dataclass(frozen=True, slots=True)
class Quoted:
    """A response as it is quoted to the judge; `n_left_out` characters of it are not."""

    fenced: Fenced
    n_left_out: int


def quoted(task: GradingTask, settings: JudgeSettings) -> Quoted:
    """Reduce and fence a task's response."""
    names = [target.name for target in task.targets]
    short: Reduced = reduced(task.response.text, names, max_tokens=settings.max_response_tokens)
    return Quoted(fenced(task.key.label, short.text), short.n_left_out)


def judge_case(
    key: Key, template: str, values: Mapping[str, object], *, constraint: Constraint, sampling: Sampling
) -> Case:
    """One question to the judge: a single user turn, so that judges without a system role take it too."""
    return Case(
        key=key,
        messages=(text_message("user", render(template, **values)),),
        sampling=sampling,
        constraint=constraint,
    )


def problem_text(question: str) -> str:
    """The question as a text-only judge reads it."""
    return question.replace("<image>", FIGURE_MARK)


@dataclass(frozen=True, slots=True)
class Attempted(Generic[T]):
    """Where a repeated call stands: an answer that could be read, the next call, or the reason why there is none.

    Exactly one of the three is set.
    """

    value: T | None = None
    answer: Response | None = None
    due: Case | None = None
    failure: ExtractionStatus | None = None


def attempted(judged: Judged, make: Callable[[int, str], Case], read: Callable[[Response], T | None]) -> Attempted[T]:
    """Follow a call through its attempts.

    Args:
        judged: What is known so far.
        make: Builds the call for an attempt (0-based), given what was wrong with the one before (empty at first).
        read: Reads a complete answer; None if it is not of the expected shape.
    """
    failure: ExtractionStatus | None = None
    reason = ""
    for attempt in range(N_ATTEMPTS):
        case = make(attempt, reason)
        answer = judged.answers.get(case.key.label)
        if answer is None:
            return Attempted(due=case)
        if answer.outcome == "prompt_too_long":
            return Attempted(failure="too_long")
        value = read(answer) if answer.outcome == "answered" else None
        if value is not None:
            return Attempted(value=value, answer=answer)
        cut = answer.outcome in {"truncated", "truncated_thinking"}
        failure = "judge_truncated" if cut else "judge_invalid"
        reason = "was cut off because it was too long" if cut else "was not the JSON that was asked for"
    return Attempted(failure=failure)


def variable_rows(task: GradingTask, positions: Sequence[int], fields: Sequence[str]) -> list[dict[str, str]]:
    """What templates show about variables: field, name, description, type, reference."""
    rows = []
    for name, position in zip(fields, positions, strict=True):
        target = task.targets[position]
        rows.append(
            {
                "field": name,
                "name": target.name,
                "description": target.description,
                "type": target.type,
                "reference": target.value,
            }
        )
    return rows
