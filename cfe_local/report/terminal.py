"""A report's brief sections in a terminal, with rich."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from cfe_local.report.characters import visible
from cfe_local.report.model import Report, Table
from cfe_local.report.numbers import fraction, interval, percent

STYLES = {"measured": "", "total": "bold", "published": "dim"}


def print_report(report: Report, console: Console) -> None:
    """Print title, main figures, brief tables and warnings."""
    console.print()
    console.print(Text(visible(report.title), style="bold"))
    console.print(Text(visible(report.subtitle), style="dim"))
    console.print()
    for headline in report.headlines:
        share = headline.share
        line = Text(f"{visible(headline.name):<18}")
        line.append(f"{percent(share.value):>6} %", style="bold")
        line.append(f"  {interval(share.interval):>11}  {fraction(share):>10}  {headline.explanation}", style="dim")
        console.print(line)
    for section in report.sections:
        if section.brief:
            for table in section.tables:
                console.print()
                console.print(Text(table.caption or section.title, style="bold"))
                console.print(_table(table))
    for warning in report.warnings:
        console.print()
        console.print(Text("warning: ", style="bold yellow").append(visible(warning), style="not bold"))
    console.print()


def _table(table: Table) -> RichTable:
    shown = RichTable(
        box=None, pad_edge=False, padding=(0, 1), show_header=any(table.columns), header_style="dim", expand=False
    )
    for i, name in enumerate(table.columns):
        figure = i > 0 and table.kind == "figures"
        shown.add_column(name, justify="right" if figure else "left", no_wrap=figure)
    for row in table.rows:
        shown.add_row(*(Text(visible(cell)) for cell in row.cells), style=STYLES[row.kind])
    return shown
