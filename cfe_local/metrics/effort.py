"""What answering and judging cost: tokens, seconds, devices. Nothing here about right or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from pydantic import Field

from cfe_local.metrics.scores import Count, count_names
from cfe_local.records import Record, Response


class Distribution(Record):
    """Order statistics of a list of numbers. All None where there are none."""

    n: int = Field(ge=0)
    total: float
    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    max: float | None = None


class ResponseEffort(Record):
    """Tokens and time of the responses that generated anything; tokens per response, seconds per response."""

    prompt_tokens: Distribution
    thinking_tokens: Distribution
    answer_tokens: Distribution
    seconds: Distribution = Field(
        description="From hand-over to the engine until finished, waiting for others included."
    )


class JudgeEffort(Record):
    """What grading asked of the judge."""

    n_calls: int = Field(ge=0)
    calls: tuple[Count, ...] = Field(description="By what was asked: extract, verify, ...")
    n_prompt_tokens: int = Field(ge=0)
    n_cached_tokens: int = Field(ge=0, description="Prompt tokens that the prefix cache served.")
    n_generated_tokens: int = Field(ge=0)
    tokens_per_variable: float | None = Field(description="Prompt and generated tokens over graded variables.")
    uncached_tokens_per_variable: float | None = Field(description="The same without what the prefix cache served.")


class EngineTime(Record):
    """How long one engine was up for one phase of the run."""

    phase: str = Field(description="generate or grade.")
    seconds: float = Field(ge=0, description="Wall time from first case to last response, loading left out.")
    n_devices: int = Field(default=1, ge=1)
    device: str = Field(default="cpu", description="cpu, cuda, ...")

    @property
    def gpu_hours(self) -> float:
        """Device hours; 0 on a CPU."""
        return 0.0 if self.device == "cpu" else self.seconds * self.n_devices / 3600


def distribution(values: Iterable[float]) -> Distribution:
    """Order statistics; p50 and p90 interpolate linearly between neighbours."""
    data = np.asarray(list(values), dtype=np.float64)
    if not len(data):
        return Distribution(n=0, total=0)
    p50, p90 = np.quantile(data, (0.5, 0.9))
    return Distribution(
        n=len(data),
        total=float(data.sum()),
        mean=float(data.mean()),
        p50=float(p50),
        p90=float(p90),
        max=float(data.max()),
    )


def response_effort(responses: Sequence[Response]) -> ResponseEffort:
    """Effort of the responses that generated anything; the others would pull every figure towards 0."""
    ran = [r for r in responses if r.outcome in ("answered", "truncated", "truncated_thinking")]
    return ResponseEffort(
        prompt_tokens=distribution(r.n_prompt_tokens for r in ran),
        thinking_tokens=distribution(r.n_thinking_tokens for r in ran),
        answer_tokens=distribution(r.n_answer_tokens for r in ran),
        seconds=distribution(r.seconds for r in ran),
    )


def judge_effort(calls: Sequence[Response], *, n_variables: int) -> JudgeEffort:
    """Sums over the judge's calls, retries included; ``n_variables`` is how many variables got a verdict."""
    n_prompt = sum(r.n_prompt_tokens for r in calls)
    n_cached = sum(r.n_cached_tokens for r in calls)
    n_generated = sum(r.n_thinking_tokens + r.n_answer_tokens for r in calls)
    return JudgeEffort(
        n_calls=len(calls),
        calls=count_names([r.key.call or "answer" for r in calls]),
        n_prompt_tokens=n_prompt,
        n_cached_tokens=n_cached,
        n_generated_tokens=n_generated,
        tokens_per_variable=(n_prompt + n_generated) / n_variables if n_variables else None,
        uncached_tokens_per_variable=(n_prompt - n_cached + n_generated) / n_variables if n_variables else None,
    )
