"""Small benchmark folders that tests build, break and read."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

ROW: dict[str, Any] = {
    "id": "a" * 64,
    "question": {
        "text": "A cart of mass $m$ rolls down a slope of height $h$. Which speed does it reach?",
        "images": [],
    },
    "answer": {"text": "Energy is kept: $v = \\sqrt{2 g h}$.", "images": []},
    "short_answer_value": ["$\\sqrt{2 g h}$"],
    "short_answer_variable": ["v"],
    "short_answer_description": ["The final speed as a formula in g and h."],
    "short_answer_type": ["formula"],
    "reasoning_flow": [
        {"step_id": 1, "step": "What is the potential energy lost?", "verifiable_answer": "m g h"},
        {"step_id": 2, "step": "Is it all kinetic in the end?", "verifiable_answer": True},
    ],
}


def row(**changes: Any) -> dict[str, Any]:
    """A valid row with some of its fields replaced."""
    return copy.deepcopy(ROW) | changes


def question(text: str, *images: str) -> dict[str, Any]:
    return {"text": text, "images": list(images)}


def write_benchmark(folder: Path, *, text: Sequence[Any] = (), mm: Sequence[Any] = ()) -> Path:
    """Write the splits that have rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in (("text", text), ("mm", mm)):
        if rows:
            (folder / f"CFE_{split}.json").write_text(json.dumps(list(rows)), encoding="utf-8")
    return folder


def write_image(folder: Path, name: str, *, size: tuple[int, int] = (64, 48), colour: str = "red") -> str:
    """Write a JPEG or PNG below ``images/`` and give the path that a row has to it."""
    path = folder / "images" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).save(path)
    return f"images/{name}"


def write_provenance(folder: Path, rows: Sequence[Mapping[str, str]]) -> None:
    columns = ["id", "subset", "source_url", "source_description", "topic", "license"]
    lines = [",".join(columns)] + [",".join(entry.get(column, "") for column in columns) for entry in rows]
    (folder / "PROVENANCE.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
