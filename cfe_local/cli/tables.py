"""Tables about many runs: how far they are, what they will cost, and the live one while a sweep runs."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from rich.console import Console
from rich.live import Live
from rich.table import Column, Table

from cfe_local.records import Response

if TYPE_CHECKING:
    from cfe_local.jobs.status import RunStatus
    from cfe_local.pipeline.sweep import PreviewedRun

LOG = logging.getLogger("cfe_local")
LINE_EVERY_S = 30.0
RIGHT: Literal["right"] = "right"


def status_table(runs: Sequence[RunStatus]) -> Table:
    """One line per run: state, responses, and the score once there is one."""
    table = Table(
        Column("run", overflow="fold"), "state", Column("responses", justify=RIGHT), Column("accuracy", justify=RIGHT),
        Column("", overflow="fold"), box=None,
    )  # fmt: skip
    for run in runs:
        total = "?" if run.n_cases is None else str(run.n_cases)
        accuracy = "" if run.accuracy is None else f"{100 * run.accuracy:.1f} %"
        note = run.note or (f"{run.n_set_aside} without an answer" if run.n_set_aside else "")
        table.add_row(run.name, run.state, f"{run.n_responses}/{total}", accuracy, note)
    return table


def estimate_table(runs: Sequence[PreviewedRun]) -> Table:
    """One line per run: what it can cost at most."""
    names = ("cases", "prompt tokens", "answer tokens", "thinking tokens", "disk", "time")
    table = Table(Column("run", overflow="fold"), *(Column(name, justify=RIGHT) for name in names), box=None)
    for run in runs:
        cost = run.estimate
        if cost is None:
            table.add_row(run.name, "after", run.after or run.problem, "", "", "", "")
            continue
        seconds = "?" if cost.seconds is None else duration(cost.seconds)
        tokens = (f"{n:,}" for n in (cost.n_prompt_tokens, cost.n_answer_tokens, cost.n_thinking_tokens))
        table.add_row(run.name, f"{cost.n_cases:,}", *tokens, f"{cost.n_bytes / 1e6:,.1f} MB", seconds)
    return table


def duration(seconds: float) -> str:
    """Two figures of a time that is only an estimate."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class BoardWatcher:
    """Shows all runs of a sweep while one of them is worked on; a line now and then where there is no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._runs: dict[str, RunStatus] = {}
        self._active = ""
        self._stage = ""
        self._done = self._total = 0
        self._last_line = time.monotonic()
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None

    def __enter__(self) -> BoardWatcher:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def run(self, status: RunStatus) -> None:
        """A run's state."""
        self._runs[status.name] = status
        if status.state in ("generating", "grading"):
            self._active = status.name
        LOG.info("run %s: %s, %d responses", status.name, status.state, status.n_responses)
        self._show()

    def stage(self, name: str, *, total: int, done: int) -> None:
        """A stage of the active run begins."""
        self._stage, self._total, self._done = name, total, done
        LOG.info("stage %s of %s: %d of %d done before", name, self._active, done, total)
        self._show()

    def response(self, response: Response) -> None:
        """One response of the active run is on disk."""
        LOG.debug("%s %s: %s", self._active, response.key.label, response.outcome)
        if (run := self._runs.get(self._active)) is not None and run.state == "generating":
            self._runs[self._active] = replace(run, n_responses=run.n_responses + 1)
        self.advance()

    def advance(self, n: int = 1) -> None:
        """Other records of the stage are done."""
        self._done += n
        if time.monotonic() - self._last_line > (0.5 if self._live is not None else LINE_EVERY_S):
            self._show()

    def note(self, text: str) -> None:
        """Print a line above the table."""
        LOG.info("note: %s", text)
        self._console.print(text, highlight=False, markup=False)

    def _show(self) -> None:
        self._last_line = time.monotonic()
        line = f"{self._active}: {self._stage} {self._done}/{self._total}"
        if self._live is None:
            if self._active:
                self._console.print(line, highlight=False, markup=False)
            return
        table = status_table(list(self._runs.values()))
        table.caption = line
        self._live.update(table, refresh=True)
