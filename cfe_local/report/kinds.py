"""The section on kinds of problem: accuracy, what could not be read, half credit, renamed symbols."""

from __future__ import annotations

from cfe_local.metrics.exam import ExamMetrics, KindFigures
from cfe_local.report.model import IntervalChart, IntervalMark, Row, Section, Table
from cfe_local.report.numbers import count, fraction, interval, percent

NOTE = (
    "unparsable: no statement behind the delimiter that could be read; these count as not correct and are no wrong "
    "answers. half credit: 1 for all answers of a problem, 1/2 for at least half of them. with renaming: right, or "
    "right up to other names of the symbols."
)
PROOFS = (
    "{n} planned samples ask for a proof. A proof states no value: it stands in no accuracy and gets points by rubric."
)


def kinds_section(metrics: ExamMetrics) -> Section | None:
    """One row per kind; None where all problems ask for named variables."""
    if not metrics.by_kind:
        return None
    rows = tuple(_row(entry) for entry in metrics.by_kind)
    marks = []
    for entry in metrics.by_kind:
        share = entry.figures.question_accuracy.headline
        found = share.interval
        low, high = (found.low, found.high) if found else (None, None)
        marks.append(IntervalMark(_name(entry), share.value or 0.0, low=low, high=high))
    columns = ("per cent", "right", "95 %", "right/planned", "decided", "unparsable", "half credit", "with renaming")
    notes = (NOTE, PROOFS.format(n=count(metrics.n_without_values))) if metrics.n_without_values else (NOTE,)
    return Section(
        anchor="kinds",
        title="By kind of problem",
        notes=notes,
        tables=(Table(columns=columns, rows=rows),),
        charts=(IntervalChart("Right, per cent, with 95 % intervals", tuple(marks)),) if marks[1:] else (),
    )


def _row(entry: KindFigures) -> Row:
    accuracy = entry.figures.question_accuracy
    headline = accuracy.headline
    renamed = (headline.value or 0.0) + (entry.renamed.value or 0.0)
    return Row(
        (
            _name(entry),
            percent(headline.value),
            interval(headline.interval),
            fraction(headline),
            fraction(accuracy.coverage),
            percent(entry.unparsable.value),
            percent(entry.credit.value),
            percent(renamed) if entry.kind == "symbolic" else "",
        )
    )


def _name(entry: KindFigures) -> str:
    return entry.kind.replace("_", " ")
