"""The process that compares pairs for a pool: reads a pair from its pipe, writes back the comparison.

It limits its own memory, ends with its parent, and imports nothing heavy.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from multiprocessing.connection import Connection

_PR_SET_PDEATHSIG = 1  # Linux, prctl(2).


def main(pipe: Connection, memory_mb: int) -> None:
    """Answer pairs until the pipe closes."""
    _end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent decides when its workers end.
    from cfe_local.equivalence.api import equivalent

    equivalent("x + 1", "1 + x")
    _limit_memory(memory_mb)
    pipe.send("ready")
    while True:
        try:
            reference, candidate, context = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer: object = equivalent(reference, candidate, context)
        except MemoryError:
            answer = "memory"
        try:
            pipe.send(answer)
        except (BrokenPipeError, OSError):
            return


def _end_with_parent() -> None:
    """Ask the system for a signal when the parent dies; elsewhere the closing pipe ends the loop."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1:
        sys.exit(0)


def _limit_memory(memory_mb: int) -> None:
    """Limit the address space to what is in use now and ``memory_mb`` more, within any limit that holds already."""
    in_use = 0
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a file on disk
            in_use = int(file.read().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = in_use + memory_mb * 2**20
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
