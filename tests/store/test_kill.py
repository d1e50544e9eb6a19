"""Real deaths: a child process writes, tells on a pipe which lines it has, and is killed at a random moment."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cfe_local.errors import RunLockedError
from cfe_local.records import Response
from cfe_local.store import RunStore
from tests.store.examples import manifest

ROOT = Path(__file__).resolve().parents[2]
N_ROWS = 100_000

_WRITER = f"""
import sys
from pathlib import Path
from cfe_local.records import Response
from cfe_local.store import RunStore
from tests.store.examples import manifest, response

with RunStore.create_or_resume(Path(sys.argv[1]), manifest(), "seed: 0\\n") as store:
    stream = store.stream("responses", Response)
    done = stream.load().records
    for row in range({N_ROWS}):
        record = response(row, "x" * (row % 3000))
        if record.key.label not in done:
            stream.append(record)
            sys.stdout.write(f"{{row}}\\n")
            sys.stdout.flush()
"""


def _start(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True, bufsize=1
    )


def _kill(child: subprocess.Popen[str]) -> list[int]:
    child.send_signal(signal.SIGKILL)
    said, _ = child.communicate(timeout=30)
    lines = said.split("\n")
    return [int(line) for line in lines[:-1]]  # what follows the last newline was not said in full


def test_every_line_whose_append_returned_survives_sigkill_and_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run"
    moments = random.Random(20260101)
    told: list[int] = []
    for _ in range(3):
        child = _start(path)
        assert child.stdout is not None
        told.append(int(child.stdout.readline()))  # it is writing now
        time.sleep(moments.uniform(0.0, 0.3))
        told += _kill(child)
        with RunStore.open(path) as store:
            loaded = store.stream("responses", Response).load()
        assert {int(record.key.row) for record in loaded.records.values()} >= set(told)
        assert loaded.report.n_duplicates == 0  # nothing was written twice
        assert loaded.report.n_damaged == 0
    assert len(told) == len(set(told))
    assert len(told) > 10


def test_the_lock_of_a_killed_writer_is_taken_over_and_that_of_a_living_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "run"
    child = _start(path)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        with pytest.raises(RunLockedError, match=f"process {child.pid} on host") as caught:
            RunStore.create_or_resume(path, manifest(), "")
        assert f"rm {path / 'run.lock'}" in str(caught.value)
        with RunStore.open(path) as reader:
            assert reader.stream("responses", Response).load().records
    finally:
        _kill(child)
    with RunStore.create_or_resume(path, manifest(), "") as store:
        assert store.is_writable
    assert not (path / "run.lock").exists()
