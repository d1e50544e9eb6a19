"""``cfe-local run`` and ``generate``: from a configuration to responses, verdicts, figures and a report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from cfe_local.cli.console import watching
from cfe_local.cli.interrupts import interruptible
from cfe_local.cli.options import resolve, run_options
from cfe_local.config import RunConfig
from cfe_local.engines.network_guard import install_network_guard
from cfe_local.errors import IncompleteError

if TYPE_CHECKING:
    from cfe_local.pipeline.plan import RunPlan


@click.command()
@run_options
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and end.")
@click.option("--fresh", is_flag=True, help="Move an earlier run's files in this folder to previous/ and start anew.")
@click.option("--yes", is_flag=True, help="Start a diagnostic without asking; also what happens without a terminal.")
def run(config: Path | None, *, dry_run: bool, fresh: bool, yes: bool, **options: Any) -> int:
    """Run an experiment: generate, grade, measure, report.

    CONFIG is a YAML file (see configs/); without one, --model, --judge and --benchmark are enough. The same command
    goes on where an earlier one stopped.
    """
    from cfe_local import pipeline
    from cfe_local.report.terminal import print_report

    settings = resolve(config, options)
    _guard(settings)
    if dry_run:
        return show_plan(settings)
    with interruptible(), watching(settings.out / "logs" / "cfe-local.log") as watch:
        result = pipeline.run(settings, watch, fresh=fresh, approve=Asking(yes=yes))
    console = Console()
    for report in result.reports:
        print_report(report, console)
    loads = "nothing was left to ask" if not result.n_engine_loads else f"{result.n_engine_loads} engine load(s)"
    console.print(f"report: {result.path / 'report.html'} ({loads})", highlight=False, soft_wrap=True)
    if result.n_missing:
        raise IncompleteError(
            f"{result.n_missing} planned case(s) have no outcome yet; the table counts them as not correct\n"
            "Fix: run the same command again."
        )
    return 0


@click.command()
@run_options
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and end.")
@click.option("--fresh", is_flag=True, help="Move an earlier run's files in this folder to previous/ and start anew.")
@click.option("--yes", is_flag=True, help="Start a diagnostic without asking; also what happens without a terminal.")
def generate(config: Path | None, *, dry_run: bool, fresh: bool, yes: bool, **options: Any) -> int:
    """Only generate responses; grade them later, also elsewhere, with `cfe-local grade`."""
    from cfe_local import pipeline

    settings = resolve(config, options)
    _guard(settings)
    if dry_run:
        return show_plan(settings)
    with interruptible(), watching(settings.out / "logs" / "cfe-local.log") as watch:
        path, generated = pipeline.generate_only(settings, watch, fresh=fresh, approve=Asking(yes=yes))
    click.echo(f"{len(generated.responses)} of {len(generated.cases)} responses in {path / 'responses.jsonl'}")
    if generated.n_missing:
        raise IncompleteError(f"{generated.n_missing} planned case(s) have no outcome yet\nFix: run it again.")
    return 0


def show_plan(settings: RunConfig) -> int:
    """Print what a run would ask, without starting an engine or touching the run folder."""
    from cfe_local import pipeline

    plan = pipeline.plan_run(settings)
    n_cases, most = len(plan.cases()), settings.model.sampling.max_tokens
    n_images = sum(part.kind == "image" for problem in plan.problems for part in problem.question)
    n_variables = sum(len(problem.variables) for problem in plan.problems)
    judge = settings.judge.display_name if settings.judge is not None else "none: responses are not graded"
    lines = {
        "benchmark": f"{plan.benchmark.name} at {plan.benchmark.path}",
        "selected": f"{len(plan.problems)} problems, {n_variables} variables, {n_images} images",
        "model": f"{plan.config.model.display_name} ({settings.model.engine}) at {plan.config.model.path}",
        "judge": judge,
        "cases": f"{n_cases} ({plan.config.experiment.samples} per prompt)",
        "tokens": f"at most {most} per answer, {n_cases * most} in all; thinking comes on top",
        "run folder": str(settings.out),
    }
    for name, text in lines.items():
        click.echo(f"{name:<12}{text}")
    if plan.config.experiment.source is not None:
        click.echo(cost_lines(plan)[-1])
    return 0


class Asking:
    """Says what a diagnostic will cost and asks on a terminal whether to start it; an exam starts as it is."""

    def __init__(self, *, yes: bool) -> None:
        self._yes = yes

    def __call__(self, plan: RunPlan) -> None:
        """Raises click.Abort for a no."""
        from cfe_local.experiments.base import Analysing

        if not isinstance(plan.experiment, Analysing):
            return
        for line in cost_lines(plan):
            click.echo(line, err=True)
        if not self._yes and sys.stdin.isatty():
            click.confirm("Start?", default=True, abort=True, err=True)


def cost_lines(plan: RunPlan) -> list[str]:
    """Cases, tokens and time of a plan."""
    from cfe_local.pipeline.cost import estimate
    from cfe_local.report.numbers import count, seconds

    cost = estimate(plan)
    n_samples = plan.config.experiment.samples
    before = f", {count(cost.n_answered)} of them answered before" if cost.n_answered else ""
    lines = [
        f"{'cases':<12}{count(cost.n_cases)} ({plan.experiment.name}, {n_samples} per prompt){before}",
        f"{'tokens':<12}about {count(cost.n_prompt_tokens)} in prompts without images (shared beginnings are computed "
        f"once), at most {count(cost.most_answer_tokens)} in answers",
    ]
    if cost.rate is None:
        return [*lines, f"{'time':<12}not known: no earlier run to measure by (--from RUN)"]
    said = (
        f"{count(cost.rate.tokens_per_response)} tokens per answer and {count(cost.rate.tokens_per_second)} per second"
    )
    return [*lines, f"{'time':<12}about {seconds(cost.seconds)} of generation, at {said} as in {cost.rate.path}"]


def _guard(settings: RunConfig) -> None:
    if not settings.allow_network:
        install_network_guard()
