"""Exports of a finished run folder, and answers that come back from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cfe_local.config import ModelConfig
from cfe_local.engines.replay import ReplayEngine
from cfe_local.errors import UsageError
from cfe_local.pipeline import Regrading, export, reopen
from cfe_local.pipeline.export import FORMATS
from cfe_local.records import Response
from cfe_local.store import RunStore


def exported(folder: Path, name: str, out: Path, *, grading: str | None = "s2s") -> list[Path]:
    with RunStore.open(folder) as store:
        return export(reopen(store, Regrading()), store, name, out, grading=grading)


@pytest.mark.parametrize("name", ["upstream", "lm-eval"])
def test_answers_come_back_from_an_export_as_they_were(finished: Path, tmp_path: Path, name: str) -> None:
    files = exported(finished, name, tmp_path / name)
    source = next(path for path in files if path.name.startswith(("responses_", "samples_")))
    with RunStore.open(finished) as store:
        cases = reopen(store, Regrading()).cases()
        kept = store.stream("responses", Response).load().records
    engine = ReplayEngine(ModelConfig(path=str(source if name == "upstream" else source.parent), engine="replay"))
    back = {response.key.label: response for response in engine.generate(cases)}
    assert {label: response.text for label, response in back.items()} == {k: r.text for k, r in kept.items()}
    if name == "lm-eval":
        assert {k: (r.thinking, r.outcome) for k, r in back.items()} == {
            k: (r.thinking, r.outcome) for k, r in kept.items()
        }


def test_upstream_responses_survive_a_round_trip_byte_by_byte(finished: Path, tmp_path: Path) -> None:
    first = exported(finished, "upstream", tmp_path / "a")[0]
    again = exported(finished, "upstream", tmp_path / "b", grading=None)[0]
    assert first.read_bytes() == again.read_bytes()
    answers = [entry["generated_answers"] for entry in json.loads(first.read_text(encoding="utf-8"))]
    assert [len(texts) for texts in answers] == [1] * 6


@pytest.mark.parametrize("name", ["lm-eval", "inspect"])
def test_a_format_that_needs_verdicts_says_so(finished: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="not graded"):
        exported(finished, name, tmp_path, grading=None)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_writes_only_below_its_folder_and_twice_the_same(
    finished: Path, tmp_path: Path, name: str
) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed; it is part of the extra data")
    files = exported(finished, name, tmp_path / "out")
    before = {path: path.read_bytes() for path in files}
    assert exported(finished, name, tmp_path / "out") == files
    assert {path: path.read_bytes() for path in files} == before
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == set(files)
