"""What an assessment is: questions to the judge about whole responses that end in records of their own, no verdicts.

Same form as a grading (`base`): comparisons and calls until neither is due, then a conclusion; all pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from cfe_local.grading.asking import Attempted, JudgeSettings, attempted, judge_case, problem_text, quoted
from cfe_local.grading.base import GradingTask, Judged, Pair
from cfe_local.grading.claims import CLAIM_TOKENS, Claim, quotable, read_claims
from cfe_local.grading.judge_grammar import claims_grammar, field
from cfe_local.records import Case, Key, Record

RecordT_co = TypeVar("RecordT_co", bound=Record, covariant=True)


class Inquiry(Protocol):
    """What the pipeline carries out, for gradings and assessments alike."""

    def pairs(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Pair]:
        """Comparisons that are due, each once."""
        ...

    def calls(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Case]:
        """Judge calls that are due."""
        ...


class Assessment(Inquiry, Protocol[RecordT_co]):
    """An inquiry that ends in records of its own."""

    @property
    def name(self) -> str:
        """Names its folder in a run, its calls and its template ``assess_NAME``."""
        ...

    def records(self, tasks: Sequence[GradingTask], judged: Judged) -> Sequence[RecordT_co]:
        """One record per task.

        Raises:
            IncompleteError: If something is still due.
        """
        ...


@dataclass(frozen=True, slots=True)
class ClaimField:
    """One thing that a response may earn points for, in the words of the prompt."""

    text: str
    maximum: int = 1


def asked_claims(
    task: GradingTask,
    call: str,
    fields: Sequence[ClaimField],
    judged: Judged,
    settings: JudgeSettings,
) -> Attempted[tuple[Claim, ...]]:
    """Follow the call about a response's claims; a response with nothing to quote earns nothing without being asked."""
    quote = quoted(task, settings)
    regions = quotable(quote)
    maxima = [one.maximum for one in fields]
    if not regions:
        return Attempted(value=tuple(Claim(0, "none") for _ in fields))

    def make(attempt: int, reason: str) -> Case:
        values = {
            "question": problem_text(task.question),
            "solution": task.solution,
            "references": [(target.name, target.value) for target in task.targets],
            "items": [(field(position), one.text, one.maximum) for position, one in enumerate(fields)],
            "mark": quote.fenced.mark,
            "response": quote.fenced.text,
            "reason": reason,
        }
        return judge_case(
            _call_key(task.key, call, attempt),
            f"assess_{call}",
            values,
            constraint=claims_grammar(regions, maxima, settings.max_reasoning // 2),
            sampling=settings.sampling.model_copy(update={"max_tokens": CLAIM_TOKENS * len(fields), "n_logprobs": 0}),
        )

    return attempted(judged, make, _reader(task, maxima))


def _reader(task: GradingTask, maxima: Sequence[int]) -> Callable[..., tuple[Claim, ...] | None]:
    return lambda answer: read_claims(answer.text, task.response.text, maxima)


def _call_key(key: Key, call: str, attempt: int) -> Key:
    return key.model_copy(update={"call": call, "attempt": attempt})
