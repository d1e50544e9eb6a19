"""Engines that tests share: each is loaded once per session, because loading is what takes long."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from cfe_local.config import ModelConfig
from cfe_local.config.model import StructuredBackend
from cfe_local.engines.models import resolve_model
from cfe_local.engines.process import EngineProcess
from cfe_local.errors import ModelError
from tests import tiny_models

CONTEXT = 1024


@pytest.fixture(scope="session")
def engine_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the shared engines write."""
    return tmp_path_factory.mktemp("engine-logs")


@pytest.fixture(scope="session")
def smollm(engine_logs: Path) -> Iterator[EngineProcess]:
    """A small real model that speaks, in vLLM, with Outlines."""
    _need("vllm")
    try:
        path = str(resolve_model("smollm2-135m-instruct"))
    except ModelError as error:
        pytest.skip(str(error))
    with EngineProcess(_model(path, "outlines"), log_path=engine_logs / "smollm.log") as engine:
        yield engine


@pytest.fixture(scope="session")
def tiny_qwen_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model with Qwen3.5's architecture, image tokens and thinking template."""
    _need("transformers")
    return tiny_models.build_qwen3_5(tmp_path_factory.mktemp("models") / "tiny-qwen3.5")


@pytest.fixture(scope="session")
def tiny_internvl_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model with InternVL's architecture and image tokens."""
    _need("transformers")
    return tiny_models.build_internvl(tmp_path_factory.mktemp("models") / "tiny-internvl")


@pytest.fixture(scope="session")
def tiny_qwen(engine_logs: Path, tiny_qwen_folder: Path) -> Iterator[EngineProcess]:
    """In vLLM, with guidance, thinking open."""
    _need("vllm")
    model = _model(str(tiny_qwen_folder), "guidance").model_copy(
        update={"chat_template_kwargs": {"enable_thinking": True}}
    )
    with EngineProcess(model, log_path=engine_logs / "tiny-qwen.log") as engine:
        yield engine


@pytest.fixture(scope="session")
def tiny_internvl(engine_logs: Path, tiny_internvl_folder: Path) -> Iterator[EngineProcess]:
    """In vLLM, with xgrammar."""
    _need("vllm")
    with EngineProcess(
        _model(str(tiny_internvl_folder), "xgrammar"), log_path=engine_logs / "tiny-internvl.log"
    ) as engine:
        yield engine


def _need(package: str) -> None:
    """Skip where a package is missing, without importing it: that alone takes vLLM half a minute, and each engine
    process does it anyway.
    """
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"needs {package}")


def _model(path: str, backend: StructuredBackend) -> ModelConfig:
    return ModelConfig(
        path=path,
        structured_backend=backend,
        max_in_flight=16,
        engine_args={"max_model_len": CONTEXT},
        env={"VLLM_CPU_KVCACHE_SPACE": "1", "OMP_WAIT_POLICY": "passive"},
    )
