"""What a step diagnostic measures, as tables: one line per part of the flow, or per group of problems and steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from cfe_local.experiments.analysis import AnalysisSection, AnalysisTable, Cell, Column
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
from cfe_local.metrics.resampling import ClusterDraws, Grid

LENGTHS = ((1, 5), (6, 10), (11, 15), (16, 10**9))
"""Groups of flow lengths: the published flows have 2 to 39 steps, 11 on average."""


NOTHING: tuple[Cell, Cell] = (None, None)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Clusters and the draws over them."""

    clusters: Sequence[str]
    draws: ClusterDraws


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure that is given per part or group."""

    name: str
    kind: Literal["share", "points"]
    grid: Callable[[Sequence[StepPoint], ColumnOf, Sequence[str]], Grid]

    @property
    def columns(self) -> tuple[Column, Column]:
        """The figure and its interval."""
        limits: Literal["interval", "points_interval"] = "interval" if self.kind == "share" else "points_interval"
        return Column(name=self.name, kind=self.kind), Column(name=f"{self.name}, 95 %", kind=limits)

    def cells(self, points: Sequence[StepPoint], column_of: ColumnOf, drawn: Drawn) -> dict[float, tuple[Cell, Cell]]:
        """Mean and limits by column; columns without a value are left out."""
        grid = self.grid(points, column_of, drawn.clusters)
        limits = drawn.draws.column_limits(grid)
        return {c: (float(mean), found) for c, mean, found in zip(grid.columns, grid.means, limits, strict=True)}


def share_of_condition(name: str, condition: str) -> Measure:
    """Share right under one condition."""

    def grid(points: Sequence[StepPoint], column_of: ColumnOf, clusters: Sequence[str]) -> Grid:
        return point_grid([p for p in points if p.condition == condition], column_of, clusters)

    return Measure(name, "share", grid)


PROGRESS = (
    share_of_condition("with results", WITH),
    share_of_condition("questions only", WITHOUT),
    Measure("gap", "points", gap_grid),
)
"""What progression and injection measure."""

RIGHT = (Measure("right", "share", point_grid),)
"""Share right, whatever the condition."""


def part_table(
    name: str, caption: str, points: Sequence[StepPoint], measures: Sequence[Measure], drawn: Drawn
) -> AnalysisTable:
    """One line per tenth of the flow."""
    rows = []
    found = [measure.cells(points, by_bin, drawn) for measure in measures]
    for column in sorted({point.bin for point in points}):
        cells = [cell for one in found for cell in one.get(column, NOTHING)]
        n = len({point.row for point in points if point.bin == column})
        rows.append((bin_name(column), n, *cells))
    return AnalysisTable(name=name, caption=caption, columns=_columns("part of the flow", measures), rows=tuple(rows))


def bin_name(column: float) -> str:
    """``10–20 %``: above 10 and up to 20 per cent of the flow."""
    return f"{column - 100 / N_BINS:.0f}–{column:.0f} %"


GroupOf = Callable[[StepPoint], str]


def length_group(n_steps: int) -> str:
    """``6–10 steps``."""
    low, high = next((low, high) for low, high in LENGTHS if low <= n_steps <= high)
    return f"{low}–{high} steps" if high < LENGTHS[-1][1] else f"{low} steps or more"


GROUPS: dict[str, GroupOf] = {
    "split": lambda point: point.problem.split,
    "topic": lambda point: point.problem.topic or "(no topic)",
    "length of the flow": lambda point: length_group(len(point.problem.steps)),
}


def groups_section(
    points: Sequence[StepPoint], measures: Sequence[Measure], drawn: Drawn, more: dict[str, GroupOf] | None = None
) -> AnalysisSection | None:
    """One table per kind of group that has more than one; None where none has."""
    tables = [group_table(kind, of, points, measures, drawn) for kind, of in {**GROUPS, **(more or {})}.items()]
    shown = tuple(table for table in tables if len(table.rows) > 1)
    if not shown:
        return None
    note = "Mean over problems of their mean over steps. A group of one problem has no interval."
    return AnalysisSection(anchor="groups", title="By group", notes=(note,), tables=shown, brief=False)


def group_table(
    kind: str, group_of: GroupOf, points: Sequence[StepPoint], measures: Sequence[Measure], drawn: Drawn
) -> AnalysisTable:
    """One line per group, in the order of their names; flow lengths from short to long."""
    groups: dict[str, list[StepPoint]] = {}
    for point in points:
        groups.setdefault(group_of(point), []).append(point)
    by_length = kind == "length of the flow"
    order = {name: min(len(point.problem.steps) for point in mine) if by_length else 0 for name, mine in groups.items()}
    rows = []
    for name in sorted(groups, key=lambda name: (order[name], name)):
        mine = groups[name]
        found = [measure.cells(mine, by_nothing, drawn) for measure in measures]
        cells = [cell for one in found for cell in one.get(0.0, NOTHING)]
        rows.append((name, len({point.row for point in mine}), *cells))
    slug = kind.replace(" ", "-")
    return AnalysisTable(name=f"by-{slug}", caption=f"By {kind}", columns=_columns(kind, measures), rows=tuple(rows))


def _columns(first: str, measures: Sequence[Measure]) -> tuple[Column, ...]:
    more = [column for measure in measures for column in measure.columns]
    return (Column(name=first), Column(name="problems", kind="count"), *more)
