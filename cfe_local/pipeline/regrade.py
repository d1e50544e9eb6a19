"""Grades finished run folders again: another judge, another protocol, a name of its own; one engine load for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from cfe_local.config import RunConfig, load_run_config
from cfe_local.errors import UsageError
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.grade import GradeRequest, grade_runs
from cfe_local.pipeline.measure import publish
from cfe_local.pipeline.plan import RunPlan, judge_of, reopen_plan, resolve
from cfe_local.pipeline.watch import Watcher
from cfe_local.report import Report
from cfe_local.store import RunStore


@dataclass(frozen=True, slots=True)
class Regrading:
    """How finished runs are graded again; what is left empty is as each run has it."""

    judge: str | None = None
    protocols: tuple[str, ...] = ()
    name: str = ""
    overrides: tuple[str, ...] = ()
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Regraded:
    """What came of it; ``gradings`` has the names made in each run folder."""

    reports: tuple[Report, ...]
    n_engine_loads: int
    gradings: Mapping[Path, tuple[str, ...]]


def grade_folders(paths: Sequence[Path], wanted: Regrading, watch: Watcher) -> Regraded:
    """Grade each run folder, write its figures and its report.

    Raises:
        CfeError: As the stages; what the judge had answered is on disk.
    """
    refuse_repeats(paths)
    with ExitStack() as stack:
        stores = [stack.enter_context(RunStore.reopen(path)) for path in paths]
        requests = [_request(store, wanted) for store in stores]
        engines = stack.enter_context(EngineHost(paths[0] / "logs"))
        grade_runs(requests, engines, watch)
        reports: list[Report] = []
        gradings: dict[Path, tuple[str, ...]] = {}
        for request in requests:
            names = gradings[request.store.path] = tuple(map(request.grading_name, request.protocols))
            reports += publish(request.plan, request.store, names)
        return Regraded(tuple(reports), engines.n_loads, gradings)


def refuse_repeats(paths: Sequence[Path]) -> None:
    """Each run once: a second writer would find the folder locked by this very process.

    Raises:
        UsageError: If two paths lead to one folder.
    """
    counts = Counter(path.resolve() for path in paths)
    if twice := [path for path, n in counts.items() if n > 1]:
        raise UsageError(f"{twice[0]}: is named twice\nFix: name each run once.")


def reopen(store: RunStore, wanted: Regrading) -> RunPlan:
    """The plan of a run folder, its configuration changed as asked."""
    values = {"judge.path": wanted.judge} if wanted.judge is not None else {}
    config = load_run_config(store.path / "config.yaml", overrides=wanted.overrides, values=values)
    return reopen_plan(config.model_copy(update={"out": store.path}), store.manifest)


def _request(store: RunStore, wanted: Regrading) -> GradeRequest:
    plan = reopen(store, wanted)
    judge, _ = resolve(judge_of(plan.config))
    config: RunConfig = plan.config
    return GradeRequest(
        plan=plan,
        store=store,
        judge=judge,
        protocols=wanted.protocols or config.grading.protocols,
        name=wanted.name or config.grading.name,
        fresh=wanted.fresh,
    )
