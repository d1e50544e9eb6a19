"""Turns a ModelConfig into arguments for vLLM's ``LLM``: the user's under vLLM's own names, and our defaults.

Not here: loading anything.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cfe_local.config.model import ModelConfig
from cfe_local.errors import UsageError

OURS: Mapping[str, str] = {
    "model": "model.path",
    "tokenizer": "the model folder's own tokenizer",
    "trust_remote_code": "model.trust_remote_code",
    "structured_outputs_config": "model.structured_backend",
    "seed": "the run's seed, from which every sample gets its own",
    "chat_template": "model.chat_template",
    "data_parallel_size": "several runs side by side, one per replica",
}
"""Options that have their own place in the configuration."""

TOKENIZER_FILES = (
    "chat_template.jinja",
    "chat_template.json",
    "tokenizer_config.json",
    "added_tokens.json",
    "tokenizer.json",
)


def known_options() -> frozenset[str]:
    """Names that the installed vLLM takes."""
    from vllm.engine.arg_utils import EngineArgs

    return frozenset(field.name for field in dataclasses.fields(EngineArgs))


def check_options(names: Iterable[str], known: frozenset[str]) -> None:
    """Refuse options that vLLM does not have, or that belong elsewhere in the configuration.

    Raises:
        UsageError: Naming the nearest known option.
    """
    for name in names:
        if name in OURS:
            raise UsageError(f"engine_args.{name}: not to be set here\nFix: this is decided by {OURS[name]}.")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "see the options of vLLM's EngineArgs."
            raise UsageError(f"engine_args.{name}: the installed vLLM has no such option\nFix: {hint}")


def folder_mentions(folder: Path, text: str, chat_template: Path | None = None) -> bool:
    """Whether tokenizer or chat template of a model contain a text, such as its thinking mark."""
    wanted = text.encode()
    paths = [folder / name for name in TOKENIZER_FILES]
    return any(path.is_file() and wanted in path.read_bytes() for path in [*paths, chat_template] if path is not None)


def llm_arguments(model: ModelConfig, folder: Path, *, on_cpu: bool) -> dict[str, Any]:
    """Arguments for ``vllm.LLM``.

    Args:
        model: The user's settings; ``engine_args`` win over our defaults.
        folder: The resolved model folder.
        on_cpu: Whether vLLM runs on a CPU here.

    Raises:
        UsageError: For an option that vLLM does not have.
    """
    check_options(model.engine_args, known_options())
    defaults: dict[str, Any] = {
        # Templates whose content is one string otherwise move every image to the front.
        "interleave_mm_strings": True,
    }
    if on_cpu:
        # Compiling costs minutes at every start and gains little on a few cores.
        defaults["enforce_eager"] = True
        # vLLM 0.32 rewinds a seeded request's generator after each chunk of its prompt, which torch's CPU generator
        # cannot do: a prompt longer than one chunk would end the engine.
        defaults["enable_chunked_prefill"] = False
        if _has_recurrent_layers(folder):
            # Their prefix cache works only with chunked prefill. Everywhere else vLLM caches prefixes by itself.
            defaults["enable_prefix_caching"] = False
    reasoning = {"reasoning_config", "reasoning_parser"}
    if not reasoning & set(model.engine_args) and folder_mentions(folder, model.thinking_start, model.chat_template):
        # Without this vLLM 0.32 refuses thinking_token_budget.
        defaults["reasoning_config"] = _reasoning_config(model)
    structured: dict[str, Any] = {"backend": model.structured_backend}
    if model.structured_backend == "guidance":
        # As in the other backends: properties that a schema does not name do not exist.
        structured["disable_additional_properties"] = True
    return {
        **defaults,
        **model.engine_args,
        "model": str(folder),
        "trust_remote_code": model.trust_remote_code,
        "chat_template": str(model.chat_template) if model.chat_template is not None else None,
        "structured_outputs_config": structured,
    }


def _has_recurrent_layers(folder: Path) -> bool:
    """Whether some layers keep a state instead of keys and values, as in Qwen3.5."""
    path = folder / "config.json"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return any(word in text for word in ("linear_attention", "mamba", "linear_num_key_heads"))


def _reasoning_config(model: ModelConfig) -> object:
    from vllm.config.reasoning import ReasoningConfig

    return ReasoningConfig(reasoning_start_str=model.thinking_start, reasoning_end_str=model.thinking_end)
