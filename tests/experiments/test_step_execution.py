"""Step execution over marks that are known: what is asked, against what it is graded, and every figure."""

from __future__ import annotations

import pytest

from cfe_local.experiments.step_execution import StepExecution
from cfe_local.pipeline.tables import EXPERIMENTS
from cfe_local.records import Key

from .replayed import analysis, cells, heights, near, notes, problems, records, table

NAME = "given all steps before it with their results"


def key(row: int, step: int) -> Key:
    return Key(experiment="step_execution", condition="all-previous", split="text", row=row, step=step, sample=0)


def early_steps(one: Key) -> bool:
    return (one.step or 0) <= 2


def test_early_steps_right_give_a_curve_that_falls() -> None:
    found = analysis("step_execution", early_steps)
    assert heights(found, "by-step") == {NAME: [(1, 1.0), (2, 1.0), (3, 0.0), (4, 0.0)]}
    assert heights(found, "by-part")[NAME] == [(30, 1.0), (40, 1.0), (50, 1.0), (70, 1.0), (80, 0.0), (100, 0.0)]
    assert found.main_figures[0].share.value == pytest.approx((1 / 2 + 2 / 3 + 1 / 2) / 3)
    assert found.main_figures[0].share.denominator == 3


def test_kinds_of_results_and_steps_that_are_the_answer_have_their_own_figures() -> None:
    found = analysis("step_execution", early_steps)
    # text:0: speed, 150, 1.2, 72; text:2: 11, natrium, Na; text:6: thymine, False, uracil, 2.
    kinds = {str(row[0]): cells(row, 1, 3) for row in table(found, "by-kind-of-result").rows}
    assert kinds["boolean"] == near(1, 1.0)
    assert kinds["number"] == near(3, (1 / 3 + 1 + 0) / 3)
    assert kinds["text"] == near(3, (1 + 1 / 2 + 1 / 2) / 3)
    roles = {str(row[0]): cells(row, 1, 3) for row in table(found, "by-role-of-the-step").rows}
    assert roles["holds a final answer"] == near(3, 0.0)
    assert roles["holds none"] == near(3, (2 / 3 + 1 + 2 / 3) / 3)


def test_a_step_is_graded_against_its_own_result_under_its_own_question() -> None:
    (problem,) = problems(("text:2",))
    execution = StepExecution()
    (target,) = execution.targets(problem, key(2, 1))
    assert (target.value, target.type) == ("11", "numeric")
    assert execution.targets(problem, key(2, 2))[0].value == "natrium"
    asked = execution.question(problem, key(2, 2))
    assert asked.startswith(problem.question_text)
    assert problem.steps[1].question.strip() in asked


def test_the_prompt_holds_earlier_results_or_the_problem_alone() -> None:
    def prompts(context: str) -> list[str]:
        made = records("step_execution", early_steps, rows=("text:2",), samples=1, options={"context": context})
        cases = EXPERIMENTS["step_execution"].plan(made.problems, made.settings, None)  # type: ignore[arg-type]
        return ["".join(p.text for p in case.messages[1].parts if p.kind == "text") for case in cases]

    full, bare = prompts("all-previous"), prompts("none")
    assert "Result of step 2: natrium" in full[2]
    assert "Result of step" not in full[0] + "".join(bare)
    assert "natrium" not in full[1].partition("What was found before")[2].partition("The question of this step")[0]


def test_the_rule_for_long_flows_is_said() -> None:
    found = analysis("step_execution", early_steps, options={"max_steps": 1})
    assert heights(found, "by-step")[NAME] == [(2, 1.0)]
    assert "At most 1 steps of a flow were asked about." in notes(found)
