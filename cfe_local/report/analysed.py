"""An experiment's analysis as a report, and its tables as CSV: values become the texts that people read.

Not here: what the values are (``experiments``), and how curves are drawn (``curves``).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from cfe_local.experiments.analysis import Analysis, AnalysisSection, AnalysisTable, Cell, Column
from cfe_local.metrics.exam import ExamMetrics
from cfe_local.metrics.samples import GradedSample
from cfe_local.metrics.scores import Interval
from cfe_local.report.build import NAME_LIMIT
from cfe_local.report.characters import shortened
from cfe_local.report.csv_files import spreadsheet_safe
from cfe_local.report.effort import effort_section
from cfe_local.report.facts import RunFacts, facts_section, judge_line, judge_warnings
from cfe_local.report.model import Headline, Report, Row, Section, Table
from cfe_local.report.numbers import DASH, count, interval, percent
from cfe_local.report.outcomes import deciders_section, outcomes_section


def build_analysis_report(
    facts: RunFacts, metrics: ExamMetrics, samples: Sequence[GradedSample], analysis: Analysis
) -> Report:
    """The report of an experiment with an analysis of its own.

    Args:
        facts: What was run.
        metrics: Figures over all samples together: outcomes, who decided, cost.
        samples: What the figures were made from.
        analysis: Its sections stand first.
    """
    sections = (
        *(report_section(section) for section in analysis.sections),
        outcomes_section(metrics, samples),
        *((deciders_section(metrics),) if metrics.deciders else ()),
        effort_section(metrics, samples),
        facts_section(facts, grading=metrics.grading),
    )
    title = analysis.experiment.replace("_", " ")
    return Report(
        title=f"{title}: {facts.config.model.display_name} on {facts.manifest.benchmark_name}",
        subtitle=f"judge: {judge_line(facts)}; grading: {metrics.grading}; {facts.manifest.created}",
        headlines=tuple(Headline(one.name, one.share, one.explanation) for one in analysis.main_figures),
        warnings=(*judge_warnings(facts), *analysis.warnings, *metrics.warnings),
        sections=sections,
    )


def report_section(section: AnalysisSection) -> Section:
    """One part of an analysis as a part of a report."""
    return Section(
        anchor=section.anchor,
        title=section.title,
        notes=section.notes,
        tables=tuple(_table(table) for table in section.tables),
        charts=section.plots,
        brief=section.brief,
    )


def _table(table: AnalysisTable) -> Table:
    rows = tuple(
        Row(tuple(cell_text(cell, column) for cell, column in zip(row, table.columns, strict=True)))
        for row in table.rows
    )
    return Table(
        columns=tuple(column.name for column in table.columns),
        rows=rows,
        caption=table.caption,
        kind="facts" if all(column.kind == "text" for column in table.columns) else "figures",
    )


def cell_text(cell: Cell, column: Column) -> str:
    """One value as people read it; a column's kind says how."""
    if cell is None:
        return DASH
    if isinstance(cell, tuple):
        return points_interval(*cell) if column.kind == "points_interval" else _share_interval(*cell)
    if isinstance(cell, str):
        return shortened(cell, NAME_LIMIT)
    if column.kind == "share":
        return percent(cell)
    if column.kind == "points":
        return points(cell)
    return f"{cell:.3g}" if column.kind == "number" and abs(cell) < 1000 else count(cell)


def points(difference: float) -> str:
    """0.123 as ``+12.3``: percentage points, always with a sign."""
    return f"{100 * difference:+.1f}".replace("-", "−")


def points_interval(low: float, high: float) -> str:
    """``+1.2 to +3.4``."""
    return f"{points(low)} to {points(high)}"


def _share_interval(low: float, high: float) -> str:
    return interval(Interval(low=low, high=high, n_clusters=1, method=""))


def analysis_csv(table: AnalysisTable) -> str:
    """The values of a table; an interval has two columns, what was not measured is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([spreadsheet_safe(name) for column in table.columns for name in _csv_names(column)])
    for row in table.rows:
        cells = [value for cell, column in zip(row, table.columns, strict=True) for value in _csv_cells(cell, column)]
        writer.writerow([spreadsheet_safe(value) for value in cells])
    return text.getvalue()


def _csv_names(column: Column) -> tuple[str, ...]:
    return (f"{column.name} low", f"{column.name} high") if column.kind.endswith("interval") else (column.name,)


def _csv_cells(cell: Cell, column: Column) -> tuple[str | int | float | None, ...]:
    if isinstance(cell, tuple):
        return cell
    return (None, None) if column.kind.endswith("interval") else (cell,)
