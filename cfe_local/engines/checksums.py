"""sha256 lists beside files, as ``sha256sum`` writes them: reading one, and holding files against it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

LIST_NAMES = ("SHA256SUMS", "sha256sums.txt", "checksums.sha256")
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def read_checksums(text: str) -> dict[str, str]:
    """Relative path to sha256; lines of another form are passed over."""
    found = (_LINE.fullmatch(line.strip()) for line in text.splitlines())
    return {match[2].removeprefix("./"): match[1] for match in found if match is not None}


def listed_checksums(folder: Path) -> dict[str, str]:
    """What the folder's own list says; empty where it has none."""
    for name in LIST_NAMES:
        if (folder / name).is_file():
            return read_checksums((folder / name).read_text(encoding="utf-8", errors="replace"))
    return {}


def write_checksums(digests: Mapping[str, str]) -> str:
    """A list that ``sha256sum --check`` reads, sorted by path."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))


def file_sha256(path: Path) -> str:
    """sha256 of a whole file."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def differing_files(folder: Path, listed: Mapping[str, str]) -> Iterator[str]:
    """Files of a list that are missing or hold something else, with what is wrong; in the list's order."""
    for name, digest in listed.items():
        path = folder / name
        if not path.is_file():
            yield f"{name}: missing"
        elif file_sha256(path) != digest:
            yield f"{name}: is not the file of the list (sha256 differs)"
