"""``cfe-local report`` and ``export``: what a finished run says, again and elsewhere. Nothing is asked of a model."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

RUN = click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
OVERRIDES = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting of the run, for example benchmark.path."
)


@click.command()
@RUN
@click.option("--grading", help="Which grading; all of them where left out.")
@OVERRIDES
def report(run: Path, *, grading: str | None, overrides: tuple[str, ...]) -> int:
    """Measure a graded RUN again and write metrics.json, report.md and report.html."""
    from cfe_local import pipeline
    from cfe_local.errors import StoreError
    from cfe_local.report.terminal import print_report
    from cfe_local.store import RunStore

    with RunStore.reopen(run) as store:
        gradings = (grading,) if grading is not None else store.grading_names()
        if not gradings:
            raise StoreError(f"{run}: is not graded yet\nFix: cfe-local grade {run}")
        plan = pipeline.reopen(store, pipeline.Regrading(overrides=overrides))
        reports = pipeline.publish(plan, store, gradings)
    console = Console()
    for one in reports:
        print_report(one, console)
    console.print(f"report: {run / 'report.html'}", highlight=False, soft_wrap=True)
    with RunStore.open(run) as store:
        pipeline.refuse_unfinished(store, gradings)
    return 0


@click.command()
@RUN
@click.option(
    "--format", "format_name", default="upstream", show_default=True, help="upstream, csv, parquet, lm-eval or inspect."
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder; RUN/export where left out.")
@click.option("--grading", help="Whose verdicts; the only one where left out.")
@OVERRIDES
def export(run: Path, *, format_name: str, out: Path | None, grading: str | None, overrides: tuple[str, ...]) -> int:
    """Write a RUN in other tools' formats."""
    from cfe_local import pipeline
    from cfe_local.errors import UsageError
    from cfe_local.store import RunStore

    with RunStore.open(run) as store:
        names = store.grading_names()
        if grading is None and len(names) > 1:
            raise UsageError(f"{run}: has several gradings\nFix: --grading with one of {', '.join(names)}.")
        chosen = grading if grading is not None else next(iter(names), None)
        plan = pipeline.reopen(store, pipeline.Regrading(overrides=overrides))
        files = pipeline.export(plan, store, format_name, out or run / "export", grading=chosen)
    for path in files:
        click.echo(str(path))
    return 0
