"""Q2 and Q3: does the model solve the problem once it is shown steps of a solution, with their results or without?

    progression   the first i steps, for every i
    injection     step i alone

Final answers are graded as in the exam, under the exam's own instructions, so that the exam is the baseline.

Source: CFE-Bench (arXiv:2602.19517), its second and third research question; prompts and analysis are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from cfe_local.experiments.analysis import Analysis
from cfe_local.experiments.base import Earlier, ExperimentRecords, Options, PlanSettings, Traits
from cfe_local.experiments.hints import TEMPLATES, hinted
from cfe_local.experiments.progress_report import analyse_progress
from cfe_local.experiments.selection import Chosen, Which, choose, with_steps
from cfe_local.experiments.step_points import WITH, WITHOUT
from cfe_local.experiments.steps import chosen_positions, flow_pairs
from cfe_local.grading.base import Pair
from cfe_local.records import Case, Key, Problem, TargetVariable

DIAGNOSTIC_SAMPLES = 8
"""As in the paper: eight responses per condition."""


class StepOptions(Options):
    """Settings that every diagnostic over steps has."""

    problems: Which | None = Field(default=None, description="Left out: those got wrong in --from RUN, else all.")
    max_steps: int | None = Field(default=None, ge=1, description="At most this many steps of each flow.")


def chosen_problems(problems: Sequence[Problem], settings: PlanSettings) -> Chosen:
    """The problems with a flow that the options choose.

    Raises:
        UsageError: If none is left.
    """
    options = settings.options_as(StepOptions)
    return with_steps(choose(problems, settings.source, options.problems))


@dataclass(frozen=True, slots=True)
class Progress:
    """One of the two experiments."""

    name: Literal["progression", "injection"]
    traits: Traits = Traits(  # noqa: RUF009 - frozen
        templates=TEMPLATES, options=StepOptions, samples=DIAGNOSTIC_SAMPLES, source="optional"
    )

    def plan(self, problems: Sequence[Problem], settings: PlanSettings, earlier: Earlier) -> Iterator[Case]:
        """Every chosen step with its results and without, problem by problem."""
        del earlier  # one round
        max_steps = settings.options_as(StepOptions).max_steps
        for problem in chosen_problems(problems, settings).problems:
            for condition in (WITH, WITHOUT):
                for position in chosen_positions(len(problem.steps), max_steps):
                    yield from self._cases(problem, condition, position, settings)

    def _cases(self, problem: Problem, condition: str, position: int, settings: PlanSettings) -> Iterator[Case]:
        if self.name == "progression":
            messages = hinted(problem, range(1, position + 1), "hint_prefix", answers=condition == WITH)
        else:
            messages = hinted(problem, (position,), "hint_single", answers=condition == WITH)
        for sample in range(settings.samples):
            key = Key(
                experiment=self.name,
                condition=condition,
                split=problem.split,
                row=problem.row,
                step=position,
                sample=sample,
            )
            yield Case(key=key, messages=messages, sampling=settings.sampling_for(key))

    def question(self, problem: Problem, key: Key) -> str:
        """The problem's own question."""
        del key
        return problem.question_text

    def targets(self, problem: Problem, key: Key) -> tuple[TargetVariable, ...]:
        """The problem's own target variables."""
        del key
        return problem.variables

    def pairs(self, records: ExperimentRecords) -> Sequence[Pair]:
        """Every step's result against the target variables: which steps give the final answer away?"""
        return flow_pairs(chosen_problems(records.problems, records.settings).problems)

    def analyse(self, records: ExperimentRecords) -> Analysis:
        """Curves, gaps and their peak, the most useful step, groups, and the exam as baseline."""
        chosen = chosen_problems(records.problems, records.settings)
        max_steps = records.settings.options_as(StepOptions).max_steps
        return analyse_progress(records, chosen, experiment=self.name, max_steps=max_steps)
