"""What one run is: benchmark, model, judge, experiment, grading, selection, seed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator

from cfe_local.config.model import JudgeConfig, ModelConfig
from cfe_local.records import Record

_ROW_NUMBER = re.compile(r"[0-9]{1,9}")
_SHARD = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")


class BenchmarkConfig(Record):
    """Where the problems are."""

    path: str = Field(description="A benchmark folder or file, or `sample` or `arb_sample`, which ship with cfe_local.")
    format: Literal["auto", "cfe", "arb", "plain"] = Field(default="auto", description="auto looks at the files.")


class SelectionConfig(Record):
    """Which problems are planned; everything else does not exist for this run's denominators."""

    splits: tuple[str, ...] = Field(default=(), description="Names of splits; empty means all.")
    rows: tuple[str, ...] = Field(default=(), description="Rows as `split:row` or `split:first-last`; empty means all.")
    limit: int | None = Field(default=None, ge=1, description="At most this many problems, in file order.")
    shard: str = Field(default="", description="`i/n`: only every n-th of these problems, beginning with the i-th.")

    @field_validator("rows")
    @classmethod
    def _rows_are_written_right(cls, rows: tuple[str, ...]) -> tuple[str, ...]:
        for row in rows:
            split, colon, numbers = row.partition(":")
            bounds = numbers.split("-", maxsplit=1)
            if not (split and colon and all(_ROW_NUMBER.fullmatch(bound) for bound in bounds)):
                raise ValueError(f"row {row!r} is not written as split:row or split:first-last, for example text:0-7")
        return rows

    @field_validator("shard")
    @classmethod
    def _shard_is_written_right(cls, shard: str) -> str:
        match = _SHARD.fullmatch(shard)
        if shard and not (match and 1 <= int(match[1]) <= int(match[2])):
            raise ValueError(f"shard {shard!r} is not written as i/n with 1 <= i <= n, for example 2/3")
        return shard

    @property
    def shard_numbers(self) -> tuple[int, int]:
        """Which part of how many; 1 of 1 where nothing is left out."""
        match = _SHARD.fullmatch(self.shard)
        return (int(match[1]), int(match[2])) if match else (1, 1)


class ExperimentConfig(Record):
    """Which plan and analysis the run follows."""

    name: str = "exam"
    samples: int = Field(
        default=1, ge=1, description="n: responses drawn per prompt; left out, the experiment's own number."
    )
    k: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        default=(1,), min_length=1, description="pass@k is reported for these; each at most `samples`."
    )
    options: dict[str, JsonValue] = Field(default_factory=dict, description="The experiment's own settings.")
    source: Path | None = Field(default=None, description="An earlier run folder that the experiment starts from.")
    source_grading: str = Field(default="", description="Whose verdicts of it count; its only one where empty.")


class GradingConfig(Record):
    """How responses become verdicts."""

    protocols: tuple[str, ...] = Field(default=("s2s",), min_length=1)
    name: str = Field(
        default="",
        pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,99})?$",
        description="Name of this grading inside the run; the protocol's where empty.",
    )
    max_response_tokens: int = Field(default=6000, ge=200, description="Longer responses are reduced before judging.")
    typography: Literal["first", "never"] = Field(
        default="first", description="Whether plainly stated values are taken without asking the judge to copy them."
    )
    accept_from: float = Field(
        default=0.9, gt=0.5, le=1, description="Probability of the judge's verdict from which it is believed."
    )

    @field_validator("protocols")
    @classmethod
    def _protocols_are_named_once(cls, protocols: tuple[str, ...]) -> tuple[str, ...]:
        for name in protocols:
            if protocols.count(name) > 1:
                raise ValueError(f"{name} is named twice")
        return protocols


class EquivalenceConfig(Record):
    """Limits of the worker processes that compare values."""

    workers: int = Field(default=2, ge=1, le=1024)
    timeout_s: float = Field(default=5.0, gt=0)
    memory_mb: int = Field(default=1024, ge=256)


class WatchdogConfig(Record):
    """When an engine is given up, and how often a new one goes on with what is left."""

    stall_s: float = Field(
        default=900.0, gt=0, allow_inf_nan=False, description="Without a response and without a step, s."
    )
    startup_s: float = Field(default=3600.0, gt=0, allow_inf_nan=False, description="To load a model, s.")
    max_restarts: int = Field(default=8, ge=0, description="In one stage of one run; 0 gives up at the first death.")


class RunConfig(Record):
    """Everything that defines a run. A copy is saved in the run folder."""

    benchmark: BenchmarkConfig
    model: ModelConfig
    judge: JudgeConfig | None = Field(default=None, description="Left out: responses are generated, not graded.")
    experiment: ExperimentConfig = Field(default_factory=ExperimentConfig)
    grading: GradingConfig = Field(default_factory=GradingConfig)
    selection: SelectionConfig = Field(default_factory=SelectionConfig)
    equivalence: EquivalenceConfig = Field(default_factory=EquivalenceConfig)
    watchdog: WatchdogConfig = Field(default_factory=WatchdogConfig)
    seed: int = Field(default=0, ge=0)
    out: Path = Field(default=Path("runs/run"), description="The run folder.")
    allow_network: bool = Field(default=False, description="Off: any connection that leaves this machine is an error.")

    @property
    def self_judged(self) -> bool:
        """Whether the model under test grades itself."""
        return self.judge is not None and Path(self.judge.path) == Path(self.model.path)
