"""A comparison's report: what it says, with names from anywhere, and its scatter charts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cfe_local.metrics.comparison import common_rows, compare_pairs
from cfe_local.report import Report, render_markdown
from cfe_local.report.compare import ComparedRun, build_comparison
from cfe_local.report.html import render_html
from cfe_local.report.model import Scatter, ScatterPoint, Table
from cfe_local.report.svg import draw
from tests.metrics.test_comparison import run_of
from tests.report.runs import facts
from tests.report.test_browser import CHROMIUM, visit

HOSTILE = "</title><script>document.title='RUN'</script>|**x**\n# y \u202e" + "z" * 300


def comparison(*marks: str, names: tuple[str, ...] = (), samples: int = 1) -> Report:
    common = common_rows([run_of(text, samples=samples) for text in marks])
    names = names or tuple(f"model {i}" for i in range(len(marks)))
    sizes = [10**9 * 4**i for i in range(len(marks))]
    runs = [
        ComparedRun(name, f"runs/{name}", "s2s", facts(), len(marks[0]), n)
        for name, n in zip(names, sizes, strict=True)
    ]
    return build_comparison(runs, common, compare_pairs(common.runs))


def table(report: Report, anchor: str, position: int = 0) -> Table:
    return next(section for section in report.sections if section.anchor == anchor).tables[position]


def test_the_best_run_stands_first_and_keeps_its_number() -> None:
    report = comparison("1000", "1110", "1100")
    assert [row.cells[0] for row in table(report, "scores").rows] == ["2: model 1", "3: model 2", "1: model 0"]
    assert [headline.share.value for headline in report.headlines] == [0.75, 0.5, 0.25]


def test_differences_are_signed_from_left_to_right() -> None:
    row = table(comparison("1111111100", "0000001111"), "differences").rows[0]
    assert row.cells[:2] == ("2 − 1", "−40.0")
    assert row.cells[3:5] == ("0.289", "0.289")
    assert row.cells[-2:] == ("2", "6")


def test_where_they_differ_lists_those_problems_alone() -> None:
    rows = table(comparison("110?", "1001"), "where").rows
    assert [row.cells[0].split()[0] for row in rows] == ["text:1", "text:3"]
    assert [row.cells[1:] for row in rows] == [("✓", "✗"), ("?", "✓")]


def test_several_samples_are_shown_as_counts_and_tested_by_sign_flips() -> None:
    report = comparison("1100", "1111", samples=2)
    assert [row.cells[1:] for row in table(report, "where").rows] == [("0/2", "2/2")]
    assert len(table(report, "differences").columns) == 6
    assert any("sign flips" in note for section in report.sections for note in section.notes)


def test_runs_that_never_differ_say_so() -> None:
    report = comparison("1010", "1010")
    assert table(report, "differences").rows[0].cells[1] == "0.0"
    where = next(section for section in report.sections if section.anchor == "where")
    assert where.tables == ()
    assert where.notes[0].startswith("0 of 4 problems")


def test_hostile_names_neither_run_nor_break_a_table() -> None:
    report = comparison("110", "011", names=(HOSTILE, f"{HOSTILE} 2"))
    page = render_html(report)
    assert "<script" not in page
    assert "\u202e" not in page
    for drawing in re.findall(r"<svg.*?</svg>", page, flags=re.S):
        ElementTree.fromstring(drawing)
    text = render_markdown(report)
    assert "<script" not in text
    assert not re.search(r"^# y", text, flags=re.M)
    scores = [line for line in text.splitlines() if line.startswith(("| 1: ", "| 2: "))]
    assert all(len(re.findall(r"(?<!\\)\|", line)) in (8, 9) for line in scores)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; install Debian's package chromium")
def test_the_page_opens_in_a_browser_and_runs_nothing(tmp_path: Path) -> None:
    page = tmp_path / "compare.html"
    page.write_text(render_html(comparison("110", "011", names=(HOSTILE, "b"))), encoding="utf-8")
    document, console = visit(page, tmp_path / "profile")
    assert console == []
    assert "<title>2 runs on bench</title>" in document
    assert document.count("<svg") == 3


def test_runs_of_one_model_are_joined_in_the_order_of_their_tokens() -> None:
    places = {"a": [(300.0, 0.3), (100.0, 0.1), (200.0, 0.2)], "b": [(150.0, 0.5)], "": [(120.0, 0.4), (220.0, 0.4)]}
    points = [ScatterPoint("m", "m", x, y, series=name) for name, found in places.items() for x, y in found]
    root = ElementTree.fromstring(draw(Scatter("c", "tokens", tuple(points))))
    (line,) = root.iter("polyline")
    at = [tuple(map(float, place.split(","))) for place in line.attrib["points"].split()]
    assert at == sorted(at)
    assert len(at) == 3
    assert [y for _, y in at] == sorted((y for _, y in at), reverse=True)


def test_points_in_one_place_share_one_mark() -> None:
    """Two marks over each other once read as neither."""
    places = [(18.0, 0.444), (18.0, 0.444), (18.0, 0.2), (80.0, 0.5), (80.0, 0.51)]
    points = tuple(ScatterPoint(str(i), f"{i}: n", x, y) for i, (x, y) in enumerate(places, start=1))
    root = ElementTree.fromstring(draw(Scatter("c", "GB", points)))
    marks = [
        text for text in root.iter("text") if re.fullmatch(r"\d(, \d)*", text.text or "") and "class" not in text.attrib
    ]
    assert [text.text for text in marks] == ["1, 2", "3", "4, 5"]
    assert all(0 <= float(text.attrib["x"]) <= 352 for text in marks)


def test_a_sweep_of_one_model_is_a_line_and_other_models_are_points() -> None:
    def lines(*paths: str) -> int:
        common = common_rows([run_of("1010"), run_of("1110"), run_of("0010")])
        runs = []
        for i, path in enumerate(paths):
            own = facts()
            config = own.config.model_copy(update={"model": own.config.model.model_copy(update={"path": path})})
            runs.append(ComparedRun(f"m{i}", "r", "s2s", replace(own, config=config), 4, None))
        report = build_comparison(runs, common, compare_pairs(common.runs))
        return render_html(report).count("<polyline")

    assert lines("/a", "/b", "/c") == 0
    assert lines("/a", "/a", "/c") == 1


@pytest.mark.parametrize("values", [(1.0, 1.0), (100.0, 150.0), (0.3, 70.0), (999.0, 5001.0), (1e-3, 4e6)])
def test_every_point_of_a_scatter_lies_inside_its_axes(values: tuple[float, ...]) -> None:
    chart = Scatter(
        "c", "tokens", tuple(ScatterPoint(str(i), f"{i}: n", x, 0.5, 0.3, 0.7) for i, x in enumerate(values))
    )
    root = ElementTree.fromstring(draw(chart))
    at = [float(circle.attrib["cx"]) for circle in root.iter("circle")]
    assert at == sorted(at)
    assert all(30 <= x <= 352 for x in at)
    ticks = [text.text for text in root.iter("text") if text.attrib.get("text-anchor") == "middle"]
    assert 2 <= len(ticks) <= 12
