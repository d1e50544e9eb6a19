"""The section on kinds of problem: accuracy, what could not be read, half credit, renamed symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cfe_local.metrics.exam import ExamMetrics, KindFigures
from cfe_local.metrics.samples import GradedSample
from cfe_local.records import Verdict
from cfe_local.report.characters import shortened
from cfe_local.report.model import IntervalChart, IntervalMark, Row, Section, Table
from cfe_local.report.numbers import count, fraction, interval, percent

VALUE = 60
"""Characters of an expression in a table."""

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


SCORED_NOTE = (
    "The judge scores an expression 1, 1/2 (right up to a constant factor or a sign) or 0 without knowing what "
    "equivalence says. renamed: equal only with other names of the symbols."
)
SAID = ("equal", "renamed", "different", "undecided")


def scored_section(samples: Sequence[GradedSample]) -> Section | None:
    """The judge's scores of expressions against equivalence, and where they disagree; None where none was scored."""
    scored = [(s, v) for s in samples for v in s.verdicts if v is not None and v.score is not None]
    if not scored:
        return None
    counts = Counter((_said(verdict), verdict.score) for _, verdict in scored)
    rows = [Row((said, *(count(counts[said, score]) for score in (1.0, 0.5, 0.0)))) for said in SAID]
    decided = [(s, v) for s, v in scored if _said(v) != "undecided"]
    differ = [(s, v) for s, v in decided if (_said(v) == "equal") != (v.score == 1.0)]
    listed = tuple(
        Row(
            (
                f"{sample.problem.label}, sample {sample.key.sample}",
                shortened(sample.targets[verdict.variable].value, VALUE),
                shortened((verdict.extraction.value if verdict.extraction else None) or "", VALUE),
                _said(verdict),
                f"{verdict.score:g}",
            )
        )
        for sample, verdict in differ
    )
    tables = [Table(columns=("equivalence", "judge 1", "judge 1/2", "judge 0"), rows=tuple(rows))]
    if listed:
        columns = ("where", "reference", "answer", "equivalence", "judge")
        tables.append(Table(columns=columns, rows=listed, caption="Where they disagree", kind="facts"))
    title = "Expressions scored by the judge"
    return Section(anchor="scored", title=title, notes=(SCORED_NOTE,), tables=tuple(tables))


def _said(verdict: Verdict) -> str:
    comparison = verdict.comparison
    if comparison is None:
        return "undecided"
    return "renamed" if comparison.by == "renamed" and comparison.verdict == "equal" else comparison.verdict


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
