"""``review`` and ``agreement`` as a user calls them, up to the point where a page would open."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from cfe_local.cli.main import main
from cfe_local.config import load_run_config
from cfe_local.grading.labels import read_labels
from cfe_local.pipeline import Silent, run
from cfe_local.pipeline.people import HumanPoints, read_marks
from cfe_local.records import Key
from cfe_local.review.files import LabelBook
from cfe_local.review.labels import label_line
from tests.pipeline.conftest import ReplayedRun

UNIT = "exam/main/text:{}/-/0"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(ReplayedRun(tmp_path_factory.mktemp("replayed")).config(), Silent()).path


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, said.out, said.err


def write_labels(folder: Path, name: str, marks: dict[tuple[int, int], str]) -> Path:
    with LabelBook.open(folder, name) as book:
        for (row, variable), label in marks.items():
            book.add(label_line(name, (UNIT.format(row), f"v{variable}"), label, group="numeric"))
    return book.path


def test_a_folder_that_is_no_run_and_a_name_that_leads_elsewhere_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _, error = call(capsys, "review", tmp_path, "--reviewer", "ann")
    assert (code, "is not a run folder" in error) == (2, True)
    code, _, error = call(capsys, "review", tmp_path / "none", "--reviewer", "ann")
    assert (code, "no such run folder" in error) == (2, True)
    code, _, error = call(capsys, "review", tmp_path, "--reviewer", "../../ann")
    assert (code, "cannot name a file" in error) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_and_labels_in_use_are_refused(
    capsys: pytest.CaptureFixture[str], finished: Path, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, error = call(capsys, "review", finished, "--reviewer", "ann", "--labels", tmp_path, "--port", port)
    assert (code, f"port {port} is in use" in error) == (2, True)
    with LabelBook.open(tmp_path, "ann"):
        code, _, error = call(capsys, "review", finished, "--reviewer", "ann", "--labels", tmp_path)
    assert (code, "another review page is open" in error) == (3, True)


def test_a_run_without_answers_has_nothing_to_review(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    replayed = ReplayedRun(tmp_path, answers={0: ""}, extracted={})
    empty = run(replayed.config({"selection.rows": ["text:0"]}), Silent()).path
    code, _, error = call(capsys, "review", empty, "--reviewer", "ann")
    assert (code, "nothing to review" in error) == (2, True)


def test_a_benchmark_needs_a_place_for_labels_and_has_no_verdicts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _, error = call(capsys, "review", "sample", "--benchmark", "--reviewer", "ann")
    assert (code, "--labels" in error) == (2, True)
    code, _, error = call(
        capsys, "review", "sample", "--benchmark", "--reviewer", "ann", "--labels", tmp_path, "--filter", "undecided"
    )
    assert (code, "about verdicts" in error) == (2, True)


def test_agreement_writes_figures_adjudication_and_labels_for_the_exam_of_a_judge(
    capsys: pytest.CaptureFixture[str], finished: Path, tmp_path: Path
) -> None:
    mine = {(0, 0): "correct", (1, 0): "correct", (2, 0): "incorrect", (4, 0): "correct", (4, 1): "incorrect"}
    first = write_labels(tmp_path, "ann", mine)
    second = write_labels(tmp_path, "bob", mine | {(1, 0): "incorrect"})
    code, out, _ = call(capsys, "agreement", first, second, "--run", finished, "--adjudicator", "ann")
    assert code == 0
    assert "differ: exam/main/text:1/-/0 v0: ann: correct, bob: incorrect; settled: correct" in out
    folder = tmp_path / "agreement"
    summary = json.loads((folder / "agreement.json").read_text(encoding="utf-8"))
    judge = {row["group"]: row["agreement"] for row in summary["judge"]}
    # The run says: 0, 1, 2 right; 4 right and wrong. Only the label of row 2 differs.
    assert (judge["all variables"]["false_positives"], judge["all variables"]["true_positives"]) == (1, 3)
    labelled = read_labels((folder / "labelled.jsonl").read_text(encoding="utf-8"), source="labelled.jsonl")
    assert {one.row: one.gold_correct for one in labelled} == {0: (True,), 1: (True,), 2: (False,), 4: (True, False)}
    assert len((folder / "adjudicated.jsonl").read_text(encoding="utf-8").splitlines()) == 9


def test_agreement_without_a_run_gives_the_figures_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    first = write_labels(tmp_path, "ann", {(0, 0): "correct"})
    second = write_labels(tmp_path, "bob", {(0, 0): "correct"})
    code, _, _ = call(capsys, "agreement", first, second, "--out", tmp_path / "out")
    assert code == 0
    assert not (tmp_path / "out" / "labelled.jsonl").exists()


def test_labels_that_cannot_be_used_are_refused_with_a_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    empty, foreign = tmp_path / "empty.jsonl", tmp_path / "foreign.jsonl"
    empty.touch()
    foreign.write_text('{"a": 1}\n', encoding="utf-8")
    first = write_labels(tmp_path, "ann", {(0, 0): "correct"})
    for arguments, message in [
        ((tmp_path / "none.jsonl",), "no such file"),
        ((empty,), "no label stands"),
        ((foreign,), "holds no label"),
        ((first, first), "second file of reviewer ann"),
        ((first, "--adjudicator", "bob"), "no labels of adjudicator"),
    ]:
        code, _, error = call(capsys, "agreement", *arguments)
        assert (code, message in error) == (2, True), error


def test_points_of_a_proof_are_summed_and_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"split": "math_proof", "row": 0, "text": "Consider $N$."}\n', encoding="utf-8")
    values: dict[str, object] = {"benchmark.path": "arb_sample", "selection.rows": ["math_proof:0"]}
    for role in ("model", "judge"):
        values |= {f"{role}.path": str(answers), f"{role}.engine": "replay"}
    path = run(load_run_config(None, values=values | {"out": tmp_path / "run"}), Silent()).path
    with LabelBook.open(tmp_path, "ann") as book:
        for part, points in enumerate(("2", "3", "1", "0"), start=1):
            book.add(label_line("ann", ("exam/main/math_proof:0/-/0", f"rubric {part}"), points, group="rubric"))
    code, out, _ = call(capsys, "agreement", book.path, "--run", path)
    assert code == 0
    assert "points by rubric: 60.0% of 1; 1 of 1 responses settled" in out
    summary = json.loads((tmp_path / "agreement" / "agreement.json").read_text(encoding="utf-8"))
    (points,) = summary["points"]["responses"]
    assert (points["unit"], points["by_reviewer"], points["settled"]) == (
        "exam/main/math_proof:0/-/0",
        {"ann": 6},
        6,
    )
    key = Key(experiment="exam", split="math_proof", row=0, sample=0)
    assert read_marks(tmp_path / "agreement" / "points.jsonl", HumanPoints, [key])[key.label].points == 6
