"""Curves, gaps and peaks of a step diagnostic, as plots and tables. All bands of an analysis rest on the same draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cfe_local.experiments.analysis import AnalysisTable, Cell, Column, Curve, CurvePoint, Plot
from cfe_local.experiments.measures import NOTHING, PROGRESS, Drawn, bin_name
from cfe_local.experiments.step_points import (
    N_BINS,
    WITH,
    WITHOUT,
    ColumnOf,
    StepPoint,
    by_bin,
    by_nothing,
    gap_grid,
    point_grid,
)
from cfe_local.metrics.resampling import ClusterDraws, Grid, Peak, peak_of
from cfe_local.metrics.scores import Share

NAMES = {WITH: "steps with their results", WITHOUT: "the steps' questions only"}


def curve(name: str, grid: Grid, draws: ClusterDraws) -> Curve:
    """Means of a grid with their bands; columns without a value are left out."""
    points = []
    rows = zip(grid.columns, grid.means, draws.column_limits(grid), grid.n_clusters, strict=True)
    for column, mean, limits, n in rows:
        if n:
            low, high = limits if limits is not None else (None, None)
            points.append(CurvePoint(x=column, y=float(mean), low=low, high=high, n=int(n)))
    return Curve(name=name, points=tuple(points))


def condition_curves(points: Sequence[StepPoint], column_of: ColumnOf, drawn: Drawn) -> tuple[Curve, ...]:
    """One curve per condition that has points."""
    found = []
    for condition, name in NAMES.items():
        mine = [point for point in points if point.condition == condition]
        if mine:
            found.append(curve(name, point_grid(mine, column_of, drawn.clusters), drawn.draws))
    return tuple(found)


def overall_share(points: Sequence[StepPoint], drawn: Drawn) -> Share:
    """Mean over problems of their mean over steps, with its interval."""
    if not points:
        return Share(value=None, numerator=0, denominator=0)
    grid = point_grid(points, by_nothing, drawn.clusters)
    limits = drawn.draws.column_limits(grid)[0]
    numerator, denominator = float(grid.sums.sum()), int(grid.counts.sum())
    return Share(
        value=numerator / denominator,
        numerator=numerator,
        denominator=denominator,
        interval=drawn.draws.interval(limits),
    )


def gap_plot(name: str, caption: str, readings: Mapping[str, Sequence[StepPoint]], drawn: Drawn) -> Plot:
    """The gap over relative position, one curve per reading."""
    curves = [
        curve(reading, gap_grid(points, by_bin, drawn.clusters), drawn.draws) for reading, points in readings.items()
    ]
    return Plot(
        name=name,
        caption=caption,
        x_name="part of the flow, %",
        y_kind="points",
        curves=tuple(one for one in curves if one.points),
    )


GAP = PROGRESS[-1]
PEAK_COLUMNS = (
    Column(name="reading"),
    Column(name="gap over all steps", kind="points"),
    Column(name="gap, 95 %", kind="points_interval"),
    Column(name="largest at"),
    Column(name="place, 95 %"),
    Column(name="largest gap", kind="points"),
    Column(name="largest gap, 95 %", kind="points_interval"),
)


def peak_table(readings: Mapping[str, Sequence[StepPoint]], drawn: Drawn) -> AnalysisTable:
    """For each reading the gap, and where it is largest."""
    rows = []
    for reading, points in readings.items():
        found = peak_of(gap_grid(points, by_bin, drawn.clusters), drawn.draws)
        if found is None:
            continue
        rows.append((reading, *GAP.cells(points, by_nothing, drawn).get(0.0, NOTHING), *_peak_cells(found)))
    return AnalysisTable(name="gap-peak", caption="The gap and its peak", columns=PEAK_COLUMNS, rows=tuple(rows))


def _peak_cells(found: Peak) -> tuple[Cell, ...]:
    place = None
    if found.column_limits is not None:
        low, high = found.column_limits
        place = f"{low - 100 / N_BINS:.0f}–{high:.0f} %"
    return bin_name(found.column), place, found.height, found.height_limits
