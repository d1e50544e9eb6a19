"""A sweep: one file names models, benchmarks, experiments and samplings; each combination becomes a RunConfig.

    out: runs/night
    judge: {card: configs/judges/qwen3.5-27b.yaml}
    models: [configs/models/qwen3.5-9b.yaml, {path: /models/Other, label: other}]
    benchmarks: [/data/cfe_bench]
    experiments: [exam, {name: NAME, from: exam}]     # `from`: starts from this sweep's graded run of that experiment
    samplings: [{label: greedy, temperature: 0}, {label: warm, temperature: 1.0}]

Everything else (selection, grading, seed, ...) stands beside these and holds for every run. Not here: doing any of it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from cfe_local.config.load import build_run_config, explain_errors, read_tree
from cfe_local.config.model import Option
from cfe_local.config.run import RunConfig, WatchdogConfig
from cfe_local.errors import UsageError
from cfe_local.records import Record

RUNS = "runs"
"""Folder inside a sweep's that holds its run folders."""


def _under(name: str) -> BeforeValidator:
    """Accept a bare text for an entry whose only setting is ``name``."""
    return BeforeValidator(lambda value: {name: value} if isinstance(value, str) else value)


def _card_or_path(value: object) -> object:
    if not isinstance(value, str):
        return value
    return {"card" if value.endswith((".yaml", ".yml")) else "path": value}


Settings = dict[str, Option]
ModelEntry = Annotated[Settings, BeforeValidator(_card_or_path)]
BenchmarkEntry = Annotated[Settings, _under("path")]
ExperimentEntry = Annotated[Settings, _under("name")]


class SweepConfig(Record):
    """What a sweep file may hold. Each entry may have a `label`, which is its part of the runs' names."""

    out: Path = Field(description="Folder of the sweep.")
    models: tuple[ModelEntry, ...] = Field(min_length=1)
    judge: ModelEntry
    benchmarks: tuple[BenchmarkEntry, ...] = Field(default=({"path": "sample"},), min_length=1)
    experiments: tuple[ExperimentEntry, ...] = Field(default=({"name": "exam"},), min_length=1)
    samplings: tuple[Settings, ...] = Field(default=({},), min_length=1)
    selection: Settings = Field(default_factory=dict)
    grading: Settings = Field(default_factory=dict)
    equivalence: Settings = Field(default_factory=dict)
    watchdog: WatchdogConfig = Field(default_factory=WatchdogConfig)
    seed: int = Field(default=0, ge=0)
    allow_network: bool = False


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run of a sweep.

    Attributes:
        name: Its folder below ``runs/``.
        group: Runs of one group differ in model and sampling alone, so they can be compared.
        after: Name of the run that it starts from, None if it starts from nothing.
    """

    name: str
    group: str
    config: RunConfig
    after: str | None = None


def load_sweep(path: Path, *, overrides: Iterable[str] = ()) -> tuple[SweepConfig, tuple[SweepRun, ...]]:
    """Read a sweep file and spell out its runs, in the order in which they are asked.

    Args:
        path: YAML file.
        overrides: ``dotted.key=value`` texts over it (``--set``).

    Raises:
        UsageError: For an unreadable file, an unknown key, an impossible value, or two runs of one name.
    """
    tree = read_tree(path, overrides)
    try:
        sweep = SweepConfig.model_validate(tree)
    except ValidationError as error:
        raise UsageError(f"{path}: " + explain_errors(error, SweepConfig)) from error
    runs = tuple(_expand(sweep, str(path)))
    names = [run.name for run in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"{path}: two runs would be named {twice[0]}\nFix: give the entries a `label` of their own.")
    return sweep, runs


def _expand(sweep: SweepConfig, where: str) -> Iterable[SweepRun]:
    axes = {
        "models": [_labelled(entry, _model_label(entry)) for entry in sweep.models],
        "benchmarks": [_labelled(entry, Path(str(entry.get("path", ""))).name) for entry in sweep.benchmarks],
        "experiments": [_labelled(entry, str(entry.get("name", "exam"))) for entry in sweep.experiments],
        "samplings": [_labelled(entry, f"s{i}") for i, entry in enumerate(sweep.samplings, start=1)],
    }
    known = [label for label, _ in axes["experiments"]]
    for model, benchmark, experiment, sampling in itertools.product(*axes.values()):
        place = {"models": model[0], "benchmarks": benchmark[0], "experiments": experiment[0], "samplings": sampling[0]}
        settings = dict(experiment[1])
        source = settings.pop("from", None)
        after = None
        if source is not None:
            earlier = known[: known.index(experiment[0])]
            if source not in earlier:
                raise UsageError(
                    f"{where}: experiment {experiment[0]} starts from {source!r}, which does not stand before it\n"
                    f"Fix: one of {', '.join(earlier) or 'no other experiment here'}."
                )
            after = _name(axes, place | {"experiments": str(source)})
            settings["source"] = str(sweep.out / RUNS / after)
        name = _name(axes, place)
        tree = _run_tree(sweep, [model[1], benchmark[1], settings, sampling[1]], name)
        config = build_run_config(tree, f"{where}, run {name}")
        yield SweepRun(name, f"{benchmark[0]}-{experiment[0]}", config, after)


def _run_tree(sweep: SweepConfig, parts: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    model, benchmark, experiment, sampling = parts
    own = dict(benchmark)
    selection = own.pop("selection", {})
    tree: dict[str, Any] = {
        "model": dict(model),
        "judge": dict(_labelled(sweep.judge, "")[1]),
        "benchmark": own,
        "experiment": dict(experiment),
        "selection": {**sweep.selection, **(selection if isinstance(selection, dict) else {"rows": selection})},
        "grading": sweep.grading,
        "equivalence": sweep.equivalence,
        "watchdog": sweep.watchdog.model_dump(),
        "seed": sweep.seed,
        "allow_network": sweep.allow_network,
        "out": sweep.out / RUNS / name,
    }
    if sampling:
        known = tree["model"].get("sampling", {})
        tree["model"]["sampling"] = {**(known if isinstance(known, dict) else {}), **sampling}
    return {key: value for key, value in tree.items() if value != {}}


def _labelled(entry: Settings, default: str) -> tuple[str, dict[str, Any]]:
    """An entry's part of a name, and its settings without the label."""
    settings = dict(entry)
    label = str(settings.pop("label", "") or settings.get("name") or default)
    return re.sub(r"[^A-Za-z0-9._]+", "-", label).strip("-.") or "x", settings


def _model_label(entry: Settings) -> str:
    path = Path(str(entry.get("path") or entry.get("card", "")))
    return path.stem if path.suffix in (".yaml", ".yml", ".json", ".jsonl") else path.name


def _name(axes: Mapping[str, Sequence[tuple[str, object]]], place: Mapping[str, str]) -> str:
    """The model's label, and those of every axis that has a choice."""
    return "-".join(label for axis, label in place.items() if axis == "models" or len(axes[axis]) > 1)
