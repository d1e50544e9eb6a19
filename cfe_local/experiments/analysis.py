"""What an experiment finds out, as plain values: sections of tables, curves and notes. ``analysis.json`` holds them.

Cells are numbers and texts as they were measured, so that the JSON and the CSV files can be computed with; how they are
written for people, and how curves are drawn, is the report's.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cfe_local.metrics.scores import Share
from cfe_local.records import Record

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]
"""Names files and anchors: lower-case letters, digits and hyphens."""

Cell = str | int | float | tuple[float, float] | None
"""None is not measured; a pair is an interval."""

CellKind = Literal["text", "count", "number", "share", "points", "interval", "points_interval"]
"""How a column is to be read.

    text              words
    count, number     whole or measured numbers
    share             in [0, 1]; people see per cent
    points            a difference of shares in [-1, 1]; people see percentage points with a sign
    interval          (low, high) of a share
    points_interval   (low, high) of a difference of shares
"""


class Column(Record):
    """One column of a table."""

    name: str
    kind: CellKind = "text"


class AnalysisTable(Record):
    """A table whose cells are values."""

    name: Name = Field(description="Of the CSV file; unique in the analysis.")
    caption: str = ""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


class CurvePoint(Record):
    """One point of a curve, with its interval where there is one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    n: int = Field(default=0, ge=0, description="Problems behind the point.")


class Curve(Record):
    """One line of a plot; points ascend in x."""

    name: str
    points: tuple[CurvePoint, ...]


class Plot(Record):
    """Curves of shares, or of differences of shares, over one axis."""

    name: Name = Field(description="Of the SVG file; unique in the analysis.")
    caption: str
    x_name: str
    y_kind: Literal["share", "points"] = "share"
    curves: tuple[Curve, ...]


class AnalysisSection(Record):
    """One part of an analysis.

    Attributes:
        anchor: Name inside the page; unique in the analysis, and none of the report's own (scores, outcomes, run, ...).
        brief: Whether the terminal shows its tables.
    """

    anchor: Name
    title: str
    notes: tuple[str, ...] = ()
    tables: tuple[AnalysisTable, ...] = ()
    plots: tuple[Plot, ...] = ()
    brief: bool = True


class MainFigure(Record):
    """One figure that stands at the top of the report."""

    name: str
    share: Share
    explanation: str = ""


class Analysis(Record):
    """Everything that an experiment found out under one grading.

    Attributes:
        main_figures: At the top of the report, best at most four.
        sections: In the order in which they are read.
        warnings: What a reader must know before believing any of it.
    """

    format_version: int = 1
    experiment: str
    grading: str
    main_figures: tuple[MainFigure, ...] = ()
    sections: tuple[AnalysisSection, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[AnalysisTable, ...]:
        """Every table, in order."""
        return tuple(table for section in self.sections for table in section.tables)

    @property
    def plots(self) -> tuple[Plot, ...]:
        """Every plot, in order."""
        return tuple(plot for section in self.sections for plot in section.plots)
