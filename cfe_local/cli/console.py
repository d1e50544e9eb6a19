"""What a user sees while something runs: progress with rates, log lines, and notes. Logs go to stderr and a file."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from cfe_local.errors import UsageError
from cfe_local.records import Response

LOG = logging.getLogger("cfe_local")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
LINE_EVERY_S = 30.0
"""Without a terminal, progress is one line this often: batch logs stay readable."""


class RunLog(logging.FileHandler):
    """The log file of a run. It begins with its first line: a folder that turns out to be no run stays as it was.

    A log that cannot be written costs its lines and one message, never the run.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace", delay=True)
        self._has_complained = False

    def _open(self) -> TextIOWrapper:
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        return super()._open()

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line, or complain once."""
        try:
            super().emit(record)
        except OSError:  # from opening the file; what writing raises comes to handleError by itself
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class's name
        """Say once that lines are missing."""
        del record
        if not self._has_complained:
            self._has_complained = True
            sys.stderr.write(f"{self.baseFilename}: the log is not complete: {sys.exc_info()[1]}\n")

    def close(self) -> None:
        """Let go of the file; what a full disk did not take is lost here."""
        with contextlib.suppress(OSError):
            super().close()


def set_up_logging(log_path: Path | None = None) -> None:
    """Log to stderr (level from ``CFE_LOCAL_LOG_LEVEL``, default WARNING) and, with everything, to a file.

    Raises:
        UsageError: For a level that does not exist.
    """
    LOG.setLevel(logging.DEBUG)
    for handler in list(LOG.handlers):
        LOG.removeHandler(handler)
        handler.close()
    to_stderr = logging.StreamHandler(sys.stderr)
    level = os.environ.get("CFE_LOCAL_LOG_LEVEL", "WARNING")
    if level.upper() not in LEVELS:
        raise UsageError(f"CFE_LOCAL_LOG_LEVEL={level}: no such level\nFix: one of {', '.join(LEVELS)}.")
    to_stderr.setLevel(level.upper())
    handlers: list[logging.Handler] = [to_stderr]
    if log_path is not None:
        handlers.append(RunLog(log_path))
    for handler in handlers:
        handler.setFormatter(logging.Formatter(LOG_FORMAT))
        LOG.addHandler(handler)


class ConsoleWatcher:
    """Shows stages as progress bars on a terminal, as occasional lines elsewhere. Everything also goes to the log."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description:<22}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._name = ""
        self._total = self._done = self._n_tokens = self._n_truncated = 0
        self._started = self._last_line = time.monotonic()

    def __enter__(self) -> ConsoleWatcher:
        return self

    def __exit__(self, *exception: object) -> None:
        self._close_stage()
        self._progress.stop()

    def stage(self, name: str, *, total: int, done: int) -> None:
        """Begin a new bar; the one before stays as it is."""
        self._close_stage()
        self._progress.start()  # not earlier: a question may be asked before the first stage
        self._name, self._total, self._done = name, total, done
        self._n_tokens = self._n_truncated = 0
        self._started = self._last_line = time.monotonic()
        self._task = self._progress.add_task(name, total=total, completed=done, rate="")
        LOG.info("stage %s: %d of %d done before", name, done, total)

    def response(self, response: Response) -> None:
        """Count one response, its tokens, and whether it was cut."""
        self._n_tokens += response.n_answer_tokens + response.n_thinking_tokens
        self._n_truncated += response.outcome in ("truncated", "truncated_thinking")
        LOG.debug("%s: %s", response.key.label, response.outcome)
        self.advance()

    def advance(self, n: int = 1) -> None:
        """Count other finished records."""
        self._done += n
        if self._task is not None:
            self._progress.update(self._task, advance=n, rate=self._rate())
        if not self._console.is_terminal and time.monotonic() - self._last_line > LINE_EVERY_S:
            self._last_line = time.monotonic()
            self._console.print(f"{self._name}: {self._done}/{self._total} {self._rate()}", highlight=False)

    def note(self, text: str) -> None:
        """Print a line above the bars."""
        LOG.info("note: %s", text)
        self._progress.console.print(text, highlight=False, markup=False)

    def _rate(self) -> str:
        seconds = max(time.monotonic() - self._started, 1e-6)
        parts = [f"{self._n_tokens / seconds:.0f} tok/s"] if self._n_tokens else []
        if self._n_truncated:
            parts.append(f"{self._n_truncated} truncated")
        return " ".join(parts)

    def _close_stage(self) -> None:
        if self._task is None:
            return
        seconds = time.monotonic() - self._started
        LOG.info("stage %s: %d/%d after %.1f s %s", self._name, self._done, self._total, seconds, self._rate())
        if not self._console.is_terminal:
            line = f"{self._name}: {self._done}/{self._total} in {seconds:.0f} s {self._rate()}"
            self._console.print(line.rstrip(), highlight=False)
        self._task = None


@contextmanager
def watching(log_path: Path | None = None) -> Iterator[ConsoleWatcher]:
    """Logging and progress for one command."""
    set_up_logging(log_path)
    with ConsoleWatcher(Console(stderr=True)) as watcher:
        yield watcher
