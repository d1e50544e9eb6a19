"""The generation stage: asks every planned case that has no response yet, and stores each response as it arrives."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from cfe_local.experiments.base import Earlier
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.plan import RunPlan
from cfe_local.pipeline.watch import Watcher
from cfe_local.pipeline.watchdog import answer_all
from cfe_local.records import Case, Response
from cfe_local.store import LoadReport, RunStore

MAX_ROUNDS = 8
"""An experiment that still plans new cases after this many rounds has a fault; the exam has one round."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What the generation stage left on disk.

    Attributes:
        cases: Everything that was planned.
        responses: By key label; planned ones only.
    """

    cases: tuple[Case, ...]
    responses: dict[str, Response]

    @property
    def n_missing(self) -> int:
        """Planned cases without an outcome."""
        return len(self.cases) - len(self.responses)


def generate(plan: RunPlan, store: RunStore, engines: EngineHost, watch: Watcher) -> Generated:
    """Ask what has no response yet.

    Args:
        plan: What to ask.
        store: An open, locked run folder.
        engines: Where the engine comes from; none is started if nothing is left to ask.
        watch: Is told about every response that is on disk.

    Raises:
        EngineError: If the engine ends; every response that had arrived is stored.
        StoreError: If the folder cannot be written.
    """
    stream = store.stream("responses", Response)
    cases = plan.cases()
    loaded = stream.load({case.key.label for case in cases})
    note_damage(loaded.report, watch)
    responses = dict(loaded.records)
    watch.stage("generate", total=len(cases), done=len(responses))
    for _ in range(MAX_ROUNDS):
        pending = [case for case in cases if case.key.label not in responses]
        if not pending:
            break
        store.write_records("cases", cases)
        with closing(answer_all(pending, plan.asked, engines, watch, timing=(store, "generate"))) as answers:
            for response in answers:
                with writing():
                    stream.append(response)
                responses[response.key.label] = response
                watch.response(response)
        cases = plan.cases(Earlier(responses=responses))
    stream.sync()
    return Generated(cases, responses)


def note_damage(report: LoadReport, watch: Watcher) -> None:
    """Tell what an earlier attempt left torn, repeated or outside the plan."""
    if not report.is_clean:
        watch.note(report.describe())


@contextmanager
def writing() -> Iterator[None]:
    """Hold back Ctrl-C while a line is written, so that an interruption never tears one."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
