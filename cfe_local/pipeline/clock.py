"""Writes down how long an engine worked for a stage, over all attempts, so that GPU-hours survive a crash."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from pydantic import JsonValue

from cfe_local.engines.process import EngineProcess
from cfe_local.errors import StoreError
from cfe_local.metrics.effort import EngineTime
from cfe_local.records import Record
from cfe_local.store import RecordStream, RunFolder


class EngineWork(Record):
    """One stretch of engine time."""

    started: str
    time: EngineTime


def engine_work(folder: RunFolder) -> RecordStream[EngineWork]:
    """The stream of stretches in a run or grading folder."""
    return folder.stream("engine_times", EngineWork, label=lambda work: work.started)


@contextmanager
def timed(folder: RunFolder, phase: str, engine: EngineProcess) -> Iterator[None]:
    """Record the time spent inside, also when it ends by an exception; loading the engine is outside."""
    device = engine.engine_info.device
    started, clock = datetime.now(UTC).isoformat(), time.monotonic()

    def note() -> None:
        n_devices = 1 if device == "cpu" else n_devices_of(engine.model.engine_args)
        spent = EngineTime(phase=phase, seconds=time.monotonic() - clock, n_devices=n_devices, device=device)
        engine_work(folder).append(EngineWork(started=started, time=spent))

    try:
        yield
    except BaseException:
        with suppress(StoreError):  # a full disk ended the stage: its own message says what is safe
            note()
        raise
    note()


def n_devices_of(engine_args: dict[str, JsonValue]) -> int:
    """Devices that one engine occupies: the product of its parallel sizes."""
    n_devices = 1
    for name in ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size"):
        size = engine_args.get(name, 1)
        n_devices *= size if isinstance(size, int) else 1
    return n_devices
