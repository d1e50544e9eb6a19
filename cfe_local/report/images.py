"""Where the page's images come from: embedded into it, or linked beside it."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from cfe_local.records import ImagePart

ImageSource = Callable[[ImagePart], str | None]
"""An image's address for the page, or None where it cannot be shown."""

_TYPES = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG": "image/png", b"GIF8": "image/gif", b"RIFF": "image/webp"}


def embedded_images(*, max_bytes: int = 20_000_000) -> ImageSource:
    """Images inside the page, until they make it too large; later ones are left out.

    Args:
        max_bytes: For all images together, as files.
    """
    left = max_bytes
    known: dict[str, str | None] = {}

    def source(image: ImagePart) -> str | None:
        nonlocal left
        if image.sha256 not in known:
            data = _read(Path(image.path), left)
            left -= len(data or b"")
            known[image.sha256] = _data_uri(data) if data else None
        return known[image.sha256]

    return source


def linked_images(page_folder: Path) -> ImageSource:
    """Images where they lie, relative to the folder of the page."""

    def source(image: ImagePart) -> str | None:
        path = Path(image.path)
        return quote(Path(os.path.relpath(path, page_folder)).as_posix()) if path.is_file() else None

    return source


def no_images(image: ImagePart) -> None:
    """No images: the page names their files."""
    del image


def _read(path: Path, limit: int) -> bytes | None:
    try:
        return path.read_bytes() if path.stat().st_size <= limit else None
    except OSError:
        return None


def _data_uri(data: bytes) -> str | None:
    for head, name in _TYPES.items():
        if data.startswith(head):
            return f"data:{name};base64,{base64.b64encode(data).decode('ascii')}"
    return None
