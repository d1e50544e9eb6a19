"""What an experiment is: a plan, the targets it is graded against, and perhaps an analysis. All pure.

Everything between plan and analysis (engines, grading, storing, resuming) is the pipeline's and the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar, runtime_checkable

from cfe_local.experiments.analysis import Analysis
from cfe_local.experiments.source import SourceRun
from cfe_local.grading.base import Pair
from cfe_local.metrics.samples import GradedSample
from cfe_local.records import Case, Comparison, Key, Problem, Record, Response, Sampling, TargetVariable, Verdict

OptionsT = TypeVar("OptionsT", bound="Options")


class Options(Record):
    """An experiment's own settings (``experiment.options``); this base has none."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the pipeline must know about an experiment besides its plan.

    Attributes:
        templates: Prompt templates that its cases are made of; a change of another template changes no answer.
        options: Its own settings.
        samples: Responses per prompt where nothing else is said.
        protocols: How it is graded where nothing else is said.
        asks: Whether the model under test or the judge answers its cases.
        source: Whether it starts from an earlier run, and whether it needs what was answered there.
    """

    templates: tuple[str, ...] = ()
    options: type[Options] = Options
    samples: int = 1
    protocols: tuple[str, ...] = ("s2s",)
    asks: Literal["model", "judge"] = "model"
    source: Literal["none", "optional", "texts"] = "none"


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """What a plan or an analysis depends on besides the problems."""

    sampling: Sampling
    samples: int
    run_seed: int
    options: Options = field(default_factory=Options)
    source: SourceRun | None = None

    def sampling_for(self, key: Key) -> Sampling:
        """The run's sampling with this case's own seed."""
        # Not model_copy: it takes half of the time of planning a large diagnostic.
        return Sampling.model_construct(**{**self.sampling.__dict__, "seed": key.seed(self.run_seed)})

    def options_as(self, kind: type[OptionsT]) -> OptionsT:
        """The options as the experiment's own model.

        Raises:
            TypeError: If they belong to another experiment.
        """
        if not isinstance(self.options, kind):
            raise TypeError(f"options are {type(self.options).__name__}, not {kind.__name__}")
        return self.options


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier rounds of the same experiment gave, by key label."""

    responses: Mapping[str, Response] = field(default_factory=dict)
    verdicts: Mapping[str, Sequence[Verdict]] = field(default_factory=dict)


class Experiment(Protocol):
    """A plan and the targets its responses are graded against."""

    @property
    def name(self) -> str:
        """Its name in keys, configurations and the plug-in table."""
        ...

    @property
    def traits(self) -> Traits:
        """What the pipeline must know about it."""
        ...

    def plan(self, problems: Sequence[Problem], settings: PlanSettings, earlier: Earlier) -> Iterator[Case]:
        """Give every case that can be planned now, those already answered included.

        Called again with what came back until it plans nothing new. The order is the order of asking; prompts that
        share a prefix should stand together.

        Raises:
            UsageError: If the settings make no sense for these problems.
        """
        ...

    def question(self, problem: Problem, key: Key) -> str:
        """What the response with this key was to answer, as the judge is told; images as ``<image>``."""
        ...

    def targets(self, problem: Problem, key: Key) -> tuple[TargetVariable, ...]:
        """The variables against which the response with this key is graded."""
        ...


@dataclass(frozen=True, slots=True)
class ExperimentRecords:
    """What an analysis is made from.

    Attributes:
        problems: All selected problems, in file order.
        samples: One per planned case in the plan's order, whatever became of it.
        settings: What the plan was made with.
        grading: Name of the grading whose verdicts the samples carry.
        comparisons: What equivalence said about the pairs that the experiment asked for, by label.
    """

    problems: Sequence[Problem]
    samples: Sequence[GradedSample]
    settings: PlanSettings
    grading: str
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)

    def is_equal(self, pairs: Sequence[Pair]) -> bool:
        """Whether equivalence found any of these pairs equal."""
        found = (self.comparisons.get(pair.label) for pair in pairs)
        return any(one is not None and one.verdict == "equal" for one in found)


@runtime_checkable
class Analysing(Protocol):
    """An experiment with an analysis of its own; one without gets the exam's figures and report."""

    def analyse(self, records: ExperimentRecords) -> Analysis:
        """What the graded samples say."""
        ...


@runtime_checkable
class Comparing(Protocol):
    """An experiment whose analysis needs values compared: in processes with limits, once, kept in the run folder."""

    def pairs(self, records: ExperimentRecords) -> Sequence[Pair]:
        """What to compare before the analysis; ``comparisons`` is empty here."""
        ...
