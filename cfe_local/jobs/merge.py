"""Whether run folders are the shards of one run: every part there, once, made alike. Not here: joining them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfe_local.config import RunConfig
from cfe_local.errors import UsageError
from cfe_local.records import Manifest
from cfe_local.store import differing_settings

OF_A_PLACE = ("out", "equivalence", "allow_network")
"""Sections that say how and where a run was carried out; shards of one run may differ in them."""
OF_A_MODEL = ("path", "env", "max_in_flight", "name")
"""The same of a model: which files it has is in the manifest."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One run folder that says it is part of a run."""

    path: Path
    manifest: Manifest
    config: RunConfig
    gradings: tuple[str, ...]


def check_shards(shards: Sequence[Shard]) -> tuple[Shard, ...]:
    """The shards in the order of their parts.

    Raises:
        UsageError: If a folder is no shard, a part is missing or there twice, or two differ in what was asked or how it
            was graded; names folders and settings.
    """
    parts: dict[int, Shard] = {}
    first = shards[0]
    n_parts = first.config.selection.shard_numbers[1]
    for shard in shards:
        _require_shard(shard)
        part, n_here = shard.config.selection.shard_numbers
        if n_here != n_parts:
            raise UsageError(
                f"{shard.path}: is part of {n_here}, and {first.path} of {n_parts}\nFix: give the shards of one run."
            )
        if part in parts:
            raise UsageError(
                f"{shard.path} and {parts[part].path}: are both shard {part}/{n_parts}\nFix: name each shard once."
            )
        parts[part] = shard
        _refuse_differences(first, shard)
    missing = [str(part) for part in range(1, n_parts + 1) if part not in parts]
    if missing:
        raise UsageError(
            f"of {n_parts} shards {', '.join(missing)} missing: {len(parts)} folders were given\n"
            f"Fix: run them (--shard {missing[0]}/{n_parts}), or name their folders too."
        )
    return tuple(parts[part] for part in sorted(parts))


def _require_shard(shard: Shard) -> None:
    if not shard.manifest.shard:
        raise UsageError(f"{shard.path}: is a whole run, not a shard\nFix: give folders that --shard i/n made.")


def _refuse_differences(first: Shard, other: Shard) -> None:
    names = (str(first.path), str(other.path))
    lines = differing_settings(first.manifest.settings, other.manifest.settings, names)
    lines += differing_settings(_flat(_compared(first.config)), _flat(_compared(other.config)), names)
    if lines:
        raise UsageError(
            f"{other.path}: was not made like {first.path}:\n"
            + "\n".join(f"  {line}" for line in lines)
            + "\nFix: run one of the two again with the settings of the others."
        )
    if first.gradings != other.gradings:
        has = ", ".join(other.gradings) or "none"
        raise UsageError(
            f"{other.path}: has the gradings {has}, and {first.path} has {', '.join(first.gradings) or 'none'}\n"
            "Fix: cfe-local grade the folder that lacks one, or merge before grading."
        )


def _compared(config: RunConfig) -> dict[str, Any]:
    tree = config.model_dump(mode="json", exclude=set(OF_A_PLACE))
    tree["selection"].pop("shard")
    tree["benchmark"].pop("path")
    for section in ("model", "judge"):
        for name in OF_A_MODEL:
            if tree[section] is not None:
                tree[section].pop(name)
    return tree


def _flat(tree: Mapping[str, Any], place: str = "") -> dict[str, str]:
    """Settings as dotted names and texts, so that a message names the one that differs."""
    flat: dict[str, str] = {}
    for name, value in tree.items():
        dotted = f"{place}.{name}".lstrip(".")
        if isinstance(value, dict):
            flat |= _flat(value, dotted)
        else:
            flat[dotted] = str(value)
    return flat
