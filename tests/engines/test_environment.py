"""The environment that an engine process gets."""

from __future__ import annotations

import pytest

from cfe_local.config import ModelConfig
from cfe_local.engines.environment import OFFLINE, engine_environment

MODEL = ModelConfig(path="m", env={"HF_HUB_OFFLINE": "0", "OMP_NUM_THREADS": "3", "VLLM_HOST_IP": "127.0.0.2"})


def test_offline_is_not_to_be_talked_out_of() -> None:
    environment = engine_environment(MODEL, allow_network=False, base={"TRANSFORMERS_OFFLINE": "0"})
    assert {name: environment[name] for name in OFFLINE} == dict(OFFLINE)


def test_with_the_network_allowed_the_user_decides() -> None:
    environment = engine_environment(MODEL, allow_network=True, base={})
    assert environment["HF_HUB_OFFLINE"] == "0"


@pytest.mark.parametrize(
    ("name", "base", "value"),
    [
        ("OMP_NUM_THREADS", {"OMP_NUM_THREADS": "8"}, "3"),  # the model's own comes before the driver's
        ("VLLM_HOST_IP", {}, "127.0.0.2"),  # and before our default
        ("VLLM_CPU_KVCACHE_SPACE", {"VLLM_CPU_KVCACHE_SPACE": "7"}, "7"),  # the driver's before our default
        ("PATH", {"PATH": "/bin"}, "/bin"),
    ],
)
def test_the_nearer_setting_wins(name: str, base: dict[str, str], value: str) -> None:
    assert engine_environment(MODEL, allow_network=False, base=base)[name] == value


def test_a_kv_cache_of_whole_gib_is_asked_for() -> None:
    assert (
        1
        <= int(engine_environment(ModelConfig(path="m"), allow_network=False, base={})["VLLM_CPU_KVCACHE_SPACE"])
        <= 16
    )
