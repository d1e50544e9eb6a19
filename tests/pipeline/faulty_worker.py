"""The real engine process around an engine that echoes, and misbehaves as told by the last part of ``model.path``."""

from __future__ import annotations

import mmap
import os
import resource
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from cfe_local.config import ModelConfig
from cfe_local.engines import worker
from cfe_local.engines.feed import as_feed
from cfe_local.engines.wire import EngineInfo
from cfe_local.records import Case, Response

POISON_ROW = 7
MEGABYTES_PER_CASE = 100
ROOM_MEGABYTES = 700


class FaultyEngine:
    """Answers windows of cases; what goes wrong depends on a name."""

    def __init__(self, model: ModelConfig) -> None:
        path = Path(model.path)
        self._folder, self._behaviour = path.parent, path.name
        self.info = EngineInfo(engine="faulty")
        self.n_steps = 0
        with (self._folder / "starts").open("a") as starts:
            starts.write(f"{os.getpid()}\n")
        if self._behaviour == "dies-while-loading":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self._behaviour == "needs-memory":
            in_use = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            most = in_use + ROOM_MEGABYTES * 2**20
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

    def generate(self, cases: Iterable[Case]) -> Iterator[Response]:
        feed = as_feed(cases)
        while (first := next(feed, None)) is not None:
            window = [first]
            deadline = time.monotonic() + 0.1
            while time.monotonic() < deadline:
                if feed.ready():
                    if (case := next(feed, None)) is None:
                        break
                    window.append(case)
                time.sleep(0.001)
            held = self._hold(len(window))
            with (self._folder / "windows").open("a") as windows:
                windows.write(f"{len(window)}\n")
            for case in window:
                self._suffer(case)
                yield Response(key=case.key, outcome="answered", text=f"echo {case.key.row}")
            held.close()

    def _hold(self, n_cases: int) -> mmap.mmap:
        """Memory in proportion to what is answered side by side; asked for, never touched."""
        needed = n_cases * MEGABYTES_PER_CASE * 2**20 if self._behaviour == "needs-memory" else mmap.PAGESIZE
        return mmap.mmap(-1, needed)

    def _suffer(self, case: Case) -> None:
        first_time = not (self._folder / "suffered").exists()
        at_poison = case.key.row == POISON_ROW
        if self._behaviour == "works-slowly":
            for _ in range(50):
                time.sleep(0.1)
                self.n_steps += 1
        if at_poison and self._behaviour == "is-poisoned":
            os.kill(os.getpid(), signal.SIGSEGV)
        if at_poison and self._behaviour == "is-killed-by-one":
            os.kill(os.getpid(), signal.SIGKILL)
        if at_poison and first_time and self._behaviour in ("hangs-once", "is-stopped-once"):
            (self._folder / "suffered").touch()
            if self._behaviour == "is-stopped-once":
                os.kill(os.getpid(), signal.SIGSTOP)
            while True:
                time.sleep(60)


if __name__ == "__main__":
    worker.BEAT_S = 0.2
    worker.ENGINES = {"vllm": f"{__name__}:FaultyEngine"}
    worker.main()
