"""The warden with real processes and real signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cfe_local.engines.process import WARDEN_PATH
from tests.engines.process_trees import TREE, alive, seconds_until_gone, wait_for_tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds descendants through /proc")


def engine(folder: Path, then: str) -> list[str]:
    return [sys.executable, "-c", TREE + then, str(folder)]


def start_warden(folder: Path, then: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", str(WARDEN_PATH), str(os.getpid()), "", *engine(folder, then)]
    return subprocess.Popen(command, start_new_session=True)


def test_nothing_is_left_ten_seconds_after_the_driver_was_killed(tmp_path: Path) -> None:
    inner = [sys.executable, "-I", str(WARDEN_PATH)]
    source = (
        "import os, subprocess, sys, time\n"
        f"command = {inner!r} + [str(os.getpid()), ''] + {engine(tmp_path, 'time.sleep(300)')!r}\n"
        "warden = subprocess.Popen(command, start_new_session=True)\n"
        "print(warden.pid, flush=True)\n"
        "time.sleep(300)\n"
    )
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE) as driver:
        assert driver.stdout is not None
        warden_pid = int(driver.stdout.readline())
        tree = wait_for_tree(tmp_path)
        assert all(alive(pid) for pid in tree.values())
        os.kill(driver.pid, signal.SIGKILL)
        assert seconds_until_gone([warden_pid, *tree.values()]) < 10


@pytest.mark.parametrize(
    ("then", "status"),
    [
        ("sys.exit(3)", 3),
        ("sys.exit(0)", 0),
        ("os.kill(os.getpid(), 9)", 128 + 9),
        ("os.abort()", 128 + 6),
    ],
)
def test_what_a_dead_engine_leaves_behind_is_ended_and_its_status_handed_on(
    tmp_path: Path, then: str, status: int
) -> None:
    with start_warden(tmp_path, then) as warden:
        tree = wait_for_tree(tmp_path)
        assert warden.wait(15) == status
        assert [name for name, pid in tree.items() if alive(pid)] == []


def test_asked_to_end_it_ends_everything(tmp_path: Path) -> None:
    with start_warden(tmp_path, "time.sleep(300)") as warden:
        tree = wait_for_tree(tmp_path)
        warden.terminate()
        assert seconds_until_gone(list(tree.values())) < 10
        assert warden.wait(10) == 128 + signal.SIGKILL


def test_an_engine_that_ignores_every_signal_it_can_is_ended(tmp_path: Path) -> None:
    stubborn = "import signal\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(300)"
    with start_warden(tmp_path, stubborn) as warden:
        tree = wait_for_tree(tmp_path)
        warden.terminate()
        assert seconds_until_gone([tree["engine"]]) < 10
        warden.wait(10)
