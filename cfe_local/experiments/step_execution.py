"""Q1: can the model carry out a single step once everything before it is known?

Asks for the result of each step of the instructor's flow and grades it like a final answer.

Source: CFE-Bench (arXiv:2602.19517), its first research question (unit execution); prompts and analysis are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from cfe_local.experiments.analysis import Analysis, AnalysisSection, MainFigure, Plot
from cfe_local.experiments.base import Earlier, ExperimentRecords, PlanSettings, Traits
from cfe_local.experiments.baseline import selection_section
from cfe_local.experiments.curves import curve, overall_share
from cfe_local.experiments.hints import STEP_TEMPLATES, step_prompt
from cfe_local.experiments.measures import RIGHT, Drawn, GroupOf, groups_section, part_table
from cfe_local.experiments.progress import DIAGNOSTIC_SAMPLES, StepOptions, chosen_problems
from cfe_local.experiments.progress_report import BANDS
from cfe_local.experiments.selection import Chosen
from cfe_local.experiments.step_points import (
    StepPoint,
    by_bin,
    by_position,
    clusters_of,
    point_grid,
    step_points,
    steps_with_answers,
)
from cfe_local.experiments.steps import RULE, chosen_positions, flow_pairs, result_text, step_target
from cfe_local.grading.base import Pair
from cfe_local.metrics.resampling import draw_clusters
from cfe_local.records import Case, Key, Problem, Step, TargetVariable

CONTEXTS = {"all-previous": "given all steps before it with their results", "none": "given the problem alone"}


class ExecutionOptions(StepOptions):
    """Settings of step execution."""

    context: Literal["all-previous", "none"] = "all-previous"


class StepExecution:
    """Plans one case per chosen step and sample."""

    name = "step_execution"
    traits = Traits(templates=STEP_TEMPLATES, options=ExecutionOptions, samples=DIAGNOSTIC_SAMPLES, source="optional")

    def plan(self, problems: Sequence[Problem], settings: PlanSettings, earlier: Earlier) -> Iterator[Case]:
        """Every chosen step that has a result to check against, problem by problem."""
        del earlier  # one round
        options = settings.options_as(ExecutionOptions)
        for problem in chosen_problems(problems, settings).problems:
            for position in chosen_positions(len(problem.steps), options.max_steps):
                if not result_text(problem.steps[position - 1]):
                    continue
                messages = step_prompt(problem, position, earlier=options.context == "all-previous")
                for sample in range(settings.samples):
                    key = Key(
                        experiment=self.name,
                        condition=options.context,
                        split=problem.split,
                        row=problem.row,
                        step=position,
                        sample=sample,
                    )
                    yield Case(key=key, messages=messages, sampling=settings.sampling_for(key))

    def question(self, problem: Problem, key: Key) -> str:
        """The problem, and the question of the step."""
        return f"{problem.question_text}\n\nThe question of this step:\n{_step(problem, key).question.strip()}"

    def targets(self, problem: Problem, key: Key) -> tuple[TargetVariable, ...]:
        """The step's own result."""
        return (step_target(_step(problem, key)),)

    def pairs(self, records: ExperimentRecords) -> Sequence[Pair]:
        """Every step's result against the target variables: which steps are the final answer already?"""
        return flow_pairs(chosen_problems(records.problems, records.settings).problems)

    def analyse(self, records: ExperimentRecords) -> Analysis:
        """Share of steps carried out rightly: along the flow, by kind of result, by group."""
        options = records.settings.options_as(ExecutionOptions)
        chosen = chosen_problems(records.problems, records.settings)
        points = step_points(records.samples)
        clusters = clusters_of(points)
        drawn = Drawn(clusters, draw_clusters(max(1, len(clusters)), seed=records.settings.run_seed))
        held = steps_with_answers(records, chosen.problems)
        more: dict[str, GroupOf] = {
            "kind of result": result_kind,
            "role of the step": lambda p: "holds a final answer" if p.position in held[p.row] else "holds none",
        }
        notes = _notes(chosen, options)
        sections = (
            _curves_section(points, options, drawn),
            groups_section(points, RIGHT, drawn, more),
            selection_section(chosen, records.settings.source, notes),
        )
        figure = MainFigure(
            name="steps carried out rightly",
            share=overall_share(points, drawn),
            explanation=f"mean over problems and steps, {CONTEXTS[options.context]}",
        )
        return Analysis(
            experiment=self.name,
            grading=records.grading,
            main_figures=(figure,),
            sections=tuple(section for section in sections if section is not None),
        )


def result_kind(point: StepPoint) -> str:
    """Boolean, number or text, as the benchmark states a step's result."""
    answer = point.problem.steps[point.position - 1].answer
    return "boolean" if isinstance(answer, bool) else "text" if isinstance(answer, str) else "number"


def _curves_section(points: Sequence[StepPoint], options: ExecutionOptions, drawn: Drawn) -> AnalysisSection:
    plots = []
    for axis, column_of, x_name in (("step", by_position, "step i"), ("part", by_bin, "part of the flow, %")):
        grid = point_grid(points, column_of, drawn.clusters)
        line = curve(CONTEXTS[options.context], grid, drawn.draws)
        caption = "Steps carried out rightly, per cent"
        plots.append(Plot(name=f"by-{axis}", caption=caption, x_name=x_name, curves=(line,)))
    return AnalysisSection(
        anchor="curves",
        title="Along the flow",
        notes=(f"Results of single steps, {CONTEXTS[options.context]}; graded like final answers.", BANDS),
        tables=(part_table("parts", "By part of the flow", points, RIGHT, drawn),),
        plots=tuple(plots),
    )


def _notes(chosen: Chosen, options: ExecutionOptions) -> list[str]:
    n_empty = sum(not result_text(step) for problem in chosen.problems for step in problem.steps)
    notes = [f"{n_empty} steps have no result to check against and were not asked."] if n_empty else []
    if options.max_steps is not None:
        notes.append(f"At most {options.max_steps} steps of a flow were asked about. {RULE}")
    return notes


def _step(problem: Problem, key: Key) -> Step:
    return problem.steps[(key.step or 1) - 1]
