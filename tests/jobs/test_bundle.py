"""A bundle's manifest: what is changed, missing or additional is found; configurations lead into its folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cfe_local.config import load_run_config
from cfe_local.errors import BundleError
from cfe_local.jobs.bundle import BundleManifest, bundled_config, digest_files, install_script, seal, verify_bundle


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    for name in ("wheels/a.whl", "models/m/config.json", "configs/run.yaml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "install.sh").write_text(install_script("3.11", "configs/run.yaml"))
    manifest = BundleManifest(
        created="now", cfe_local_version="1", extra="cpu", python="3.11", configs=("configs/run.yaml",),
        files=digest_files(folder),
    )  # fmt: skip
    seal(folder, manifest)
    return folder


def test_a_bundle_that_was_copied_installed_and_used_is_whole(folder: Path) -> None:
    for later in (".venv/bin/python", "runs/one/manifest.json"):
        (folder / later).parent.mkdir(parents=True)
        (folder / later).write_text("made later")
    assert verify_bundle(folder).extra == "cpu"


def truncated(folder: Path) -> None:
    (folder / "models/m/config.json").write_text("models/m")


def flipped(folder: Path) -> None:
    (folder / "wheels/a.whl").write_text("wheels/b.whl")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (flipped, "wheels/a.whl: changed"),
        (truncated, "models/m/config.json: 8 bytes instead of 20"),
        (lambda folder: (folder / "wheels/a.whl").unlink(), "wheels/a.whl: missing"),
        (lambda folder: (folder / "wheels/evil.whl").touch(), "wheels/evil.whl: not in the manifest"),
        (lambda folder: (folder / "bundle.json").write_text("{}"), "is damaged"),
        (lambda folder: (folder / "bundle.json").unlink(), "is no bundle"),
    ],
)
def test_what_is_not_the_bundle_is_named(folder: Path, spoil: Callable[[Path], object], said: str) -> None:
    spoil(folder)
    with pytest.raises(BundleError, match=said):
        verify_bundle(folder)


def test_the_list_of_checksums_is_one_that_sha256sum_reads(folder: Path) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("sha256sum is not installed")
    check = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    assert subprocess.run(check, cwd=folder, capture_output=True, check=False).returncode == 0
    flipped(folder)
    done = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "wheels/a.whl" in done.stdout


def test_the_script_refuses_a_damaged_bundle_and_another_python_before_it_installs(folder: Path) -> None:
    run = ["sh", "install.sh"]
    flipped(folder)
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    (folder / "install.sh").write_text(install_script(here, "configs/run.yaml"))
    environment = {**os.environ, "PYTHON": sys.executable}
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 2
    assert "not whole" in done.stderr
    (folder / "install.sh").write_text(install_script("2.7", "configs/run.yaml"))
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Python 2.7" in done.stderr
    assert not (folder / ".venv").exists()


def test_a_configuration_leads_into_the_bundle_and_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text("{{ messages }}")
    values = {
        "benchmark.path": "/data/bench", "model.path": "/data/models/m", "judge.path": "embedded",
        "model.chat_template": str(tmp_path / "t.jinja"), "model.sampling.max_tokens": 77, "seed": 3,
    }  # fmt: skip
    config = load_run_config(None, values=values)
    places = {
        "/data/bench": "benchmarks/bench", "/data/models/m": "models/m", "embedded": "models/embedded",
        str(tmp_path / "t.jinja"): "templates/t.jinja",
    }  # fmt: skip
    tree = bundled_config(config, places)
    assert tree["benchmark"]["path"] == "benchmarks/bench"
    assert (tree["model"]["path"], tree["judge"]["path"]) == ("models/m", "models/embedded")
    assert tree["model"]["chat_template"] == "templates/t.jinja"
    assert (tree["model"]["sampling"]["max_tokens"], tree["seed"]) == (77, 3)
