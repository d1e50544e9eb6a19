"""Makes an image fit for an encoder before a model sees it, and says what was done to it.

An encoder that meets a 30 px high strip, a palette with transparency or a torn file ends the whole batch, or answers
about something else without a word. Everything of that kind is decided here, one image at a time. Not here: how a model
cuts an image into patches.
"""

from __future__ import annotations

import hashlib
import io
import math
import struct
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image, ImageOps

from cfe_local.config.model import ImageConfig
from cfe_local.errors import CfeError
from cfe_local.records import ImagePart

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""Formats that are tried; the others in Pillow are rarely exercised decoders that an exam does not need."""

MAX_DECODED_PIXELS = 80_000_000
"""240 MB as RGB. A benchmark's largest scans have 20 million; what claims more is a mistake or a bomb."""

MAX_FILE_BYTES = 200_000_000

_DECODE_ERRORS = (OSError, SyntaxError, ValueError, EOFError, IndexError, struct.error, zlib.error)
"""What Pillow raises for damaged files of the formats above, besides its own warnings."""

BadImageKind = Literal["missing", "changed", "too_large", "corrupt"]


class BadImageError(CfeError):
    """An image that no encoder can be given; an engine turns it into the outcome ``bad_input`` of its case."""

    def __init__(self, kind: BadImageKind, message: str) -> None:
        """``kind`` is for code and tests, ``message`` for the person who has to mend the file."""
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class PreparedImage:
    """An RGB image within the bounds of an ``ImageConfig``, with one note per change."""

    image: Image.Image
    notes: tuple[str, ...]


def prepare_image(part: ImagePart, config: ImageConfig) -> PreparedImage:
    """Read, check and fit one image.

    In this order: stored orientation applied, transparency laid on white, RGB; a strip longer than ``max_aspect``
    padded with white on its short side; enlarged until the short side has ``min_side``; shrunk to ``max_pixels``, but
    never below ``min_side``.

    Args:
        part: Path and sha256 as the benchmark recorded them.
        config: The bounds of the model's encoder.

    Raises:
        BadImageError: If the file is missing, is not the one that was recorded, is too large or cannot be decoded.
    """
    image, notes = _decode(part)
    for verb, fit in _FITS.items():
        before = image.size
        image = fit(image, config)
        if image.size != before:
            notes.append(f"{verb} {before[0]}x{before[1]} to {image.width}x{image.height}")
    name = Path(part.path).name
    return PreparedImage(image, tuple(f"{name}: {note}" for note in notes))


def _decode(part: ImagePart) -> tuple[Image.Image, list[str]]:
    path = Path(part.path)
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise BadImageError("too_large", f"{path}: {path.stat().st_size:,} bytes, limit {MAX_FILE_BYTES:,}")
        content = path.read_bytes()
    except OSError as error:
        raise BadImageError("missing", f"{path}: image not readable: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != part.sha256:
        raise BadImageError("changed", f"{path}: not the image that was recorded (its sha256 differs)")
    try:
        # Pillow warns about what it could read all the same; the file is what it is, so the warning becomes a note.
        with warnings.catch_warnings(record=True, action="always") as caught:
            rgb, notes = _decode_content(path, content)
        return rgb, [*notes, *dict.fromkeys(f"decoder: {one.message}" for one in caught)]
    except Image.DecompressionBombError as error:
        raise BadImageError("too_large", f"{path}: {error}") from error
    except _DECODE_ERRORS as error:
        raise BadImageError("corrupt", f"{path}: cannot be decoded: {error}") from error


def _decode_content(path: Path, content: bytes) -> tuple[Image.Image, list[str]]:
    with Image.open(io.BytesIO(content), formats=FORMATS) as image:
        if image.width * image.height > MAX_DECODED_PIXELS:
            size = f"{image.width}x{image.height} px"
            raise BadImageError("too_large", f"{path}: {size}, limit {MAX_DECODED_PIXELS:,} pixels")
        image.load()
        return _to_rgb(image)


def _to_rgb(image: Image.Image) -> tuple[Image.Image, list[str]]:
    notes = []
    if (n_frames := getattr(image, "n_frames", 1)) > 1:
        notes.append(f"first of {n_frames} frames")
        image.seek(0)
    upright = ImageOps.exif_transpose(image)
    if upright.size != image.size or upright.getexif().get(0x0112) != image.getexif().get(0x0112):
        notes.append("turned as its EXIF orientation says")
    if upright.mode.startswith(("I", "F")):
        # Pillow clips wide samples at 255 instead of scaling them: a 16-bit scan would turn white.
        upright = _scaled_to_8_bit(upright)
        notes.append("scaled from more than 8 bits")
    if upright.has_transparency_data:
        layer = upright.convert("RGBA")
        upright = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer)
        if layer.getchannel("A").tobytes().strip(b"\xff"):
            notes.append("transparency laid on white")
    return upright.convert("RGB"), notes


def _scaled_to_8_bit(image: Image.Image) -> Image.Image:
    wide = np.asarray(image, dtype=np.float64)
    # 16-bit files keep their scale; floats and 32-bit integers have none, so their own maximum is white.
    top = 65_535.0 if image.mode.startswith("I;16") or 255 < wide.max() <= 65_535 else max(float(wide.max()), 1.0)
    return Image.fromarray((wide.clip(0, top) * (255.0 / top)).round().astype(np.uint8))


def _pad(image: Image.Image, config: ImageConfig) -> Image.Image:
    long, short = max(image.size), min(image.size)
    if long <= short * config.max_aspect:
        return image
    wanted = math.ceil(long / config.max_aspect)
    size = (long, wanted) if image.width == long else (wanted, long)
    padded = Image.new("RGB", size, "white")
    padded.paste(image, ((size[0] - image.width) // 2, (size[1] - image.height) // 2))
    return padded


def _enlarge(image: Image.Image, config: ImageConfig) -> Image.Image:
    short = min(image.size)
    if short >= config.min_side:
        return image
    factor = config.min_side / short
    return _resized(image, round(image.width * factor), round(image.height * factor))


def _shrink(image: Image.Image, config: ImageConfig) -> Image.Image:
    n_pixels = image.width * image.height
    if config.max_pixels is None or n_pixels <= config.max_pixels or min(image.size) <= config.min_side:
        return image
    factor = max(math.sqrt(config.max_pixels / n_pixels), config.min_side / min(image.size))
    width, height = (max(config.min_side, math.floor(side * factor)) for side in image.size)
    longest = math.floor(min(width, height) * config.max_aspect)
    return _resized(image, min(width, longest), min(height, longest))


def _resized(image: Image.Image, width: int, height: int) -> Image.Image:
    return image.resize((width, height), Image.Resampling.LANCZOS)


_FITS: Mapping[str, Callable[[Image.Image, ImageConfig], Image.Image]] = {
    "padded": _pad,
    "enlarged": _enlarge,
    "shrunk": _shrink,
}
