"""Builds tiny random models that have the real architectures: seconds to make, a few MB, no download.

Their answers mean nothing, but everything around an answer is real: chat template, image tokens at their places,
preprocessing, attention, the engine's own kernels. Weights are seeded, so two builds give the same answers. Used by
tests and by ``scripts/build_tiny_models``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<img>",
    "</img>",
    "<IMG_CONTEXT>",
    "<video>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
MARKS = ("<think>", "</think>")
N_VOCABULARY = 320
"""256 bytes, the tokens above, and room: as in real models the embedding is a little larger than the tokenizer."""

CONTEXT = 32_768
SEED = 20_260_101

_TURNS = """{%- for message in messages -%}
<|im_start|>{{ message.role }}
{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content -%}
{% if part.type == 'image' or part.type == 'image_url' %}IMAGE{% else %}{{ part.text }}{% endif %}
{%- endfor %}{% endif %}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
INTERNVL_TEMPLATE = _TURNS.replace("IMAGE", "<IMG_CONTEXT>\n")
QWEN_TEMPLATE = (
    _TURNS.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>").removesuffix("{% endif %}")
    + "{% if enable_thinking is defined and enable_thinking %}<think>\n{% else %}<think>\n\n</think>\n\n{% endif %}"
    + "{% endif %}"
)
"""As Qwen3.5 does it: the template opens the thinking, or opens and closes it where thinking is off."""

THINKING_TEMPLATE = _TURNS.replace("IMAGE", "").removesuffix("{% endif %}") + (
    "{% if enable_thinking is not defined or enable_thinking %}<think>\n{% endif %}{% endif %}"
)
"""For a text model such as SmolLM2, which has no thinking of its own: thinking is open unless it is switched off."""


def byte_tokenizer(chat_template: str) -> Any:
    """A byte-level tokenizer without merges: one token per UTF-8 byte, plus the special tokens of both families."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(alphabet)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    core.add_tokens([AddedToken(token, special=False, normalized=False) for token in MARKS])
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        model_max_length=CONTEXT,
        chat_template=chat_template,
        extra_special_tokens={
            "start_image_token": "<img>",
            "end_image_token": "</img>",
            "context_image_token": "<IMG_CONTEXT>",
            "video_token": "<video>",
        },
    )


def build_internvl(folder: Path) -> Path:
    """A random ``InternVLForConditionalGeneration``: 4 image tokens per 56 px tile, up to 2 tiles and a thumbnail."""
    from transformers import (
        GotOcr2ImageProcessor,
        InternVLConfig,
        InternVLForConditionalGeneration,
        InternVLProcessor,
        InternVLVideoProcessor,
    )

    tokenizer = byte_tokenizer(INTERNVL_TEMPLATE)
    config = InternVLConfig(
        vision_config={
            "image_size": [56, 56],
            "patch_size": [14, 14],
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "layer_scale_init_value": 1.0,
        },
        text_config={
            "model_type": "qwen2",
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            **_text_ids(tokenizer),
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
        downsample_ratio=0.5,
        tie_word_embeddings=False,
    )
    images = GotOcr2ImageProcessor(size={"height": 56, "width": 56}, crop_to_patches=True, min_patches=1, max_patches=2)
    processor = InternVLProcessor(
        image_processor=images,
        tokenizer=tokenizer,
        video_processor=InternVLVideoProcessor(size={"height": 56, "width": 56}),
        image_seq_length=4,
        chat_template=INTERNVL_TEMPLATE,
    )
    return _save(InternVLForConditionalGeneration, config, processor, folder)


def build_qwen3_5(folder: Path) -> Path:
    """A random ``Qwen3_5ForConditionalGeneration``: linear and full attention, up to 16 tokens per image."""
    from transformers import (
        Qwen2VLImageProcessor,
        Qwen3_5Config,
        Qwen3_5ForConditionalGeneration,
        Qwen3VLProcessor,
        Qwen3VLVideoProcessor,
    )

    tokenizer = byte_tokenizer(QWEN_TEMPLATE)
    config = Qwen3_5Config(
        vision_config={
            "depth": 2,
            "hidden_size": 128,
            "intermediate_size": 128,
            # vLLM's attention on the CPU refuses a head dimension of 32; 64 works.
            "num_heads": 2,
            "out_hidden_size": 128,
            "num_position_embeddings": 64,
        },
        text_config={
            "hidden_size": 128,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "layer_types": ["linear_attention", "full_attention"],
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 64,
            "linear_num_key_heads": 1,
            "linear_num_value_heads": 2,
            "linear_key_head_dim": 128,
            "linear_value_head_dim": 128,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "partial_rotary_factor": 0.25,
                "mrope_section": [4, 2, 2],
                "mrope_interleaved": True,
            },
            **_text_ids(tokenizer),
        },
        **{
            f"{name}_token_id": tokenizer.convert_tokens_to_ids(token)
            for name, token in {
                "image": "<|image_pad|>",
                "video": "<|video_pad|>",
                "vision_start": "<|vision_start|>",
                "vision_end": "<|vision_end|>",
            }.items()
        },
    )
    patches = {"patch_size": 16, "merge_size": 2, "temporal_patch_size": 2}
    bounds = {"shortest_edge": 32 * 32, "longest_edge": 16 * 32 * 32}
    processor = Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(size=bounds, **patches),
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(size=bounds, **patches),
        chat_template=QWEN_TEMPLATE,
    )
    return _save(Qwen3_5ForConditionalGeneration, config, processor, folder)


BUILDERS: Mapping[str, Callable[[Path], Path]] = {"tiny-internvl": build_internvl, "tiny-qwen3.5": build_qwen3_5}


def _text_ids(tokenizer: Any) -> dict[str, Any]:
    return {
        "vocab_size": N_VOCABULARY,
        "max_position_embeddings": CONTEXT,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        "tie_word_embeddings": False,
    }


def _save(model_class: Any, config: Any, processor: Any, folder: Path) -> Path:
    import torch
    from transformers import GenerationConfig

    torch.manual_seed(SEED)
    model = model_class(config).to(torch.float32).eval()
    generator = torch.Generator().manual_seed(SEED)
    with torch.no_grad():
        for name, weight in sorted(model.named_parameters()):
            # Fresh weights are so small that every prompt gets one answer; these let images and words through, and
            # attention look at few tokens instead of at the mean of all.
            if name.endswith(("q_norm.weight", "k_norm.weight")):
                weight.fill_(1.0)
            elif "embed_tokens" in name:
                weight.copy_(torch.randn(weight.shape, generator=generator))
            elif weight.dim() >= 2 and "conv" not in name:
                fan_in = weight[0].numel()
                weight.copy_(torch.randn(weight.shape, generator=generator) * (1.6 / fan_in**0.5))
    model.generation_config = GenerationConfig(
        eos_token_id=processor.tokenizer.eos_token_id, pad_token_id=processor.tokenizer.pad_token_id
    )
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    # What save_pretrained writes for a processor is spread over files that differ between versions; these two are what
    # both engines look for.
    template = processor.chat_template
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    (folder / "tiny_model.json").write_text(json.dumps({"seed": SEED}) + "\n", encoding="utf-8")
    return folder
