"""The analysis of decomposed answers: counts, failures, and where derivations leave the instructor's track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cfe_local.experiments.analysis import Analysis, AnalysisSection, AnalysisTable, Cell, Column, MainFigure, Plot
from cfe_local.experiments.base import ExperimentRecords
from cfe_local.experiments.curves import curve
from cfe_local.experiments.measures import Drawn
from cfe_local.experiments.step_points import N_BINS
from cfe_local.experiments.tracking import Track, track
from cfe_local.metrics.resampling import Grid, draw_clusters, grid_of
from cfe_local.metrics.scores import count_names, share_of
from cfe_local.records import Problem, Step, VerdictValue

MARKS: dict[VerdictValue, str] = {"correct": "right answers", "incorrect": "wrong answers", "undecided": "undecided"}


@dataclass(frozen=True, slots=True)
class Taken:
    """One answer of the earlier run, taken apart.

    Attributes:
        mark: What the earlier run's grading says about the answer.
        steps: Its steps; empty where the decomposition failed.
        fault: Why it failed; empty where it did not.
    """

    problem: Problem
    mark: VerdictValue
    steps: tuple[Step, ...]
    fault: str


def analyse_efficiency(records: ExperimentRecords, taken: Sequence[Taken], *, experiment: str) -> Analysis:
    """The whole analysis."""
    clusters = sorted({one.problem.problem_id for one in taken})
    drawn = Drawn(clusters, draw_clusters(max(1, len(clusters)), seed=records.settings.run_seed))
    good = [one for one in taken if one.steps]
    tracks = [(one, track(one.problem.steps, one.steps, records.is_equal)) for one in good]
    figure = MainFigure(
        name="answers taken apart",
        share=share_of(len(good), len(taken)),
        explanation="decompositions that gave a flow",
    )
    return Analysis(
        experiment=experiment,
        grading=records.grading,
        main_figures=(figure,),
        sections=(_counts_section(good, drawn), _track_section(tracks, drawn), _failures_section(taken)),
        warnings=_warnings(good, taken),
    )


def _counts_section(good: Sequence[Taken], drawn: Drawn) -> AnalysisSection:
    columns = (
        Column(name="answers"),
        Column(name="problems", kind="count"),
        Column(name="n", kind="count"),
        Column(name="steps, model", kind="number"),
        Column(name="steps, instructor", kind="number"),
        Column(name="ratio", kind="number"),
        Column(name="ratio, 95 % low", kind="number"),
        Column(name="ratio, 95 % high", kind="number"),
    )
    rows: list[tuple[Cell, ...]] = []
    splits = list(dict.fromkeys(one.problem.split for one in good))
    for split in (*splits, *(("all",) if len(splits) > 1 else ())):
        mine = [one for one in good if split in ("all", one.problem.split)]
        groups = [("all answers", mine), *((name, [t for t in mine if t.mark == mark]) for mark, name in MARKS.items())]
        rows += [_count_row(f"{split}: {name}", group, drawn) for name, group in groups if group]
    notes = (
        "ratio: the model's steps over the instructor's, summed over answers; its interval draws whole problems. A "
        "ratio of one is not better than another: it says how finely the judge cuts, too.",
    )
    table = AnalysisTable(name="steps", caption="Steps per answer", columns=columns, rows=tuple(rows))
    return AnalysisSection(anchor="steps", title="Steps against the instructor's", notes=notes, tables=(table,))


def _count_row(name: str, group: Sequence[Taken], drawn: Drawn) -> tuple[Cell, ...]:
    ours, theirs = [len(one.steps) for one in group], [len(one.problem.steps) for one in group]
    cluster_of = [one.problem.problem_id for one in group]
    sums, counts = (grid_of(_by_cluster(cluster_of, values), drawn.clusters).sums for values in (ours, theirs))
    n_problems = len({(one.problem.split, one.problem.row) for one in group})
    limits = drawn.draws.column_limits(Grid((0.0,), sums, counts))[0]
    means = sum(ours) / len(group), sum(theirs) / len(group)
    return (
        name,
        n_problems,
        len(group),
        *means,
        means[0] / means[1],
        *(limits if limits is not None else (None, None)),
    )


def _by_cluster(clusters: Sequence[str], values: Sequence[float]) -> dict[tuple[str, float], list[float]]:
    groups: dict[tuple[str, float], list[float]] = {}
    for cluster, value in zip(clusters, values, strict=True):
        groups.setdefault((cluster, 0.0), []).append(value)
    return groups


def _track_section(tracks: Sequence[tuple[Taken, Track]], drawn: Drawn) -> AnalysisSection:
    curves = []
    for mark, name in MARKS.items():
        mine = [(taken, found) for taken, found in tracks if taken.mark == mark]
        if mine:
            curves.append(curve(name, _reach_grid(mine, drawn), drawn.draws))
    plot = Plot(
        name="on-track",
        caption="Answers that state a result of the instructor's at or after this part of the flow, per cent",
        x_name="part of the flow, %",
        curves=tuple(curves),
    )
    notes = (
        "An answer is on the track up to the last of the instructor's results that it states in order (longest common "
        "order, by equivalence; booleans left out). What it leaves out before that is another way, or a leap. The "
        "first divergence is the instructor's step after it. Small numbers can match by accident.",
    )
    return AnalysisSection(
        anchor="track",
        title="Where answers leave the track",
        notes=notes,
        tables=(_stated_table(tracks), _divergence_table(tracks)),
        plots=(plot,) if curves else (),
    )


def _reach_grid(tracks: Sequence[tuple[Taken, Track]], drawn: Drawn) -> Grid:
    values: dict[tuple[str, float], list[float]] = {}
    for taken, found in tracks:
        for tenth in range(1, N_BINS + 1):
            at = 100 * tenth / N_BINS
            values.setdefault((taken.problem.problem_id, at), []).append(float(100 * found.reach >= at - 1e-9))
    return grid_of(values, drawn.clusters)


def _stated_table(tracks: Sequence[tuple[Taken, Track]]) -> AnalysisTable:
    rows: list[tuple[Cell, ...]] = []
    for mark, name in MARKS.items():
        mine = [found for taken, found in tracks if taken.mark == mark]
        if mine:
            stated = sum(len(found.stated) / found.n_steps for found in mine) / len(mine)
            n_to_end = sum(found.diverges_at is None for found in mine)
            rows.append((name, len(mine), stated, sum(found.reach for found in mine) / len(mine), n_to_end))
    return AnalysisTable(
        name="stated",
        caption="Results of the instructor's that answers state",
        columns=(
            Column(name="answers"),
            Column(name="n", kind="count"),
            Column(name="results stated", kind="share"),
            Column(name="on the track up to", kind="share"),
            Column(name="to the last step", kind="count"),
        ),
        rows=tuple(rows),
    )


def _divergence_table(tracks: Sequence[tuple[Taken, Track]]) -> AnalysisTable:
    def tenth(found: Track) -> int:
        at = found.diverges_at
        return 0 if at is None else -(-N_BINS * at // found.n_steps)

    marks = [mark for mark in MARKS if any(taken.mark == mark for taken, _ in tracks)]
    counts = {mark: [tenth(found) for taken, found in tracks if taken.mark == mark] for mark in marks}
    rows = []
    for number in (*range(1, N_BINS + 1), 0):
        if any(number in found for found in counts.values()):
            step = 100 // N_BINS
            name = f"{step * (number - 1)}–{step * number} %" if number else "none: the last step is stated"
            rows.append((name, *(counts[mark].count(number) for mark in marks)))
    columns = (Column(name="first divergence in"), *(Column(name=MARKS[mark], kind="count") for mark in marks))
    return AnalysisTable(
        name="divergence", caption="First divergence, by part of the flow", columns=columns, rows=tuple(rows)
    )


def _failures_section(taken: Sequence[Taken]) -> AnalysisSection:
    counts = count_names([one.fault.replace("_", " ") or "taken apart" for one in taken])
    table = AnalysisTable(
        name="decompositions",
        columns=(Column(name="decompositions"), Column(name="n", kind="count"), Column(name="share", kind="share")),
        rows=tuple((count.name, count.n, count.share) for count in counts),
    )
    note = "The judge takes answers apart under a schema; what does not end within its token limit has no steps."
    return AnalysisSection(anchor="decompositions", title="Decompositions", notes=(note,), tables=(table,))


def _warnings(good: Sequence[Taken], taken: Sequence[Taken]) -> tuple[str, ...]:
    n_failed = len(taken) - len(good)
    if taken and n_failed / len(taken) > 0.05:
        return (f"{n_failed} of {len(taken)} decompositions failed; long answers fail first, so counts are too low.",)
    return ()
