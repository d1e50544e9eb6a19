"""What a diagnostic is held against: the exam without a hint on the same problems, and which problems these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cfe_local.experiments.analysis import AnalysisSection, AnalysisTable, Column
from cfe_local.experiments.pairing import METHOD, paired_columns, paired_row
from cfe_local.experiments.selection import Chosen, Row, baselines, exam_behind
from cfe_local.experiments.source import SourceRun

REGRESSION = (
    "Problems that were chosen because the exam got them wrong look better when they are merely asked again: some were "
    "wrong by chance. The difference to the exam holds this too; the gap between conditions does not."
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One figure per problem that is held against the exam."""

    name: str
    shares: Mapping[Row, float]


def baseline_section(
    source: SourceRun | None, readings: Sequence[Reading], ids: Mapping[Row, str], *, seed: int
) -> AnalysisSection | None:
    """Each reading against the exam, paired by problem; None without an exam.

    Args:
        source: The run that the experiment started from.
        readings: Shares right by problem.
        ids: The problem's own id, by row.
        seed: Of the resamples.
    """
    exam = exam_behind(source)
    if exam is None:
        return None
    before = {row: found.share for row, found in baselines(source).items()}
    rows = [
        paired_row(reading.name, before, reading.shares, ids, seed=(seed, number))
        for number, reading in enumerate(readings)
    ]
    table = AnalysisTable(
        name="baseline",
        caption="Against the exam",
        columns=paired_columns("exam", "here"),
        rows=tuple(row for row in rows if row is not None),
    )
    origin = f"exam: {exam.model}, grading {exam.grading}; shares of its samples that were right, problem by problem."
    return AnalysisSection(
        anchor="baseline",
        title="Against the exam without a hint",
        notes=(f"{origin} {METHOD}", REGRESSION),
        tables=(table,),
    )


def selection_section(chosen: Chosen, source: SourceRun | None, notes: Sequence[str] = ()) -> AnalysisSection:
    """Which problems were looked at, and what was left out."""
    counts = [("looked at", len(chosen.problems))]
    if source is not None:
        counts += [
            ("left out: right in the earlier run", chosen.n_right),
            ("left out: undecided in the earlier run", len(chosen.undecided)),
            ("left out: not asked in the earlier run", chosen.n_not_asked),
        ]
    counts.append(("left out: no reasoning flow", chosen.n_without_steps))
    table = AnalysisTable(
        name="selection",
        columns=(Column(name="problems"), Column(name="n", kind="count")),
        rows=tuple(count for count in counts if count[1] or count[0] == "looked at"),
    )
    said = list(notes)
    if chosen.undecided:
        said.append("Undecided in the earlier run: " + ", ".join(chosen.undecided) + ".")
    return AnalysisSection(anchor="selection", title="Which problems", notes=tuple(said), tables=(table,), brief=False)
