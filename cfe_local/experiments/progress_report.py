"""Puts the analysis of progression and injection together: curves, gap, baseline, useful steps, groups, selection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from cfe_local.experiments.analysis import Analysis, AnalysisSection, MainFigure, Plot
from cfe_local.experiments.base import ExperimentRecords
from cfe_local.experiments.baseline import Reading, baseline_section, selection_section
from cfe_local.experiments.curves import NAMES, condition_curves, gap_plot, overall_share, peak_table
from cfe_local.experiments.measures import PROGRESS, Drawn, groups_section, part_table
from cfe_local.experiments.selection import Chosen
from cfe_local.experiments.step_points import (
    WITH,
    WITHOUT,
    Row,
    StepPoint,
    by_bin,
    by_position,
    clusters_of,
    step_points,
    steps_with_answers,
    without_answers,
)
from cfe_local.experiments.steps import RULE
from cfe_local.experiments.useful_steps import best_steps_section, prefix_section, problem_means
from cfe_local.metrics.resampling import draw_clusters

HINTS = {"progression": "the first i steps", "injection": "step i alone"}
ALL, KEPT = "all steps", "hints that do not give an answer away"
BANDS = (
    "Bands and intervals: 95 %, percentile bootstrap that draws whole problems. Every problem weighs the same; "
    "undecided counts as not right. Where all problems agree a band has no width, which says more about few problems "
    "than about certainty."
)
PEAK_NOTE = (
    "The largest gap was chosen for being large, so it tends to be too large; its place is the range of tenths that "
    "holds the peak in 95 % of the draws."
)


def analyse_progress(
    records: ExperimentRecords,
    chosen: Chosen,
    *,
    experiment: Literal["progression", "injection"],
    max_steps: int | None,
) -> Analysis:
    """The analysis of one of the two experiments."""
    points = step_points(records.samples)
    seed, source = records.settings.run_seed, records.settings.source
    clusters = clusters_of(points)
    drawn = Drawn(clusters, draw_clusters(max(1, len(clusters)), seed=seed))
    held = steps_with_answers(records, chosen.problems)
    kept = without_answers(points, held, prefixes=experiment == "progression")
    readings: dict[str, list[StepPoint]] = {ALL: points, KEPT: kept}
    by_condition = {c: [p for p in points if p.condition == c] for c in (WITH, WITHOUT)}
    ids = {p.row: p.problem.problem_id for p in points}
    against = [Reading(NAMES[c], problem_means(mine)) for c, mine in by_condition.items()]
    sections = [
        _curves_section(experiment, readings, drawn),
        _gap_section(readings, drawn),
        baseline_section(source, against, ids, seed=seed),
        prefix_section(points, source, drawn, seed=seed) if experiment == "injection" else None,
        best_steps_section(points, held) if experiment == "injection" else None,
        groups_section(points, PROGRESS, drawn),
        selection_section(chosen, source, _notes(chosen, held, max_steps)),
    ]
    figures = [
        MainFigure(name=NAMES[c], share=overall_share(mine, drawn), explanation="mean over problems and steps")
        for c, mine in by_condition.items()
    ]
    return Analysis(
        experiment=experiment,
        grading=records.grading,
        main_figures=tuple(figures),
        sections=tuple(section for section in sections if section is not None),
        warnings=_warnings(points),
    )


def _curves_section(experiment: str, readings: dict[str, list[StepPoint]], drawn: Drawn) -> AnalysisSection:
    hint = HINTS[experiment]
    plots, tables = [], []
    for (reading, points), suffix in zip(readings.items(), ("", "-kept"), strict=True):
        if not points:
            continue
        for axis, column_of, x_name in (("step", by_position, "step i"), ("part", by_bin, "part of the flow, %")):
            caption = f"Final answers right, per cent, given {hint}" + (f"; {reading}" if suffix else "")
            curves = condition_curves(points, column_of, drawn)
            plots.append(Plot(name=f"by-{axis}{suffix}", caption=caption, x_name=x_name, curves=curves))
        tables.append(part_table(f"parts{suffix}", reading, points, PROGRESS, drawn))
    notes = [
        f"Final answers graded as in the exam, given {hint}: with results, or the same steps' questions only.",
        "Steps often are the answer, the last above all, and then a hint with results wins trivially: the second "
        "reading leaves out every hint that holds the value of a target variable. Small numbers can match one by "
        "accident.",
        BANDS,
    ]
    if not readings[KEPT]:
        notes.append("Every hint holds the value of a target variable, so the second reading is empty.")
    return AnalysisSection(
        anchor="curves", title="Along the flow", notes=tuple(notes), tables=tuple(tables), plots=tuple(plots)
    )


def _gap_section(readings: dict[str, list[StepPoint]], drawn: Drawn) -> AnalysisSection:
    found = {name: points for name, points in readings.items() if points}
    plot = gap_plot("gap", "With results minus questions only, percentage points", found, drawn)
    return AnalysisSection(
        anchor="gap",
        title="What results add to questions",
        notes=(PEAK_NOTE,),
        tables=(peak_table(found, drawn),),
        plots=(plot,) if plot.curves else (),
    )


def _notes(chosen: Chosen, held: Mapping[Row, frozenset[int]], max_steps: int | None) -> list[str]:
    n_steps = sum(len(problem.steps) for problem in chosen.problems)
    n_held = sum(len(found) for found in held.values())
    n_last = sum(len(p.steps) in held[p.split, p.row] for p in chosen.problems)
    notes = [
        f"{n_held} of {n_steps} steps hold the value of a target variable (found by equivalence); in {n_last} of "
        f"{len(chosen.problems)} problems the last step does."
    ]
    if max_steps is not None:
        notes.append(f"At most {max_steps} steps of a flow were asked about. {RULE}")
    return notes


def _warnings(points: list[StepPoint]) -> tuple[str, ...]:
    n_undecided, n_planned = sum(p.n_undecided for p in points), sum(p.n_planned for p in points)
    if n_planned and n_undecided / n_planned > 0.1:
        return (
            f"{n_undecided} of {n_planned} samples are undecided and count as not right; the curves are low for that.",
        )
    return ()
