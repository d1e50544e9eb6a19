"""Diagnostics as runs: through the engine process, grading, the run folder and the report; and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cfe_local.errors import CfeError, StoreError
from cfe_local.experiments.analysis import Analysis
from cfe_local.pipeline import Regrading, Silent, grade_folders, plan_run, publish, reopen, run
from cfe_local.records import Key
from cfe_local.store import RunStore

from .replayed import analysis, settings, table
from .test_progress import knows_third_of_prefix, wrong_everywhere


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exam that got row 7 right and the others wrong."""

    def rule(key: Key) -> bool:
        return key.row == 7

    return run(settings(tmp_path_factory.mktemp("exam"), "exam", rule), Silent()).path


@pytest.fixture(scope="module")
def progression(exam: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("progression")
    return run(settings(folder, "progression", knows_third_of_prefix, {"experiment.source": exam}), Silent()).path


def found_in(folder: Path) -> Analysis:
    return Analysis.model_validate_json((folder / "analysis.json").read_bytes())


def test_a_run_finds_what_the_analysis_of_the_same_marks_finds(progression: Path) -> None:
    ran, worked_out = found_in(progression), analysis("progression", knows_third_of_prefix, rows=("text:0", "text:1"))
    assert table(ran, "parts") == table(worked_out, "parts")
    assert table(ran, "gap-peak") == table(worked_out, "gap-peak")
    assert table(ran, "selection").rows[:2] == (("looked at", 2), ("left out: right in the earlier run", 1))
    assert table(ran, "baseline").rows[0][2] == 0.0


def test_the_folder_has_values_tables_and_plots_and_the_page_shows_them(progression: Path) -> None:
    names = {path.name for path in (progression / "analysis").iterdir()}
    assert {"by-step.svg", "by-part-kept.svg", "gap.svg", "parts.csv", "gap-peak.csv", "baseline.csv"} <= names
    page = (progression / "report.html").read_text(encoding="utf-8")
    assert page.count("<polyline") >= 8
    assert "style=" not in page.partition("</style>")[2]
    assert "(analysis/gap.svg)" in (progression / "report.md").read_text(encoding="utf-8")


def test_it_is_reported_and_graded_again_where_the_exam_is_gone(progression: Path, exam: Path) -> None:
    before = (progression / "analysis.json").read_bytes()
    hidden = exam.rename(exam.with_name("elsewhere"))
    try:
        with RunStore.reopen(progression) as store:
            publish(reopen(store, Regrading()), store, ("s2s",))
        grade_folders([progression], Regrading(name="again"), Silent())
    finally:
        hidden.rename(exam)
    again = (progression / "gradings/again-s2s/analysis.json").read_bytes()
    assert (progression / "analysis.json").read_bytes().replace(b"again-s2s", b"s2s") == before
    assert again.replace(b"again-s2s", b"s2s") == before


def test_prompts_show_results_only_where_the_condition_says_so(tmp_path: Path) -> None:
    plan = plan_run(settings(tmp_path, "progression", wrong_everywhere, {"selection.rows": ["text:2"]}))
    texts = {(c.key.condition, c.key.step): c.messages[1].parts[0].text for c in plan.cases()}  # type: ignore[union-attr]
    assert "Result of step 2: natrium" in texts["with-results", 2]
    assert "Step 3" not in texts["with-results", 2]
    assert "natrium" not in texts["questions-only", 3]
    assert "Step 3" in texts["questions-only", 3]


def test_eight_samples_are_drawn_where_nothing_is_said(tmp_path: Path) -> None:
    config = settings(tmp_path, "injection", wrong_everywhere)
    unsaid = config.model_copy(update={"experiment": type(config.experiment)(name="injection")})
    assert plan_run(unsaid).config.experiment.samples == 8


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"selection.rows": ["text:7"]}, "no problem is left: of 1 selected the earlier run got 1 right"),
        ({"experiment.options": {"max_steps": 0}}, "experiment.options.max_steps"),
        ({"experiment.options": {"max_step": 3}}, "did you mean max_steps"),
        ({"benchmark.path": "other"}, "was made from other benchmark files"),
        ({"experiment.source": None, "experiment.options": {"problems": "wrong"}}, "needs a finished exam"),
        ({"experiment.source": None, "benchmark.path": "other"}, "has a reasoning flow"),
        ({"experiment.source_grading": "strict"}, "no grading named strict; there are: s2s"),
    ],
)
def test_what_cannot_be_looked_at_is_said_before_anything_starts(
    tmp_path: Path, exam: Path, changes: dict[str, object], message: str
) -> None:
    changes = {"experiment.source": exam, **changes}
    if changes.get("benchmark.path") == "other":
        changes["benchmark.path"] = str(without_flows(tmp_path))
    with pytest.raises(CfeError, match=message):
        plan_run(settings(tmp_path, "progression", wrong_everywhere, changes)).cases()


def test_a_folder_without_a_grading_is_no_source(tmp_path: Path, exam: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(exam, bare)
    shutil.rmtree(bare / "gradings")
    with pytest.raises(StoreError, match="is not graded yet"):
        plan_run(settings(tmp_path, "progression", wrong_everywhere, {"experiment.source": bare}))


def without_flows(folder: Path) -> Path:
    """The sample's text split without reasoning flows."""
    from cfe_local.benchmarks.cfe import SAMPLE_PATH

    rows = json.loads((SAMPLE_PATH / "CFE_text.json").read_text(encoding="utf-8"))
    other = folder / "other"
    other.mkdir()
    bare = [{**row, "reasoning_flow": []} for row in rows]
    (other / "CFE_text.json").write_text(json.dumps(bare), encoding="utf-8")
    return other
