"""A full disk, played by the kernel itself: a limit on file size cuts a write in its middle, as a full disk does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cfe_local.records import Response
from cfe_local.store import RecordStream, RunStore
from tests.store.examples import manifest

_WRITER = """
import resource, sys
from pathlib import Path
from cfe_local.errors import StoreError
from cfe_local.records import Response
from cfe_local.store import RecordStream
from tests.store.examples import response

resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
stream = RecordStream(Path(sys.argv[1]), Response)
n = 0
try:
    while True:
        stream.append(response(n, "x" * 50))
        n += 1
except StoreError as error:
    print(n)
    print(error)
"""

_WHOLE_FILE_WRITER = """
import resource, sys
from pathlib import Path
from cfe_local.errors import StoreError
from cfe_local.store import RunStore

with RunStore.reopen(Path(sys.argv[1])) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
    try:
        store.write_text("metrics.json", "y" * 10000)
    except StoreError as error:
        print(error)
"""


def _run(code: str, path: Path) -> str:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=root, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def test_a_write_that_stops_half_way_leaves_whole_lines_and_says_what_is_safe(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    said = _run(_WRITER, path)
    n = int(said.splitlines()[0])
    assert n >= 5
    content = path.read_bytes()
    assert content.endswith(b"}\n")
    loaded = RecordStream(path, Response).load()
    assert len(loaded.records) == n
    assert loaded.report.is_clean
    assert "responses.jsonl: could not be written" in said
    assert f"({n} more are written" in said or f"and {n} records" in said
    assert "Fix: free space" in said


def test_a_whole_file_that_does_not_fit_leaves_the_old_one(tmp_path: Path) -> None:
    with RunStore.create_or_resume(tmp_path / "run", manifest(), "") as store:
        store.write_text("metrics.json", "old")
    said = _run(_WHOLE_FILE_WRITER, tmp_path / "run")
    assert "what was there before is unchanged" in said
    assert (tmp_path / "run" / "metrics.json").read_text() == "old"
    assert not list((tmp_path / "run").glob("*.tmp"))
    assert not list((tmp_path / "run").glob(".*.tmp"))
