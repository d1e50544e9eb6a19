"""The whole job: generate, grade, measure, report; from wherever an earlier attempt stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from cfe_local.config import ModelConfig, RunConfig
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.generate import Generated, generate
from cfe_local.pipeline.grade import GradeRequest, grade_runs, require_same_gradings
from cfe_local.pipeline.measure import publish
from cfe_local.pipeline.plan import RunPlan, judge_of, plan_run
from cfe_local.pipeline.source import SOURCE_NAME
from cfe_local.pipeline.watch import Watcher
from cfe_local.report import Report
from cfe_local.store import RunStore


@dataclass(frozen=True, slots=True)
class RunResult:
    """Where a run stands when its command ends.

    Attributes:
        path: The run folder.
        reports: One per grading.
        n_missing: Planned cases without an outcome.
        n_engine_loads: Engine processes that were started.
    """

    path: Path
    reports: tuple[Report, ...]
    n_missing: int
    n_engine_loads: int


Approve = Callable[[RunPlan], None]
"""Is shown a plan before anything starts; raises to stop it."""


def approved(plan: RunPlan) -> None:
    """Approve of every plan."""
    del plan


def run(config: RunConfig, watch: Watcher, *, fresh: bool = False, approve: Approve = approved) -> RunResult:
    """Run an experiment to its report.

    Args:
        config: What to run; its ``out`` is the run folder.
        watch: Is told what happens.
        fresh: Move what an earlier run left in the folder aside first.
        approve: Is shown the plan before anything starts.

    Raises:
        CfeError: As the stages; everything that had finished is on disk, and the same call goes on from there.
    """
    plan = plan_run(config)
    judge_of(plan.config)
    approve(plan)
    with open_run(plan, fresh=fresh) as store, engine_host(plan, store) as engines:
        request = request_for(plan, store)
        require_same_gradings(request)
        generated = generate(plan, store, engines, watch)
        grade_runs([request], engines, watch)
        reports = publish(plan, store, tuple(map(request.grading_name, request.protocols)))
        return RunResult(store.path, tuple(reports), generated.n_missing, engines.n_loads)


def generate_only(
    config: RunConfig, watch: Watcher, *, fresh: bool = False, approve: Approve = approved
) -> tuple[Path, Generated]:
    """Only the generation stage of `run`."""
    plan = plan_run(config)
    approve(plan)
    with open_run(plan, fresh=fresh) as store, engine_host(plan, store) as engines:
        return store.path, generate(plan, store, engines, watch)


def open_run(plan: RunPlan, *, fresh: bool = False) -> RunStore:
    """Become the writer of the plan's run folder."""
    text = yaml.safe_dump(plan.config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    store = RunStore.create_or_resume(plan.config.out, plan.manifest, text, fresh=fresh)
    if plan.source is not None:
        store.write_json(SOURCE_NAME, plan.source)
    return store


def engine_host(plan: RunPlan, store: RunStore) -> EngineHost:
    """Engines that log into the run folder; examinee and judge share one where they are the same weights."""
    return EngineHost(
        store.path / "logs",
        shared=shared_engine(plan.config),
        allow_network=plan.config.allow_network,
        watchdog=plan.config.watchdog,
    )


def shared_engine(config: RunConfig) -> ModelConfig | None:
    """How to load the engine that serves both roles; None where model and judge need one each."""
    if config.judge is None or not config.model.same_weights(config.judge):
        return None
    return config.model.model_copy(update={"structured_backend": config.judge.structured_backend})


def request_for(plan: RunPlan, store: RunStore) -> GradeRequest:
    """The grading that the run's own configuration asks for."""
    grading = plan.config.grading
    return GradeRequest(plan, store, judge_of(plan.config), grading.protocols, name=grading.name)
