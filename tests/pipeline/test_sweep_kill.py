"""The driver of a sweep is killed at random moments; the same command ends it, nothing lost and nothing doubled."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from cfe_local.jobs.status import read_status
from cfe_local.records import Case, Response
from cfe_local.store import RunStore
from tests.pipeline.sweeps import write_sweep

ROOT = Path(__file__).parents[2]
N_KILLS = int(os.environ.get("CFE_LOCAL_SOAK_KILLS", "2"))
TIMEOUT_S = 300


def start(file: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "cfe_local.cli.main", "sweep", str(file)]
    with file.with_suffix(".log").open("ab") as log:
        return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)


def contents(sweep: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(sweep)): path.read_bytes()
        for path in sorted(sweep.glob("runs/*/gradings/*/verdicts.jsonl"))
    }


def test_a_sweep_that_is_killed_again_and_again_ends_as_one_that_is_not(tmp_path: Path) -> None:
    (tmp_path / "calm").mkdir()
    (tmp_path / "killed").mkdir()
    started = time.monotonic()
    assert start(write_sweep(tmp_path / "calm", n_samples=20)).wait(TIMEOUT_S) == 0
    whole_s = time.monotonic() - started

    file = write_sweep(tmp_path / "killed", n_samples=20)
    moments = random.Random(20261201)
    n_killed = 0
    for _ in range(N_KILLS):
        driver = start(file)
        time.sleep(moments.uniform(0.25, 0.95) * whole_s)
        n_killed += driver.poll() is None
        driver.kill()
        driver.wait()
        if (file.parent / "sweep" / "sweep.json").exists():
            read_status(file.parent / "sweep")  # readable whatever it was killed in
    driver = start(file)
    assert driver.wait(TIMEOUT_S) == 0, file.with_suffix(".log").read_text()
    assert n_killed >= 1

    assert contents(tmp_path / "killed" / "sweep") == contents(tmp_path / "calm" / "sweep")
    for run in read_status(tmp_path / "killed" / "sweep").runs:
        assert run.state == "graded"
        with RunStore.open(tmp_path / "killed" / "sweep" / "runs" / run.name) as store:
            planned = set(store.stream("cases", Case).load().records)
            loaded = store.stream("responses", Response).load(planned)
            assert set(loaded.records) == planned
            assert loaded.report.is_clean
            judged = store.grading("s2s").stream("judge", Response).load().report
            assert judged.is_clean
