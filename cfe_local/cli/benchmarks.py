"""``cfe-local validate``: what is wrong with a benchmark folder, before anything is spent on it."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console


@click.command()
@click.argument("path")
@click.option("--format", "format_name", default="auto", show_default=True, help="cfe, arb, plain, or auto.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
@click.option("--strict", is_flag=True, help="End with code 1 where there are warnings.")
def validate(path: str, *, format_name: str, as_json: bool, strict: bool) -> int:
    """Check a benchmark: files, images, ids, values, steps, rubrics, damaged text, leaks.

    PATH is a folder or file in CFE's, ARB's or the plain format, or `sample` or `arb_sample`.

    Ends with 0 where it can be used, 1 with --strict and warnings, 2 where it cannot be used.
    """
    from cfe_local.benchmarks.table import render_table
    from cfe_local.benchmarks.validate import validate_benchmark

    report = validate_benchmark(Path(path), format_name)
    if as_json:
        click.echo(report.model_dump_json(indent=2))
    else:
        Console().print(render_table(report))
    return report.exit_code(strict=strict)
