"""A report as plain values: what every rendering (terminal, Markdown, HTML) shows, decided once.

Other experiments and comparisons add sections of the same parts; no rendering needs to know what they measure.

Not here: how figures are computed, and how anything looks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from cfe_local.experiments.analysis import Plot
from cfe_local.metrics.samples import GradedSample
from cfe_local.metrics.scores import Share
from cfe_local.records import Problem

RowKind = Literal["measured", "total", "published"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table; ``published`` marks figures that others reported, not this run's."""

    cells: tuple[str, ...]
    kind: RowKind = "measured"


@dataclass(frozen=True, slots=True)
class Table:
    """A small table of ready texts: names first, then figures or, where ``kind`` says so, facts in words."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    kind: Literal["figures", "facts"] = "figures"


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """One line of an interval chart: a share in [0, 1] with its interval, where there is one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    kind: RowKind = "measured"


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """Shares side by side on one axis."""

    caption: str
    marks: tuple[IntervalMark, ...]


@dataclass(frozen=True, slots=True)
class BarPart:
    """One part of a stacked bar. ``tone`` picks its colour."""

    name: str
    n: int
    tone: Literal["good", "bad", "open", "plain"]


@dataclass(frozen=True, slots=True)
class StackedBars:
    """Whole things split into parts, one bar each, every bar as long as the others."""

    caption: str
    bars: tuple[tuple[str, tuple[BarPart, ...]], ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How values spread. Edges are n + 1 for n counts, ascending."""

    caption: str
    unit: str
    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """One point: x above 0 in the chart's unit, y a share in [0, 1] with its interval, where there is one.

    Attributes:
        mark: What stands beside the point, a character or two.
        name: What stands in the legend, the mark included.
        series: Points of one series are joined by a line in the order of x; an empty name belongs to none.
    """

    mark: str
    name: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    series: str = ""


@dataclass(frozen=True, slots=True)
class Scatter:
    """Shares against something that costs: tokens, size."""

    caption: str
    x_name: str
    points: tuple[ScatterPoint, ...]


Chart = IntervalChart | StackedBars | Histogram | Scatter | Plot


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report.

    Attributes:
        anchor: Name inside the page, letters and hyphens.
        brief: Whether the terminal and the short Markdown show it as well.
    """

    anchor: str
    title: str
    notes: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    brief: bool = True


@dataclass(frozen=True, slots=True)
class Headline:
    """One main figure."""

    name: str
    share: Share
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class ProblemPage:
    """One problem with everything that the run says about it."""

    problem: Problem
    samples: tuple[GradedSample, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report shows, in order.

    Attributes:
        quote: The main result in sentences that can be quoted as they stand.
    """

    title: str
    subtitle: str
    headlines: tuple[Headline, ...]
    quote: str = ""
    warnings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    problems: tuple[ProblemPage, ...] = field(default=(), repr=False)
