"""How many tokens a prompt will take, without loading a model: the tokenizer's own count, and bounds for images."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BYTES_PER_TOKEN = 2.5
"""Where no tokenizer can be asked. English with LaTeX has about 3 bytes a token; a smaller figure is the safe side."""

TURN_TOKENS = 16
"""What a chat template adds per turn, at most, over what is counted."""


@dataclass(frozen=True, slots=True)
class TextCount:
    """Tokens per text, and whether the model's own tokenizer counted them."""

    n_tokens: tuple[int, ...]
    is_exact: bool


def count_text(folder: Path, texts: Sequence[str]) -> TextCount:
    """Count each text with the folder's tokenizer.json, or estimate where that or its reader is missing."""
    path = folder / "tokenizer.json"
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError:
        return _estimate(texts)
    if not path.is_file():
        return _estimate(texts)
    encoded = Tokenizer.from_file(str(path)).encode_batch(list(texts), add_special_tokens=False)
    return TextCount(tuple(len(one.ids) for one in encoded), is_exact=True)


def image_tokens(folder: Path, width: int, height: int) -> int | None:
    """The most tokens that an image of this size takes; None where the model's way of cutting is not known here.

    Known are tiles of a fixed number of tokens (InternVL) and one token per merged patch (Qwen-VL and successors).
    """
    config, processor = _json(folder / "config.json"), _processor(folder)
    if per_tile := config.get("image_seq_length"):
        cuts = processor.get("crop_to_patches", True)
        n_tiles = int(processor.get("max_patches") or 12) if cuts else 0
        return int(per_tile) * (n_tiles + 1 if n_tiles > 1 else 1)
    if processor.get("patch_size") and processor.get("merge_size"):
        return _merged_patches(processor, width, height)
    return None


def _merged_patches(processor: Mapping[str, Any], width: int, height: int) -> int:
    size = processor.get("size") or {}
    side = int(processor["patch_size"]) * int(processor["merge_size"])
    most = processor.get("max_pixels") or size.get("longest_edge")
    least = processor.get("min_pixels") or size.get("shortest_edge")
    pixels = max(1, width) * max(1, height)
    wanted = min(max(pixels, int(least or 0)), int(most or pixels))
    scale = math.sqrt(wanted / pixels)
    return math.ceil(width * scale / side) * math.ceil(height * scale / side)


def _processor(folder: Path) -> dict[str, Any]:
    own = _json(folder / "preprocessor_config.json")
    nested = _json(folder / "processor_config.json").get("image_processor")
    return own or (nested if isinstance(nested, dict) else {})


def has_image_processor(folder: Path) -> bool:
    """Whether the folder says how images are to be prepared."""
    return bool(_processor(folder))


def _json(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _estimate(texts: Sequence[str]) -> TextCount:
    return TextCount(tuple(math.ceil(len(text.encode()) / BYTES_PER_TOKEN) for text in texts), is_exact=False)
