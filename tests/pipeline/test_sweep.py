"""Sweeps by replay: real engine processes, no model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from cfe_local.config import load_sweep
from cfe_local.errors import RunLockedError, StoreError, UsageError
from cfe_local.jobs.rates import RATES
from cfe_local.jobs.status import read_status
from cfe_local.jobs.sweep import SweepFolder
from cfe_local.pipeline.sweep import SweepResult, preview, sweep
from tests.pipeline.sweeps import Noting, write_sweep


def carry_out(file: Path, watch: Noting | None = None) -> SweepResult:
    return sweep(*load_sweep(file), watch or Noting())


def test_n_models_need_n_plus_one_loads_and_end_in_one_comparison(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, samplings=[{"label": "greedy", "temperature": 0}, {"label": "warm"}])
    watch = Noting()
    result = carry_out(file, watch)
    assert result.n_engine_loads == 3  # two models with two samplings each, and the judge
    assert [run.state for run in result.runs] == ["graded"] * 4
    assert [run.name for run in result.runs] == ["model0-greedy", "model0-warm", "model1-greedy", "model1-warm"]
    assert [round(run.accuracy or 0, 2) for run in result.runs] == [0.67, 0.67, 1.0, 1.0]
    assert [path.parent.name for path in result.comparisons] == ["sample-exam-s2s"]
    compared = json.loads(result.comparisons[0].with_name("compare.json").read_text())
    assert len(compared["runs"]) == 4
    first_graded = next(i for i, (_, state) in enumerate(watch.states) if state == "graded")
    assert ("model1-warm", "generated") in watch.states[:first_graded]  # every generation before any grading

    again = carry_out(file)
    assert again.n_engine_loads == 0
    assert again.n_open == 0


def test_a_model_that_fails_is_recorded_with_its_reason_and_the_others_go_on(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, models=3)
    tree = yaml.safe_load(file.read_text())
    tree["models"][0]["path"] = str(tmp_path / "nowhere.jsonl")
    tree["models"][1] = {"path": str(tmp_path / "model1.jsonl"), "engine": "replay", "env": {"PYTHONHOME": "/nowhere"}}
    file.write_text(yaml.safe_dump(tree))
    result = carry_out(file)
    assert [run.state for run in result.runs] == ["failed", "failed", "graded"]
    assert [failure.stage for failure in result.failures] == ["plan", "generate"]
    assert "Last lines of" in result.failures[1].message
    assert "encodings" in result.failures[1].message  # what the interpreter itself said
    assert result.n_open == 2
    assert [run.note[:20] for run in read_status(tmp_path / "sweep").runs if run.note] != []

    tree["models"][1].pop("env")
    file.write_text(yaml.safe_dump(tree))
    assert [run.state for run in carry_out(file).runs] == ["failed", "graded", "graded"]


def test_the_preview_touches_nothing_and_says_what_it_costs(tmp_path: Path) -> None:
    _, runs = load_sweep(write_sweep(tmp_path, n_samples=4))
    planned = preview(runs, RATES["h200"])
    assert planned.n_engine_loads == 3
    costs = [run.estimate for run in planned.runs]
    assert [cost.n_cases if cost else 0 for cost in costs] == [12, 12]
    assert costs[0] is not None
    assert costs[0].n_answer_tokens == 12 * 4096
    assert costs[0].seconds is None  # answers from a file have no weights
    assert not (tmp_path / "sweep").exists()


def test_two_sweeps_in_one_folder_are_refused(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    with SweepFolder(tmp_path / "sweep"), pytest.raises(RunLockedError, match="in use by process"):
        carry_out(file)


def test_a_run_folder_is_not_taken_for_a_sweep(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, models=1)
    carry_out(file)
    tree = yaml.safe_load(file.read_text())
    tree["out"] = str(tmp_path / "sweep" / "runs" / "model0")
    file.write_text(yaml.safe_dump(tree))
    with pytest.raises(StoreError, match="is a run folder"):
        carry_out(file)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"modells": []}, "did you mean models"),
        ({"models": []}, "at least 1 item"),
        ({"samplings": [{"temprature": 0}]}, "temprature: unknown key; did you mean temperature"),
        ({"experiments": ["exam", "exam"]}, "two runs would be named"),
        ({"experiments": [{"name": "exam", "from": "later"}]}, "does not stand before it"),
        ({"judge": {"card": "nowhere.yaml"}}, "configuration file not found: nowhere.yaml"),
    ],
)
def test_a_sweep_file_that_makes_no_sense_is_refused_by_name(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    file = write_sweep(tmp_path)
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | change))
    with pytest.raises(UsageError, match=said):
        load_sweep(file)


def test_status_reads_a_single_run_too(tmp_path: Path) -> None:
    carry_out(write_sweep(tmp_path, models=1))
    status = read_status(tmp_path / "sweep" / "runs" / "model0")
    assert (status.runs[0].state, status.runs[0].n_responses, status.holder) == ("graded", 3, None)
    with pytest.raises(StoreError, match="neither a run nor a sweep"):
        read_status(tmp_path)
