"""``cfe-local merge``: the shards of one run become one run folder."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from cfe_local.cli.console import watching
from cfe_local.cli.interrupts import interruptible
from cfe_local.errors import IncompleteError


@click.command()
@click.argument("shards", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The new run folder.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting, for example benchmark.path.")
def merge(shards: tuple[Path, ...], *, out: Path, overrides: tuple[str, ...]) -> int:
    """Join SHARDS, which `run --shard i/n` or `generate --shard i/n` made, into one run; they stay as they are."""
    from cfe_local.pipeline.merge import merge_shards
    from cfe_local.report.terminal import print_report

    with interruptible(), watching() as watch:
        merged = merge_shards(shards, out, watch, overrides=overrides)
    console = Console()
    for report in merged.reports:
        print_report(report, console)
    gradings = f", gradings: {', '.join(merged.gradings)}" if merged.gradings else ", not graded yet"
    console.print(f"{len(shards)} shards, {merged.n_responses} responses in {out}{gradings}", highlight=False)
    if merged.n_missing:
        raise IncompleteError(
            f"{merged.n_missing} planned case(s) have no outcome in any shard\n"
            f"Fix: finish the shards and merge again, or go on in {out} with the run's own command."
        )
    return 0
