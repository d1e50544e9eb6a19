"""The doctor's memory arithmetic: exact where it can be worked out by hand, and safe where it is an estimate."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from cfe_local.engines.devices import KNOWN, parse_device, read_driver_line
from cfe_local.engines.model_shape import read_shape, shape_of, weight_bytes
from cfe_local.errors import ModelError, UsageError
from cfe_local.jobs.memory import EngineSettings, plan_memory, sequence_bytes, token_bytes

LLAMA = {
    "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "hidden_size": 8192,
    "intermediate_size": 28672, "vocab_size": 128256,
}  # fmt: skip
"""Shape of Llama 3 70B: arXiv:2407.21783, table 3; 320 KiB of 16-bit keys and values per token."""


@pytest.mark.parametrize(
    ("tensor", "kv_bytes", "expected"), [(1, 2, 327_680), (8, 2, 40_960), (16, 2, 40_960), (8, 1, 20_480)]
)
def test_keys_and_values_of_a_token(tensor: int, kv_bytes: int, expected: int) -> None:
    """2 x 80 layers x 8 heads x 128 x bytes, shared out over the GPUs, never fewer than one head each."""
    assert token_bytes(shape_of(LLAMA), tensor, kv_bytes) == expected


def test_a_model_that_keeps_one_head_of_latent_numbers_repeats_them_on_every_gpu() -> None:
    latent = shape_of({**LLAMA, "kv_lora_rank": 512, "qk_rope_head_dim": 64})
    assert token_bytes(latent, 1) == token_bytes(latent, 8) == 80 * 576 * 2


def test_layers_with_a_window_stop_growing_and_linear_layers_keep_a_state() -> None:
    kinds = ["sliding_attention"] * 60 + ["full_attention"] * 20
    windowed = shape_of({**LLAMA, "layer_types": kinds, "sliding_window": 1024})
    per_layer = 2 * 8 * 128 * 2
    assert sequence_bytes(windowed, 32_768) == per_layer * (20 * 32_768 + 60 * 1040)
    linear = shape_of(
        {
            **LLAMA, "full_attention_interval": 4, "linear_num_key_heads": 16, "linear_key_head_dim": 128,
            "linear_num_value_heads": 32, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4,
        }
    )  # fmt: skip
    assert linear.n_kv_layers == 20
    assert linear.state_bytes == 60 * (4 * 32 * 128 * 128 + 2 * 3 * (2 * 16 * 128 + 32 * 128))


def test_a_sequence_takes_whole_blocks() -> None:
    shape = shape_of(LLAMA)
    assert sequence_bytes(shape, 17) == sequence_bytes(shape, 32) == 32 * token_bytes(shape)


def test_a_model_of_140_gb_fits_two_large_gpus_and_not_one() -> None:
    shape, weights = shape_of(LLAMA), 141_000_000_000
    one = plan_memory(shape, weights, KNOWN["h200"], EngineSettings(max_model_len=8192))
    two = plan_memory(shape, weights, KNOWN["h200"], EngineSettings(tensor_parallel=2, max_model_len=8192))
    assert one.n_sequences == 0
    assert two.n_sequences > 10
    parts = two.weights + two.working + two.cache
    assert parts == two.room == int(141e9 * 0.92)


def test_more_gpus_a_shorter_context_or_fewer_bits_never_hold_less() -> None:
    shape, weights = shape_of(LLAMA), 141_000_000_000
    held = [
        plan_memory(shape, weights, KNOWN["h100"], EngineSettings(tensor_parallel=size, max_model_len=8192)).n_sequences
        for size in (2, 4, 8)
    ]
    assert held == sorted(held)
    short = plan_memory(shape, weights, KNOWN["h100"], EngineSettings(tensor_parallel=8, max_model_len=4096))
    small = plan_memory(
        shape, weights, KNOWN["h100"], EngineSettings(tensor_parallel=8, max_model_len=8192, kv_bytes=1)
    )
    assert short.n_sequences > held[-1]
    assert small.n_sequences > held[-1]


def test_a_cpu_cache_has_the_size_that_was_set() -> None:
    plan = plan_memory(shape_of(LLAMA), 0, parse_device("cpu"), EngineSettings(max_model_len=64, fixed_cache=2**20))
    assert plan.cache == 2**20


def test_a_config_without_layers_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match="num_hidden_layers, num_attention_heads"):
        shape_of({"hidden_size": 64})


@pytest.mark.parametrize(
    ("dtype", "tied", "expected"),
    [
        ("auto", False, 2 * 30 + 8),
        ("float32", False, 4 * 30 + 8),
        ("auto", True, 2 * 20 + 8),
        ("bfloat16", True, 2 * 20 + 8),
    ],
)
def test_weights_are_counted_in_the_type_that_they_are_loaded_in(
    tmp_path: Path, dtype: str, tied: bool, expected: int
) -> None:
    """20 and 10 floats, and two 32-bit integers that stay so; a tied output layer is not loaded twice."""
    tensors = {
        "embed": np.zeros((4, 5), np.float32),
        "lm_head.weight": np.zeros(10, np.float16),
        "map": np.zeros(2, np.int32),
    }
    save_file(tensors, tmp_path / "model.safetensors")
    config = {**LLAMA, "dtype": "float32", "tie_word_embeddings": tied}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert weight_bytes(tmp_path, read_shape(tmp_path), dtype) == expected


@pytest.mark.parametrize(
    ("text", "name", "count"), [("h200x8", "h200", 8), ("A100-80x4", "a100-80", 4), ("l4", "l4", 1), ("cpu", "cpu", 1)]
)
def test_devices_are_written_with_their_number(text: str, name: str, count: int) -> None:
    device = parse_device(text)
    assert (device.name, device.count) == (name, count)


@pytest.mark.parametrize("text", ["h300", "h200x0", "", "x8", "h200 x 8"])
def test_a_device_that_is_not_known_is_refused_with_the_table(text: str) -> None:
    with pytest.raises(UsageError, match="h200"):
        parse_device(text)


def test_the_drivers_answer_is_read() -> None:
    device = read_driver_line("NVIDIA H200, 143771, 9.0")
    assert device is not None
    assert (device.name, device.capability) == ("NVIDIA H200", (9, 0))
    assert math.isclose(device.memory_bytes, 140.4 * 2**30, rel_tol=0.01)
    assert read_driver_line("No devices were found") is None
