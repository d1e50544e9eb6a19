"""Options for vLLM. What needs vLLM itself is marked, because importing it takes many seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfe_local.config import ModelConfig
from cfe_local.engines.vllm_options import check_options, folder_mentions, known_options, llm_arguments
from cfe_local.errors import UsageError

KNOWN = frozenset({"max_model_len", "tensor_parallel_size", "gpu_memory_utilization", "model", "seed"})


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("max_modell_len", "did you mean max_model_len?"),
        ("tensor_parallel", "did you mean tensor_parallel_size?"),
        ("zzz", "EngineArgs"),
        ("model", "model.path"),
        ("seed", "the run's seed"),
        ("structured_outputs_config", "model.structured_backend"),
    ],
)
def test_an_option_that_does_not_exist_or_belongs_elsewhere_is_refused_with_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_options([name], KNOWN)
    assert name in str(caught.value)
    assert hint in str(caught.value)


def test_known_options_pass() -> None:
    check_options(["max_model_len", "gpu_memory_utilization"], KNOWN)


def test_a_mark_is_found_in_the_template_or_the_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text('{"added_tokens": [{"content": "<think>"}]}')
    own = tmp_path / "own.jinja"
    own.write_text("[THINK]")
    assert folder_mentions(tmp_path, "<think>")
    assert not folder_mentions(tmp_path, "[THINK]")
    assert folder_mentions(tmp_path, "[THINK]", own)
    assert not folder_mentions(tmp_path / "nowhere", "<think>")


@pytest.mark.engine
def test_the_users_options_win_over_our_defaults(tmp_path: Path) -> None:
    pytest.importorskip("vllm")
    assert {"max_model_len", "reasoning_config", "interleave_mm_strings"} <= known_options()
    model = ModelConfig(
        path="m", engine_args={"enforce_eager": False, "max_model_len": 99}, structured_backend="guidance"
    )
    arguments = llm_arguments(model, tmp_path, on_cpu=True)
    assert arguments["enforce_eager"] is False
    assert arguments["max_model_len"] == 99
    assert "enable_prefix_caching" not in arguments  # vLLM's own default: on, where the model allows it
    assert arguments["trust_remote_code"] is False
    assert arguments["structured_outputs_config"]["backend"] == "guidance"
    assert "reasoning_config" not in arguments


@pytest.mark.engine
@pytest.mark.parametrize(("on_cpu", "prefix_caching"), [(True, False), (False, None)])
def test_recurrent_layers_go_without_prefix_cache_on_a_cpu(
    tmp_path: Path, on_cpu: bool, prefix_caching: bool | None
) -> None:
    pytest.importorskip("vllm")
    (tmp_path / "config.json").write_text('{"text_config": {"layer_types": ["linear_attention", "full_attention"]}}')
    assert llm_arguments(ModelConfig(path="m"), tmp_path, on_cpu=on_cpu).get("enable_prefix_caching") is prefix_caching
