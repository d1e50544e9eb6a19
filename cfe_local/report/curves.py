"""Curves with bands as SVG elements: a legend above, one dash and one mark per curve, so that no colour is needed.

Not here: what the curves mean.
"""

from __future__ import annotations

import math

from cfe_local.experiments.analysis import Curve, CurvePoint, Plot
from cfe_local.report.scatter import LEFT, RIGHT, linear_ticks, svg_text

AXIS_LEFT = 34
HEIGHT = 170
LEGEND = 17
AXIS_ENDS = (0.1, 0.2, 0.5, 1.0)
NAME_CHARS = 52
"""Characters of a legend that fit into the drawing at its font size."""

STYLES = ("first", "second", "third", "fourth")
"""Classes of the curves in order; the style sheet gives each a colour and a dash."""


class Frame:
    """Where shares and steps stand inside one drawing."""

    def __init__(self, plot: Plot, top: float) -> None:
        """Choose axes that hold every point and every interval."""
        points = [point for curve in plot.curves for point in curve.points]
        xs = [point.x for point in points]
        self.x_ticks = linear_ticks(min(xs), max(xs)) if xs else [0.0, 1.0]
        reach = max((abs(value) for point in points for value in _heights(point)), default=1.0)
        self.end = next((limit for limit in AXIS_ENDS if reach <= limit), 1.0)
        self.start = -self.end if plot.y_kind == "points" and any(p < 0 for q in points for p in _heights(q)) else 0.0
        self.top, self.floor = top, top + HEIGHT

    def x(self, value: float) -> float:
        """Horizontal place of a value."""
        low, high = self.x_ticks[0], self.x_ticks[-1]
        return AXIS_LEFT + 8 + (RIGHT - AXIS_LEFT - 16) * (value - low) / (high - low)

    def y(self, value: float) -> float:
        """Vertical place of a share."""
        return self.floor - (self.floor - self.top) * (value - self.start) / (self.end - self.start)


def curve_pieces(plot: Plot) -> tuple[float, list[str]]:
    """Height and SVG elements of a plot."""
    frame = Frame(plot, top=12.0 + LEGEND * len(plot.curves))
    pieces = _axes(plot, frame)
    for curve, style in zip(plot.curves, _styles(len(plot.curves)), strict=True):
        pieces += _band(curve, style, frame)
    for position, (curve, style) in enumerate(zip(plot.curves, _styles(len(plot.curves)), strict=True)):
        pieces += _line(curve, style, frame)
        pieces += _legend(curve, style, 4.0 + LEGEND * position)
    return frame.floor + 32, pieces


def _styles(n: int) -> list[str]:
    return [STYLES[i % len(STYLES)] for i in range(n)]


def _heights(point: CurvePoint) -> tuple[float, ...]:
    return tuple(value for value in (point.y, point.low, point.high) if value is not None)


def _axes(plot: Plot, frame: Frame) -> list[str]:
    pieces = []
    n_steps = 4 if frame.start < 0 else 5
    for i in range(n_steps + 1):
        value = frame.start + (frame.end - frame.start) * i / n_steps
        at = frame.y(value)
        sign = "+" if plot.y_kind == "points" and value > 1e-9 else ""
        written = f"{sign}{100 * value:g}".replace("-", "−")
        style = "axis" if abs(value) < 1e-9 else "grid"
        pieces.append(f'<line class="{style}" x1="{AXIS_LEFT}" y1="{at:.1f}" x2="{RIGHT}" y2="{at:.1f}"/>')
        pieces.append(f'<text class="tick" x="{AXIS_LEFT - 5}" y="{at + 3:.1f}" text-anchor="end">{written}</text>')
    for tick in frame.x_ticks:
        place = f'x="{frame.x(tick):.1f}" y="{frame.floor + 14}" text-anchor="middle"'
        pieces.append(f'<text class="tick" {place}>{tick:g}</text>')
    place = f'x="{RIGHT}" y="{frame.floor + 27}" text-anchor="end"'
    return [*pieces, f'<text class="tick" {place}>{svg_text(plot.x_name)}</text>']


def _band(curve: Curve, style: str, frame: Frame) -> list[str]:
    held = [(p.x, p.low, p.high) for p in curve.points if p.low is not None and p.high is not None]
    if len(held) < 2:
        return [_bar(x, low, high, style, frame) for x, low, high in held]
    upper = [f"{frame.x(x):.1f},{frame.y(high):.1f}" for x, _, high in held]
    lower = [f"{frame.x(x):.1f},{frame.y(low):.1f}" for x, low, _ in reversed(held)]
    return [f'<polygon class="band {style}" points="{" ".join(upper + lower)}"/>']


def _bar(x: float, low: float, high: float, style: str, frame: Frame) -> str:
    ends = f'x1="{frame.x(x):.1f}" y1="{frame.y(low):.1f}" x2="{frame.x(x):.1f}" y2="{frame.y(high):.1f}"'
    return f'<line class="curve {style}" {ends}/>'


def _line(curve: Curve, style: str, frame: Frame) -> list[str]:
    places = [(frame.x(p.x), frame.y(p.y)) for p in curve.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    pieces = [f'<polyline class="curve {style}" points="{path}"/>'] if len(places) > 1 else []
    for point, (x, y) in zip(curve.points, places, strict=True):
        found = f"{100 * point.y:.1f}"
        if point.low is not None and point.high is not None:
            found += f" ({100 * point.low:.1f} to {100 * point.high:.1f})"
        title = svg_text(f"{curve.name}, {point.x:g}: {found}; {point.n} problems")
        pieces.append(_mark(style, x, y, f"<title>{title}</title>"))
    return pieces


def _mark(style: str, x: float, y: float, inside: str = "") -> str:
    if style == "first":
        return f'<circle class="dot {style}" cx="{x:.1f}" cy="{y:.1f}" r="3.2">{inside}</circle>'
    corners = 4 if style == "third" else 3 if style == "fourth" else 0
    if not corners:
        place = f'x="{x - 2.9:.1f}" y="{y - 2.9:.1f}" width="5.8" height="5.8"'
        return f'<rect class="dot {style}" {place}>{inside}</rect>'
    turn = [-math.pi / 2 + 2 * math.pi * i / corners for i in range(corners)]
    path = " ".join(f"{x + 4.2 * math.cos(a):.1f},{y + 4.2 * math.sin(a):.1f}" for a in turn)
    return f'<polygon class="dot {style}" points="{path}">{inside}</polygon>'


def _legend(curve: Curve, style: str, top: float) -> list[str]:
    name = curve.name if len(curve.name) <= NAME_CHARS else curve.name[: NAME_CHARS - 1] + "…"
    return [
        f'<line class="curve {style}" x1="{LEFT}" y1="{top + 6:.1f}" x2="{LEFT + 26}" y2="{top + 6:.1f}"/>',
        _mark(style, LEFT + 13, top + 6),
        f'<text x="{LEFT + 34}" y="{top + 10:.1f}">{svg_text(name)}</text>',
    ]
