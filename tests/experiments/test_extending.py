"""The experiment that docs/extending.md shows is run as it stands there, through the whole pipeline."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cfe_local.config import load_run_config
from cfe_local.errors import UsageError
from cfe_local.experiments.analysis import Analysis
from cfe_local.pipeline import Silent, run, tables
from cfe_local.records import Key, Response

DOCUMENT = Path(__file__).parents[2] / "docs" / "extending.md"
RIGHT, WRONG = "Answer: Na", "Answer: So"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The experiment of the document, in the table under its name."""
    module = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert module is not None
    names: dict[str, Any] = {}
    exec(module.group(1), names)  # the documentation is ours
    monkeypatch.setitem(tables.EXPERIMENTS, "bare_question", names["BareQuestion"]())


def settings(folder: Path, **changes: object) -> dict[str, object]:
    answers = [
        Response(
            key=Key(experiment="bare_question", condition=condition, split="text", row=2, sample=0),
            outcome="answered",
            text=text,
        ).model_dump_json()
        for condition, text in (("bare", WRONG), ("worded", RIGHT))
    ]
    (folder / "answers.jsonl").write_text("\n".join(answers) + "\n", encoding="utf-8")
    (folder / "judge.jsonl").write_text('{"split": "text", "row": 0, "text": "unused"}\n', encoding="utf-8")
    return {
        "benchmark.path": "sample",
        "model.path": str(folder / "answers.jsonl"),
        "model.engine": "replay",
        "judge.path": str(folder / "judge.jsonl"),
        "judge.engine": "replay",
        "selection.rows": ["text:2"],
        "experiment.name": "bare_question",
        "out": folder / "run",
        **changes,
    }


@pytest.mark.usefixtures("shown")
def test_the_experiment_of_the_document_runs_and_leaves_every_file(tmp_path: Path) -> None:
    folder = run(load_run_config(None, values=settings(tmp_path)), Silent()).path
    analysis = Analysis.model_validate_json((folder / "analysis.json").read_bytes())
    assert analysis.tables[0].rows == (("bare", 0.0, 1), ("worded", 1.0, 1))
    assert (folder / "analysis" / "conditions.csv").read_text() == "condition,QA,samples\nbare,0.0,1\nworded,1.0,1\n"
    assert (folder / "gradings/s2s/analysis.json").read_bytes() == (folder / "analysis.json").read_bytes()
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "With and without words" in page
    assert "What became of the samples" in page
    assert "| worded    | 100.0 |       1 |" in (folder / "report.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("shown")
def test_its_option_changes_the_prompt_and_the_fingerprint(tmp_path: Path) -> None:
    from cfe_local.pipeline import plan_run

    plain = plan_run(load_run_config(None, values=settings(tmp_path)))
    polite = plan_run(load_run_config(None, values=settings(tmp_path, **{"experiment.options": {"polite": True}})))
    first = [json.loads(plan.cases()[1].model_dump_json())["messages"][0]["parts"][0] for plan in (plain, polite)]
    assert [part["text"] for part in first] == ["", "Please: "]
    assert plain.manifest.fingerprint != polite.manifest.fingerprint


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"experiment.options": {"polit": True}}, "did you mean polite"),
        ({"experiment.options": {"polite": "perhaps"}}, "experiment.options.polite"),
        ({"experiment.source": "somewhere"}, "does not start from another run"),
        ({"experiment.name": "bare_questions"}, "did you mean bare_question"),
    ],
)
def test_settings_that_it_does_not_have_are_refused(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(load_run_config(None, values=settings(tmp_path, **changes)), Silent())
