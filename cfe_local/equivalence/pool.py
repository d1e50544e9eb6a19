"""Compares many pairs in worker processes of its own, with limits on time and memory that hold whatever a pair does.

Each worker answers one pair at a time over its own pipe, so a slow or fatal pair delays only itself: the parent kills
the worker at the deadline and starts another. Workers are spawned (never forked), limit their own memory, and end
when their parent does: by parent-death signal where the system has one, and in any case when the pipe closes.

Not here: how a pair is compared (``api``).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from types import TracebackType

from cfe_local.equivalence.worker import main
from cfe_local.records import Comparison, ValueContext

Pair = tuple[str, str, ValueContext | None]
_START_S = 60.0  # A cold interpreter on a loaded machine; not counted as comparing.
_N_PAIRS_PER_WORKER = 5000  # Then a fresh process, so that memory stays flat over any number of pairs.
_POLL_S = 0.2


@dataclass(slots=True)
class _Worker:
    """One process, and what it is working on."""

    process: multiprocessing.process.BaseProcess
    pipe: Connection
    index: int | None = None
    deadline: float = 0.0
    started: float = 0.0
    n_done: int = 0
    is_ready: bool = False


class ComparisonPool:
    """Worker processes that compare pairs; use it as a context manager.

    Args:
        n_workers: Processes, at least 1.
        timeout_s: Most seconds one pair may take before its worker is killed.
        memory_mb: Most address space one worker may take, in MiB, beyond what it needs to start.

    Raises:
        ValueError: If a limit is not positive.
    """

    def __init__(self, n_workers: int = 2, timeout_s: float = 5.0, memory_mb: int = 1024) -> None:
        if n_workers < 1 or timeout_s <= 0 or memory_mb < 64:
            raise ValueError("a pool needs at least 1 worker, a positive time limit and 64 MiB")
        self.n_workers = n_workers
        self.timeout_s = timeout_s
        self.memory_mb = memory_mb
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []

    def __enter__(self) -> ComparisonPool:
        """Start the workers; they warm up while the caller goes on."""
        self._workers = [self._start() for _ in range(self.n_workers)]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all workers."""
        for worker in self._workers:
            _end(worker)
        self._workers = []

    def compare(self, reference: str, candidate: str, context: ValueContext | None = None) -> Comparison:
        """Compare one pair.

        Returns:
            The comparison; ``undecided`` by ``timeout``, ``memory`` or ``crash`` where a limit ended it.
        """
        return next(iter(self.compare_all([(reference, candidate, context)])))[1]

    def compare_all(self, pairs: Iterable[Pair]) -> Iterator[tuple[int, Comparison]]:
        """Compare pairs; results come in the order of the pairs, each with its index.

        Args:
            pairs: (reference, candidate, context or None).

        Yields:
            Index and comparison.
        """
        waiting = enumerate(pairs)
        finished: dict[int, Comparison] = {}
        contents: dict[int, Pair] = {}
        following = 0
        exhausted = False
        while True:
            while not exhausted and (idle := self._idle()) is not None and len(finished) < 64 * self.n_workers:
                item = next(waiting, None)
                if item is None:
                    exhausted = True
                    break
                contents[item[0]] = item[1]
                self._give(idle, item[0], item[1])
            for index, comparison in self._collect():
                finished[index] = comparison
            while following in finished:
                contents.pop(following, None)
                yield following, finished.pop(following)
                following += 1
            if exhausted and not finished and all(worker.index is None for worker in self._workers):
                return

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=main, args=(theirs, self.memory_mb), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _idle(self) -> _Worker | None:
        return next((worker for worker in self._workers if worker.index is None), None)

    def _give(self, worker: _Worker, index: int, pair: Pair) -> None:
        worker.index = index
        worker.started = time.monotonic()
        worker.deadline = worker.started + (self.timeout_s if worker.is_ready else _START_S)
        reference, candidate, context = pair
        with contextlib.suppress(BrokenPipeError, OSError):  # A worker that died shows when it is collected.
            worker.pipe.send((reference, candidate, context))

    def _collect(self) -> Iterator[tuple[int, Comparison]]:
        """What has come back by now, waiting a moment; overdue and dead workers are replaced."""
        busy = [worker for worker in self._workers if worker.index is not None]
        if not busy:
            return
        now = time.monotonic()
        pause = max(0.0, min(_POLL_S, *(worker.deadline - now for worker in busy)))
        ready = set(wait([worker.pipe for worker in busy], pause))
        for worker in busy:
            found = self._result(worker) if worker.pipe in ready else self._overdue(worker)
            if found is not None and worker.index is not None:
                yield worker.index, found
                worker.index = None
                worker.n_done += 1
                self._renew(worker)

    def _result(self, worker: _Worker) -> Comparison | None:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(5)
            code = worker.process.exitcode
            return self._stopped(worker, "crash", f"the worker ended by itself (exit code {code})")
        if message == "ready":
            worker.is_ready = True
            worker.started = time.monotonic()
            worker.deadline = worker.started + self.timeout_s
            return None
        if message == "memory":
            return self._stopped(worker, "memory", f"needed more than {self.memory_mb} MiB")
        if isinstance(message, Comparison):
            return message
        return self._stopped(worker, "crash", f"{message}")

    def _overdue(self, worker: _Worker) -> Comparison | None:
        if time.monotonic() < worker.deadline:
            return None
        return self._stopped(worker, "timeout", f"took longer than {self.timeout_s:g} s")

    def _stopped(self, worker: _Worker, by: str, why: str) -> Comparison:
        seconds = max(0.0, time.monotonic() - worker.started)
        _end(worker)
        return Comparison(verdict="undecided", by=by, evidence=why, seconds=seconds)

    def _renew(self, worker: _Worker) -> None:
        """Put a fresh process in the place of one that was ended or has done its share."""
        if worker.process.is_alive() and worker.n_done < _N_PAIRS_PER_WORKER:
            return
        _end(worker)
        self._workers[self._workers.index(worker)] = self._start()


def _end(worker: _Worker) -> None:
    """Kill a worker and wait until it is gone."""
    worker.pipe.close()
    if worker.process.is_alive():
        worker.process.kill()
    worker.process.join(5)
