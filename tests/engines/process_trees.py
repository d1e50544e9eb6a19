"""Small process trees for tests, and how to see whether anything of them is left."""

from __future__ import annotations

import time
from pathlib import Path

TREE = """
import os, subprocess, sys, time
folder = sys.argv[1]
sleeper = "import os,sys,time; open(sys.argv[1],'w').write(str(os.getpid())); time.sleep(300)"
def start(name, **how):
    subprocess.Popen([sys.executable, "-c", sleeper, f"{folder}/{name}"], **how)
start("child")
start("own_session", start_new_session=True)
if os.fork() == 0:            # a daemon: its parent is gone, its session is its own
    os.setsid()
    start("daemon")
    os._exit(0)
open(f"{folder}/engine", "w").write(str(os.getpid()))
deadline = time.time() + 20
while len(os.listdir(folder)) < 4 and time.time() < deadline:
    time.sleep(0.02)
"""
"""Starts a child, a child in a session of its own and a daemon; each writes its pid to a file under its name."""

TREE_SIZE = 4


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_for_tree(folder: Path, timeout_s: float = 20.0) -> dict[str, int]:
    """Pids of the tree, once all of it has started."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        texts = {path.name: path.read_text() for path in folder.iterdir()}
        if len(texts) == TREE_SIZE and all(texts.values()):
            return {name: int(text) for name, text in texts.items()}
        time.sleep(0.02)
    raise TimeoutError(f"only {[path.name for path in folder.iterdir()]} started")


def seconds_until_gone(pids: list[int], timeout_s: float = 20.0) -> float:
    """How long it takes until none of them runs."""
    started = time.monotonic()
    while any(alive(pid) for pid in pids):
        if time.monotonic() - started > timeout_s:
            raise TimeoutError(f"still alive: {[pid for pid in pids if alive(pid)]}")
        time.sleep(0.02)
    return time.monotonic() - started
