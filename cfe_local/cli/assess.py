"""``cfe-local rubric`` and ``errors``: what a judge says about whole answers, beside their verdicts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from cfe_local.cli.console import watching
from cfe_local.cli.interrupts import interruptible
from cfe_local.engines.network_guard import install_network_guard
from cfe_local.errors import JudgeError

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


def _run_options(command: Command) -> Command:
    options = [
        click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False)),
        click.option("--judge", help="Judge folder or embedded model name; the run's own judge where left out."),
        click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting, for example judge.*"),
        click.option("--fresh", is_flag=True, help="Move an earlier assessment to previous/ first."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.group()
def rubric() -> None:
    """Points by rubric: design one with a judge, mark the answers of a run."""


@rubric.command()
@click.argument("benchmark", type=click.Path(path_type=Path))
@click.option("--judge", help="Judge folder or embedded model name.")
@click.option("--judge-config", type=FILE, help="YAML file of a judge (configs/judges).")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder for the rubrics.")
@click.option("--format", "format_name", default="auto", show_default=True, help="cfe, arb, plain, or auto.")
@click.option("--rows", multiple=True, help="split:row or split:first-last; may be repeated.")
@click.option("--limit", type=click.IntRange(1), help="At most this many problems.")
@click.option("--again", is_flag=True, help="Also for problems that have a hand-written rubric.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting of the judge.")
def design(benchmark: Path, *, out: Path, again: bool, **options: Any) -> int:
    """Have a judge write rubrics for a BENCHMARK's problems from their reference solutions.

    Hand-written rubrics of the benchmark are its examples. Points sum to 10, and each item is tied to words of the
    solution; a rubric that is not like that is asked for once more and then given up, which is said.
    """
    from cfe_local.config import SelectionConfig, load_judge_config
    from cfe_local.pipeline.design import DesignRequest, design_rubrics

    judge = load_judge_config(options["judge_config"], model=options["judge"], overrides=options["overrides"])
    request = DesignRequest(
        judge=judge,
        benchmark=benchmark,
        out=out,
        format_name=options["format_name"],
        selection=SelectionConfig(rows=options["rows"], limit=options["limit"]),
        again=again,
    )
    install_network_guard()
    with interruptible(), watching(out / "logs" / "cfe-local.log") as watch:
        path, found = design_rubrics(request, watch)
    failed = [one for one in found if not one.items]
    click.echo(f"{len(found) - len(failed)} of {len(found)} rubrics in {path}")
    for one in failed:
        click.echo(f"no rubric for {one.split}:{one.row}: {one.outcome.replace('_', ' ')}", err=True)
    if len(failed) == len(found):
        raise JudgeError("the judge wrote no rubric that can be used\nFix: take a stronger judge.")
    return 0


@rubric.command("grade")
@_run_options
@click.option("--rubrics", type=FILE, help="rubrics.jsonl of `rubric design`, for problems that come without one.")
@click.option("--human", type=FILE, help="People's points: JSON lines of split, row, sample, points.")
def rubric_grade(runs: tuple[Path, ...], *, rubrics: Path | None, human: Path | None, **options: Any) -> int:
    """Give points by rubric to the answers of finished RUNS, and put them into their reports."""
    from cfe_local import pipeline
    from cfe_local.pipeline.assess import Assessing, grade_rubrics

    rerun = pipeline.Regrading(judge=options["judge"], overrides=options["overrides"], fresh=options["fresh"])
    wanted = Assessing(rerun, rubrics=rubrics, human=human)
    return _assess(runs, lambda watch: grade_rubrics(runs, wanted, watch))


@click.command()
@_run_options
@click.option("--grading", help="Whose verdicts say what is wrong; the run's first where left out.")
@click.option("--human", type=FILE, help="People's marks: JSON lines of split, row, sample, kinds.")
def errors(runs: tuple[Path, ...], *, grading: str | None, human: Path | None, **options: Any) -> int:
    """Mark kinds of error in the answers of graded RUNS, with a quotation each, and check their arithmetic."""
    from cfe_local import pipeline
    from cfe_local.pipeline.assess import Assessing, mark_errors

    rerun = pipeline.Regrading(judge=options["judge"], overrides=options["overrides"], fresh=options["fresh"])
    wanted = Assessing(rerun, human=human, grading=grading)
    return _assess(runs, lambda watch: mark_errors(runs, wanted, watch))


def _assess(runs: tuple[Path, ...], work: Callable[[Any], Any]) -> int:
    from cfe_local.report.terminal import print_report

    install_network_guard()
    with interruptible(), watching(runs[0] / "logs" / "cfe-local.log") as watch:
        reports = work(watch)
    console = Console()
    for report in reports:
        print_report(report, console)
    for run in runs:
        console.print(f"report: {run / 'report.html'}", highlight=False, soft_wrap=True)
    return 0
