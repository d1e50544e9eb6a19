"""Files that are either whole or absent. Not here: files that grow line by line (stream.py)."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterable
from pathlib import Path

from cfe_local.errors import StoreError


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file in one step: readers see the old content or the new, also after a power failure.

    Args:
        path: The file to write; its folder is created where missing.
        data: All of its new content.

    Raises:
        StoreError: If the disk is full or the folder cannot be written. The old content is untouched.
    """
    write_pieces_atomically(path, (data,))


def write_pieces_atomically(path: Path, pieces: Iterable[bytes]) -> None:
    """As ``write_atomically``, for content that is larger than memory: one piece is held at a time.

    Raises:
        StoreError: As ``write_atomically``.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as handle:
            handle.writelines(pieces)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except BaseException as error:  # an interruption must not leave a temporary file either
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise StoreError(
            f"{path}: could not be written: {error.strerror or error}; what was there before is unchanged\n"
            "Fix: free space or make the folder writable, then run the same command again."
        ) from error


def sync_folder(folder: Path) -> None:
    """Make renames and new names inside a folder survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
