"""Downloads the wheels of a hashed requirement file, and builds the project's own: all that an isolated node installs.

The registry is whatever ``pip`` is set up to use; no address stands here, and pip checks every hash.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

from cfe_local.errors import BundleError

TIMEOUT_S = 3600.0


def download_wheels(
    requirements: Path, folder: Path, *, platforms: Sequence[str] = (), python_version: str | None = None
) -> None:
    """Put the wheel of every line of a requirement file into a folder.

    Args:
        requirements: A locked requirement file with hashes.
        folder: Where the wheels go.
        platforms: Platform tags of the isolated node, as pip writes them; empty means those of this machine.
        python_version: Its Python, for example ``3.11``; None means this interpreter's.

    Raises:
        BundleError: If a wheel cannot be had.
    """
    target = [part for name in platforms for part in ("--platform", name)]
    target += ["--python-version", python_version] if python_version is not None else []
    command = ["download", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--dest", str(folder), *target]
    _pip([*command, "--requirement", str(requirements)], f"the wheels of {requirements}")


def build_wheel(source: Path, folder: Path) -> None:
    """Build the wheel of a source tree, with the build package of this environment.

    Raises:
        BundleError: If it cannot be built.
    """
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder.absolute())]
    _call(command, f"a wheel of {source}", source)


def _pip(arguments: Sequence[str], what: str) -> None:
    # An environment that uv made has no pip, and uv itself downloads no wheels; Python brings one along.
    with tempfile.TemporaryDirectory() as scratch:
        python = sys.executable
        if importlib.util.find_spec("pip") is None:
            venv.EnvBuilder(with_pip=True).create(scratch)
            python = str(Path(scratch) / "bin" / "python")
        _call([python, "-m", "pip", *arguments, "--disable-pip-version-check", "--quiet"], what, Path.cwd())


def _call(command: Sequence[str], what: str, cwd: Path) -> None:
    # Folders of wheels that a machine's own pip settings name can hold other builds of a locked version.
    environment = {**os.environ, "PIP_FIND_LINKS": ""}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=environment, cwd=cwd
        )
    except subprocess.TimeoutExpired as error:
        raise BundleError(f"{what}: no end after {TIMEOUT_S:.0f} s\nFix: run it again in an empty folder.") from error
    if done.returncode != 0:
        tail = "\n".join(done.stderr.strip().splitlines()[-8:])
        raise BundleError(
            f"{what} could not be had:\n{tail}\n"
            "Fix: this step alone needs a package registry and hatchling; see the lines above, and run it again."
        )
