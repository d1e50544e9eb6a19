"""What a model's config.json and weight headers say about its size: layers, heads, bytes. Reads JSON and headers only.

Not here: how much of it fits where (``jobs.memory``), whether the folder is whole (``engines.model_folder``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfe_local.engines.model_folder import safetensors_header
from cfe_local.errors import ModelError

TEXT_SECTIONS = ("text_config", "llm_config", "language_config", "thinker_config")
"""Where models with images keep the settings of their language part."""

DTYPE_BYTES: Mapping[str, int] = {"float32": 4, "float16": 2, "bfloat16": 2, "half": 2, "float": 4}
_FLOAT_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
"""Tensor types that an engine converts to its own dtype; all others are loaded as they are."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Figures that decide how much memory a model takes; None where config.json does not say.

    Attributes:
        architectures: Class names, as vLLM looks them up.
        n_heads: Attention heads of one layer; ``n_kv_heads`` those that are cached.
        n_kv_layers: Layers that cache keys and values of the whole context.
        n_window_layers: Layers that cache only the last ``window`` tokens.
        state_bytes: Recurrent state of one sequence over all layers that have one, bytes.
        latent_size: Numbers cached per token and layer where attention is latent (MLA); replaces heads.
        context: Longest context that the makers state, tokens.
        dtype: As config.json names it.
        quantization: Name of the method, empty where weights are plain.
    """

    architectures: tuple[str, ...]
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    hidden_size: int
    intermediate_size: int
    vocabulary: int
    n_kv_layers: int
    n_window_layers: int = 0
    window: int = 0
    state_bytes: int = 0
    latent_size: int = 0
    context: int | None = None
    dtype: str = "bfloat16"
    quantization: str = ""
    sees_images: bool = False
    is_tied: bool = False


def read_shape(folder: Path) -> ModelShape:
    """Read a model folder's shape.

    Raises:
        ModelError: If config.json is missing, is no JSON, or lacks layers and heads; the message names what.
    """
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: not readable as JSON: {error}\nFix: copy the model folder again.") from error
    return shape_of(config, where=str(path))


def shape_of(config: Mapping[str, Any], *, where: str = "config.json") -> ModelShape:
    """As ``read_shape``, from the content of config.json."""
    text = next((config[name] for name in TEXT_SECTIONS if isinstance(config.get(name), dict)), config)
    missing = [name for name in ("num_hidden_layers", "num_attention_heads", "hidden_size") if not text.get(name)]
    if missing:
        raise ModelError(
            f"{where}: does not say {', '.join(missing)}, so its memory cannot be computed\n"
            "Fix: check that this is the model's own config.json."
        )
    n_layers, n_heads = int(text["num_hidden_layers"]), int(text["num_attention_heads"])
    kinds = _layer_kinds(text, n_layers)
    context = text.get("max_position_embeddings") or config.get("max_position_embeddings")
    latent = int(text.get("kv_lora_rank") or 0)
    return ModelShape(
        architectures=tuple(config.get("architectures") or ()),
        n_layers=n_layers,
        n_heads=n_heads,
        n_kv_heads=int(text.get("num_key_value_heads") or n_heads),
        head_dim=int(text.get("head_dim") or int(text["hidden_size"]) // n_heads),
        hidden_size=int(text["hidden_size"]),
        intermediate_size=_widest(text),
        vocabulary=int(text.get("vocab_size") or 0),
        n_kv_layers=kinds.count("full"),
        n_window_layers=kinds.count("window"),
        window=int(text.get("sliding_window") or 0),
        state_bytes=kinds.count("state") * _state_bytes(text),
        latent_size=latent + int(text.get("qk_rope_head_dim") or 0) if latent else 0,
        context=int(context) if context else None,
        dtype=str(config.get("dtype") or config.get("torch_dtype") or text.get("dtype") or "bfloat16"),
        quantization=_quantization(config, text),
        sees_images=any(isinstance(config.get(name), dict) for name in ("vision_config", "visual_config")),
        is_tied=bool(config.get("tie_word_embeddings", text.get("tie_word_embeddings", False))),
    )


def weight_bytes(folder: Path, shape: ModelShape, dtype: str = "auto") -> int:
    """Bytes that the weights take once loaded, over all GPUs together.

    Args:
        folder: The model folder.
        shape: Its shape.
        dtype: What the engine converts floating-point weights to; ``auto`` keeps bfloat16 and halves float32.

    Raises:
        ModelError: If a weight file's header cannot be read.
    """
    wide = DTYPE_BYTES.get(dtype) or min(2, DTYPE_BYTES.get(shape.dtype, 2))
    total = 0
    for path in sorted(folder.glob("*.safetensors")):
        try:
            tensors = json.loads(safetensors_header(path))
            for name, tensor in tensors.items():
                if name == "__metadata__" or (shape.is_tied and name.endswith("lm_head.weight")):
                    continue
                start, end = tensor["data_offsets"]
                is_float = tensor["dtype"] in _FLOAT_BYTES and not shape.quantization
                total += math.prod(tensor["shape"]) * wide if is_float else end - start
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path}: no readable safetensors header: {error}\nFix: copy this file again.") from error
    return total


def _layer_kinds(text: Mapping[str, Any], n_layers: int) -> list[str]:
    """Per layer what it keeps of a sequence: ``full``, ``window`` or ``state``."""
    named = text.get("layer_types")
    if isinstance(named, list) and len(named) == n_layers:
        return [_kind(str(name)) for name in named]
    if text.get("linear_num_key_heads") or text.get("full_attention_interval"):
        every = int(text.get("full_attention_interval") or 4)
        return ["full" if (layer + 1) % every == 0 else "state" for layer in range(n_layers)]
    everywhere = text.get("sliding_window") and text.get("use_sliding_window", True)
    return ["window" if everywhere else "full"] * n_layers


def _kind(name: str) -> str:
    if "linear" in name or "mamba" in name:
        return "state"
    return "window" if "sliding" in name or "chunked" in name else "full"


def _state_bytes(text: Mapping[str, Any]) -> int:
    """What a linear-attention layer keeps of a sequence: its convolution's window (16 bits), its state (32 bits)."""
    keys = int(text.get("linear_num_key_heads") or 0) * int(text.get("linear_key_head_dim") or 0)
    n_values, value_dim = int(text.get("linear_num_value_heads") or 0), int(text.get("linear_value_head_dim") or 0)
    window = (2 * keys + n_values * value_dim) * (int(text.get("linear_conv_kernel_dim") or 1) - 1)
    return 2 * window + 4 * n_values * int(text.get("linear_key_head_dim") or 0) * value_dim


def _widest(text: Mapping[str, Any]) -> int:
    """Widest inner layer that one token passes through; a mixture sends it through several small ones."""
    dense = int(text.get("intermediate_size") or 0)
    routed = int(text.get("moe_intermediate_size") or 0) * int(text.get("num_experts_per_tok") or 1)
    return max(dense, routed)


def _quantization(config: Mapping[str, Any], text: Mapping[str, Any]) -> str:
    section = config.get("quantization_config") or text.get("quantization_config") or {}
    return str(section.get("quant_method", "")) if isinstance(section, dict) else ""
