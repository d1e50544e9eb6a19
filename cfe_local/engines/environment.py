"""The environment of an engine process: offline, no telemetry, loopback only, and sensible thread counts on a CPU.

Set before the process starts, because several of these are read at import, and OpenMP's at load.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from cfe_local.config.model import ModelConfig
from cfe_local.engines.network_guard import GUARD_VARIABLE

OFFLINE: Mapping[str, str] = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Not to be overridden while the network is off."""


def offline_environment() -> dict[str, str]:
    """What the driver sets in its own environment before it imports anything that could reach a hub."""
    return dict(OFFLINE)


def engine_environment(model: ModelConfig, *, allow_network: bool, base: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of the engine process.

    Args:
        model: Its ``env`` wins over ``base`` and over the defaults here.
        allow_network: Off: the offline variables are set, whatever ``base`` and ``model.env`` say.
        base: The driver's environment.
    """
    defaults = {
        # vLLM otherwise opens a UDP socket to a public address to find its own.
        "VLLM_HOST_IP": "127.0.0.1",
        # One process per engine: scheduling does not depend on timing between processes, and less is left behind.
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_CPU_KVCACHE_SPACE": str(_kv_cache_gib()),
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONUNBUFFERED": "1",
        "PYTHONFAULTHANDLER": "1",
    }
    environment = {**defaults, **base, **model.env}
    if not allow_network:
        environment.update(OFFLINE)
        environment[GUARD_VARIABLE] = "1"
    return environment


def _kv_cache_gib() -> int:
    """KV cache on a CPU, GiB: an eighth of the memory, at least 1, at most 16; vLLM itself would take most of it."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(16, total // 8 // 2**30))
