"""``cfe-local query``: SQL over a run folder, as a table, CSV or JSON."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from cfe_local.pipeline.query import Answer

CELL = 80
"""Characters of a value in a table; CSV and JSON have all of it."""


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("sql", required=False)
@click.option("--csv", "style", flag_value="csv", help="Print CSV.")
@click.option("--json", "style", flag_value="json", help="Print a JSON list of objects.")
def query(run: Path, sql: str | None, *, style: str | None) -> int:
    """Ask RUN a question in SQL (DuckDB); without SQL, list its tables.

    For example: cfe-local query runs/run "select reason, count(*) from verdicts group by all order by 2 desc"
    """
    from cfe_local.pipeline.query import TABLES
    from cfe_local.pipeline.query import query as ask

    if sql is None:
        for name, columns in TABLES.items():
            click.echo(f"{name}: {', '.join(columns)}")
        return 0
    PRINTERS[style or "table"](ask(run, sql))
    return 0


def _print_table(answer: Answer) -> None:
    from cfe_local.report.characters import shortened, visible

    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    for i, name in enumerate(answer.columns):
        numeric = all(isinstance(row[i], int | float | Decimal) or row[i] is None for row in answer.rows)
        table.add_column(Text(visible(name)), justify="right" if numeric else "left")
    for row in answer.rows:
        table.add_row(*(Text(visible(shortened(_shown(value), CELL).replace("\n", " "))) for value in row))
    console = Console()
    console.print(table)
    console.print(f"{len(answer.rows)} row{'' if len(answer.rows) == 1 else 's'}", style="dim", highlight=False)


def _print_csv(answer: Answer) -> None:
    from cfe_local.report.csv_files import spreadsheet_safe

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer.columns)
    writer.writerows([spreadsheet_safe(value) for value in row] for row in answer.rows)


def _print_json(answer: Answer) -> None:
    rows = [dict(zip(answer.columns, map(_plain, row), strict=True)) for row in answer.rows]
    click.echo(json.dumps(rows, ensure_ascii=False, indent=1, default=str, allow_nan=False))


def _shown(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _plain(value: object) -> object:
    """A value that JSON has: decimals become numbers, what is no number becomes null."""
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


PRINTERS: Mapping[str, Callable[[Answer], None]] = {"table": _print_table, "csv": _print_csv, "json": _print_json}
