"""Joins the shards of one run into one run folder: responses in the order of the plan, gradings with them, a report.

What comes out is what the run would have been in one piece, and goes on like it: open cases can still be asked there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import yaml

from cfe_local.config import JudgeConfig, RunConfig, load_run_config
from cfe_local.errors import StoreError, UsageError
from cfe_local.experiments.base import Earlier
from cfe_local.experiments.source import SourceRun
from cfe_local.jobs.merge import Shard, check_shards
from cfe_local.pipeline.clock import engine_work
from cfe_local.pipeline.generate import note_damage
from cfe_local.pipeline.measure import JUDGE_NAME, publish
from cfe_local.pipeline.plan import RunPlan, reopen_plan
from cfe_local.pipeline.regrade import refuse_repeats
from cfe_local.pipeline.source import SOURCE_NAME
from cfe_local.pipeline.watch import Watcher
from cfe_local.records import ComparedPair, Response, Verdict
from cfe_local.report import Report
from cfe_local.store import GradingFolder, RunFolder, RunStore
from cfe_local.store.loading import RecordT, label_of
from cfe_local.store.run import CONFIG_NAME, MANIFEST_NAME


@dataclass(frozen=True, slots=True)
class Merged:
    """The joined run: its folder, reports of its gradings, and planned cases that no shard has an outcome for."""

    path: Path
    reports: tuple[Report, ...]
    gradings: tuple[str, ...]
    n_responses: int
    n_missing: int


def merge_shards(paths: Sequence[Path], out: Path, watch: Watcher, *, overrides: Sequence[str] = ()) -> Merged:
    """Join shards into a new run folder.

    Args:
        paths: The shards' folders, in any order; they stay as they are.
        out: A new folder.
        watch: Is told about damaged lines.
        overrides: Settings of the merged run, for example where the benchmark is here.

    Raises:
        UsageError: If they are not the shards of one run, or one is missing; names folder and setting.
        StoreError: If a folder is no run, or ``out`` holds something.
        RunLockedError: If somebody writes to one of them.
    """
    refuse_repeats(paths)
    if (out / MANIFEST_NAME).exists():
        raise StoreError(f"{out}: holds a run already\nFix: give --out a new folder.")
    with ExitStack() as stack:
        stores = {path: stack.enter_context(RunStore.reopen(path)) for path in paths}
        ordered = check_shards([_shard(store) for store in stores.values()])
        parts = [stores[shard.path] for shard in ordered]
        plan, store = _open(ordered[0], parts[0], out, overrides)
        stack.enter_context(store)
        n_planned, n_responses = _join_responses(plan, store, parts, watch)
        for name in ordered[0].gradings:
            _join_grading(plan, store, [part.grading(name) for part in parts])
        reports = publish(plan, store, ordered[0].gradings)
        return Merged(out, tuple(reports), ordered[0].gradings, n_responses, n_planned - n_responses)


def _shard(store: RunStore) -> Shard:
    config = load_run_config(store.path / CONFIG_NAME)
    return Shard(store.path, store.manifest, config, store.grading_names())


def _open(first: Shard, part: RunStore, out: Path, overrides: Sequence[str]) -> tuple[RunPlan, RunStore]:
    values = {"out": out, "selection.shard": ""}
    config: RunConfig = load_run_config(first.path / CONFIG_NAME, overrides=overrides, values=values)
    manifest = first.manifest.model_copy(update={"shard": ""})
    text = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    store = RunStore.create_or_resume(out, manifest, text)
    try:
        if (source := part.read_json(SOURCE_NAME, SourceRun)) is not None:
            store.write_json(SOURCE_NAME, source)
        return reopen_plan(config, manifest), store
    except BaseException:
        store.close()
        (out / MANIFEST_NAME).unlink(missing_ok=True)  # nothing was joined: the same command must be possible again
        raise


def _join_responses(plan: RunPlan, store: RunStore, parts: Sequence[RunStore], watch: Watcher) -> tuple[int, int]:
    """Write what the shards' responses and cases are together; the numbers of cases and of responses."""
    responses: dict[str, Response] = {}
    for part in parts:
        loaded = part.stream("responses", Response).load()
        note_damage(loaded.report, watch)
        responses |= loaded.records
    cases = plan.cases(Earlier(responses=responses))
    labels = [case.key.label for case in cases]
    strangers = responses.keys() - set(labels)
    if strangers:
        raise UsageError(
            f"{len(strangers)} responses belong to no planned case, for example {min(strangers)}\n"
            "Fix: give shards that were made from this benchmark and selection."
        )
    store.write_records("cases", cases)
    store.write_records("responses", [responses[label] for label in labels if label in responses])
    _join_work(store, parts)
    return len(cases), len(responses)


def _join_grading(plan: RunPlan, store: RunStore, parts: Sequence[GradingFolder]) -> None:
    name = parts[0].path.name
    folder = store.grading(name, parts[0].manifest.settings)
    for part in parts[1:]:
        store.grading(name, part.manifest.settings)  # refuses a grading that was made otherwise, by the setting
    if (judge := parts[0].read_json(JUDGE_NAME, JudgeConfig)) is not None:
        folder.write_json(JUDGE_NAME, judge)
    folder.write_records("judge", _together(part.stream("judge", Response).load().records.values() for part in parts))
    pairs: dict[str, ComparedPair] = {}
    for part in parts:
        pairs |= part.stream("comparisons", ComparedPair, label=lambda record: record.label).load().records
    folder.write_records("comparisons", pairs.values())
    verdicts = _together(part.stream("verdicts", Verdict).load().records.values() for part in parts)
    order = {(problem.split, problem.row): position for position, problem in enumerate(plan.problems)}
    verdicts.sort(key=lambda one: (order[one.key.split, one.key.row], one.key.label, one.variable))
    folder.write_records("verdicts", verdicts)
    _join_work(folder, parts)


def _join_work(folder: RunFolder, parts: Sequence[RunFolder]) -> None:
    """Engine time of all shards, so that GPU-hours stay what they were."""
    work = [one for part in parts for one in engine_work(part).load().records.values()]
    if work:
        folder.write_records("engine_times", work)


def _together(parts: Iterable[Iterable[RecordT]]) -> list[RecordT]:
    return list({label_of(record): record for part in parts for record in part}.values())
