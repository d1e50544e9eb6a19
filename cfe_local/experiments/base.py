"""What an experiment is: a plan, the targets it is graded against, and an analysis. All pure.

Everything between plan and analysis (engines, grading, storing, resuming) is the pipeline's and the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from cfe_local.records import Case, Key, Problem, Response, Sampling, TargetVariable, Verdict


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """What a plan depends on besides the problems."""

    sampling: Sampling
    samples: int
    run_seed: int
    options: Mapping[str, JsonValue] = field(default_factory=dict)

    def sampling_for(self, key: Key) -> Sampling:
        """The run's sampling with this case's own seed."""
        return self.sampling.model_copy(update={"seed": key.seed(self.run_seed)})


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier rounds of the same experiment gave, by key label."""

    responses: Mapping[str, Response] = field(default_factory=dict)
    verdicts: Mapping[str, Sequence[Verdict]] = field(default_factory=dict)


class Experiment(Protocol):
    """A plan and the targets its responses are graded against."""

    name: str

    def plan(self, problems: Sequence[Problem], settings: PlanSettings, earlier: Earlier) -> Iterator[Case]:
        """Give every case that can be planned now, those already answered included.

        Called again with what came back until it plans nothing new. The order is the order of asking; prompts that
        share a prefix should stand together.

        Raises:
            UsageError: If the settings make no sense for these problems.
        """
        ...

    def targets(self, problem: Problem, key: Key) -> tuple[TargetVariable, ...]:
        """The variables against which the response with this key is graded."""
        ...
