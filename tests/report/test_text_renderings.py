from io import StringIO

import pytest
from rich.console import Console

from cfe_local.metrics.scores import Interval, Share
from cfe_local.report import numbers, render_markdown
from cfe_local.report.terminal import print_report
from tests.report.runs import facts, problem, records_of, report_of, response, three_problems, verdict


def printed(*, width: int) -> str:
    stream = StringIO()
    print_report(report_of(three_problems()), Console(file=stream, width=width, color_system=None))
    return stream.getvalue()


def test_the_terminal_shows_figures_tables_and_warnings() -> None:
    text = printed(width=100)
    assert "Question accuracy   33.3 %" in text
    assert "warning: Judge not qualified" in text
    assert "right/planned" in text
    assert "vllm" not in text, "what was run is for the long renderings"


def test_the_terminal_keeps_to_its_width() -> None:
    for width in (80, 120):
        assert max(len(line) for line in printed(width=width).splitlines()) <= width


def test_markdown_tables_line_up() -> None:
    text = render_markdown(report_of(three_problems()))
    blocks = [block for block in text.split("\n\n") if block.startswith("|")]
    assert len(blocks) > 5
    for block in blocks:
        lines = block.splitlines()
        assert len({len(line) for line in lines}) == 1, block
        assert set(lines[1]) <= set("|-:")


def test_markdown_names_the_main_figures_with_interval_and_fraction() -> None:
    text = render_markdown(report_of(three_problems()))
    assert "- **Question accuracy: 33.3 %** (95 %: 6.1–79.2), 1/3 samples with every variable right" in text
    assert "> Warning: Judge not qualified" in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_names_from_files_cannot_break_a_markdown_table() -> None:
    one = problem().model_copy(update={"topic": "a | b\n<script>"})
    other = problem(1)
    records = records_of([one, other], [response(one), response(other)], [verdict(one), verdict(other)])
    text = render_markdown(report_of(records, facts()))
    assert "a \\| b &lt;script>" in text
    assert "<script>" not in text


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (numbers.percent(None), "–"),
        (numbers.percent(0.47384), "47.4"),
        (numbers.fraction(Share(value=0.5, numerator=1.25, denominator=2)), "1.2/2"),
        (numbers.fraction(Share(value=0.5, numerator=1, denominator=2)), "1/2"),
        (numbers.interval(Interval(low=0.1, high=0.25, n_clusters=9, method="m")), "10.0–25.0"),
        (numbers.count(1234567), "1,234,567"),
        (numbers.count(39.66), "39.7"),
        (numbers.count(None), "–"),
        (numbers.seconds(0.42), "0.42 s"),
        (numbers.seconds(59.96), "60.0 s"),
        (numbers.seconds(245), "4 min 05 s"),
        (numbers.seconds(3 * 3600 + 7 * 60), "3 h 07 min"),
        (numbers.seconds(None), "–"),
    ],
)
def test_numbers_are_written_the_same_everywhere(got: str, expected: str) -> None:
    assert got == expected
