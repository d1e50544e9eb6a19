"""Charts as small SVG drawings: no script, no colour that says something the text does not, readable on a phone.

Each drawing is 360 units wide and scales with the page; labels stand above their bars, so long names need no margin.
Colours come from the page's style sheet by class, which is what makes them follow light and dark.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from textwrap import wrap

from markupsafe import Markup

from cfe_local.experiments.analysis import Plot
from cfe_local.report.curves import curve_pieces
from cfe_local.report.model import Chart, Histogram, IntervalChart, Scatter, StackedBars
from cfe_local.report.numbers import percent
from cfe_local.report.scatter import LEFT, RIGHT, WIDTH, scatter_pieces, svg_text

TEMPLATES = Path(__file__).with_name("templates")
CAPTION_CHARS, CAPTION_LINE = 54, 15
"""Of a plot's caption in a file of its own: what fits into a line, and how far lines are apart."""
ROW = 32
AXIS_ENDS = (0.1, 0.2, 0.5, 1.0)
"""Where a share axis may end: the first that holds every interval."""


def draw(chart: Chart) -> Markup:
    """One chart as an SVG element with its caption as its name."""
    if isinstance(chart, IntervalChart):
        return _intervals(chart)
    if isinstance(chart, StackedBars):
        return _stacked(chart)
    if isinstance(chart, Scatter):
        height, pieces = scatter_pieces(chart)
        return _svg(chart.caption, height, pieces)
    if isinstance(chart, Plot):
        height, pieces = curve_pieces(chart)
        return _svg(chart.caption, height, pieces)
    return _histogram(chart)


def plot_file(plot: Plot) -> str:
    """A plot as an SVG file that stands alone: with its caption, a style sheet of its own, and text as text."""
    height, pieces = curve_pieces(plot)
    style = (TEMPLATES / "plot.css").read_text(encoding="utf-8")
    lines = wrap(plot.caption, CAPTION_CHARS)
    above = 6 + CAPTION_LINE * len(lines)
    box = f'x="0" y="{-above}" width="{WIDTH}" height="{height + above + 2:.0f}"'
    view = f'viewBox="0 {-above} {WIDTH} {height + above + 2:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {view} width="720" role="img">'
    titles = [
        f'<text class="caption" x="{LEFT}" y="{CAPTION_LINE * (i + 1) - above}">{svg_text(line)}</text>'
        for i, line in enumerate(lines)
    ]
    paper = f'<rect class="paper" {box}/>'
    return f"{head}<style>{style}</style>{paper}{''.join(titles)}{''.join(pieces)}</svg>\n"


def _svg(caption: str, height: float, pieces: list[str]) -> Markup:
    head = f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{svg_text(caption)}">'
    return Markup(head + "".join(pieces) + "</svg>")  # texts are escaped where they are placed


def _intervals(chart: IntervalChart) -> Markup:
    reach = max((mark.high or mark.value for mark in chart.marks), default=1.0)
    end = next(limit for limit in AXIS_ENDS if reach <= limit or limit == AXIS_ENDS[-1])
    height = 14 + ROW * len(chart.marks)

    def x(share: float) -> float:
        return LEFT + (RIGHT - LEFT) * share / end

    pieces = []
    for i in range(6):
        at = x(end * i / 5)
        anchor = "start" if i == 0 else "end" if i == 5 else "middle"
        pieces.append(f'<line class="grid" x1="{at:.1f}" y1="14" x2="{at:.1f}" y2="{height}"/>')
        pieces.append(f'<text class="tick" x="{at:.1f}" y="10" text-anchor="{anchor}">{100 * end * i / 5:g}</text>')
    for i, mark in enumerate(chart.marks):
        top = 14 + ROW * i
        name = f"{mark.name} (published)" if mark.kind == "published" else mark.name
        pieces.append(f'<text class="{mark.kind}" x="{LEFT}" y="{top + 13}">{svg_text(name)}</text>')
        pieces.append(f'<text class="figure" x="{RIGHT}" y="{top + 13}" text-anchor="end">{percent(mark.value)}</text>')
        if mark.low is not None and mark.high is not None:
            bounds = f'x1="{x(mark.low):.1f}" y1="{top + 22}" x2="{x(mark.high):.1f}" y2="{top + 22}"'
            pieces.append(f'<line class="interval" {bounds}/>')
        if mark.kind == "published":
            at = x(mark.value)
            pieces.append(f'<rect class="published" x="{at - 4:.1f}" y="{top + 18}" width="8" height="8"/>')
        else:
            pieces.append(f'<circle class="point" cx="{x(mark.value):.1f}" cy="{top + 22}" r="5"/>')
    return _svg(chart.caption, height, pieces)


def _stacked(chart: StackedBars) -> Markup:
    pieces = []
    for i, (name, parts) in enumerate(chart.bars):
        top = 38 * i
        total = sum(part.n for part in parts) or 1
        label = ", ".join(f"{part.n} {part.name}" for part in parts if part.n)
        pieces.append(f'<text x="{LEFT}" y="{top + 12}">{svg_text(name)}: {svg_text(label or "none")}</text>')
        left = float(LEFT)
        for part in parts:
            width = (RIGHT - LEFT) * part.n / total
            if part.n:
                place = f'x="{left:.1f}" y="{top + 17}" width="{max(width - 1, 0.5):.1f}" height="13"'
                pieces.append(f'<rect class="{part.tone}" {place}/>')
            left += width
    return _svg(chart.caption, 38 * len(chart.bars), pieces)


def _histogram(chart: Histogram) -> Markup:
    floor, ceiling = 118, 20
    step = (RIGHT - LEFT) / len(chart.counts)
    most = max(chart.counts) or 1
    every = 1 if len(chart.counts) <= 10 else 2
    pieces = []
    for i, (n, (low, high)) in enumerate(zip(chart.counts, pairwise(chart.edges), strict=True)):
        left = LEFT + step * i
        tall = (floor - ceiling) * n / most
        middle = left + step / 2
        place = f'x="{left + 1:.1f}" y="{floor - tall:.1f}" width="{step - 2:.1f}" height="{tall:.1f}"'
        pieces.append(f'<rect class="plain" {place}><title>{n} from {low:g} to below {high:g}</title></rect>')
        if n:
            pieces.append(
                f'<text class="tick" x="{middle:.1f}" y="{floor - tall - 4:.1f}" text-anchor="middle">{n}</text>'
            )
        if i % every == 0:
            pieces.append(f'<text class="tick" x="{left:.1f}" y="{floor + 13}">{_short(low)}</text>')
    pieces.append(f'<line class="axis" x1="{LEFT}" y1="{floor}" x2="{RIGHT}" y2="{floor}"/>')
    return _svg(chart.caption, floor + 18, pieces)


def _short(n: float) -> str:
    """2048 as ``2k``: powers of two are meant, not thousands."""
    return f"{n / 1024:g}k" if n >= 1024 else f"{n:g}"
