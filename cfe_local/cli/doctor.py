"""``cfe-local doctor``: would this run go well on this machine, or on another one?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cfe_local.cli.options import resolve, run_options
from cfe_local.engines.network_guard import install_network_guard

if TYPE_CHECKING:
    from cfe_local.config import RunConfig
    from cfe_local.jobs.findings import Examination

STYLES = {"ok": "green", "warning": "bold yellow", "error": "bold red"}
PARALLEL = "engine_args"


@click.command()
@run_options
@click.option("--gpu", help="Plan for these instead of this machine's devices: h200x8, a100-80x4, cpu.")
@click.option("--tensor-parallel", type=click.IntRange(1), help="GPUs per engine, for model and judge.")
@click.option("--concurrency", type=click.IntRange(1), help="Sequences of full length that are wanted at once.")
@click.option(
    "--requirements", type=click.Path(path_type=Path, dir_okay=False), help="Locked requirement file to compare with."
)
@click.option("--skip-hashes", is_flag=True, help="Do not hold files against a sha256 list in the model folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(config: Path | None, *, gpu: str | None, tensor_parallel: int | None, as_json: bool, **options: Any) -> int:
    """Look for what would stop or spoil a run, before it starts; loads no model and needs no GPU.

    Ends with 0 where nothing is wrong (warnings are only printed), with 7 where something is.
    """
    from cfe_local.engines.devices import parse_device, this_machine
    from cfe_local.errors import UnfitError
    from cfe_local.pipeline.doctor import Request, examine

    settings = resolve(config, options)
    if not settings.allow_network:
        install_network_guard()
    if tensor_parallel is not None:
        settings = _in_parallel(settings, tensor_parallel)
    request = Request(
        config=settings,
        device=parse_device(gpu) if gpu is not None else this_machine(),
        is_here=gpu is None,
        concurrency=options["concurrency"],
        hashes=not options["skip_hashes"],
        requirements=options["requirements"],
    )
    found = examine(request, os.environ)
    if as_json:
        click.echo(found.model_dump_json(indent=2))
    else:
        _print(found)
    if found.n_errors:
        raise UnfitError(f"{found.n_errors} thing(s) would stop or spoil this run\nFix: see each remedy above.")
    return 0


def _in_parallel(settings: RunConfig, size: int) -> RunConfig:
    def wider(model: Any) -> Any:
        return model.model_copy(update={PARALLEL: {**model.engine_args, "tensor_parallel_size": size}})

    judge = wider(settings.judge) if settings.judge is not None else None
    return settings.model_copy(update={"model": wider(settings.model), "judge": judge})


def _print(found: Examination) -> None:
    console = Console()
    table = Table(box=None, pad_edge=False, padding=(0, 1), show_header=False)
    for column in ("level", "about", "check"):
        table.add_column(column, no_wrap=True)
    table.add_column("message", overflow="fold")
    for one in found.findings:
        said = Text(one.message)
        if one.remedy:
            said.append(f"\nFix: {one.remedy}", style="dim")
        table.add_row(Text(one.level, style=STYLES[one.level]), one.about, one.check, said)
    console.print(table)
    n_ok = len(found.findings) - found.n_errors - found.n_warnings
    console.print(f"{n_ok} ok, {found.n_warnings} warning(s), {found.n_errors} error(s)", highlight=False)
