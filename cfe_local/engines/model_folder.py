"""Says whether a model folder is whole, and what exactly is in it, before an engine spends minutes on loading it.

Reads JSON files and the headers of weight files, never the weights. Not here: whether vLLM knows the architecture.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cfe_local.errors import ModelError
from cfe_local.records import FileDigest

FindingKind = Literal[
    "no_folder",
    "no_config",
    "bad_json",
    "no_weights",
    "missing_weights",
    "short_weights",
    "astray_tensors",
    "no_tokenizer",
    "no_template",
]
TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "tekken.json", "tiktoken.model")
_MAX_HEADER = 100_000_000
"""Bytes; safetensors itself refuses longer headers."""


@dataclass(frozen=True, slots=True)
class ModelFinding:
    """One thing that is wrong with a model folder."""

    kind: FindingKind
    message: str
    fix: str


def check_model_folder(folder: Path, *, chat_template: Path | None = None) -> tuple[ModelFinding, ...]:
    """Look for what makes a model folder unusable.

    Args:
        folder: The model folder.
        chat_template: A template file that stands in for the model's own, if the configuration names one.

    Returns:
        Nothing if the folder can be loaded as far as its files tell; else every finding, the worst first.
    """
    if not folder.is_dir():
        return (ModelFinding("no_folder", f"{folder}: no such folder", "give the path of a local model folder"),)
    if not (folder / "config.json").is_file():
        return (ModelFinding("no_config", f"{folder}: no config.json", "copy the whole model folder again"),)
    findings = [*_broken_json(folder), *_weight_findings(folder), *_tokenizer_findings(folder)]
    if chat_template is None and not has_chat_template(folder):
        findings.append(
            ModelFinding(
                "no_template",
                f"{folder}: no chat template (chat_template.jinja, or chat_template in tokenizer_config.json)",
                "use the instruction-tuned variant of this model, or set chat_template to a template file",
            )
        )
    return tuple(findings)


def require_usable(folder: Path, *, chat_template: Path | None = None) -> None:
    """Raise if ``check_model_folder`` finds anything.

    Raises:
        ModelError: With all findings and how to mend them.
    """
    findings = check_model_folder(folder, chat_template=chat_template)
    if findings:
        lines = [one.message for one in findings] + [f"Fix: {one.fix}" for one in findings]
        raise ModelError("\n".join(dict.fromkeys(lines)))


def has_chat_template(folder: Path) -> bool:
    """Whether the folder brings a chat template of its own, wherever transformers would look for it."""
    return bool(chat_templates(folder)) or (folder / "chat_template.json").is_file()


def chat_templates(folder: Path) -> tuple[str, ...]:
    """The texts of the folder's chat templates, the one that is used where none is named first."""
    texts = [
        path.read_text(encoding="utf-8", errors="replace")
        for path in (folder / "chat_template.jinja", *sorted((folder / "additional_chat_templates").glob("*.jinja")))
        if path.is_file()
    ]
    for name in ("chat_template.json", "tokenizer_config.json"):
        try:
            settings = json.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        found = settings.get("chat_template") if isinstance(settings, dict) else None
        named = [entry.get("template") for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
        texts += [text for text in [found, *named] if isinstance(text, str) and text]
    return tuple(texts)


def _broken_json(folder: Path) -> Iterator[ModelFinding]:
    for path in sorted(folder.glob("*.json")):
        try:
            json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            yield ModelFinding("bad_json", f"{path}: not readable as JSON: {error}", "copy this file again")


def _tokenizer_findings(folder: Path) -> Iterator[ModelFinding]:
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        yield ModelFinding(
            "no_tokenizer",
            f"{folder}: no tokenizer (none of {', '.join(TOKENIZER_FILES)})",
            "copy the whole model folder again, the tokenizer files with it",
        )


def _weight_findings(folder: Path) -> Iterator[ModelFinding]:
    again = "copy the model folder again; it is only half there"
    wanted = _indexed_weights(folder)
    present = sorted(folder.glob("*.safetensors"))
    if not wanted and not present:
        if not any(folder.glob("*.bin")):
            yield ModelFinding("no_weights", f"{folder}: no *.safetensors files", again)
        return
    missing = sorted(name for name in wanted if not (folder / name).is_file())
    if missing:
        message = f"{folder}: {len(missing)} of {len(wanted)} weight files are missing: {', '.join(missing[:5])}"
        yield ModelFinding("missing_weights", message, again)
    for path in present:
        if (problem := _shortfall(path)) is not None:
            yield ModelFinding("short_weights", f"{path}: {problem}", again)
    if not missing and (astray := _astray_tensors(folder)):
        message = f"{folder}: {len(astray)} tensors are not in the file that the index names, for example {astray[0]}"
        yield ModelFinding(
            "astray_tensors", message, "copy index and weight files again, from one and the same release"
        )


def _indexed_weights(folder: Path) -> frozenset[str]:
    try:
        index = json.loads((folder / "model.safetensors.index.json").read_text(encoding="utf-8"))
        return frozenset(index["weight_map"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return frozenset()


def _astray_tensors(folder: Path) -> list[str]:
    """Tensors that the index places in a file whose header does not have them."""
    try:
        index = json.loads((folder / "model.safetensors.index.json").read_text(encoding="utf-8"))["weight_map"]
        held = {name: set(json.loads(safetensors_header(folder / name))) for name in set(index.values())}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []  # no index, or files that other findings are about
    return sorted(f"{tensor} in {name}" for tensor, name in index.items() if tensor not in held[name])


def _shortfall(path: Path) -> str | None:
    """What is wrong with a safetensors file's length, from its header alone."""
    n_bytes = path.stat().st_size
    try:
        header = safetensors_header(path)
        ends = [int(entry["data_offsets"][1]) for name, entry in json.loads(header).items() if name != "__metadata__"]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return f"not a readable safetensors file ({n_bytes:,} bytes)"
    expected = 8 + len(header) + max(ends, default=0)
    return None if n_bytes >= expected else f"{n_bytes:,} bytes, and its header says {expected:,}"


def safetensors_header(path: Path) -> bytes:
    """The JSON header of a safetensors file: names, shapes and places of its tensors.

    Raises:
        ValueError: If the file does not begin like one.
    """
    with path.open("rb") as handle:
        start = handle.read(8)
        if len(start) < 8:
            raise ValueError("too short for a header")
        (length,) = struct.unpack("<Q", start)
        if length > _MAX_HEADER:
            raise ValueError(f"header of {length} bytes")
        header = handle.read(length)
    if len(header) < length:
        raise ValueError("header cut off")
    return header


def digest_model(folder: Path) -> tuple[FileDigest, ...]:
    """Digests of the files that decide what a model answers, sorted by name, cheap even for 500 GB.

    Small files (configuration, tokenizer, templates, code) are hashed whole. A weight file is hashed by its size, its
    header and ``N_PROBES`` stretches of ``PROBE_BYTES`` bytes spread evenly over it: another checkpoint of the same
    shape differs there, a single flipped bit elsewhere goes unseen.

    Raises:
        ModelError: If the folder or a file cannot be read.
    """
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such folder\nFix: give the path of a local model folder.")
    try:
        return tuple(_digest(path, folder) for path in sorted(folder.rglob("*")) if _counts(path, folder))
    except OSError as error:
        raise ModelError(f"{error.filename}: {error.strerror}\nFix: make the model folder readable.") from error


N_PROBES = 64
PROBE_BYTES = 65_536
WEIGHT_SUFFIXES = frozenset({".safetensors", ".bin", ".pt", ".pth", ".gguf"})


def _counts(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return path.is_file() and not hidden


def _digest(path: Path, folder: Path) -> FileDigest:
    n_bytes = path.stat().st_size
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        if path.suffix not in WEIGHT_SUFFIXES or n_bytes <= N_PROBES * PROBE_BYTES:
            digest = hashlib.file_digest(handle, "sha256")
        else:
            digest.update(f"sampled {n_bytes} {N_PROBES} {PROBE_BYTES}\n".encode())
            # A safetensors header lies at the start; it is longer than a probe in large models.
            digest.update(safetensors_header(path) if path.suffix == ".safetensors" else b"")
            for i in range(N_PROBES):
                handle.seek(i * (n_bytes - PROBE_BYTES) // (N_PROBES - 1))
                digest.update(handle.read(PROBE_BYTES))
    return FileDigest(path=path.relative_to(folder).as_posix(), sha256=digest.hexdigest(), n_bytes=n_bytes)
