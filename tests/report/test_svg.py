from xml.etree import ElementTree

import pytest

from cfe_local.report.model import BarPart, Histogram, IntervalChart, IntervalMark, StackedBars
from cfe_local.report.scatter import LEFT, RIGHT
from cfe_local.report.svg import draw

NAMESPACE = "http://www.w3.org/2000/svg"


def parse(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(markup)


def test_an_interval_chart_puts_points_where_the_axis_says() -> None:
    chart = IntervalChart("c", (IntervalMark("all", 0.5, 0.4, 0.6), IntervalMark("theirs", 0.9, kind="published")))
    root = parse(draw(chart))
    (point,) = root.iter("circle")
    assert float(point.attrib["cx"]) == (LEFT + RIGHT) / 2
    (bar,) = (line for line in root.iter("line") if line.attrib["class"] == "interval")
    assert float(bar.attrib["x1"]) < float(point.attrib["cx"]) < float(bar.attrib["x2"])
    assert "theirs (published)" in [text.text for text in root.iter("text")]


def test_the_axis_of_small_shares_ends_early() -> None:
    root = parse(draw(IntervalChart("c", (IntervalMark("all", 0.02, 0.01, 0.06),))))
    assert [t.text for t in root.iter("text") if t.attrib["class"] == "tick"] == ["0", "2", "4", "6", "8", "10"]


def test_stacked_bars_say_their_numbers_in_words_too() -> None:
    bars = (
        ("judge", (BarPart("correct", 3, "good"), BarPart("incorrect", 1, "bad"), BarPart("undecided", 0, "open"))),
    )
    root = parse(draw(StackedBars("c", bars)))
    assert [text.text for text in root.iter("text")] == ["judge: 3 correct, 1 incorrect"]
    widths = [float(rect.attrib["width"]) for rect in root.iter("rect")]
    assert len(widths) == 2
    assert widths[0] > 2.9 * widths[1]


def test_a_histogram_has_one_bar_per_bin() -> None:
    root = parse(draw(Histogram("c", "tokens", edges=(1024, 2048, 4096), counts=(3, 1))))
    heights = [float(rect.attrib["height"]) for rect in root.iter("rect")]
    assert heights[0] == pytest.approx(3 * heights[1], rel=0.01)
    assert "2k" in [text.text for text in root.iter("text")]


def test_empty_charts_are_drawn() -> None:
    parse(draw(IntervalChart("c", ())))
    parse(draw(StackedBars("c", ())))
    parse(draw(Histogram("c", "tokens", edges=(1, 2), counts=(0,))))


def test_names_cannot_leave_the_drawing() -> None:
    markup = draw(IntervalChart('"><script>', (IntervalMark("</svg><script>", 0.5),)))
    assert "<script>" not in markup
    assert parse(markup).attrib["aria-label"] == '"><script>'
