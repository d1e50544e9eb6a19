"""Curves stand where their values say, in the page and in a file, and none of their texts can break out."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

from cfe_local.experiments.analysis import Curve, CurvePoint, Plot
from cfe_local.report.svg import draw, plot_file

SPACE = "{http://www.w3.org/2000/svg}"


def plot(*curves: Curve, points: bool = False) -> Plot:
    kind = "points" if points else "share"
    return Plot(name="p", caption="c", x_name="step", y_kind=kind, curves=curves)


def curve(name: str, *values: float) -> Curve:
    return Curve(name=name, points=tuple(CurvePoint(x=i, y=y, low=y - 0.1, high=y + 0.1) for i, y in enumerate(values)))


def test_higher_shares_stand_higher_and_later_steps_further_right() -> None:
    root = ElementTree.fromstring(draw(plot(curve("with", 0.2, 0.9))))
    dots = [dot for dot in root.iter("circle") if dot.find("title") is not None]
    (x1, y1), (x2, y2) = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in dots]
    assert x2 > x1
    assert y2 < y1
    assert dots[1].find("title").text == "with, 1: 90.0 (80.0 to 100.0); 0 problems"  # type: ignore[union-attr]


def test_every_curve_has_a_mark_a_dash_and_a_legend_of_its_own() -> None:
    names = ("one", "two", "three", "four")
    root = ElementTree.fromstring(draw(plot(*(curve(name, 0.5, 0.5) for name in names))))
    lines = [line.attrib["class"] for line in root.iter("polyline")]
    assert len(set(lines)) == 4
    legends = [(text.text, float(text.attrib["y"])) for text in root.iter("text") if "class" not in text.attrib]
    assert [name for name, _ in legends] == list(names)
    assert all(b - a >= 12 for (_, a), (_, b) in pairwise(legends))


def test_differences_have_an_axis_with_signs_around_zero() -> None:
    root = ElementTree.fromstring(draw(plot(curve("gap", -0.3, 0.4), points=True)))
    ticks = [text.text for text in root.iter("text") if text.attrib.get("text-anchor") == "end"]
    assert ticks[:5] == ["−50", "−25", "0", "+25", "+50"]


def test_a_file_stands_alone_with_text_as_text() -> None:
    hostile = curve("</style><script>alert(1)</script>", 0.5, 0.6)
    text = plot_file(plot(hostile))
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SPACE}svg"
    assert not list(root.iter(f"{SPACE}script"))
    assert "c" in [one.text for one in root.iter(f"{SPACE}text")]
    assert root.find(f"{SPACE}style") is not None


def test_a_plot_without_a_point_is_still_a_picture() -> None:
    assert ElementTree.fromstring(draw(plot())).tag == "svg"


def test_a_long_caption_is_broken_so_that_it_stays_inside_the_file() -> None:
    long = plot(curve("c", 0.5)).model_copy(update={"caption": "Final answers right, per cent, given " + "steps " * 20})
    root = ElementTree.fromstring(plot_file(long))
    lines = [text for text in root.iter(f"{SPACE}text") if text.attrib.get("class") == "caption"]
    assert len(lines) >= 3
    assert all(len(line.text or "") <= 54 for line in lines)
    top = float(root.attrib["viewBox"].split()[1])
    assert all(top < float(line.attrib["y"]) <= 0 for line in lines)
