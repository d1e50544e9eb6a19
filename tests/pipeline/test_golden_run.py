"""The whole pipeline over hand-made answers: every verdict and figure is known beforehand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cfe_local.errors import StoreError
from cfe_local.metrics import ExamMetrics
from cfe_local.pipeline import Regrading, Silent, export, grade_folders, reopen, run
from cfe_local.records import Verdict
from cfe_local.store import RunStore

from .conftest import ReplayedRun


def verdicts_of(folder: Path, grading: str = "s2s") -> list[Verdict]:
    lines = (folder / "gradings" / grading / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    return [Verdict.model_validate_json(line) for line in lines]


def metrics_of(folder: Path) -> ExamMetrics:
    return ExamMetrics.model_validate_json((folder / "metrics.json").read_bytes())


def test_every_verdict_and_figure_is_as_worked_out_by_hand(replayed: ReplayedRun) -> None:
    result = run(replayed.config(), Silent())
    marks = {(v.key.row, v.variable): (v.verdict, v.by) for v in verdicts_of(result.path)}
    assert marks == {
        (0, 0): ("correct", "equivalence"),
        (1, 0): ("correct", "equivalence"),
        (2, 0): ("correct", "equivalence"),
        (3, 0): ("correct", "equivalence"),
        (3, 1): ("correct", "equivalence"),
        (4, 0): ("correct", "equivalence"),
        (4, 1): ("incorrect", "equivalence"),
        (5, 0): ("undecided", "outcome"),
    }
    metrics = metrics_of(result.path)
    question, variable = metrics.overall.question_accuracy, metrics.overall.variable_accuracy
    assert (question.headline.numerator, question.headline.denominator) == (4, 6)
    assert (variable.headline.numerator, variable.headline.denominator) == (4.5, 6)
    assert (question.decided_only.numerator, question.decided_only.denominator) == (4, 5)
    assert metrics.truncation.numerator == 1
    assert (result.n_missing, result.n_engine_loads) == (0, 2)


def test_the_run_folder_holds_what_the_report_needs(replayed: ReplayedRun) -> None:
    folder = run(replayed.config(), Silent()).path
    names = {path.name for path in folder.iterdir()}
    assert {"manifest.json", "config.yaml", "cases.jsonl", "responses.jsonl", "metrics.json", "report.md"} <= names
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "66.7" in page
    assert "run.lock" not in names


def test_the_same_command_again_asks_nothing_and_changes_no_verdict(replayed: ReplayedRun) -> None:
    config = replayed.config()
    folder = run(config, Silent()).path
    before = (folder / "gradings/s2s/verdicts.jsonl").read_bytes()
    again = run(config, Silent())
    assert again.n_engine_loads == 0
    assert (folder / "gradings/s2s/verdicts.jsonl").read_bytes() == before


def test_a_finished_grading_is_derived_again_only_if_what_it_was_made_from_changed(replayed: ReplayedRun) -> None:
    folder = run(replayed.config(), Silent()).path
    verdicts = folder / "gradings/s2s/verdicts.jsonl"
    whole = verdicts.read_bytes()
    marked = whole.replace(b'"evidence":"', b'"evidence":"seen before: ', 1)
    verdicts.write_bytes(marked)
    grade_folders([folder], Regrading(), Silent())
    assert verdicts.read_bytes() == marked
    verdicts.write_bytes(marked[: marked.rindex(b"{")])
    grade_folders([folder], Regrading(), Silent())
    assert verdicts.read_bytes() == whole
    responses = folder / "responses.jsonl"
    responses.write_bytes(responses.read_bytes().replace(b"symbol of sodium", b"sign of sodium"))
    verdicts.write_bytes(marked)
    grade_folders([folder], Regrading(), Silent())
    assert verdicts.read_bytes() == whole


def test_a_grading_rests_on_the_judges_prompts_alone(replayed: ReplayedRun) -> None:
    folder = run(replayed.config(), Silent()).path
    settings = json.loads((folder / "gradings/s2s/grading.json").read_text(encoding="utf-8"))["settings"]
    templates = {name for name in settings if name.startswith("template.")}
    assert templates == {f"template.judge_{name}" for name in ("extract", "verify", "l2s", "l2l")}


def test_grading_again_over_replayed_judge_output_gives_the_same_bytes(replayed: ReplayedRun) -> None:
    folder = run(replayed.config(), Silent()).path
    for name in ("one", "two"):
        grade_folders([folder], Regrading(name=name), Silent())
    one = (folder / "gradings/one-s2s/verdicts.jsonl").read_text(encoding="utf-8")
    two = (folder / "gradings/two-s2s/verdicts.jsonl").read_text(encoding="utf-8")
    assert one.replace("one-s2s", "two-s2s") == two


def test_three_runs_are_graded_with_one_engine_load(replayed: ReplayedRun, tmp_path: Path) -> None:
    folders = []
    for number in range(3):
        config = replayed.config().model_copy(update={"out": tmp_path / f"run{number}"})
        folders.append(run(config, Silent()).path)
    regraded = grade_folders(folders, Regrading(name="again"), Silent())
    assert regraded.n_engine_loads == 1
    assert len(regraded.reports) == 3


def test_a_torn_and_a_doubled_line_are_repaired_by_asking_only_what_is_missing(replayed: ReplayedRun) -> None:
    config = replayed.config()
    folder = run(config, Silent()).path
    path = folder / "responses.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([lines[0], *lines[:-1], lines[-1][:40]]), encoding="utf-8")
    run(config, Silent())
    rows = [json.loads(line)["key"]["row"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted(rows) == [0, 0, 1, 2, 3, 4, 5]
    assert metrics_of(folder).overall.question_accuracy.headline.numerator == 4


def test_settings_that_change_answers_do_not_mix(replayed: ReplayedRun) -> None:
    run(replayed.config(), Silent())
    with pytest.raises(StoreError, match=r"model\.sampling"):
        run(replayed.config({"model.sampling.temperature": 0.1}), Silent())
    with pytest.raises(StoreError, match="seed: there '0', now '7'"):
        run(replayed.config({"seed": 7}), Silent())
    fresh = run(replayed.config({"seed": 7}), Silent(), fresh=True)
    assert list((fresh.path / "previous").iterdir())


def test_more_rows_extend_a_run(replayed: ReplayedRun) -> None:
    first = run(replayed.config({"selection.rows": ["text:0-2"]}), Silent())
    assert metrics_of(first.path).overall.question_accuracy.headline.denominator == 3
    run(replayed.config(), Silent())
    assert metrics_of(first.path).overall.question_accuracy.headline.denominator == 6
    rows = [json.loads(line)["key"]["row"] for line in (first.path / "responses.jsonl").read_text().splitlines()]
    assert sorted(rows) == [0, 1, 2, 3, 4, 5]


def test_upstream_files_come_back_as_they_were(replayed: ReplayedRun, tmp_path: Path) -> None:
    rows = [{"id": f"ignored {row}", "generated_answers": [replayed.answers[row]]} for row in range(6)]
    upstream = tmp_path / "upstream"
    upstream.mkdir()
    (upstream / "responses_text.json").write_text(json.dumps(rows), encoding="utf-8")
    config = replayed.config({"model.path": str(upstream)})
    folder = run(config, Silent()).path
    with RunStore.open(folder) as store:
        files = export(reopen(store, Regrading()), store, "upstream", tmp_path / "out", grading="s2s")
    assert [path.name for path in files] == ["responses_text.json", "results_text.json", "results_summary.json"]
    back = json.loads(files[0].read_text(encoding="utf-8"))
    answers = [entry["generated_answers"] for entry in back]
    assert answers[:2] == [[replayed.answers[0]], [replayed.answers[1]]]
    summary = json.loads(files[2].read_text(encoding="utf-8"))
    assert summary["metrics"]["overall_question_accuracy"] == pytest.approx(4 / 6)
    judged = json.loads(files[1].read_text(encoding="utf-8"))[4]["judgment_llm"]["generated_answers_with_judgments"][0]
    assert [entry["is_correct"] for entry in judged["per_variable_results"]] == [True, False]
