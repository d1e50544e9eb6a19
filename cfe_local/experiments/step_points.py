"""Graded samples of a step diagnostic as points: one per problem, condition and step, and grids of them for resampling.

Every problem weighs the same: its steps inside one bin are averaged before problems are. A sample that is undecided
counts as not right, as in every headline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cfe_local.experiments.base import ExperimentRecords
from cfe_local.experiments.steps import answer_pairs
from cfe_local.metrics.resampling import Grid, grid_of
from cfe_local.metrics.samples import GradedSample
from cfe_local.records import Problem

WITH, WITHOUT = "with-results", "questions-only"
"""Conditions: steps with their results, and the same steps as questions alone."""

N_BINS = 10
Row = tuple[str, int]


@dataclass(frozen=True, slots=True)
class StepPoint:
    """The samples of one problem under one condition at one step.

    Attributes:
        position: From 1.
        n_right: Samples with every variable right, of ``n_planned``; ``n_undecided`` of these have no verdict.
    """

    problem: Problem
    condition: str
    position: int
    n_right: int
    n_undecided: int
    n_planned: int

    @property
    def row(self) -> Row:
        """Identity of the problem."""
        return self.problem.split, self.problem.row

    @property
    def share(self) -> float:
        """Share of planned samples that are right."""
        return self.n_right / self.n_planned

    @property
    def bin(self) -> float:
        """Upper end of the tenth of the flow that the step lies in, in per cent: 10, 20, ..., 100."""
        return 100 / N_BINS * -(-N_BINS * self.position // len(self.problem.steps))


def step_points(samples: Iterable[GradedSample]) -> list[StepPoint]:
    """One point per problem, condition and step, in the order of the samples."""
    groups: dict[tuple[str, int, str, int], list[GradedSample]] = {}
    for sample in samples:
        key = sample.key
        if key.step is not None:
            groups.setdefault((key.split, key.row, key.condition, key.step), []).append(sample)
    found = []
    for (_, _, condition, position), group in groups.items():
        marks = [sample.mark for sample in group]
        counts = marks.count("correct"), marks.count("undecided"), len(marks)
        found.append(StepPoint(group[0].problem, condition, position, *counts))
    return found


def clusters_of(points: Iterable[StepPoint]) -> list[str]:
    """What is drawn in a bootstrap: problem ids, so that two copies of a problem stay together."""
    return sorted({point.problem.problem_id for point in points})


ColumnOf = Callable[[StepPoint], float]


def point_grid(points: Iterable[StepPoint], column_of: ColumnOf, clusters: Sequence[str]) -> Grid:
    """Shares right by cluster and column, one value per problem and column."""
    return _grid([(point, point.share) for point in points], column_of, clusters)


def gap_grid(points: Iterable[StepPoint], column_of: ColumnOf, clusters: Sequence[str]) -> Grid:
    """Share with results minus share with questions only, over steps that were asked both ways."""
    by_place: dict[tuple[Row, int], dict[str, StepPoint]] = {}
    for point in points:
        by_place.setdefault((point.row, point.position), {})[point.condition] = point
    pairs = [(both[WITH], both[WITH].share - both[WITHOUT].share) for both in by_place.values() if len(both) == 2]
    return _grid(pairs, column_of, clusters)


def _grid(values: Iterable[tuple[StepPoint, float]], column_of: ColumnOf, clusters: Sequence[str]) -> Grid:
    per_problem: dict[tuple[Row, str, float], list[float]] = {}
    for point, value in values:
        per_problem.setdefault((point.row, point.problem.problem_id, column_of(point)), []).append(value)
    laid_out: dict[tuple[str, float], list[float]] = {}
    for (_, cluster, column), found in per_problem.items():
        laid_out.setdefault((cluster, column), []).append(sum(found) / len(found))
    return grid_of(laid_out, clusters)


def by_position(point: StepPoint) -> float:
    """Column of a curve over steps."""
    return point.position


def by_bin(point: StepPoint) -> float:
    """Column of a curve over relative position."""
    return point.bin


def by_nothing(point: StepPoint) -> float:
    """One column for everything."""
    del point
    return 0.0


# ---------------------------------------------------------------- steps that give the final answer away


def steps_with_answers(records: ExperimentRecords, problems: Iterable[Problem]) -> Mapping[Row, frozenset[int]]:
    """For each problem, the positions whose result is the value of a target variable."""
    return {
        (problem.split, problem.row): frozenset(
            position
            for position in range(1, len(problem.steps) + 1)
            if records.is_equal(answer_pairs(problem, position))
        )
        for problem in problems
    }


def without_answers(
    points: Iterable[StepPoint], held: Mapping[Row, frozenset[int]], *, prefixes: bool
) -> list[StepPoint]:
    """Points whose hint does not hold the value of a target variable.

    Args:
        points: All points.
        held: Positions that hold one, by problem.
        prefixes: Whether a hint is everything up to the step, or the step alone.
    """
    kept = []
    for point in points:
        found = held.get(point.row, frozenset())
        first = min(found, default=len(point.problem.steps) + 1)
        if (point.position < first) if prefixes else (point.position not in found):
            kept.append(point)
    return kept
