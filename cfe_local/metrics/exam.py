"""The exam's figures as records: what ``metrics.json`` holds. How they are computed stands in ``summary``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from cfe_local.metrics.accuracy import Accuracy, PassAtK
from cfe_local.metrics.effort import EngineTime, JudgeEffort, ResponseEffort
from cfe_local.metrics.scores import Count, Share
from cfe_local.records import ProblemKind, Record, VariableType

FORMAT_VERSION = 1


class Figures(Record):
    """The scores of one group of samples."""

    name: str
    n_problems: int = Field(ge=0, description="Rows of the benchmark, copies counted.")
    n_samples: int = Field(ge=0, description="Planned.")
    n_variables: int = Field(ge=0, description="Planned, over all samples.")
    question_accuracy: Accuracy
    variable_accuracy: Accuracy
    pass_at_k: tuple[PassAtK, ...] = ()


class TypeFigures(Record):
    """The scores of the variables of one type, every variable weighing the same."""

    type: VariableType
    n_variables: int = Field(ge=0)
    accuracy: Accuracy


class KindFigures(Record):
    """The scores of the problems of one kind."""

    kind: ProblemKind
    figures: Figures
    unparsable: Share = Field(
        description="Samples whose statement could not be read; not correct, and apart from wrong."
    )
    renamed: Share = Field(description="Samples that are right if symbols may be renamed, and not correct otherwise.")
    credit: Share = Field(description="1 for all answers of a sample right, 1/2 for at least half of them, else 0.")


class Decider(Record):
    """What one decider (equivalence, judge, outcome) said, counted in variables."""

    by: Literal["equivalence", "judge", "outcome", "nobody"] = Field(description="nobody: not graded yet.")
    n: int = Field(ge=0)
    share: float | None = Field(description="Of all planned variables.")
    n_correct: int = Field(ge=0)
    n_incorrect: int = Field(ge=0)
    n_undecided: int = Field(ge=0)


class ExamMetrics(Record):
    """Everything measured in one exam under one grading.

    Shares are in [0, 1]. ``upstream`` repeats the main figures under the names that the benchmark's own scripts use.
    """

    format_version: int = FORMAT_VERSION
    experiment: str
    grading: str
    n_planned: int = Field(ge=0, description="Samples.")
    n_missing: int = Field(ge=0, description="Planned samples without a response yet.")
    n_not_graded: int = Field(ge=0, description="Samples with a response and without a verdict on some variable.")
    overall: Figures = Field(description="All planned rows.")
    first_copies: Figures | None = Field(description="Without later rows that repeat an id; None where no id repeats.")
    without_errata: Figures | None = Field(
        description="Without the rows with doubtful references; None without a list."
    )
    n_errata_rows: int = Field(ge=0)
    by_split: tuple[Figures, ...]
    by_topic: tuple[Figures, ...]
    by_type: tuple[TypeFigures, ...]
    by_kind: tuple[KindFigures, ...] = Field(default=(), description="Empty where all problems ask for variables.")
    n_without_values: int = Field(
        default=0, ge=0, description="Planned samples that ask for no value (proofs); in no accuracy."
    )
    outcomes: tuple[Count, ...] = Field(description="What became of the planned samples; ``missing`` included.")
    thinking_ends: tuple[Count, ...]
    truncation: Share = Field(description="Truncated answers and unclosed thinking over planned samples.")
    finished: Figures | None = Field(description="Samples where the model stopped by itself.")
    truncated: Figures | None = Field(description="Samples that ran into a token limit.")
    undecided_reasons: tuple[Count, ...] = Field(description="Over undecided variables.")
    incorrect_reasons: tuple[Count, ...] = Field(description="Over incorrect variables.")
    deciders: tuple[Decider, ...]
    effort: ResponseEffort
    judge: JudgeEffort
    engine_times: tuple[EngineTime, ...] = ()
    gpu_hours: float | None = Field(default=None, description="None where no engine time was recorded.")
    warnings: tuple[str, ...] = ()
    upstream: dict[str, float | None] = Field(default_factory=dict)


def metrics_json_schema() -> dict[str, Any]:
    """JSON schema of ``metrics.json`` (draft 2020-12)."""
    schema = ExamMetrics.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
