"""Which architectures the installed vLLM knows, read from its source; importing it costs seconds."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

REGISTRY = Path("model_executor", "models", "registry.py")


def known_architectures() -> frozenset[str] | None:
    """Class names that can stand in a model's config.json; None where no vLLM is installed or its source is another."""
    spec = importlib.util.find_spec("vllm")
    for root in (spec.submodule_search_locations if spec is not None else None) or ():
        path = Path(root) / REGISTRY
        if path.is_file() and (names := read_registry(path.read_text(encoding="utf-8"))):
            return names
    return None


def read_registry(source: str) -> frozenset[str]:
    """Keys of the tables ``_…_MODELS`` whose values are (module, class); tables of former models hold texts."""
    names: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            table = zip(node.value.keys, node.value.values, strict=True)
            names |= {
                key.value
                for key, value in table
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(value, ast.Tuple)
            }
    return frozenset(names)
