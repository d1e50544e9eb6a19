"""``cfe-local sweep`` and ``status``: many runs in one command, and how far they are."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.live import Live

from cfe_local.cli.console import set_up_logging
from cfe_local.cli.interrupts import interruptible
from cfe_local.cli.tables import BoardWatcher, estimate_table, status_table
from cfe_local.engines.network_guard import install_network_guard
from cfe_local.errors import IncompleteError

if TYPE_CHECKING:
    from cfe_local.config import SweepRun

WATCH_EVERY_S = 2.0


@click.command()
@click.argument("file", metavar="SWEEP.yaml", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Print the runs with estimated tokens, disk and time, and end.")
@click.option("--gpu", help="Device to estimate time for, for example h200x8, or cpu; with --dry-run.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of the sweep.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Any setting of the sweep, dotted.")
def sweep(file: Path, *, dry_run: bool, gpu: str | None, out: Path | None, overrides: tuple[str, ...]) -> int:
    """Run every combination of the models, benchmarks, experiments and samplings that SWEEP.yaml names.

    All generation comes first, model by model, then one load of the judge grades everything: N models need N + 1
    engine loads. A model that fails is recorded and the others go on. The same command goes on where an earlier one
    stopped; it ends with exit code 5 while a run is not graded.
    """
    from cfe_local.config import load_sweep
    from cfe_local.pipeline.sweep import sweep as carry_out

    config, runs = load_sweep(file, overrides=(*overrides, *((f"out={out}",) if out is not None else ())))
    if not config.allow_network:
        install_network_guard()
    if dry_run:
        return _show_plan(runs, gpu)
    set_up_logging(config.out / "logs" / "cfe-local.log")
    with interruptible(), BoardWatcher(Console(stderr=True)) as watch:
        result = carry_out(config, runs, watch)
    console = Console()
    console.print(status_table(result.runs))
    for path in result.comparisons:
        console.print(f"comparison: {path}", highlight=False, soft_wrap=True)
    bound = f"{result.n_models} model(s) + {result.n_rounds} for the judge"
    restarts = f", {result.n_restarts} of them in place of an engine that died" if result.n_restarts else ""
    console.print(f"{result.n_engine_loads} engine load(s){restarts}, at most {bound}", highlight=False)
    for failure in result.failures:
        click.echo(f"failed: {failure.run} ({failure.stage}): {failure.message}", err=True)
    if result.n_open or result.failures:
        raise IncompleteError(
            f"{result.n_open} of {len(result.runs)} runs are not graded; {config.out / 'failures.jsonl'} says why\n"
            "Fix: mend what failed and run the same command again; what is there is kept."
        )
    return 0


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--watch", "keep_watching", is_flag=True, help="Show it again every two seconds until nobody writes.")
def status(folder: Path, *, keep_watching: bool) -> int:
    """How far the run or sweep in FOLDER is; looks only, and works beside whoever writes there."""
    from cfe_local.jobs.status import read_status

    found = read_status(folder)
    console = Console()
    if not keep_watching:
        console.print(status_table(found.runs))
    else:
        with Live(status_table(found.runs), console=console, auto_refresh=False) as live:
            while found.holder is not None:
                time.sleep(WATCH_EVERY_S)
                found = read_status(folder)
                live.update(status_table(found.runs), refresh=True)
    if found.holder is None:
        console.print("nobody writes there now", highlight=False)
    else:
        doing = f", {found.current.stage} {found.current.run} since {found.current.since}" if found.current else ""
        who = f"process {found.holder.pid} on {found.holder.host}{doing}"
        console.print(f"written by {who}", highlight=False, soft_wrap=True)
    return 0


def _show_plan(runs: tuple[SweepRun, ...], gpu: str | None) -> int:
    from cfe_local.engines.devices import parse_device
    from cfe_local.jobs.rates import rate_of
    from cfe_local.pipeline.sweep import preview

    console = Console()
    planned = preview(runs, rate_of(parse_device(gpu)) if gpu is not None else None)
    console.print(estimate_table(planned.runs))
    console.print(
        f"{len(runs)} runs, at most {planned.n_engine_loads} engine loads ({planned.n_models} model(s) and the judge); "
        "tokens, disk and time are upper bounds, every answer counted with its whole budget",
        highlight=False,
    )
    return 0
