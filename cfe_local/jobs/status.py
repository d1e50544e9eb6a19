"""How far a run or a sweep is, read from its folder alone: from another shell, on another machine, after a kill."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cfe_local.config.sweep import RUNS
from cfe_local.errors import StoreError
from cfe_local.jobs.sweep import CURRENT_NAME, SWEEP_NAME, Current, PlannedRun, SweepFailure, SweepRecord, failures
from cfe_local.metrics import ExamMetrics
from cfe_local.records import Case, Response
from cfe_local.store import LockHolder, RunFolder, RunStore
from cfe_local.store.lock import holder_of

State = Literal["waiting", "generating", "generated", "grading", "graded", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class RunStatus:
    """One line of the table.

    Attributes:
        n_responses: Planned cases with a response.
        n_set_aside: Responses without an answer: too long, failed, cut while thinking.
        accuracy: Question accuracy of the first grading, in [0, 1]; None until it is measured.
        note: First line of the last failure, where it failed.
    """

    name: str
    model: str
    state: State
    n_cases: int | None
    n_responses: int = 0
    n_set_aside: int = 0
    accuracy: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """A folder's state.

    Attributes:
        holder: Who writes there now; None when nobody does.
    """

    path: Path
    runs: tuple[RunStatus, ...]
    holder: LockHolder | None
    current: Current | None


def read_status(path: Path) -> Status:
    """Read the state of a sweep's or a run's folder, beside whoever writes there.

    Raises:
        StoreError: If the folder is neither.
    """
    holder = holder_of(path)
    if not (path / SWEEP_NAME).exists():
        if not (path / "manifest.json").exists():
            raise StoreError(f"{path}: is neither a run nor a sweep\nFix: give the folder that one of them wrote.")
        return Status(path, (_alone(path, is_written=holder is not None),), holder, None)
    folder = RunFolder(path, writable=False)
    record = folder.read_json(SWEEP_NAME, SweepRecord)
    current = _current(folder) if holder is not None else None
    last = {failure.run: failure for failure in failures(folder).load().records.values()}
    planned = record.runs if record is not None else ()
    return Status(path, tuple(run_status(path, run, current, last.get(run.name)) for run in planned), holder, current)


def run_status(
    sweep: Path, run: PlannedRun, current: Current | None = None, failure: SweepFailure | None = None
) -> RunStatus:
    """The state of one run of a sweep.

    Args:
        sweep: The sweep's folder.
        run: Which one.
        current: What the sweep's process does, if there is one.
        failure: The run's last failure; it counts only while the run is not complete.
    """
    path = sweep / RUNS / run.name
    found = read_run(path, run.gradings)
    n_cases = max((n for n in (run.n_cases, found.n_cases) if n is not None), default=None)
    is_complete = n_cases is not None and found.n_responses >= n_cases
    state: State = "waiting"
    if is_complete and found.is_graded:
        state, failure = "graded", None
    elif is_complete:
        state = "generated"
    elif found.n_responses:
        state = "interrupted"
    if failure is not None:
        state = "failed"
    if current is not None and current.run == run.name:
        state = "generating" if current.stage in ("plan", "generate") else "grading"
    note = failure.message.splitlines()[0] if failure is not None and failure.message else ""
    return RunStatus(run.name, run.model, state, n_cases, found.n_responses, found.n_set_aside, found.accuracy, note)


@dataclass(frozen=True, slots=True)
class FoundRun:
    """What a run folder holds."""

    n_cases: int | None = None
    n_responses: int = 0
    n_set_aside: int = 0
    is_graded: bool = False
    accuracy: float | None = None


def read_run(path: Path, gradings: tuple[str, ...] = ()) -> FoundRun:
    """Count what a run folder holds; nothing where there is none yet.

    Args:
        path: The run folder.
        gradings: Those that have to be complete for the run to be graded; where empty, those that exist.
    """
    if not (path / "manifest.json").exists():
        return FoundRun()
    with RunStore.open(path) as store:
        cases = store.stream("cases", Case).index()
        n_responses = n_set_aside = 0
        for response in store.stream("responses", Response).index(frozenset(cases.offsets) or None):
            n_responses += 1
            n_set_aside += response.outcome not in ("answered", "truncated")
        measured = [_metrics(store, name) for name in gradings or store.grading_names()]
    is_graded = bool(measured) and all(one is not None and not (one.n_missing or one.n_not_graded) for one in measured)
    accuracy = measured[0].overall.question_accuracy.headline.value if measured and measured[0] is not None else None
    return FoundRun(len(cases) or None, n_responses, n_set_aside, is_graded, accuracy)


def _metrics(store: RunStore, grading: str) -> ExamMetrics | None:
    if grading not in store.grading_names():
        return None
    return store.grading(grading).read_json("metrics.json", ExamMetrics)


def _alone(path: Path, *, is_written: bool) -> RunStatus:
    """A run that belongs to no sweep."""
    found = read_run(path)
    state: State = "waiting"
    if found.is_graded:
        state = "graded"
    elif found.n_cases is not None:
        is_complete = found.n_responses >= found.n_cases
        if is_written:
            state = "grading" if is_complete else "generating"
        else:
            state = "generated" if is_complete else "interrupted"
    name = path.resolve().name
    return RunStatus(name, "", state, found.n_cases, found.n_responses, found.n_set_aside, found.accuracy)


def _current(folder: RunFolder) -> Current | None:
    try:
        return folder.read_json(CURRENT_NAME, Current)
    except StoreError:  # replaced or removed between two looks
        return None
