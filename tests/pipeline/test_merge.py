"""Shards of a run, by replay: joined they are the run in one piece, byte for byte, and go on like it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cfe_local.cli.options import resolve
from cfe_local.errors import BenchmarkError, RunLockedError, StoreError, UsageError
from cfe_local.pipeline import Silent, run
from cfe_local.pipeline.merge import merge_shards
from cfe_local.store import RunStore

from .conftest import ReplayedRun

N = 2


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """The two shards of one graded run; tests read them."""
    replayed = ReplayedRun(tmp_path_factory.mktemp("shards"))
    parts = range(1, N + 1)
    configs = [
        replayed.config({"selection.shard": f"{part}/{N}", "out": replayed.folder / f"shard-{part}"}) for part in parts
    ]
    return tuple(run(config, Silent()).path for config in configs)


def test_joined_shards_are_the_run_in_one_piece_byte_for_byte(
    tmp_path: Path, shards: tuple[Path, ...], finished: Path
) -> None:
    merged = merge_shards(shards[::-1], tmp_path / "merged", Silent())
    for name in ("cases.jsonl", "responses.jsonl", "gradings/s2s/verdicts.jsonl"):
        assert (merged.path / name).read_bytes() == (finished / name).read_bytes(), name
    assert (merged.n_responses, merged.n_missing, merged.gradings) == (6, 0, ("s2s",))
    with RunStore.open(finished) as one, RunStore.open(merged.path) as other:
        assert other.manifest.shard == ""
        same = one.manifest.settings.keys() == other.manifest.settings.keys()
    assert same
    assert (merged.path / "report.html").is_file()


def test_a_shard_says_which_it_is_has_its_own_part_alone_and_the_same_fingerprint(shards: tuple[Path, ...]) -> None:
    with RunStore.open(shards[0]) as first, RunStore.open(shards[1]) as second:
        assert (first.manifest.shard, second.manifest.shard) == ("1/2", "2/2")
        assert first.manifest.fingerprint == second.manifest.fingerprint
    assert [len((path / "responses.jsonl").read_text().splitlines()) for path in shards] == [3, 3]


def test_open_cases_are_counted_and_asked_in_the_merged_run(tmp_path: Path, shards: tuple[Path, ...]) -> None:
    torn = tmp_path / "torn"
    shutil.copytree(shards[1], torn)
    shutil.rmtree(torn / "gradings")
    shutil.copytree(shards[0], whole := tmp_path / "whole")
    shutil.rmtree(whole / "gradings")
    kept = (torn / "responses.jsonl").read_text().splitlines(keepends=True)[:-1]
    (torn / "responses.jsonl").write_text("".join(kept))
    merged = merge_shards([whole, torn], tmp_path / "merged", Silent())
    assert (merged.n_responses, merged.n_missing, merged.gradings) == (5, 1, ())
    replayed = ReplayedRun(shards[0].parent)
    again = run(replayed.config({"out": merged.path}), Silent())
    assert (again.n_missing, again.n_engine_loads) == (0, 2)


def test_used_folders_locked_shards_and_repeats_are_refused(
    tmp_path: Path, shards: tuple[Path, ...], finished: Path
) -> None:
    with pytest.raises(StoreError, match="holds a run already"):
        merge_shards(shards, finished, Silent())
    with RunStore.reopen(shards[0]), pytest.raises(RunLockedError):
        merge_shards(shards, tmp_path / "merged", Silent())
    with pytest.raises(UsageError, match="is named twice"):
        merge_shards([*shards, shards[1]], tmp_path / "merged", Silent())
    assert not (tmp_path / "merged").exists()


def test_a_benchmark_that_is_elsewhere_can_be_named_and_a_wrong_one_leaves_nothing_half_done(
    tmp_path: Path, shards: tuple[Path, ...]
) -> None:
    out = tmp_path / "merged"
    with pytest.raises(BenchmarkError):
        merge_shards(shards, out, Silent(), overrides=["benchmark.path=/nowhere"])
    assert merge_shards(shards, out, Silent(), overrides=["benchmark.path=sample"]).n_responses == 6


def test_a_folder_takes_one_shard_only(tmp_path: Path, shards: tuple[Path, ...]) -> None:
    replayed = ReplayedRun(shards[0].parent)
    with pytest.raises(StoreError, match="holds shard 1/2, not shard 2/2"):
        run(replayed.config({"selection.shard": "2/2", "out": shards[0]}), Silent())
    with pytest.raises(UsageError, match="only 6 problems"):
        run(replayed.config({"selection.shard": "1/7", "out": tmp_path / "seven"}), Silent())


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_a_shard_that_makes_no_sense_is_refused(replayed: ReplayedRun, shard: str) -> None:
    with pytest.raises(UsageError, match="1 <= i <= n"):
        replayed.config({"selection.shard": shard})


def test_the_option_gives_each_shard_a_folder_of_its_own(tmp_path: Path) -> None:
    options = {"model": "m", "benchmark": "sample", "out": tmp_path, "shard": "2/16"}
    config = resolve(None, options)
    assert config.out == tmp_path / "shard-2-of-16"
    assert config.selection.shard == "2/16"
