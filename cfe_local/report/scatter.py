"""A scatter chart's drawing: points with marks and intervals, a legend below that names each and says its figures.

Marks instead of names at the points, since names are long and points lie close together.
"""

from __future__ import annotations

import math
from html import escape

from cfe_local.report.characters import visible
from cfe_local.report.model import Scatter, ScatterPoint
from cfe_local.report.numbers import percent

WIDTH = 360
LEFT, RIGHT = 4, 352
_AXIS_LEFT = 30
_TOP, _FLOOR = 12, 200
_LEGEND = 18

TOO_NEAR = 11.0
"""Units in both directions within which two marks could not be told apart: the height of their font."""

LOG_FROM = 5.0
"""Largest over smallest x from which the axis is logarithmic."""


def svg_text(text: str) -> str:
    """A text from anywhere, fit to stand inside an SVG element or attribute."""
    return escape(visible(text))


def scatter_pieces(chart: Scatter) -> tuple[float, list[str]]:
    """Height and SVG elements of a scatter chart."""
    values = [point.x for point in chart.points]
    is_log = max(values) / min(values) >= LOG_FROM
    ticks = _log_ticks(min(values), max(values)) if is_log else linear_ticks(min(values), max(values))
    low, high = min(ticks[0], *values), max(ticks[-1], *values)
    top = max((point.high or point.y for point in chart.points), default=1.0)
    end = next(limit for limit in (0.1, 0.2, 0.5, 1.0) if top <= limit or limit == 1.0)

    def x(value: float) -> float:
        part = math.log(value / low) / math.log(high / low) if is_log else (value - low) / (high - low)
        return _AXIS_LEFT + 8 + (RIGHT - _AXIS_LEFT - 20) * part

    def y(share: float) -> float:
        return _FLOOR - (_FLOOR - _TOP) * share / end

    pieces = []
    for i in range(6):
        at = y(end * i / 5)
        pieces.append(f'<line class="grid" x1="{_AXIS_LEFT}" y1="{at:.1f}" x2="{RIGHT}" y2="{at:.1f}"/>')
        place = f'x="{_AXIS_LEFT - 5}" y="{at + 3:.1f}" text-anchor="end"'
        pieces.append(f'<text class="tick" {place}>{100 * end * i / 5:g}</text>')
    for tick in ticks:
        pieces.append(f'<line class="grid" x1="{x(tick):.1f}" y1="{_TOP}" x2="{x(tick):.1f}" y2="{_FLOOR}"/>')
        place = f'x="{x(tick):.1f}" y="{_FLOOR + 13}" text-anchor="middle"'
        pieces.append(f'<text class="tick" {place}>{_short(tick)}</text>')
    axis = chart.x_name + (", logarithmic" if is_log else "")
    pieces.append(f'<text class="tick" x="{RIGHT}" y="{_FLOOR + 27}" text-anchor="end">{svg_text(axis)}</text>')
    for line in _series(chart):
        path = " ".join(f"{x(point.x):.1f},{y(point.y):.1f}" for point in line)
        pieces.append(f'<polyline class="series" points="{path}"/>')
    for point in chart.points:
        pieces += _point(point, x(point.x), (y(point.y), y(point.low or 0), y(point.high or 0)))
    pieces += _marks([(point.mark, x(point.x), y(point.y)) for point in chart.points])
    for number, point in enumerate(chart.points, start=1):
        at = _FLOOR + 30 + _LEGEND * number
        figures = f"{_short(point.x)}; {percent(point.y)}"
        pieces.append(f'<text x="{LEFT}" y="{at}">{svg_text(point.name)}</text>')
        pieces.append(f'<text class="figure" x="{RIGHT}" y="{at}" text-anchor="end">{figures}</text>')
    return _FLOOR + 40 + _LEGEND * len(chart.points), pieces


def _series(chart: Scatter) -> list[list[ScatterPoint]]:
    """The points of every series that has at least two, in the order of x."""
    found: dict[str, list[ScatterPoint]] = {}
    for point in sorted(chart.points, key=lambda point: point.x):
        if point.series:
            found.setdefault(point.series, []).append(point)
    return [line for line in found.values() if len(line) > 1]


def _point(point: ScatterPoint, x: float, heights: tuple[float, float, float]) -> list[str]:
    y, low, high = heights
    pieces = []
    if point.low is not None and point.high is not None:
        pieces.append(f'<line class="interval" x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}"/>')
    title = svg_text(f"{point.name}: {_short(point.x)}; {percent(point.y)} %")
    pieces.append(f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{title}</title></circle>')
    return pieces


def _marks(places: list[tuple[str, float, float]]) -> list[str]:
    """A mark beside each point; points that lie too close for marks of their own share one."""
    groups: list[tuple[float, float, list[str]]] = []
    for mark, x, y in places:
        near = next((own for at, height, own in groups if abs(at - x) < TOO_NEAR and abs(height - y) < TOO_NEAR), None)
        if near is None:
            groups.append((x, y, [mark]))
        else:
            near.append(mark)
    return [_mark(", ".join(own), x, y) for x, y, own in groups]


def _mark(text: str, x: float, y: float) -> str:
    """The text on the point's right, at the right edge of the drawing on its left."""
    at, anchor = (x + 8, "start") if x + 8 + 7 * len(text) <= WIDTH else (x - 8, "end")
    return f'<text x="{at:.1f}" y="{y - 5:.1f}" text-anchor="{anchor}">{svg_text(text)}</text>'


def linear_ticks(low: float, high: float) -> list[float]:
    """Ticks a round step apart, the first not above the lowest value, the last not below the highest."""
    step = _step((high - low or abs(high) or 1.0) / 4)
    first = math.floor(low / step)
    last = max(math.ceil(high / step), first + 1)
    return [step * i for i in range(first, last + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Ticks at powers of ten, at 1, 2 and 5 times them where there are few, around every value."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1, 2, 5) if len(powers) <= 3 else (1,)
    ticks = [factor * 10.0**power for power in powers for factor in factors]
    below = max(tick for tick in ticks if tick <= low)
    above = min((tick for tick in ticks if tick >= high), default=ticks[-1])
    return [tick for tick in ticks if below <= tick <= above]


def _step(about: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(about))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= about * 0.999)


def _short(value: float) -> str:
    """1500 as ``1.5k``, 3.554 as ``3.55``."""
    if value >= 1e6:
        return f"{value / 1e6:.3g}M"
    return f"{value / 1e3:.3g}k" if value >= 1000 else f"{value:.3g}"
