"""Rubrics and errors over a run on the ARB sample by replay: records, report, resumption, people's marks, bad files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cfe_local.config import JudgeConfig, SelectionConfig
from cfe_local.errors import UsageError
from cfe_local.experiments.analysis import Analysis
from cfe_local.grading.errors import ErrorReport
from cfe_local.grading.rubric import RubricScore
from cfe_local.pipeline import Regrading, Silent, export, reopen, run
from cfe_local.pipeline.assess import Assessing, grade_rubrics, mark_errors, read_rubrics
from cfe_local.pipeline.design import DesignRequest, design_rubrics
from cfe_local.records import Key, Response
from cfe_local.store import RunStore
from tests.pipeline.test_arb import config

EARNED = "Suppose there are finitely many."
QUOTES = {
    ("math_proof", 0, "rubric"): [(EARNED, 2), ("Consider $N = 4p_1 - 1$", 1), ("So it follows.", 3), (None, 0)],
    ("math_symbolic", 0, "rubric"): [(None, 0), (None, 0), (r"$\boxed{x n (1+x)^{n-1}}$", 3)],
    ("math_numerical", 1, "errors"): [(None, 0), (None, 0), (None, 0), ("ANSWER: 0.1055", 1)],
}
SCORES = {("math_symbolic", 0, 0): 1, ("math_symbolic", 1, 0): 1, ("math_symbolic", 1, 1): 1}


def judge_file(folder: Path) -> Path:
    """The judge's answers, by key, as a run would have stored them."""
    lines = []
    for (split, row, call), quotes in QUOTES.items():
        tree = {f"v{i + 1}": {"quote": q, "reason": "so", "points": p} for i, (q, p) in enumerate(quotes)}
        key = Key(experiment="exam", split=split, row=row, sample=0, call=call)
        lines.append(Response(key=key, outcome="answered", text=json.dumps(tree)))
    for (split, row, variable), score in SCORES.items():
        key = Key(experiment="exam", split=split, row=row, sample=0, call="symbolic", variable=variable)
        lines.append(Response(key=key, outcome="answered", text=f'{{"reasoning": "so", "score": {score}}}'))
    path = folder / "judge.jsonl"
    path.write_text("".join(line.model_dump_json() + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def assessed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run, graded by delimiter and by the judge's scores, with rubrics, errors and people's points."""
    folder = tmp_path_factory.mktemp("assessed")
    settings = {"judge.path": str(judge_file(folder)), "grading.protocols": ["delimiter", "symbolic"]}
    path = run(config(folder, **settings), Silent()).path
    human = folder / "human.jsonl"
    rows = [
        {"split": "math_proof", "row": 0, "points": 4},
        {"split": "math_symbolic", "row": 0, "points": 3},
        {"split": "math_symbolic", "row": 1, "points": 5},
    ]
    human.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    kinds = folder / "kinds.jsonl"
    kinds.write_text(json.dumps({"split": "math_numerical", "row": 1, "kinds": ["arithmetic"]}), encoding="utf-8")
    grade_rubrics([path], Assessing(Regrading(), human=human), Silent())
    mark_errors([path], Assessing(Regrading(), human=kinds, grading="delimiter"), Silent())
    return path


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_points_are_stored_with_what_earned_them(assessed: Path) -> None:
    scores = [RubricScore.model_validate_json(line) for line in lines(assessed / "assessments/rubric/marks.jsonl")]
    found = {(score.key.split, score.key.row): score for score in scores}
    assert {place: score.total for place, score in found.items()} == {
        ("math_proof", 0): 3,
        ("math_symbolic", 0): 3,
        ("math_symbolic", 1): None,
    }
    assert [item.status for item in found["math_proof", 0].items] == ["earned", "earned", "ungrounded", "none"]
    assert found["math_symbolic", 1].outcome == "judge_invalid"


def test_errors_are_stored_for_wrong_and_right_answers_and_not_for_unparsable_ones(assessed: Path) -> None:
    reports = [ErrorReport.model_validate_json(line) for line in lines(assessed / "assessments/errors/marks.jsonl")]
    found = {(report.key.split, report.key.row): report for report in reports}
    assert found["math_numerical", 1].answer == "wrong"
    assert [error.kind for error in found["math_numerical", 1].errors] == ["arithmetic"]
    assert found["math_numerical", 0].answer == "right"
    assert ("law", 1) not in found
    assert ("math_proof", 0) not in found


def test_the_report_has_points_errors_scores_and_agreement(assessed: Path) -> None:
    report = (assessed / "report.md").read_text(encoding="utf-8")
    for said in ("Points by rubric", "judge and people", "Pearson", "Errors in answers", "Agreement with people"):
        assert said in report
    page = (assessed / "gradings/symbolic/report.html").read_text(encoding="utf-8")
    assert "Expressions scored by the judge" in page
    assert "Where they disagree" in page  # b - a scored 1, though only renaming makes it equal
    analysis = Analysis.model_validate_json((assessed / "assessments/rubric/analysis.json").read_bytes())
    assert analysis.sections[1].tables[1].rows[0][3:] == (2, 2)
    assert (assessed / "assessments/errors/analysis/errors-kappa.csv").exists()


def test_a_second_assessment_asks_nothing_and_changes_nothing(assessed: Path) -> None:
    marks = assessed / "assessments/errors/marks.jsonl"
    before = marks.read_bytes()
    asked = (assessed / "assessments/errors/judge.jsonl").read_bytes()
    mark_errors([assessed], Assessing(Regrading(), grading="delimiter"), Silent())
    assert marks.read_bytes() == before
    assert (assessed / "assessments/errors/judge.jsonl").read_bytes() == asked


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"split": "math_proof", "row": 9, "points": 4}', "line 2: no response to mark at math_proof:9"),
        ('{"split": "law", "row": 0, "points": 4}', "line 2: no response to mark at law:0"),
        ('{"split": "math_proof", "row": 0, "points": 11}', "line 2: points: Input should be less than"),
        ('{"split": "math_symbolic", "row": 0, "points": 4}', "line 2: marks .* a second time"),
        ("4 points", "line 2: Invalid JSON"),
    ],
)
def test_bad_lines_of_peoples_points_are_named(assessed: Path, tmp_path: Path, line: str, message: str) -> None:
    human = tmp_path / "human.jsonl"
    human.write_text(f'{{"split": "math_symbolic", "row": 0, "points": 4}}\n{line}\n', encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        grade_rubrics([assessed], Assessing(Regrading(), human=human), Silent())


def test_rubrics_are_designed_kept_and_read_again(tmp_path: Path) -> None:
    rows = [{"criterion": "does it", "solution_excerpt": "Suppose that there are only", "points": p} for p in (4, 6)]
    key = Key(experiment="rubric", split="math_proof", row=0, sample=0, call="rubric_design")
    answers = tmp_path / "judge.jsonl"
    answer = Response(key=key, outcome="answered", text=json.dumps({"items": rows}))
    answers.write_text(answer.model_dump_json() + "\n", encoding="utf-8")
    request = DesignRequest(
        judge=JudgeConfig(path=str(answers), engine="replay"),
        benchmark=Path("arb_sample"),
        out=tmp_path / "rubrics",
        selection=SelectionConfig(rows=("math_proof:0-1",)),
        again=True,
    )
    path, found = design_rubrics(request, Silent())
    assert [(one.row, one.outcome) for one in found] == [(0, "designed"), (1, "judge_invalid")]
    rubrics = read_rubrics(path)
    assert {place: rubric.author for place, rubric in rubrics.items()} == {("math_proof", 0): "judge"}
    with pytest.raises(UsageError, match="has a solution and no rubric"):
        design_rubrics(
            DesignRequest(request.judge, request.benchmark, tmp_path / "x", selection=request.selection), Silent()
        )


@pytest.mark.parametrize("format_name", ["upstream", "csv", "lm-eval", "inspect"])
def test_a_run_with_proofs_can_be_exported(assessed: Path, tmp_path: Path, format_name: str) -> None:
    with RunStore.open(assessed) as store:
        files = export(reopen(store, Regrading()), store, format_name, tmp_path, grading="delimiter")
    assert files
    assert all(file.stat().st_size for file in files)


def test_the_page_shows_the_options_of_a_multiple_choice_problem(assessed: Path) -> None:
    page = (assessed / "report.html").read_text(encoding="utf-8")
    assert "(B) Yes, because the acceptance took effect" in page
