"""Sections on what became of the samples and on who decided."""

from __future__ import annotations

from collections.abc import Sequence

from cfe_local.metrics.exam import ExamMetrics
from cfe_local.metrics.samples import GradedSample
from cfe_local.metrics.scores import Count
from cfe_local.report.characters import shortened
from cfe_local.report.model import BarPart, Row, Section, StackedBars, Table
from cfe_local.report.numbers import count, fraction, interval, percent


def outcomes_section(metrics: ExamMetrics, samples: Sequence[GradedSample]) -> Section:
    """Answered, truncated, failed; and the score of each."""
    tables = [_counts("Outcomes of the planned samples", metrics.outcomes)]
    parts = [figures for figures in (metrics.finished, metrics.truncated) if figures is not None]
    if metrics.truncated is not None:
        rows = [
            Row(
                (
                    figures.name,
                    percent(figures.question_accuracy.headline.value),
                    interval(figures.question_accuracy.headline.interval),
                    fraction(figures.question_accuracy.headline),
                )
            )
            for figures in parts
        ]
        tables.append(
            Table(
                columns=("per cent", "QA", "95 %", "right/samples"),
                rows=tuple(rows),
                caption="Score by how a sample ended",
            )
        )
    if any(entry.name != "none" for entry in metrics.thinking_ends):
        tables.append(_counts("How thinking ended", metrics.thinking_ends))
    marks = [sample.mark for sample in samples]
    bar = (
        BarPart("correct", marks.count("correct"), "good"),
        BarPart("incorrect", marks.count("incorrect"), "bad"),
        BarPart("undecided", marks.count("undecided"), "open"),
    )
    truncation = f"Truncated: {fraction(metrics.truncation)} samples ({percent(metrics.truncation.value)} %)."
    return Section(
        anchor="outcomes",
        title="What became of the samples",
        notes=(truncation,),
        tables=tuple(tables),
        charts=(StackedBars("Samples by verdict", (("all samples", bar),)),) if samples else (),
    )


def deciders_section(metrics: ExamMetrics) -> Section:
    """Equivalence, judge or outcome; and why variables are undecided or wrong."""
    rows = [
        Row(
            (
                entry.by,
                count(entry.n),
                percent(entry.share),
                count(entry.n_correct),
                count(entry.n_incorrect),
                count(entry.n_undecided),
            )
        )
        for entry in metrics.deciders
    ]
    tables = [Table(columns=("variables", "n", "%", "correct", "incorrect", "undecided"), rows=tuple(rows))]
    if metrics.undecided_reasons:
        tables.append(_counts("Why variables are undecided", metrics.undecided_reasons))
    if metrics.incorrect_reasons:
        tables.append(_counts("Why variables are incorrect", metrics.incorrect_reasons))
    bars = tuple(
        (
            entry.by,
            (
                BarPart("correct", entry.n_correct, "good"),
                BarPart("incorrect", entry.n_incorrect, "bad"),
                BarPart("undecided", entry.n_undecided, "open"),
            ),
        )
        for entry in metrics.deciders
    )
    return Section(
        anchor="deciders",
        title="Who decided",
        notes=(
            "equivalence compares values by rule, the judge is asked about what equivalence leaves open, and outcome "
            "means that there was nothing to judge.",
        ),
        tables=tuple(tables),
        charts=(StackedBars("Variables by who decided", bars),) if bars else (),
    )


def _counts(caption: str, counts: Sequence[Count]) -> Table:
    rows = tuple(
        Row((shortened(entry.name.replace("_", " "), 80), count(entry.n), percent(entry.share))) for entry in counts
    )
    return Table(columns=("", "n", "%"), rows=rows, caption=caption)
