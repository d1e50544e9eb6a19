"""How much of a device a model takes: weights, KV cache, and what an engine needs besides. Pure arithmetic, in bytes.

Weights and KV cache are exact up to padding (compared with vLLM's own figures in docs/cluster.md); what an engine needs
besides is an estimate, on the large side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from cfe_local.engines.devices import Device
from cfe_local.engines.model_shape import DTYPE_BYTES, ModelShape

GIB = 2**30
DEFAULT_UTILISATION = 0.92
"""vLLM 0.32: ``gpu_memory_utilization``."""
BATCHED_TOKENS = 16_384
"""vLLM 0.32: ``max_num_batched_tokens`` of an offline engine on a large GPU; smaller ones take half."""
DEFAULT_SEQUENCES = 256
FIXED_BYTES = int(1.5 * GIB)
"""CUDA context, communication buffers, captured graphs; 1 to 1.5 GiB are usual on one GPU of a group."""
BLOCK_TOKENS = 16


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What decides the memory of one engine besides model and device.

    Attributes:
        tensor_parallel: GPUs that share every layer; ``pipeline_parallel`` those that share the layers out.
        max_model_len: Longest prompt and answer together, tokens.
        concurrency: Sequences that are worked on at once.
        kv_bytes: Bytes of one cached number: 2, or 1 with an 8-bit cache.
        fixed_cache: Size of the KV cache where it is set instead of taken from what is left, bytes.
    """

    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    max_model_len: int = 32_768
    concurrency: int = DEFAULT_SEQUENCES
    utilisation: float = DEFAULT_UTILISATION
    batched_tokens: int = BATCHED_TOKENS
    kv_bytes: int = 2
    fixed_cache: int | None = None

    @property
    def n_devices(self) -> int:
        """Devices that one engine occupies."""
        return self.tensor_parallel * self.pipeline_parallel


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """One device's memory, bytes.

    Attributes:
        room: What the engine may use.
        cache: What is left of it for keys and values; negative where not even the weights fit.
        sequence: Keys and values of one sequence of ``max_model_len``.
        token: Keys and values of one more token.
        n_tokens: Tokens that the cache holds.
        n_sequences: Sequences of full length that it holds.
    """

    room: int
    weights: int
    working: int
    cache: int
    sequence: int
    token: int

    @property
    def n_tokens(self) -> int:
        """Tokens that the cache holds, over all sequences."""
        return max(0, self.cache) // self.token if self.token else 0

    @property
    def n_sequences(self) -> float:
        """Sequences of full length that the cache holds."""
        return max(0, self.cache) / self.sequence if self.sequence else math.inf

    def shown(self) -> str:
        """The sum, for a person."""
        parts = f"{self.room / GIB:.1f} usable - {self.weights / GIB:.2f} weights - {self.working / GIB:.2f} working"
        return (
            f"{parts} = {self.cache / GIB:.1f} GiB for the KV cache; {self.token:,} bytes a token, "
            f"{self.sequence / GIB:.2f} GiB a full sequence"
        )


def token_bytes(shape: ModelShape, tensor_parallel: int = 1, kv_bytes: int = 2) -> int:
    """Keys and values of one token on one device, over the layers that keep the whole context, bytes.

    Heads are shared out over the devices, and repeated where there are fewer heads than devices.
    """
    return shape.n_kv_layers * _layer_token_bytes(shape, tensor_parallel, kv_bytes)


def sequence_bytes(shape: ModelShape, n_tokens: int, tensor_parallel: int = 1, kv_bytes: int = 2) -> int:
    """What one sequence of this length keeps on one device, in whole blocks, bytes."""
    per_layer = _layer_token_bytes(shape, tensor_parallel, kv_bytes)
    blocks = math.ceil(n_tokens / BLOCK_TOKENS) * BLOCK_TOKENS
    windowed = min(blocks, shape.window + BLOCK_TOKENS) if shape.window else blocks
    kept = shape.n_kv_layers * blocks + shape.n_window_layers * windowed
    return kept * per_layer + math.ceil(shape.state_bytes / tensor_parallel)


def plan_memory(shape: ModelShape, weights: int, device: Device, settings: EngineSettings) -> MemoryPlan:
    """Share one device's memory out.

    Args:
        shape: The model's shape.
        weights: Its weights over all devices together, bytes.
        device: What one engine runs on; on a CPU the whole machine's memory counts, and the cache has a set size.
        settings: How the engine is set.
    """
    tensor, pipeline = settings.tensor_parallel, settings.pipeline_parallel
    room = device.memory_bytes if device.is_cpu else int(device.memory_bytes * settings.utilisation)
    working = working_bytes(shape, settings)
    held = math.ceil(weights / (tensor * pipeline))
    left = room - held - working
    cache = min(left, settings.fixed_cache) if settings.fixed_cache is not None else left
    sequence = sequence_bytes(shape, settings.max_model_len, tensor, settings.kv_bytes)
    per_token = token_bytes(shape, tensor, settings.kv_bytes)
    return MemoryPlan(
        room=room,
        weights=held,
        working=working,
        cache=cache,
        sequence=math.ceil(sequence / pipeline),
        token=math.ceil(per_token / pipeline),
    )


def working_bytes(shape: ModelShape, settings: EngineSettings) -> int:
    """Estimate of what an engine needs on one device besides weights and cache, bytes.

    Per token of a batch a few copies of the hidden state and two of a layer's inner state, in 16 bits; per sequence
    its scores over the vocabulary, twice, in 32 bits; and ``FIXED_BYTES``.
    """
    inner = math.ceil(shape.intermediate_size / settings.tensor_parallel)
    per_token = 2 * (8 * shape.hidden_size + 2 * inner)
    scores = 2 * 4 * shape.vocabulary * min(settings.concurrency, DEFAULT_SEQUENCES)
    return FIXED_BYTES + settings.batched_tokens * per_token + scores


def element_bytes(kv_cache_dtype: str, dtype: str) -> int:
    """Bytes of one cached number."""
    if kv_cache_dtype.startswith(("fp8", "int8")):
        return 1
    return DTYPE_BYTES.get(dtype if kv_cache_dtype == "auto" else kv_cache_dtype, 2)


def _layer_token_bytes(shape: ModelShape, tensor_parallel: int, kv_bytes: int) -> int:
    if shape.latent_size:
        return shape.latent_size * kv_bytes
    return 2 * max(1, math.ceil(shape.n_kv_heads / tensor_parallel)) * shape.head_dim * kv_bytes
