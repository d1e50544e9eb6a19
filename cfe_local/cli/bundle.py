"""``cfe-local bundle``: everything for an isolated node in one folder, and whether it is still whole."""

from __future__ import annotations

from pathlib import Path

import click

from cfe_local.errors import UsageError

VERIFY = "verify"


@click.command()
@click.argument("configs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="A new folder for the bundle.")
@click.option("--extra", type=click.Choice(["core", "cpu", "gpu"]), default="gpu", show_default=True)
@click.option("--platform", "platforms", multiple=True, help="The node's platform tag, as pip has it; may be repeated.")
@click.option("--python-version", help="The node's Python, for example 3.11; this one's where left out.")
def bundle(
    configs: tuple[Path, ...], *, out: Path | None, extra: str, platforms: tuple[str, ...], python_version: str | None
) -> int:
    """Gather hashed wheels, model folders, benchmarks and CONFIGS in a folder; copy it and run its install.sh there.

    `cfe-local bundle verify DIR` holds a bundle against its manifest. Making one is, with `models prepare`, the only
    thing that uses a network.
    """
    if configs[0] == Path(VERIFY):
        return _verify(configs[1:])
    from cfe_local.pipeline.bundle import BundleRequest, make_bundle

    if out is None:
        raise UsageError("no folder for the bundle is named\nFix: --out DIR.")
    request = BundleRequest(configs, out, extra, platforms, python_version)
    manifest = make_bundle(request, lambda text: click.echo(text, err=True))
    size = sum(one.n_bytes for one in manifest.files)
    click.echo(f"{len(manifest.files)} files, {size / 1e9:.1f} GB in {out}; there: sh install.sh")
    return 0


def _verify(folders: tuple[Path, ...]) -> int:
    from cfe_local.jobs.bundle import verify_bundle

    if len(folders) != 1:
        raise UsageError("bundle verify takes one folder\nFix: cfe-local bundle verify DIR.")
    manifest = verify_bundle(folders[0])
    click.echo(f"{folders[0]}: whole, {len(manifest.files)} files, {manifest.extra} for Python {manifest.python}")
    return 0
