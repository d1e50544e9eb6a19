"""Which single step helps most, problem by problem; and one step against everything up to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cfe_local.experiments.analysis import AnalysisSection, AnalysisTable, Cell, Column, Plot
from cfe_local.experiments.curves import curve
from cfe_local.experiments.measures import Drawn, bin_name
from cfe_local.experiments.pairing import METHOD, paired_columns, paired_row
from cfe_local.experiments.source import SourceRun
from cfe_local.experiments.step_points import WITH, WITHOUT, Row, StepPoint, by_bin, point_grid

BEST_COLUMNS = (
    Column(name="problem"),
    Column(name="steps", kind="count"),
    Column(name="best step", kind="count"),
    Column(name="part of the flow"),
    Column(name="with its result", kind="share"),
    Column(name="its question only", kind="share"),
    Column(name="gives the answer away"),
)


def best_step(points: Sequence[StepPoint]) -> StepPoint | None:
    """The step of one problem that helps most; None where no single step with its result ever led to a right answer.

    The highest share right; of equals the one that gains most over its question alone, then the earliest.
    """
    alone = {point.position: point.share for point in points if point.condition == WITHOUT}
    helped = [point for point in points if point.condition == WITH and point.n_right]
    if not helped:
        return None
    return max(helped, key=lambda p: (p.share, p.share - alone.get(p.position, 0.0), -p.position))


def best_steps_section(points: Sequence[StepPoint], held: Mapping[Row, frozenset[int]]) -> AnalysisSection:
    """The most useful step of every problem, and in which tenth of the flow such steps lie."""
    by_row: dict[Row, list[StepPoint]] = {}
    for point in points:
        by_row.setdefault(point.row, []).append(point)
    rows: list[tuple[Cell, ...]] = []
    bins, n_given = [], 0
    for row, mine in by_row.items():
        best = best_step(mine)
        n_steps = len(mine[0].problem.steps)
        if best is None:
            rows.append((mine[0].problem.label, n_steps, None, None, 0.0, None, None))
            continue
        gives = best.position in held.get(row, frozenset())
        n_given += gives
        bins.append(best.bin)
        alone = next((p.share for p in mine if p.condition == WITHOUT and p.position == best.position), None)
        cells = best.position, bin_name(best.bin), best.share, alone, "yes" if gives else "no"
        rows.append((mine[0].problem.label, n_steps, *cells))
    spread = AnalysisTable(
        name="best-step-places",
        caption="Where the most useful single step lies",
        columns=(Column(name="part of the flow"), Column(name="problems", kind="count")),
        rows=tuple((bin_name(found), bins.count(found)) for found in sorted(set(bins))),
    )
    each = AnalysisTable(
        name="best-steps", caption="The most useful single step", columns=BEST_COLUMNS, rows=tuple(rows)
    )
    notes = (
        f"Of {len(rows)} problems, {len(bins)} were solved at least once with a single step; in {n_given} of these the "
        "best step gives a final answer away. The best of several noisy shares is too high on average.",
    )
    return AnalysisSection(
        anchor="best-steps",
        title="The most useful single step",
        notes=notes,
        tables=(spread, each) if bins else (each,),
        brief=False,
    )


def prefix_section(
    points: Sequence[StepPoint], source: SourceRun | None, drawn: Drawn, *, seed: int
) -> AnalysisSection | None:
    """One step against all steps up to it, where the run started from a progression run; else None."""
    if source is None or source.experiment != "progression":
        return None
    marks: dict[tuple[Row, int], list[str]] = {}
    for sample in source.samples:
        key = sample.key
        if key.condition == WITH and key.step is not None:
            marks.setdefault(((key.split, key.row), key.step), []).append(sample.mark)
    single = [p for p in points if p.condition == WITH and (p.row, p.position) in marks]
    if not single:
        return None
    prefix = []
    for point in single:
        found = marks[point.row, point.position]
        counts = found.count("correct"), found.count("undecided"), len(found)
        prefix.append(StepPoint(point.problem, WITH, point.position, *counts))
    names = ("one step with its result", "all steps up to it with results")
    curves = tuple(
        curve(name, point_grid(these, by_bin, drawn.clusters), drawn.draws)
        for name, these in zip(names, (single, prefix), strict=True)
    )
    ids = {point.row: point.problem.problem_id for point in single}
    row = paired_row("right", problem_means(single), problem_means(prefix), ids, seed=(seed,))
    table = AnalysisTable(
        name="single-and-prefix",
        columns=paired_columns("one step", "all up to it"),
        rows=(row,) if row is not None else (),
    )
    plot = Plot(
        name="single-and-prefix",
        caption="One step against all steps up to it, per cent right",
        x_name="part of the flow, %",
        curves=curves,
    )
    note = f"Steps that both runs asked about. {METHOD}"
    return AnalysisSection(
        anchor="single-and-prefix", title="One step or all up to it", notes=(note,), tables=(table,), plots=(plot,)
    )


def problem_means(points: Sequence[StepPoint]) -> dict[Row, float]:
    """Each problem's mean over its points."""
    groups: dict[Row, list[float]] = {}
    for point in points:
        groups.setdefault(point.row, []).append(point.share)
    return {row: sum(group) / len(group) for row, group in groups.items()}
