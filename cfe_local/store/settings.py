"""The settings that a run or grading was made with: their fingerprint, and what differs between two of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from cfe_local.errors import StoreError


def settings_fingerprint(settings: Mapping[str, str]) -> str:
    """sha256 over names and values, whatever their order."""
    return hashlib.sha256(json.dumps(dict(settings), sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def differing_settings(there: Mapping[str, str], here: Mapping[str, str], names: tuple[str, str]) -> list[str]:
    """One line per setting that differs; groups (JSON objects) are taken apart, so that the one inside is named.

    Args:
        there: Settings of the one side.
        here: Of the other.
        names: What to call the two sides in a line.
    """
    before, now = _opened(there), _opened(here)
    return [
        f"{name}: {names[0]} {_shown(before.get(name))}, {names[1]} {_shown(now.get(name))}"
        for name in sorted(before.keys() | now.keys())
        if before.get(name) != now.get(name)
    ]


def refuse_other_settings(
    path: Path, there: str, there_settings: Mapping[str, str], here_settings: Mapping[str, str], here: str
) -> None:
    """Compare what a folder was made with to what is wanted now.

    Args:
        path: The folder, for the message.
        there: Its fingerprint.
        there_settings: Its settings.
        here_settings: What is wanted now.
        here: The fingerprint of that.

    Raises:
        StoreError: If the fingerprints differ; names every setting that does.
    """
    if there == here:
        return
    lines = [f"  {line}" for line in differing_settings(there_settings, here_settings, ("there", "now"))]
    raise StoreError(
        f"{path}: was made with other settings; results would not belong together:\n"
        + ("\n".join(lines) or "  (the fingerprints differ, the settings listed in them do not)")
        + "\nFix: choose another folder or name, go back to the old settings, or give --fresh, which moves the old"
        " content to previous/ and starts anew."
    )


def _opened(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings with groups (JSON objects) taken apart, so that a message names the one that differs."""
    opened: dict[str, str] = {}
    for name, value in settings.items():
        try:
            group = json.loads(value) if value.startswith("{") else None
        except ValueError:
            group = None
        if isinstance(group, dict):
            opened |= {f"{name}.{key}": json.dumps(below, sort_keys=True) for key, below in group.items()}
        else:
            opened[name] = value
    return opened


def _shown(value: str | None, limit: int = 80) -> str:
    if value is None:
        return "not set"
    return repr(value if len(value) <= limit else value[: limit - 3] + "...")
