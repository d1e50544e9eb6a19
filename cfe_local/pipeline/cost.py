"""What a run will cost, before it starts: cases, tokens, and time at the rate that an earlier run was measured at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cfe_local.pipeline.clock import engine_work
from cfe_local.pipeline.plan import RunPlan
from cfe_local.records import Case, Response
from cfe_local.store import RunStore
from cfe_local.store.run import MANIFEST_NAME

CHARS_PER_TOKEN = 3.5
"""English text with formulas, roughly; tokenizers of open models give 3 to 4."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What an earlier run's generation was measured at.

    Attributes:
        tokens_per_response: Generated tokens, thinking included; mean.
        tokens_per_second: Generated tokens over engine time, all devices together.
    """

    path: Path
    tokens_per_response: float
    tokens_per_second: float


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate; images come on top of the prompts' tokens, grading on top of the time.

    Attributes:
        n_cases: Planned.
        n_answered: Of these, already answered in the run folder.
        n_prompt_tokens: Of what is left, estimated from characters; shared prefixes are computed once.
        most_answer_tokens: If every answer ran into its limit; thinking comes on top.
        rate: Of the run that this one starts from; None where there is none or it generated nothing.
    """

    n_cases: int
    n_answered: int
    n_prompt_tokens: int
    most_answer_tokens: int
    rate: Rate | None

    @property
    def n_left(self) -> int:
        """Cases that will be asked."""
        return self.n_cases - self.n_answered

    @property
    def seconds(self) -> float | None:
        """Of generation, if answers are as long and come as fast as in the earlier run."""
        if self.rate is None:
            return None
        return self.n_left * self.rate.tokens_per_response / self.rate.tokens_per_second


def estimate(plan: RunPlan) -> Cost:
    """What the plan will cost.

    Raises:
        UsageError: As the experiment's plan.
        StoreError: If the run folder or the earlier run cannot be read.
    """
    cases = plan.cases()
    answered = _answered(plan.config.out, cases)
    left = [case for case in cases if case.key.label not in answered]
    source = plan.config.experiment.source
    return Cost(
        n_cases=len(cases),
        n_answered=len(cases) - len(left),
        n_prompt_tokens=round(sum(map(_n_chars, left)) / CHARS_PER_TOKEN),
        most_answer_tokens=len(left) * plan.asked.sampling.max_tokens,
        rate=measured_rate(source) if source is not None else None,
    )


def measured_rate(path: Path) -> Rate | None:
    """How fast a finished run generated; None where it generated nothing or no time was recorded.

    Raises:
        StoreError: If the folder is no run.
    """
    with RunStore.open(path) as store:
        responses = store.stream("responses", Response).load().records.values()
        times = [work.time for work in engine_work(store).load().records.values()]
    seconds = sum(time.seconds for time in times if time.phase == "generate")
    n_tokens = sum(response.n_answer_tokens + response.n_thinking_tokens for response in responses)
    if not n_tokens or not seconds:
        return None
    return Rate(path, tokens_per_response=n_tokens / len(responses), tokens_per_second=n_tokens / seconds)


def _answered(folder: Path, cases: tuple[Case, ...]) -> frozenset[str]:
    if not (folder / MANIFEST_NAME).is_file():
        return frozenset()
    with RunStore.open(folder) as store:
        planned = {case.key.label for case in cases}
        return frozenset(store.stream("responses", Response).index(planned).offsets)


def _n_chars(case: Case) -> int:
    return sum(len(part.text) for message in case.messages for part in message.parts if part.kind == "text")
