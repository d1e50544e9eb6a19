"""A report as Markdown whose tables also line up in a terminal. Sections and tables only, no problems."""

from __future__ import annotations

from collections.abc import Iterator

from cfe_local.experiments.analysis import Plot
from cfe_local.report.characters import visible
from cfe_local.report.model import Report, Section, Table
from cfe_local.report.numbers import fraction, interval, percent


def render_markdown(report: Report) -> str:
    """The whole report as Markdown, ending with a newline."""
    lines = [f"# {_text(report.title)}", "", _text(report.subtitle), ""]
    for headline in report.headlines:
        share = headline.share
        found = f" (95 %: {interval(share.interval)})" if share.interval else ""
        lines.append(
            f"- **{_text(headline.name)}: {percent(share.value)} %**{found}, {fraction(share)} {headline.explanation}"
        )
    lines.append("")
    if report.quote:
        lines += [_text(report.quote), ""]
    if report.warnings:
        lines += [f"> Warning: {_text(warning)}" + "  " for warning in report.warnings]
        lines.append("")
    for section in report.sections:
        lines += _section(section)
    return "\n".join(lines).rstrip() + "\n"


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    yield ""
    for table in section.tables:
        if table.caption:
            yield f"**{_text(table.caption)}**"
            yield ""
        yield from _table(table)
        yield ""
    for chart in section.charts:
        if isinstance(chart, Plot):
            yield f"![{_text(chart.caption)}](analysis/{chart.name}.svg)"
            yield ""
    for note in section.notes:
        yield _text(note)
        yield ""


def _table(table: Table) -> Iterator[str]:
    rows = [[_cell(text) for text in row.cells] for row in table.rows]
    header = [_cell(name) for name in table.columns]
    widths = [max(3, *(len(line[i]) for line in [header, *rows])) for i in range(len(header))]
    right = [i > 0 and table.kind == "figures" for i in range(len(header))]
    yield _line(header, widths, right)
    yield (
        "|" + "|".join("-" * (width + 1) + (":" if at else "-") for width, at in zip(widths, right, strict=True)) + "|"
    )
    for row in rows:
        yield _line(row, widths, right)


def _line(cells: list[str], widths: list[int], right: list[bool]) -> str:
    padded = [
        text.rjust(width) if at_right else text.ljust(width)
        for text, width, at_right in zip(cells, widths, right, strict=True)
    ]
    return "| " + " | ".join(padded) + " |"


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


def _text(text: str) -> str:
    """One line without markup of its own: names of models and topics come from files."""
    return visible(text).replace("\n", " ").replace("<", "&lt;")
