"""``cfe-local compare``: finished runs side by side, with the differences that can be defended."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--grading", help="Whose verdicts, in every run; the only one where left out.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("comparison"),
    show_default=True,
    help="Folder for compare.md, compare.html and compare.json.",
)
@click.option(
    "--allow",
    multiple=True,
    metavar="WHAT",
    help="Compare although this differs: benchmark, prompt, protocol, judge or incomplete; may be repeated.",
)
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting of the runs, for example benchmark.path."
)
def compare(
    runs: tuple[Path, ...], *, grading: str | None, out: Path, allow: tuple[str, ...], overrides: tuple[str, ...]
) -> int:
    """Compare graded RUNS on the problems that all of them have: scores, differences, tests, where they differ."""
    from cfe_local.pipeline.compare import compare as compare_runs
    from cfe_local.report.terminal import print_report

    compared = compare_runs(runs, out, grading=grading, allow=allow, overrides=overrides)
    console = Console()
    print_report(compared.report, console)
    console.print(f"comparison: {out / 'compare.html'}", highlight=False, soft_wrap=True)
    return 0
