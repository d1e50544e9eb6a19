"""A large exam's worth of lines: 160,000, as 320 problems with 500 samples give."""

from __future__ import annotations

import time
import tracemalloc
from itertools import islice
from pathlib import Path

from cfe_local.records import Response
from cfe_local.store import RecordStream
from tests.store.examples import response

N_LINES = 160_000


def test_160_000_lines_load_in_seconds_and_an_index_of_them_is_small(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    with path.open("w", encoding="utf-8") as handle:
        line = response(987654, "x" * 300, sample=456789).model_dump_json() + "\n"
        for number in range(N_LINES):
            handle.write(line.replace("987654", str(number // 500)).replace("456789", str(number % 500)))
    started = time.perf_counter()
    index = RecordStream(path, Response).index()
    seconds = time.perf_counter() - started
    assert len(index) == N_LINES
    assert seconds < 30  # about 3 s on one quiet core; the margin is for a busy machine
    tracemalloc.start()
    n_characters = sum(len(record.text) for record in islice(index, N_LINES // 8))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_characters == 300 * N_LINES // 8
    assert peak < 20 * 2**20  # records come one at a time
