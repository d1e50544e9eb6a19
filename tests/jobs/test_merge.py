"""Which run folders are the shards of one run; values in, an order or a refusal out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cfe_local.config import load_run_config
from cfe_local.errors import UsageError
from cfe_local.jobs.merge import Shard, check_shards
from cfe_local.records import Manifest


def shard(part: int, n: int = 3, *, settings: dict[str, str] | None = None, **changes: Any) -> Shard:
    values: dict[str, Any] = {
        "benchmark.path": f"/node-{part}/bench",
        "model.path": f"/node-{part}/model",
        "judge.path": "/judge",
        "selection.shard": f"{part}/{n}" if n else "",
        "out": f"/node-{part}/run",
        "equivalence.workers": part,
    }
    config = load_run_config(None, values=values | {name.replace("__", "."): value for name, value in changes.items()})
    manifest = Manifest(
        created="now", cfe_local_version="1", fingerprint="0" * 64, settings={"seed": "0"} | (settings or {}),
        shard=config.selection.shard, benchmark_files=(), benchmark_name="b",
    )  # fmt: skip
    return Shard(Path(f"/node-{part}/run"), manifest, config, ("s2s",))


def test_shards_of_different_places_come_in_the_order_of_their_parts() -> None:
    got = check_shards([shard(3), shard(1), shard(2)])
    assert [one.config.selection.shard for one in got] == ["1/3", "2/3", "3/3"]


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([shard(3)], r"of 3 shards 2 missing[\s\S]*--shard 2/3"),
        ([shard(2), shard(2), shard(3)], r"/node-2/run and /node-2/run: are both shard 2/3"),
        ([shard(2, 4)], "/node-2/run: is part of 4, and /node-1/run of 3"),
        ([shard(2, 0), shard(3)], "/node-2/run: is a whole run"),
        ([shard(2, settings={"seed": "7"}), shard(3)], r"/node-2/run: was not made like /node-1/run:\n  seed: "),
        ([shard(2, selection__rows=["text:0-7"]), shard(3)], "/node-2/run[\\s\\S]*selection.rows: "),
        ([shard(2, experiment__samples=2), shard(3)], "/node-2/run[\\s\\S]*experiment.samples: "),
        ([shard(2, judge__sampling__max_tokens=99), shard(3)], "/node-2/run[\\s\\S]*judge.sampling.max_tokens: "),
        ([shard(2, grading__max_response_tokens=999), shard(3)], "/node-2/run[\\s\\S]*grading.max_response_tokens: "),
    ],
)
def test_what_is_no_complete_set_of_shards_is_refused_with_folder_and_setting(others: list[Shard], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_shards([shard(1), *others])


def test_a_shard_without_the_others_grading_is_named() -> None:
    bare = shard(2)
    bare = Shard(bare.path, bare.manifest, bare.config, ())
    with pytest.raises(UsageError, match="/node-2/run: has the gradings none"):
        check_shards([shard(1), bare, shard(3)])
