"""The recall probe: perturbed problems with recomputed answers, continuations against chance, what a parrot shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cfe_local.benchmarks.formats import load_benchmark
from cfe_local.benchmarks.formulas import formula_value
from cfe_local.config import load_run_config
from cfe_local.errors import UsageError
from cfe_local.experiments.analysis import Analysis
from cfe_local.experiments.base import Earlier, PlanSettings
from cfe_local.experiments.perturbation import perturbed
from cfe_local.experiments.recall import Recall, RecallOptions
from cfe_local.pipeline import Silent, run
from cfe_local.records import Case, Key, Problem, Response, Sampling

PROBLEMS = load_benchmark(Path("arb_sample")).problems
NUMERICAL = [problem for problem in PROBLEMS if problem.perturb is not None]


def planned(problems: tuple[Problem, ...], **options: Any) -> list[Case]:
    settings = PlanSettings(Sampling(max_tokens=64), samples=1, run_seed=0, options=RecallOptions(**options))
    return list(Recall().plan(problems, settings, Earlier()))


@pytest.mark.parametrize("problem", NUMERICAL, ids=lambda problem: problem.label)
@pytest.mark.parametrize("variant", [1, 2, 3])
def test_givens_change_by_the_rule_and_the_answer_with_them(problem: Problem, variant: int) -> None:
    assert problem.perturb is not None
    found = perturbed(problem, problem.perturb, variant)
    text = "".join(part.text for part in found.question if part.kind == "text")
    assert text != problem.question_text.replace("<image>", "")
    assert [part for part in found.question if part.kind == "image"] == [
        part for part in problem.question if part.kind == "image"
    ]
    original = formula_value(problem.perturb.formula, problem.perturb.givens)
    assert float(found.target.value) != pytest.approx(original, rel=0.03)
    assert found == perturbed(problem, problem.perturb, variant)


def test_whole_givens_stay_whole_and_decimals_keep_their_digits() -> None:
    die = perturbed(NUMERICAL[0], NUMERICAL[0].perturb, 1) if NUMERICAL[0].perturb else None
    assert die is not None
    text = die.question[0]
    assert text.kind == "text"
    n = int(text.text.split("with ")[1].split()[0])
    assert n in (7, 8, 9)
    assert float(die.target.value) == pytest.approx(sum(n / k for k in range(1, n + 1)), rel=1e-5)


def test_every_condition_is_planned_and_targets_follow_it() -> None:
    cases = planned((NUMERICAL[0],), variants=2)
    assert [case.key.condition for case in cases] == ["original", "perturbed-1", "perturbed-2", "continuation"]
    recall = Recall()
    targets = [recall.targets(NUMERICAL[0], case.key) for case in cases]
    assert [len(found) for found in targets] == [1, 1, 1, 0]
    assert targets[0] == NUMERICAL[0].variables
    assert "rolled until every face" in recall.question(NUMERICAL[0], cases[1].key)
    first = cases[3].messages[1].parts[0]
    assert first.kind == "text"
    assert NUMERICAL[0].question_text.startswith(first.text)
    assert cases[3].sampling.temperature == 0


def test_without_anything_to_probe_it_says_so() -> None:
    proofs = tuple(problem for problem in PROBLEMS if problem.kind == "proof")
    with pytest.raises(UsageError, match="no selected problem has a perturb block"):
        planned(proofs, continuation=False)


def test_a_model_that_recites_loses_on_other_givens_and_overlaps_beyond_chance(tmp_path: Path) -> None:
    """A parrot: knows every original answer and every question by heart, and nothing else."""
    lines = []
    for case in planned(PROBLEMS):
        problem = next(p for p in PROBLEMS if (p.split, p.row) == (case.key.split, case.key.row))
        text = f"ANSWER: {problem.variables[0].value}" if problem.variables else ""
        if case.key.condition == "continuation":
            words = problem.question_text.replace("<image>", "").split()
            text = " ".join(words[len(words) // 2 :])
        lines.append(Response(key=case.key, outcome="answered", text=text).model_dump_json())
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings: dict[str, object] = {
        "benchmark.path": "arb_sample",
        "model.path": str(answers),
        "model.engine": "replay",
        "judge.path": str(answers),
        "judge.engine": "replay",
        "experiment.name": "recall",
        "out": tmp_path / "run",
    }
    path = run(load_run_config(None, values=settings), Silent()).path
    analysis = Analysis.model_validate_json((path / "analysis.json").read_bytes())
    tables = {table.name: table for table in analysis.tables}
    assert [figure.share.value for figure in analysis.main_figures] == [1.0, 0.0]
    gap = tables["recall-gap"].rows[0]
    assert (gap[1], gap[4]) == (-1.0, 5)
    assert tables["continuation-overlap"].rows[-1][1] == 1.0
    chance = tables["continuation-overlap"].rows[-1][2]
    assert isinstance(chance, float)
    assert chance < 0.5
    report = (path / "report.md").read_text(encoding="utf-8")
    assert "Other givens" in report
    assert "The rest of the text" in report
    metrics = json.loads((path / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["n_without_values"] > 0
    assert metrics["n_not_graded"] == 0


def test_a_key_of_another_condition_is_graded_against_the_problem_itself() -> None:
    key = Key(experiment="recall", condition="original", split=PROBLEMS[0].split, row=0, sample=0)
    assert Recall().question(PROBLEMS[0], key) == PROBLEMS[0].question_text
