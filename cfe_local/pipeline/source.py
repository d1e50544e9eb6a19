"""Reads the earlier run that an experiment starts from, and keeps what it needs of it in the experiment's own folder.

With that, a run that started from another one can be graded and reported where the other one is not.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from cfe_local.benchmarks.cfe import Benchmark
from cfe_local.config import RunConfig, load_run_config
from cfe_local.errors import StoreError, UsageError
from cfe_local.experiments.base import Experiment
from cfe_local.experiments.source import SourceRun, SourceSample
from cfe_local.metrics import GradedSample, join_samples
from cfe_local.pipeline.manifest import combined_sha256
from cfe_local.pipeline.tables import EXPERIMENTS, look_up
from cfe_local.records import Case, Response, Verdict
from cfe_local.store import RunStore
from cfe_local.store.run import CONFIG_NAME

SOURCE_NAME = "source.json"
"""What an experiment keeps of the run that it started from, in its own folder."""


def read_source(experiment: Experiment, config: RunConfig, benchmark: Benchmark) -> SourceRun | None:
    """What the experiment may know about the earlier run; None where there is none.

    Raises:
        UsageError: If the experiment needs one and none is named, or takes none; if it is not clear which grading
            counts; if the earlier run is one on other benchmark files.
        StoreError: If the folder is no run, or is not graded.
    """
    wanted, path = experiment.traits.source, config.experiment.source
    if path is None:
        if wanted == "texts":
            raise UsageError(
                f"experiment {experiment.name} looks at an earlier run\nFix: --from RUN, a graded exam run."
            )
        return None
    if wanted == "none":
        raise UsageError(f"experiment {experiment.name} does not start from another run\nFix: leave --from out.")
    with RunStore.open(path) as store:
        _refuse_other_benchmark(store, benchmark)
        grading = _grading_of(store, config.experiment.source_grading)
        return _read(store, grading, benchmark, with_texts=wanted == "texts")


def stored_source(folder: Path) -> SourceRun | None:
    """What the run in this folder keeps of the run that it started from.

    Raises:
        StoreError: If the folder is no run.
    """
    with RunStore.open(folder) as store:
        return store.read_json(SOURCE_NAME, SourceRun)


def source_sha256(source: SourceRun) -> str:
    """What decides whether two readings of an earlier run are the same."""
    return hashlib.sha256(source.model_dump_json().encode()).hexdigest()


def _read(store: RunStore, grading: str, benchmark: Benchmark, *, with_texts: bool) -> SourceRun:
    config = load_run_config(store.path / CONFIG_NAME)
    experiment = look_up("experiment", EXPERIMENTS, config.experiment.name)
    keys = [case.key for case in store.stream("cases", Case).load().records.values()]
    responses = store.stream("responses", Response).load({key.label for key in keys}).records
    verdicts = store.grading(grading).stream("verdicts", Verdict).load().records
    samples = join_samples(
        benchmark.problems, keys, responses.values(), verdicts.values(), grading=grading, targets=experiment.targets
    )
    return SourceRun(
        experiment=experiment.name,
        fingerprint=store.manifest.fingerprint,
        grading=grading,
        model=config.model.display_name,
        samples=tuple(_sample(sample, with_texts=with_texts) for sample in samples),
        origin=store.read_json(SOURCE_NAME, SourceRun),
    )


def _sample(sample: GradedSample, *, with_texts: bool) -> SourceSample:
    response = sample.response
    return SourceSample(
        key=sample.key,
        mark=sample.mark,
        outcome=response.outcome if response else None,
        text=response.text if response and with_texts else "",
    )


def _grading_of(store: RunStore, wanted: str) -> str:
    names = store.grading_names()
    if not names:
        raise StoreError(f"{store.path}: is not graded yet\nFix: cfe-local grade {store.path}")
    if not wanted and len(names) > 1:
        raise UsageError(
            f"{store.path}: has several gradings\nFix: --set experiment.source_grading= one of {', '.join(names)}."
        )
    return wanted or names[0]


def _refuse_other_benchmark(store: RunStore, benchmark: Benchmark) -> None:
    there = combined_sha256(store.manifest.benchmark_files)
    if there != combined_sha256(benchmark.files):
        raise UsageError(
            f"{store.path}: was made from other benchmark files ({store.manifest.benchmark_name}) than "
            f"{benchmark.path}: its problems are not the same\nFix: give a run on the same files, or its benchmark."
        )
