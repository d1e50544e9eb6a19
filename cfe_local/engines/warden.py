"""Stands between driver and engine, and ends the engine with everything it started when either of them is gone.

Runs as a program of its own, ``python -I warden.py DRIVER_PID FDS COMMAND...``, with the standard library alone. It
adopts whatever the engine orphans (Linux: child subreaper), so it finds processes that left the engine's process group
or session, too. Why not a parent-death signal alone: it reaches the engine, not the workers that the engine started,
and those hold the memory. Exit status: the engine's own, or 128 + signal number where a signal ended it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

POLL_S = 0.1
LEAVE_S = 1.0
"""How long workers may take to notice that their engine is gone and to free shared memory, before they are killed."""
GONE_S = 6.0
"""Give up waiting for killed processes after this; only one stuck in the kernel takes longer."""
SHARED_NAMES = ("psm_", "sem.mp-", "sem.loky-", "vllm", "torch_", "nccl-")
"""How multiprocessing, joblib, vLLM, torch and NCCL name theirs under /dev/shm."""
PR_SET_CHILD_SUBREAPER = 36  # Linux, sys/prctl.h


def watch(driver_pid: int, fds: list[int], command: list[str]) -> int:
    """Run the engine until it ends, the driver is gone, or SIGTERM asks to end it.

    Args:
        driver_pid: Process that must stay this one's parent.
        fds: File descriptors that the engine inherits; closed here once it has them.
        command: The engine.

    Returns:
        Exit status for the driver, see the module's text.
    """
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        del frame
        asked.append(number)

    signal.signal(signal.SIGTERM, ask)
    signal.signal(signal.SIGINT, lambda number, frame: None)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    engine = subprocess.Popen(command, start_new_session=True, close_fds=False)
    for fd in fds:
        os.close(fd)
    status: int | None = None
    while status is None and not asked and os.getppid() == driver_pid:
        time.sleep(POLL_S)
        status = _reap(engine.pid)
    return _end(engine.pid, status)


def _reap(engine_pid: int) -> int | None:
    """Collect every ended child; the engine's status if it was among them."""
    status = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == engine_pid:
                status = os.waitstatus_to_exitcode(ended[1])
    return status


def _end(engine_pid: int, status: int | None) -> int:
    started = time.monotonic()
    shared = _shared_memory(descendants(os.getpid()))
    if status is None:
        _kill(engine_pid)
    while (left := descendants(os.getpid())) and (waited := time.monotonic() - started) < GONE_S:
        if waited > LEAVE_S:
            for pid in left:
                _kill(pid)
        time.sleep(POLL_S / 2)
        ended = _reap(engine_pid)
        status = ended if status is None else status
    ended = _reap(engine_pid)  # the last ones to die; whoever adopts them after us may not collect them
    status = ended if status is None else status
    for path in shared:
        with contextlib.suppress(OSError):  # freed by its owner meanwhile
            path.unlink()
    if sys.platform != "linux":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(engine_pid, signal.SIGKILL)
    if status is None:
        return 128 + signal.SIGKILL
    return status if status >= 0 else 128 - status


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _shared_memory(pids: list[int]) -> set[Path]:
    """Shared memory of an engine's workers, which nobody frees once they are killed: it would stay until a reboot."""
    found: set[Path] = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for entry in Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines():
                name = entry.partition("/dev/shm/")[2].removesuffix(" (deleted)")
                if name.startswith(SHARED_NAMES):
                    found.add(Path("/dev/shm") / name)
    return found


def descendants(root: int) -> list[int]:
    """Every living process below ``root``, from /proc; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            # The command's name is in brackets and may hold blanks and brackets; what counts comes after the last one.
            state, parent = stat.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state != "Z":
                children.setdefault(int(parent), []).append(int(stat.parent.name))
            else:
                children.setdefault(int(parent), [])
    found: list[int] = []
    open_ends = [root]
    while open_ends:
        for pid in children.get(open_ends.pop(), []):
            found.append(pid)
            open_ends.append(pid)
    return found


if __name__ == "__main__":
    sys.exit(watch(int(sys.argv[1]), [int(fd) for fd in sys.argv[2].split(",") if fd], sys.argv[3:]))
