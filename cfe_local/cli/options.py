"""Options that several verbs share, and how they become a RunConfig."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from cfe_local.config import RunConfig, load_run_config

Command = TypeVar("Command", bound=Callable[..., Any])

DEDICATED = {
    "model": "model.path",
    "judge": "judge.path",
    "benchmark": "benchmark.path",
    "benchmark_format": "benchmark.format",
    "engine": "model.engine",
    "experiment": "experiment.name",
    "samples": "experiment.samples",
    "source": "experiment.source",
    "max_steps": "experiment.options.max_steps",
    "seed": "seed",
    "out": "out",
    "limit": "selection.limit",
    "shard": "selection.shard",
    "allow_network": "allow_network",
}
"""Options with a name of their own, and the setting that each one is."""


def run_options(command: Command) -> Command:
    """Add everything that describes a run."""
    options = [
        click.argument("config", type=click.Path(path_type=Path, dir_okay=False), required=False),
        click.option("--model", help="Model folder or embedded model name (model.path)."),
        click.option("--judge", help="Judge folder or embedded model name (judge.path)."),
        click.option("--benchmark", help="Benchmark folder or file, `sample` or `arb_sample` (benchmark.path)."),
        click.option("--format", "benchmark_format", help="cfe, arb or plain; found out where left out."),
        click.option("--engine", help="vllm, transformers or replay (model.engine)."),
        click.option("--experiment", help="Experiment to run (experiment.name)."),
        click.option("--samples", type=click.IntRange(1), help="Responses per prompt, n (experiment.samples)."),
        click.option(
            "--from",
            "source",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help="Graded run that the experiment starts from (experiment.source).",
        ),
        click.option("--max-steps", type=click.IntRange(1), help="At most this many steps of each reasoning flow."),
        click.option("-k", "k", multiple=True, type=click.IntRange(1), help="Report pass@k; may be repeated."),
        click.option("--limit", type=click.IntRange(1), help="At most this many problems."),
        click.option("--rows", multiple=True, help="split:row or split:first-last; may be repeated."),
        click.option("--split", "splits", multiple=True, help="Only this split; may be repeated."),
        click.option("--shard", help="i/n: only this part of the problems, in a run folder of its own below --out."),
        click.option("--seed", type=click.IntRange(0), help="Seed of the run."),
        click.option("--out", type=click.Path(path_type=Path), help="Run folder."),
        click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Any setting, dotted."),
        click.option("--allow-network", is_flag=True, default=None, help="Permit connections that leave this machine."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def resolve(config: Path | None, options: dict[str, Any]) -> RunConfig:
    """Join file, environment and options into one configuration.

    Raises:
        UsageError: As `load_run_config`.
    """
    values: dict[str, object] = {
        setting: options[name] for name, setting in DEDICATED.items() if options.get(name) is not None
    }
    for name, setting in (("rows", "selection.rows"), ("splits", "selection.splits"), ("k", "experiment.k")):
        if options.get(name):
            values[setting] = options[name]
    settings = load_run_config(config, overrides=options.get("overrides", ()), values=values, environ=os.environ)
    if options.get("shard") is None:
        return settings
    part, n_parts = settings.selection.shard_numbers
    return settings.model_copy(update={"out": settings.out / f"shard-{part}-of-{n_parts}"})
