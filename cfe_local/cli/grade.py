"""``cfe-local grade``: verdicts for finished runs, with any judge and protocol, one engine load for all of them."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from cfe_local.cli.console import watching
from cfe_local.cli.interrupts import interruptible
from cfe_local.engines.network_guard import install_network_guard


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--judge", help="Judge folder or embedded model name; the run's own judge where left out.")
@click.option("--protocol", "protocols", multiple=True, help="s2s, l2s or l2l; may be repeated. Default: the run's.")
@click.option("--name", default="", help="Name of the new grading, to keep it beside an earlier one.")
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting of the run, for example judge.*"
)
@click.option("--fresh", is_flag=True, help="Move an earlier grading of the same name to previous/ first.")
def grade(
    runs: tuple[Path, ...],
    *,
    judge: str | None,
    protocols: tuple[str, ...],
    name: str,
    overrides: tuple[str, ...],
    fresh: bool,
) -> int:
    """Grade finished RUNS; responses stay as they are, and an earlier grading stays beside a new one (--name)."""
    from cfe_local import pipeline
    from cfe_local.report.terminal import print_report
    from cfe_local.store import RunStore

    wanted = pipeline.Regrading(judge=judge, protocols=protocols, name=name, overrides=overrides, fresh=fresh)
    with interruptible(), watching(runs[0] / "logs" / "cfe-local.log") as watch:
        install_network_guard()
        result = pipeline.grade_folders(runs, wanted, watch)
    console = Console()
    for report in result.reports:
        print_report(report, console)
    console.print(f"{len(runs)} run(s), {result.n_engine_loads} engine load(s)", highlight=False)
    for path, gradings in result.gradings.items():
        with RunStore.open(path) as store:
            pipeline.refuse_unfinished(store, gradings)
    return 0
