"""Carries a sweep out: generations model by model, then every grading with one load of the judge, then comparisons.

N models need N + 1 engine loads; runs that start from graded runs of the same sweep add one more round of this, not one
per model. Everything is on disk as it arrives, so the same command goes on after any end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from cfe_local.config import ModelConfig, SweepConfig, SweepRun
from cfe_local.errors import CfeError, EngineError, ModelError, NetworkRefusedError, UsageError
from cfe_local.jobs.estimates import RunEstimate, estimate_run
from cfe_local.jobs.rates import Rate
from cfe_local.jobs.status import RunStatus, run_status
from cfe_local.jobs.sweep import Current, PlannedRun, Stage, SweepFailure, SweepFolder, SweepRecord, now
from cfe_local.pipeline.compare import compare
from cfe_local.pipeline.engines import EngineHost, serves
from cfe_local.pipeline.generate import generate
from cfe_local.pipeline.grade import grade_runs, require_same_gradings
from cfe_local.pipeline.measure import publish
from cfe_local.pipeline.plan import RunPlan, plan_run
from cfe_local.pipeline.run import open_run, request_for
from cfe_local.pipeline.watch import Watcher

COMPARISONS = "comparisons"
COMPARED = "exam"
"""The experiment whose runs can be compared."""
OF_ONE_MODEL = (EngineError, ModelError, NetworkRefusedError)
"""What ends the runs of one model and leaves the others alone. A fault of the sweep's own settings ends the sweep."""


class SweepWatcher(Watcher, Protocol):
    """Also hears how the runs of a sweep come along."""

    def run(self, status: RunStatus) -> None:
        """A run's state, at the beginning and whenever it changes."""
        ...


@dataclass(frozen=True, slots=True)
class SweepResult:
    """Where a sweep stands when its command ends.

    Attributes:
        failures: What went wrong in this command.
        n_models: Engines that the models under test needed, over all rounds.
        n_rounds: One, or more where runs start from graded runs.
        n_engine_loads: Engine processes that were started.
        n_restarts: Those among them that took the place of one that died.
    """

    path: Path
    runs: tuple[RunStatus, ...]
    failures: tuple[SweepFailure, ...]
    comparisons: tuple[Path, ...]
    n_models: int
    n_rounds: int
    n_engine_loads: int
    n_restarts: int

    @property
    def n_open(self) -> int:
        """Runs that are not graded."""
        return sum(run.state != "graded" for run in self.runs)


@dataclass(slots=True)
class _Member:
    """One run of the sweep while the sweep runs."""

    run: SweepRun
    planned: PlannedRun
    plan: RunPlan | None = None
    failure: SweepFailure | None = None


@dataclass(slots=True)
class _Tally:
    n_models: int = 0
    n_rounds: int = 0
    failures: list[SweepFailure] = field(default_factory=list)


def sweep(config: SweepConfig, runs: Sequence[SweepRun], watch: SweepWatcher) -> SweepResult:
    """Run a sweep to its comparisons, from wherever an earlier attempt stopped.

    Raises:
        RunLockedError: If another sweep runs in this folder.
        UsageError: For settings that make no sense; nothing was asked then.
        StoreError: If a run folder was made with other settings, or the disk is full.
    """
    with (
        SweepFolder(config.out) as folder,
        EngineHost(config.out / "logs", allow_network=config.allow_network, watchdog=config.watchdog) as engines,
    ):
        return _Sweep(folder, engines, watch).carry_out(runs)


class _Sweep:
    """One command's work on one sweep."""

    def __init__(self, folder: SweepFolder, engines: EngineHost, watch: SweepWatcher) -> None:
        self._folder = folder
        self._engines = engines
        self._watch = watch
        self._members: dict[str, _Member] = {}
        self._tally = _Tally()

    def carry_out(self, runs: Sequence[SweepRun]) -> SweepResult:
        """Plan, generate, grade and compare."""
        self._members = {run.name: _Member(run, _planned(run, None)) for run in runs}
        rounds = list(_rounds(runs))
        for name in rounds[0]:
            self._plan(self._members[name])
        self._write_plan()
        for names in rounds:
            members = [self._members[name] for name in names]
            self._generate_round(members)
            self._grade_round(members)
        comparisons = tuple(self._compare())
        statuses = tuple(self._status(member) for member in self._members.values())
        tally = self._tally
        n_loads = self._engines.n_loads
        allowed = tally.n_models + tally.n_rounds + self._engines.n_restarts
        if n_loads > allowed:
            raise RuntimeError(f"{n_loads} engine loads where {allowed} are enough: a model was loaded twice")
        return SweepResult(
            path=self._folder.path,
            runs=statuses,
            failures=tuple(tally.failures),
            comparisons=comparisons,
            n_models=tally.n_models,
            n_rounds=tally.n_rounds,
            n_engine_loads=n_loads,
            n_restarts=self._engines.n_restarts,
        )

    # ------------------------------------------------------------ planning

    def _plan(self, member: _Member) -> None:
        """Check a run and its folder before anything is asked; an unusable model is no fault of the others."""
        try:
            member.plan = plan_run(member.run.config)
            with open_run(member.plan) as store:
                require_same_gradings(request_for(member.plan, store))
        except OF_ONE_MODEL as error:
            member.plan = None
            self._fail(member, "plan", error)
            return
        member.planned = _planned(member.run, member.plan)

    def _write_plan(self) -> None:
        groups = _by_engine([member for member in self._members.values() if member.plan is not None])
        self._folder.write_plan(
            SweepRecord(
                created=now(),
                n_models=len(groups),
                runs=tuple(member.planned for member in self._members.values()),
            )
        )
        for member in self._members.values():
            self._watch.run(self._status(member))

    # ------------------------------------------------------------ the two halves of a round

    def _generate_round(self, members: Sequence[_Member]) -> None:
        for member in members:
            if member.plan is None and member.failure is None:
                self._plan_after(member)
        groups = _by_engine([member for member in members if member.plan is not None])
        self._tally.n_rounds += 1
        self._tally.n_models += sum(not _asks_judge(group[0]) for group in groups)
        for group in groups:
            lost: CfeError | None = None
            for member in group:
                if lost is None:
                    lost = self._generate(member)
                else:
                    self._fail(member, "generate", EngineError(f"not tried, since its engine failed before: {lost}"))

    def _plan_after(self, member: _Member) -> None:
        source = self._members[member.run.after or ""]
        if self._status(source).state != "graded":
            error = ModelError(f"{member.run.name} starts from {source.run.name}, which is not graded")
            self._fail(member, "plan", error)
            return
        self._plan(member)
        self._write_plan()

    def _generate(self, member: _Member) -> CfeError | None:
        if member.plan is None:
            return None
        self._enter(member, "generate")
        try:
            with open_run(member.plan) as store:
                generate(member.plan, store, self._engines, self._watch)
        except OF_ONE_MODEL as error:
            self._engines.close()
            self._fail(member, "generate", error)
            return error
        self._watch.run(self._status(member))
        return None

    def _grade_round(self, members: Sequence[_Member]) -> None:
        complete = [member for member in members if member.plan is not None and member.failure is None]
        lost: CfeError | None = None
        for member in complete:
            if lost is None:
                lost = self._grade(member)
            else:
                self._fail(member, "grade", EngineError(f"not tried, since the judge failed before: {lost}"))
        self._engines.close()

    def _grade(self, member: _Member) -> CfeError | None:
        plan = member.plan
        if plan is None:
            return None
        self._enter(member, "grade")
        try:
            with open_run(plan) as store:
                request = request_for(plan, store)
                grade_runs([request], self._engines, self._watch)
                self._enter(member, "publish")
                publish(plan, store, tuple(map(request.grading_name, request.protocols)))
        except OF_ONE_MODEL as error:
            self._engines.close()
            self._fail(member, "grade", error)
            return error
        self._watch.run(self._status(member))
        return None

    # ------------------------------------------------------------ the end

    def _compare(self) -> Iterator[Path]:
        """Compare what can be compared: the graded exams of one benchmark, per grading."""
        groups: dict[tuple[str, str], list[_Member]] = {}
        for member in self._members.values():
            if member.run.config.experiment.name == COMPARED and self._status(member).state == "graded":
                for grading in member.planned.gradings:
                    groups.setdefault((member.run.group, grading), []).append(member)
        for (group, grading), members in groups.items():
            if len(members) < 2:
                continue
            out = self._folder.path / COMPARISONS / f"{group}-{grading}"
            paths = [member.run.config.out for member in members]
            try:
                compare(paths, out, grading=grading)
            except UsageError as error:
                self._watch.note(f"{group}: {error}")
                self._tally.failures.append(self._folder.fail(group, "compare", error))
            else:
                yield out / "compare.html"

    def _enter(self, member: _Member, stage: Stage) -> None:
        self._folder.enter(member.run.name, stage)
        self._watch.run(self._status(member, stage))

    def _fail(self, member: _Member, stage: Stage, error: CfeError) -> None:
        member.failure = self._folder.fail(member.run.name, stage, error)
        self._tally.failures.append(member.failure)
        self._watch.note(f"{member.run.name}: {str(error).splitlines()[0]}")
        self._watch.run(self._status(member))

    def _status(self, member: _Member, stage: Stage | None = None) -> RunStatus:
        name = member.run.name
        current = Current(run=name, stage=stage, since=now()) if stage is not None else None
        return run_status(self._folder.path, member.planned, current, member.failure)


def _planned(run: SweepRun, plan: RunPlan | None) -> PlannedRun:
    grading = (plan.config if plan is not None else run.config).grading
    names = tuple(f"{grading.name}-{protocol}" if grading.name else protocol for protocol in grading.protocols)
    n_cases = len(plan.cases()) if plan is not None else None
    return PlannedRun(
        name=run.name,
        group=run.group,
        model=run.config.model.display_name,
        n_cases=n_cases,
        gradings=names,
        after=run.after,
    )


def _rounds(runs: Sequence[SweepRun]) -> Iterator[list[str]]:
    """Names of the runs that can be asked together: first those that start from nothing, then those after them."""
    done: set[str | None] = {None}
    left = list(runs)
    while left:
        now_possible = [run for run in left if run.after in done]
        yield [run.name for run in now_possible]
        done |= {run.name for run in now_possible}
        left = [run for run in left if run.name not in done]


def _asked(member: _Member) -> ModelConfig:
    return member.plan.asked if member.plan is not None else member.run.config.model


def _asks_judge(member: _Member) -> bool:
    return member.plan is not None and member.plan.experiment.traits.asks == "judge"


def _by_engine(members: Sequence[_Member]) -> list[list[_Member]]:
    """Runs that one loaded engine answers, together; those that ask the judge last, since it stays loaded to grade."""
    groups: list[list[_Member]] = []
    for member in members:
        for group in groups:
            if serves(_asked(group[0]), _asked(member)):
                group.append(member)
                break
        else:
            groups.append([member])
    return sorted(groups, key=lambda group: _asks_judge(group[0]))


@dataclass(frozen=True, slots=True)
class PreviewedRun:
    """What a run will cost; without an estimate, what it waits for or what is wrong with its model."""

    name: str
    estimate: RunEstimate | None
    after: str | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a sweep would do."""

    runs: tuple[PreviewedRun, ...]
    n_models: int
    n_engine_loads: int


def preview(runs: Sequence[SweepRun], rate: Rate | None) -> Preview:
    """Plan every run that can be planned, without starting an engine or touching the sweep's folder.

    Raises:
        UsageError: For settings that make no sense.
    """
    previewed, members = [], []
    for run in runs:
        if run.after is not None:
            previewed.append(PreviewedRun(run.name, None, after=run.after))
            continue
        try:
            plan = plan_run(run.config)
        except OF_ONE_MODEL as error:
            previewed.append(PreviewedRun(run.name, None, problem=str(error).splitlines()[0]))
            continue
        members.append(_Member(run, _planned(run, plan), plan))
        previewed.append(PreviewedRun(run.name, estimate_run(plan.cases(), plan.asked, rate)))
    n_rounds = len(list(_rounds(runs)))
    n_models = sum(not _asks_judge(group[0]) for group in _by_engine(members))
    return Preview(tuple(previewed), n_models, n_rounds * (n_models + 1))
