"""Gathers everything that runs need on a node that reaches nothing: wheels, models, benchmarks, configurations."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import yaml

import cfe_local
from cfe_local.benchmarks.formats import load_benchmark
from cfe_local.config import RunConfig, load_run_config
from cfe_local.engines.model_folder import require_usable
from cfe_local.engines.models import resolve_model
from cfe_local.engines.wheels import build_wheel, download_wheels
from cfe_local.errors import BundleError
from cfe_local.jobs.bundle import BundleManifest, bundled_config, digest_files, install_script, seal

Say = Callable[[str], None]
ENGINES_WITH_FOLDERS = ("vllm", "transformers")


@dataclass(frozen=True, slots=True)
class BundleRequest:
    """What goes into a bundle, and where.

    Attributes:
        configs: Run configurations.
        out: A new or empty folder.
        extra: Whose locked requirements: ``core``, ``cpu`` or ``gpu``.
        platforms: Platform tags of the isolated node; empty means this machine's.
        python_version: Its Python; None means this one's.
    """

    configs: tuple[Path, ...]
    out: Path
    extra: str
    platforms: tuple[str, ...] = ()
    python_version: str | None = None


def make_bundle(request: BundleRequest, say: Say) -> BundleManifest:
    """Make a bundle folder.

    Args:
        request: What goes into it.
        say: Is told what goes on.

    Raises:
        BundleError: If the folder is in use, wheels cannot be had, or this is no source tree.
        CfeError: If a configuration, model folder or benchmark cannot be used.
    """
    source = _source_tree(request.extra)
    configs = {path: load_run_config(path) for path in request.configs}
    _refuse_same_names(request.configs)
    things = _things(configs.values())
    _prepare(request.out, things)
    for here, place in things.items():
        say(f"{place}: from {here}")
        _copy(here, request.out / place)
    _write_configs(request.out, configs, things)
    python = request.python_version or f"{sys.version_info.major}.{sys.version_info.minor}"
    say(f"wheels of {request.extra}, for Python {python}")
    wheels = request.out / "wheels"
    shutil.copyfile(source / "requirements" / f"{request.extra}.txt", request.out / "requirements.txt")
    download_wheels(
        request.out / "requirements.txt", wheels, platforms=request.platforms, python_version=request.python_version
    )
    build_wheel(source, wheels)
    first = f"configs/{request.configs[0].name}"
    (request.out / "install.sh").write_text(install_script(python, first), encoding="utf-8")
    (request.out / "install.sh").chmod(0o755)
    say("checksums")
    manifest = BundleManifest(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        cfe_local_version=metadata.version("cfe-local"),
        extra=request.extra,
        python=python,
        platforms=request.platforms,
        configs=tuple(f"configs/{path.name}" for path in request.configs),
        files=digest_files(request.out),
    )
    seal(request.out, manifest)
    return manifest


def _source_tree(extra: str) -> Path:
    source = Path(cfe_local.__file__).parents[1]
    if not (source / "pyproject.toml").is_file() or not (source / "requirements" / f"{extra}.txt").is_file():
        raise BundleError(
            f"{source}: has no pyproject.toml with requirements/{extra}.txt\n"
            "Fix: make the bundle from a source tree that scripts/setup made ready; extras: core, cpu, gpu."
        )
    return source


def _refuse_same_names(paths: Sequence[Path]) -> None:
    names = [path.name for path in paths]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BundleError(f"two configurations are named {twice[0]}\nFix: give them different file names.")


def _things(configs: Iterable[RunConfig]) -> dict[str, str]:
    """What is copied: path as a configuration has it to place in the bundle. Samples come with the package."""
    things: dict[str, str] = {}
    package = Path(cfe_local.__file__).parent
    for config in configs:
        benchmark = load_benchmark(Path(config.benchmark.path), config.benchmark.format)
        if not benchmark.path.resolve().is_relative_to(package):
            _place(things, config.benchmark.path, "benchmarks", benchmark.path)
        for model in filter(None, (config.model, config.judge)):
            if model.engine in ENGINES_WITH_FOLDERS:
                folder = resolve_model(model.path)
                require_usable(folder, chat_template=model.chat_template)
                _place(things, model.path, "models", folder)
            else:
                _place(things, model.path, "answers", Path(model.path))
            if model.chat_template is not None:
                _place(things, str(model.chat_template), "templates", model.chat_template)
    return things


def _place(things: dict[str, str], written: str, room: str, found: Path) -> None:
    name = found.resolve().name
    taken = {place for path, place in things.items() if path != written}
    n = 2
    while f"{room}/{name}" in taken:
        name, n = f"{found.resolve().name}-{n}", n + 1
    things[written] = f"{room}/{name}"


def _prepare(out: Path, things: Mapping[str, str]) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BundleError(f"{out}: is not an empty folder\nFix: give --out a new one.")
    (out / "wheels").mkdir(parents=True)
    n_bytes = sum(path.stat().st_size for here in things for path in _files(_found(here)))
    free = shutil.disk_usage(out).free
    if free < n_bytes:
        raise BundleError(
            f"{out}: {free / 1e9:.1f} GB free, models and benchmarks take {n_bytes / 1e9:.1f} GB, wheels come on top\n"
            "Fix: choose a folder on a larger disk."
        )


def _found(written: str) -> Path:
    """Where a path of a configuration leads: itself, or an embedded model's folder."""
    path = Path(written).expanduser()
    return path.resolve() if path.exists() else resolve_model(written)


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [below for below in path.rglob("*") if below.is_file()]


def _copy(written: str, target: Path) -> None:
    """Copy a file or folder, as hard links where that is possible: models are large, and a bundle changes none."""
    source = _found(written)
    for path in _files(source):
        to = target if source.is_file() else target / path.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path.resolve(), to)
        except OSError:  # another file system, or one without links
            shutil.copyfile(path, to)


def _write_configs(out: Path, configs: Mapping[Path, RunConfig], things: Mapping[str, str]) -> None:
    (out / "configs").mkdir()
    for path, config in configs.items():
        text = yaml.safe_dump(bundled_config(config, things), sort_keys=False, allow_unicode=True)
        note = f"# From {path.name}; paths are relative to the bundle's folder, where runs are to be started.\n"
        (out / "configs" / path.name).write_text(note + text, encoding="utf-8")
