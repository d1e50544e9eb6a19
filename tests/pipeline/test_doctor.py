"""The doctor over whole runs: nothing is said about a sound one, and each planted fault is found with its remedy."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from cfe_local.config import load_run_config
from cfe_local.engines.devices import Device, parse_device
from cfe_local.jobs.findings import Examination, Finding
from cfe_local.pipeline.doctor import Request, examine
from cfe_local.store.lock import LOCK_NAME
from tests.jobs.model_folders import build_folder, change_config

PINS = "numpy==1.0.0 \\\n    --hash=sha256:00\n"


@dataclass
class Scene:
    """A run that nothing is wrong with, and where to spoil it."""

    root: Path
    settings: dict[str, Any] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)
    device: Device = field(default_factory=lambda: parse_device("h100x8"))
    request: dict[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.root / "model"

    @property
    def out(self) -> Path:
        return self.root / "runs" / "one"

    def set(self, **settings: Any) -> None:
        self.settings |= {name.replace("__", "."): value for name, value in settings.items()}

    def examine(self) -> Examination:
        values = {
            "benchmark.path": "sample",
            "model.path": str(self.folder),
            "selection.rows": ["text:0-3"],
            "model.engine_args.max_model_len": 8192,
            "model.sampling.max_tokens": 512,
            "model.sampling.thinking_tokens": 1024,
            "out": self.out,
        }
        config = load_run_config(None, values=values | self.settings)
        request = Request(config=config, device=self.device, is_here=False)
        return examine(replace(request, **self.request), self.environ)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    build_folder(tmp_path / "model")
    return Scene(tmp_path)


def short_weights(scene: Scene) -> None:
    path = scene.folder / "model-2.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def swapped_index(scene: Scene) -> None:
    places = {"model.embed.weight": "model-2.safetensors", "lm_head.weight": "model-1.safetensors"}
    (scene.folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))


def listed_hash_differs(scene: Scene) -> None:
    (scene.folder / "SHA256SUMS").write_text(f"{hashlib.sha256(b'other').hexdigest()}  config.json\n")


def broken_template(scene: Scene) -> None:
    (scene.folder / "chat_template.jinja").write_text("{% for message in messages %}{{ message }}")


def earlier_run(scene: Scene) -> None:
    """A run with another seed in the same folder."""
    from cfe_local.pipeline.plan import plan_run
    from cfe_local.pipeline.run import open_run

    values = {"benchmark.path": "sample", "model.path": str(scene.folder), "seed": 5, "out": scene.out}
    open_run(plan_run(load_run_config(None, values=values))).close()


def out_is_a_file(scene: Scene) -> None:
    scene.out.parent.write_text("not a folder")


def foreign_folder(scene: Scene) -> None:
    scene.out.mkdir(parents=True)
    (scene.out / "thesis.tex").write_text("dear diary")


def other_pins(scene: Scene) -> None:
    (scene.root / "pins.txt").write_text(PINS)
    scene.request["requirements"] = scene.root / "pins.txt"


def eyes_without_processor(scene: Scene) -> None:
    change_config(scene.folder, vision_config={})
    scene.set(selection__rows=["mm:0-7"])


def huge_cache(scene: Scene) -> None:
    """1,024 layers of 64 heads of 512: 128 MiB a token."""
    change_config(scene.folder, num_hidden_layers=1024, num_key_value_heads=64, head_dim=512, num_attention_heads=64)


Plant = Callable[[Scene], object]
PLANTS: Mapping[str, tuple[Plant, tuple[str, str, str], str]] = {
    "a weight file is missing": (
        lambda s: (s.folder / "model-1.safetensors").unlink(),
        ("model", "folder", "error"),
        "copy the model folder again",
    ),
    "a weight file is cut off": (short_weights, ("model", "folder", "error"), "only half there"),
    "the index is of another release": (swapped_index, ("model", "folder", "error"), "one and the same release"),
    "a listed sha256 differs": (listed_hash_differs, ("model", "sha256", "error"), "copy this file again"),
    "no tokenizer": (lambda s: (s.folder / "tokenizer.json").unlink(), ("model", "folder", "error"), "tokenizer files"),
    "no chat template": (
        lambda s: (s.folder / "chat_template.jinja").unlink(),
        ("model", "folder", "error"),
        "instruction-tuned variant",
    ),
    "a broken chat template": (broken_template, ("model", "chat template", "error"), "copy the template again"),
    "a template setting that it never looks at": (
        lambda s: s.set(model__chat_template_kwargs={"enable_thinkng": False}),
        ("model", "chat template", "warning"),
        "correct the name",
    ),
    "an architecture that vLLM does not know": (
        lambda s: change_config(s.folder, architectures=["InternVLChatModel2"]),
        ("model", "architecture", "error"),
        "-HF",
    ),
    "images for a model without eyes": (
        lambda s: s.set(selection__rows=["mm:0-7"]),
        ("model", "images", "error"),
        "--split text",
    ),
    "no image processor": (
        eyes_without_processor,
        ("model", "images", "error"),
        "processor files",
    ),
    "answer as long as the context": (
        lambda s: s.set(model__sampling__max_tokens=8192),
        ("model", "context", "error"),
        "lower model.sampling.max_tokens",
    ),
    "a prompt that leaves no room": (
        lambda s: s.set(model__sampling__max_tokens=8100),
        ("model", "context", "error"),
        "model.engine_args.max_model_len to",
    ),
    "thinking that leaves no room": (
        lambda s: s.set(model__sampling__thinking_tokens=8000),
        ("model", "context", "warning"),
        "thinking_tokens",
    ),
    "a context beyond the model's": (
        lambda s: s.set(model__engine_args__max_model_len=65536),
        ("model", "context", "error"),
        "at most 16384",
    ),
    "more GPUs than the node has": (
        lambda s: s.set(model__engine_args__tensor_parallel_size=16),
        ("model", "parallel", "error"),
        "tensor_parallel_size to 4",
    ),
    "heads that cannot be shared": (
        lambda s: s.set(model__engine_args__tensor_parallel_size=8),
        ("model", "parallel", "error"),
        "tensor_parallel_size to 4",
    ),
    "a cache without room": (huge_cache, ("model", "memory", "error"), "tensor_parallel_size to"),
    "bfloat16 on an old GPU": (
        lambda s: setattr(s, "device", parse_device("v100-32x8")),
        ("model", "dtype", "error"),
        "dtype to float16",
    ),
    "a quantisation that vLLM dropped": (
        lambda s: change_config(s.folder, quantization_config={"quant_method": "bitsandbytes"}),
        ("model", "quantisation", "error"),
        "16 bits",
    ),
    "a quantisation beyond the device": (
        lambda s: change_config(s.folder, quantization_config={"quant_method": "fp_quant"}),
        ("model", "quantisation", "error"),
        "newer device",
    ),
    "no model at all": (lambda s: s.set(model__path="/nowhere/model"), ("model", "folder", "error"), "local folder"),
    "no benchmark": (lambda s: s.set(benchmark__path="/nowhere"), ("run", "benchmark", "error"), "give the folder"),
    "settings that make no sense together": (
        lambda s: s.set(experiment__k=[4]),
        ("run", "plan", "error"),
        "--samples 4",
    ),
    "an output folder below a file": (out_is_a_file, ("run", "output", "error"), "choose another folder"),
    "a folder of something else": (foreign_folder, ("run", "output", "error"), "empty or new folder"),
    "an earlier run with another seed": (earlier_run, ("run", "output", "error"), "--fresh"),
    "packages of other versions": (other_pins, ("machine", "versions", "warning"), "scripts/setup"),
    "vLLM sent to another hub": (
        lambda s: s.environ.update(VLLM_USE_MODELSCOPE="True"),
        ("machine", "offline", "error"),
        "unset VLLM_USE_MODELSCOPE",
    ),
    "an engine that listens beyond the machine": (
        lambda s: s.environ.update(VLLM_HOST_IP="10.0.0.7"),
        ("machine", "offline", "warning"),
        "unset VLLM_HOST_IP",
    ),
    "the network allowed": (
        lambda s: s.set(allow_network=True),
        ("machine", "offline", "warning"),
        "leave allow_network",
    ),
}


def of(found: Examination, wanted: tuple[str, str, str]) -> list[Finding]:
    return [one for one in found.findings if (one.about, one.check, one.level) == wanted]


def test_nothing_is_wrong_with_a_sound_run(scene: Scene) -> None:
    found = scene.examine()
    assert [one for one in found.findings if one.level != "ok"] == []
    checks = {(one.about, one.check) for one in found.findings if one.level == "ok"}
    assert {
        ("model", "folder"),
        ("model", "memory"),
        ("model", "context"),
        ("run", "disk"),
        ("machine", "clock"),
    } <= checks
    assert not scene.out.exists()


@pytest.mark.parametrize(("plant", "wanted", "remedy"), list(PLANTS.values()), ids=list(PLANTS))
def test_a_planted_fault_is_found_with_its_remedy(
    scene: Scene, plant: Plant, wanted: tuple[str, str, str], remedy: str
) -> None:
    if "architecture" in wanted and importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed")
    plant(scene)
    found = of(scene.examine(), wanted)
    assert any(remedy in one.remedy for one in found), [one.remedy for one in found]


def test_devices_that_the_scheduler_hides_are_missed_on_this_machine_alone(scene: Scene) -> None:
    scene.set(model__engine_args__tensor_parallel_size=4)
    scene.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
    assert not of(scene.examine(), ("machine", "devices", "error"))
    scene.request["is_here"] = True
    (one,) = of(scene.examine(), ("machine", "devices", "error"))
    assert "shows 2 GPUs, the engine takes 4" in one.message


def test_a_run_that_goes_on_is_told_from_one_that_somebody_writes(scene: Scene) -> None:
    scene.set(seed=5)
    earlier_run(scene)
    scene.settings |= {"selection.rows": [], "model.engine_args.max_model_len": 8192}
    found = scene.examine()
    assert of(found, ("run", "output", "error"))  # the options of the model differ
    (scene.out / LOCK_NAME).write_text("{}")
    assert not of(scene.examine(), ("run", "output", "ok"))


def test_a_model_without_folder_stops_no_other_check(scene: Scene) -> None:
    scene.set(model__path="/nowhere/model")
    found = scene.examine()
    assert of(found, ("run", "benchmark", "ok"))
    assert of(found, ("machine", "clock", "ok"))


def test_thousands_of_prompts_are_examined_in_seconds(scene: Scene) -> None:
    scene.set(selection__rows=["text:0-11"], experiment__samples=200)
    started = time.monotonic()
    scene.examine()
    assert time.monotonic() - started < 30


def test_json_has_every_finding(tmp_path: Path) -> None:
    import subprocess
    import sys

    folder = build_folder(tmp_path / "model")
    command = [
        str(Path(sys.executable).with_name("cfe-local")),
        "doctor",
        "--model",
        str(folder),
        "--benchmark",
        "sample",
    ]
    command += ["--out", str(tmp_path / "run"), "--gpu", "v100-16", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env={**os.environ})
    findings = json.loads(done.stdout)["findings"]
    assert {one["check"] for one in findings if one["level"] == "error"} >= {"dtype"}
    assert done.returncode == 7
    assert "Fix:" in done.stderr
