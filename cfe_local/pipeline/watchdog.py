"""Answers cases through engines that may die: a new one goes on with what is left, a case that kills is set aside.

After a death the cases that were not under way go first. Those that were are suspects, asked in smaller groups and at
last one by one: a case that was there at two deaths, the second time alone, is answered ``failed`` and not asked again.
Where memory ran out, the number of cases under way is divided by `MEMORY_STEP` instead, until one is left.
A new engine is started at most ``watchdog.max_restarts`` times.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Generator, Sequence

from cfe_local.config import ModelConfig
from cfe_local.engines.ends import ran_out_of_memory
from cfe_local.errors import EngineDiedError
from cfe_local.pipeline.clock import timed
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.watch import Watcher
from cfe_local.records import Case, Response
from cfe_local.store import RunFolder

LOG = logging.getLogger(__name__)

MEMORY_STEP = 4
SUSPECTS_STEP = 16
DEADLY = 2
"""Deaths after which a case is set aside, if it was alone at the last one."""


def answer_all(
    cases: Sequence[Case], model: ModelConfig, engines: EngineHost, watch: Watcher, *, timing: tuple[RunFolder, str]
) -> Generator[Response, None, None]:
    """Answer every case exactly once, over as many engines as it takes.

    Args:
        cases: What to ask.
        model: Who is asked.
        engines: Where engines come from.
        watch: Is told of every death.
        timing: Folder and phase under which the engines' time is written down.

    Yields:
        Each response as it arrives; what was yielded before an error stays valid.

    Raises:
        EngineDiedError: If an engine dies once more after the last restart, or does not load.
        CfeError: Whatever else the engine refuses.
    """
    folder, phase = timing
    left = _Left(cases, model.max_in_flight)
    n_restarts = 0
    while left.cases:
        engine = engines.engine_for(model)
        batch, limit = left.next_batch()
        try:
            with timed(folder, phase, engine):
                for response in engine.generate(batch, limit=limit):
                    left.answered(response)
                    yield response
        except EngineDiedError as error:
            aside = left.died(error, engine.in_flight)
            engines.replace()
            if aside is not None:
                yield aside
            if n_restarts >= engines.watchdog.max_restarts:
                raise
            n_restarts += 1
            _tell(error, aside, left, watch)


def _tell(error: EngineDiedError, aside: Response | None, left: _Left, watch: Watcher) -> None:
    LOG.warning("%s", error)
    said = str(error).splitlines()[0]
    if aside is not None:
        said += f"; {aside.key.label} is set aside"
    if left.cases:
        n_cases, limit = len(left.cases), left.next_batch()[1]
        watch.note(f"{said}; a new one goes on with {n_cases} case(s), {limit} at once")
    else:
        watch.note(said)


class _Left:
    """The cases that have no response, and what is known about their part in deaths."""

    def __init__(self, cases: Sequence[Case], limit: int) -> None:
        self.cases = {case.key.label: case for case in cases}
        self._limit = limit
        self._deaths: Counter[str] = Counter()

    def answered(self, response: Response) -> None:
        self.cases.pop(response.key.label, None)

    def next_batch(self) -> tuple[list[Case], int]:
        """What to ask next, and how many of it at once: the least suspected cases."""
        fewest = min(self._deaths[label] for label in self.cases)
        batch = [case for label, case in self.cases.items() if self._deaths[label] == fewest]
        if fewest == 0:
            return batch, self._limit
        return batch, max(1, self._limit // SUSPECTS_STEP) if fewest < DEADLY else 1

    def died(self, error: EngineDiedError, in_flight: frozenset[str]) -> Response | None:
        """Draw the conclusions of a death; the outcome of the case that is set aside by it, if any."""
        is_alone = len(in_flight) == 1
        if ran_out_of_memory(str(error)) and not is_alone:
            self._limit = max(1, min(self._limit, len(in_flight)) // MEMORY_STEP)
            return None
        self._deaths.update(label for label in in_flight if label in self.cases)
        if not is_alone:
            return None
        (label,) = in_flight
        if label not in self.cases or self._deaths[label] < DEADLY:
            return None
        case = self.cases.pop(label)
        detail = f"set aside: the engine died {self._deaths[label]} times at this case; {str(error).splitlines()[0]}"
        return Response(key=case.key, outcome="failed", detail=detail)
