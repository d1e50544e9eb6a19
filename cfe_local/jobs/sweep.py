"""What a sweep writes about itself, beside the run folders: its runs, what is under way, what failed and why.

    SWEEP/
      sweep.json        the runs of the latest command
      current.json      what its process does at this moment
      failures.jsonl    what went wrong, with the engine's last words
      runs/NAME/        an ordinary run folder each
      comparisons/      one comparison per group of runs
      logs/             one log per engine

Not here: doing any of it (``pipeline.sweep``), and reading how far it is (``jobs.status``).
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from pydantic import Field

from cfe_local.errors import StoreError
from cfe_local.records import Record
from cfe_local.store import RecordStream, RunFolder, RunLock

SWEEP_NAME = "sweep.json"
CURRENT_NAME = "current.json"
Stage = Literal["plan", "generate", "grade", "publish", "compare"]


class PlannedRun(Record):
    """One run of a sweep, as its table shows it."""

    name: str
    group: str
    model: str
    n_cases: int | None = Field(default=None, ge=0, description="Not known before the run that it starts from ends.")
    gradings: tuple[str, ...] = Field(default=(), description="Names that its gradings will have.")
    after: str | None = None


class SweepRecord(Record):
    """What the latest command of a sweep is to do."""

    created: str
    n_models: int = Field(ge=0, description="Engines that have to be loaded for the models under test.")
    runs: tuple[PlannedRun, ...]


class Current(Record):
    """What the sweep's process does at this moment."""

    run: str
    stage: Stage
    since: str


class SweepFailure(Record):
    """One thing that went wrong. The sweep goes on with the others."""

    run: str
    stage: Stage
    error: str = Field(description="Class of the error.")
    message: str = Field(description="What happened; for an engine with the last lines of its log.")
    when: str


class SweepFolder:
    """A sweep's folder and its only writer. Use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Nothing is touched yet."""
        self.path = path
        self._folder = RunFolder(path, writable=True)
        self._lock: RunLock | None = None

    def __enter__(self) -> Self:
        """Become the writer.

        Raises:
            RunLockedError: If another sweep runs in this folder.
            StoreError: If the folder holds something else or cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}\nFix: choose another folder (out).") from error
        if (self.path / "manifest.json").exists():
            raise StoreError(f"{self.path}: is a run folder\nFix: give the sweep a folder of its own (out).")
        self._lock = RunLock.acquire(self.path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        (self.path / CURRENT_NAME).unlink(missing_ok=True)
        self._folder.close()
        if self._lock is not None:
            self._lock.release()

    def write_plan(self, record: SweepRecord) -> None:
        """Say what this command is to do."""
        self._folder.write_json(SWEEP_NAME, record)

    def enter(self, run: str, stage: Stage) -> None:
        """Say what happens from now on."""
        self._folder.write_json(CURRENT_NAME, Current(run=run, stage=stage, since=now()))

    def fail(self, run: str, stage: Stage, error: Exception) -> SweepFailure:
        """Record a failure."""
        failure = SweepFailure(run=run, stage=stage, error=type(error).__name__, message=str(error), when=now())
        failures(self._folder).append(failure)
        return failure


def failures(folder: RunFolder) -> RecordStream[SweepFailure]:
    """The stream of failures in a sweep's folder; a later attempt adds to it."""
    return folder.stream("failures", SweepFailure, label=lambda failure: f"{failure.run}/{failure.when}")


def now() -> str:
    """The time in UTC, ISO 8601, to the microsecond."""
    return datetime.now(UTC).isoformat()
