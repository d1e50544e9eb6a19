"""The command line with real models on real vLLM: killed and resumed, images, and all of it without a network."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from cfe_local.engines.models import resolve_model
from cfe_local.errors import ModelError
from cfe_local.records import Response
from tests import tiny_models

pytestmark = pytest.mark.engine

REPOSITORY = Path(__file__).parents[2]
CFE_LOCAL = str(Path(sys.executable).with_name("cfe-local"))
LOOPBACK_ONLY = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


def can_cut_the_network() -> bool:
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    return subprocess.run([*LOOPBACK_ONLY, "true"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def examinee() -> str:
    name = "smollm2-135m-instruct"
    try:
        resolve_model(name)
    except ModelError:
        pytest.skip(f"cfe-local models prepare {name} was not run")
    return name


def test_a_run_killed_twice_ends_like_one_that_was_left_alone_and_needs_no_network(
    tmp_path: Path, examinee: str
) -> None:
    """One SIGKILL while it generates, one while it grades; scripts/soak has the long series."""
    if not can_cut_the_network():
        pytest.skip("needs the right to make a network namespace, unshare and ip")
    soak = [sys.executable, str(REPOSITORY / "scripts/soak"), "--kills", "1", "--limit", "2", "--max-tokens", "48"]
    done = subprocess.run(
        [*LOOPBACK_ONLY, *soak, "--protocols", "s2s", "--model", examinee, "--out", str(tmp_path / "soak")],
        capture_output=True, text=True, timeout=1200, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "generation 1: killed" in done.stdout
    assert "grading 1: killed" in done.stdout
    assert "identical to the run that was left alone" in done.stdout


def test_every_image_problem_gets_an_outcome_with_all_its_images(tmp_path: Path) -> None:
    model = tiny_models.build_internvl(tmp_path / "tiny-internvl")
    out = tmp_path / "run"
    command = [CFE_LOCAL, "generate", "--model", str(model), "--benchmark", "sample", "--split", "mm"]
    settings = {
        "model.sampling.max_tokens": 8,
        "model.sampling.thinking_tokens": 8,  # a random model that may think, and never stops, uses all of both
        "model.sampling.temperature": 0,
        "model.engine_args.max_num_seqs": 4,
    }
    changes = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    done = subprocess.run(
        [*command, "--out", str(out), *changes], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    responses = [Response.model_validate_json(line) for line in (out / "responses.jsonl").read_text().splitlines()]
    cases = [json.loads(line) for line in (out / "cases.jsonl").read_text().splitlines()]
    planned = {
        case["key"]["row"]: sum(part["kind"] == "image" for message in case["messages"] for part in message["parts"])
        for case in cases
    }
    assert {r.key.row: r.n_images for r in responses} == planned
    assert Counter(r.outcome for r in responses).keys() <= {"answered", "truncated"}
