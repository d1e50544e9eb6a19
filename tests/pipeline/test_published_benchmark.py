"""The pipeline over the published benchmark, without a model: nothing merged, nothing dropped, nothing reordered."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cfe_local.config import load_run_config
from cfe_local.pipeline import Regrading, Silent, export, generate_only, reopen
from cfe_local.store import RunStore

pytestmark = [
    pytest.mark.real_benchmark,
    pytest.mark.skipif("CFE_BENCH_DIR" not in os.environ, reason="$CFE_BENCH_DIR names no benchmark folder"),
]


def test_upstream_responses_come_back_row_by_row_where_ids_repeat(tmp_path: Path) -> None:
    folder = Path(os.environ["CFE_BENCH_DIR"])
    given: dict[str, list[dict[str, object]]] = {}
    (tmp_path / "given").mkdir()
    for split in ("text", "mm"):
        entries = json.loads((folder / f"CFE_{split}.json").read_text(encoding="utf-8"))
        given[split] = [
            {"id": entry["id"], "generated_answers": [f"{split} {row}, first", f"{split} {row}, second"]}
            for row, entry in enumerate(entries)
        ]
        (tmp_path / "given" / f"responses_{split}.json").write_text(json.dumps(given[split]), encoding="utf-8")
    config = load_run_config(
        None,
        values={
            "benchmark.path": str(folder),
            "model.path": str(tmp_path / "given"),
            "model.engine": "replay",
            "experiment.samples": 2,
            "out": tmp_path / "run",
        },
    )
    path, generated = generate_only(config, Silent())
    assert (len(generated.responses), generated.n_missing) == (898, 0)
    assert sum(response.n_images for response in generated.responses.values()) == 2 * 178
    with RunStore.open(path) as store:
        files = export(reopen(store, Regrading()), store, "upstream", tmp_path / "out", grading=None)
    back = {file.stem.removeprefix("responses_"): json.loads(file.read_text(encoding="utf-8")) for file in files}
    assert back == given
    ids = [entry["id"] for entry in back["mm"]]
    assert len(ids) - len(set(ids)) == 5
