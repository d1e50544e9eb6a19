"""The sample benchmark: its shape, its provenance and its figures."""

import hashlib
import importlib.util
import json
import sys
from collections.abc import Iterator
from csv import DictReader
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "cfe_local" / "benchmarks" / "sample"
SPLITS: dict[str, list[dict[str, Any]]] = {
    split: json.loads((SAMPLE / f"CFE_{split}.json").read_text(encoding="utf-8")) for split in ("text", "mm")
}
ROWS = [(split, row) for split, problems in SPLITS.items() for row in range(len(problems))]
KEYS = {"id", "question", "answer", "reasoning_flow"} | {
    f"short_answer_{part}" for part in ("value", "variable", "description", "type")
}


# ---------------------------------------------------------------- shape


@pytest.mark.parametrize(("split", "row"), ROWS)
def test_every_problem_has_the_shape_of_the_published_files(split: str, row: int) -> None:
    problem = SPLITS[split][row]
    assert set(problem) == KEYS
    assert problem["id"] == hashlib.sha256(f"cfe_local sample benchmark {split}:{row}".encode()).hexdigest()
    lists = [problem[key] for key in sorted(KEYS) if key.startswith("short_answer_")]
    assert len({len(values) for values in lists}) == 1
    assert all(isinstance(value, str) and value.strip() for values in lists for value in values)
    assert len(set(problem["short_answer_variable"])) == len(problem["short_answer_variable"])
    assert set(problem["short_answer_type"]) <= {"numeric", "formula", "other"}
    assert problem["question"]["text"].count("<image>") == len(problem["question"]["images"])
    assert (len(problem["question"]["images"]) in (1, 2, 3)) == (split == "mm")


@pytest.mark.parametrize(("split", "row"), ROWS)
def test_every_reasoning_flow_has_three_to_eight_numbered_steps_that_do_not_name_their_answer(
    split: str, row: int
) -> None:
    flow = SPLITS[split][row]["reasoning_flow"]
    assert 3 <= len(flow) <= 8
    assert [step["step_id"] for step in flow] == list(range(1, len(flow) + 1))
    for step in flow:
        answer = step["verifiable_answer"]
        assert type(answer) in (str, float, bool)
        if isinstance(answer, str) and len(answer) > 4:
            assert answer not in step["step"] or f"{answer} or " in step["step"]


def test_the_sample_covers_all_types_and_kinds_of_step_answers() -> None:
    problems = [problem for split in SPLITS.values() for problem in split]
    steps = [step["verifiable_answer"] for problem in problems for step in problem["reasoning_flow"]]
    finals_last = [p["reasoning_flow"][-1]["verifiable_answer"] == p["short_answer_value"][-1] for p in problems]
    assert [len(SPLITS["text"]), len(SPLITS["mm"])] == [16, 8]
    assert [sum(len(p["short_answer_value"]) for p in split) for split in SPLITS.values()] == [31, 26]
    assert {kind for p in problems for kind in p["short_answer_type"]} == {"numeric", "formula", "other"}
    assert {type(step) for step in steps} == {str, float, bool}
    assert any(finals_last)
    assert not all(finals_last)
    first, second = (SPLITS["text"][row]["question"]["text"] for row in (8, 9))
    assert first[:300] == second[:300]
    assert first != second


def test_provenance_names_every_problem_once_and_in_order() -> None:
    with (SAMPLE / "PROVENANCE.csv").open(encoding="utf-8", newline="") as file:
        rows = list(DictReader(file))
    assert [(row["subset"], row["id"]) for row in rows] == [(s, SPLITS[s][r]["id"]) for s, r in ROWS]
    assert {row["license"] for row in rows} == {"Apache-2.0"}
    assert len({row["topic"] for row in rows}) >= 7


# ---------------------------------------------------------------- figures


@pytest.fixture(scope="module")
def drawing() -> Iterator[ModuleType]:
    loader = SourceFileLoader("draw_sample_images", str(ROOT / "scripts" / "draw_sample_images"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    if spec is None:
        pytest.fail("scripts/draw_sample_images cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module  # dataclasses look their module up by name
    loader.exec_module(module)
    yield module
    del sys.modules[loader.name]


def test_the_committed_figures_are_what_the_script_draws(drawing: ModuleType, tmp_path: Path) -> None:
    drawn = drawing.draw_all(tmp_path)
    on_disk = sorted(path for path in SAMPLE.parent.glob("*sample/images/**/*") if path.is_file())
    assert sorted(path.relative_to(tmp_path) for path in drawn) == [path.relative_to(SAMPLE.parent) for path in on_disk]
    for path in drawn:
        committed = SAMPLE.parent / path.relative_to(tmp_path)
        assert committed.stat().st_size < 40_000
        with Image.open(committed) as old, Image.open(path) as new:
            assert old.mode == "RGB"
            assert min(old.size) >= 200
            # Another release of the font library may shade the edges of letters a little differently.
            assert old.size == new.size
            assert ImageStat.Stat(ImageChops.difference(old, new).convert("L")).mean[0] < 1.0


def test_the_titration_curve_shows_the_values_that_are_to_be_read_from_it(drawing: ModuleType) -> None:
    volume = drawing._titration_volume
    assert volume(5.0) == pytest.approx(10.0, abs=0.05)
    slopes = {ph / 100: 0.01 / (volume((ph + 1) / 100) - volume(ph / 100)) for ph in range(400, 1200)}
    assert volume(max(slopes, key=lambda ph: slopes[ph])) == pytest.approx(20.0, abs=0.05)
