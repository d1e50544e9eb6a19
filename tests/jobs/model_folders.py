"""Model folders for the doctor: a whole one with a byte tokenizer, made in a moment, to be spoilt by tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

TEMPLATE = (
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
    "{% if enable_thinking %}<think>\n{% endif %}"
)
CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 320,
    "max_position_embeddings": 16384,
    "dtype": "bfloat16",
}
SHARDS = {"model.embed.weight": "model-1.safetensors", "lm_head.weight": "model-2.safetensors"}


def build_folder(folder: Path) -> Path:
    """A model folder in two weight files that every check is content with."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder.mkdir(parents=True)
    alphabet = {letter: i for i, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=alphabet, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text("{}")
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    for tensor, file in SHARDS.items():
        save_file({tensor: np.zeros((320, 64), dtype=np.float16)}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": SHARDS}))
    return folder


def change_config(folder: Path, **changes: object) -> None:
    """Write other values into config.json; None takes a key out."""
    config = {**json.loads((folder / "config.json").read_text()), **changes}
    (folder / "config.json").write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
