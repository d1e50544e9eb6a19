"""Image files of a benchmark: where they may lie, and what can be known about one without a model.

Not here: changing an image for a model's sake; that is the engine's preflight.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cfe_local.errors import BenchmarkError
from cfe_local.records import FileDigest

_ORIENTATION = 0x0112  # EXIF tag number
IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp"})


class UnsafeImageError(BenchmarkError):
    """An image path that leads outside the benchmark folder."""


class MissingImageError(BenchmarkError):
    """An image path that leads to no file."""


def resolve_image(folder: Path, written: str) -> Path:
    """The file that a problem means by an image path.

    Args:
        folder: The benchmark folder.
        written: The path as the problem has it, relative to the folder, with ``/``.

    Returns:
        An absolute path of an existing file, with every symlink resolved.

    Raises:
        UnsafeImageError: If it leads outside the folder, by ``..``, as an absolute path or over a symlink.
        MissingImageError: If there is no such file.
    """
    if "\0" in written or PurePosixPath(written).is_absolute() or Path(written).is_absolute() or "\\" in written:
        raise UnsafeImageError(
            f"image path {written!r} must be relative to the benchmark folder, with forward slashes\n"
            "Fix: copy the image into the benchmark folder and write its path from there."
        )
    root = folder.resolve()
    try:
        path = (root / written).resolve()
        is_file = path.is_file()
    except (OSError, RuntimeError) as error:  # a name that is too long; a symlink that leads to itself
        raise MissingImageError(
            f"image {_shown(written)} cannot be followed below {folder}: {_why(error)}\n"
            "Fix: give the image file a plain name inside the benchmark folder."
        ) from error
    if not path.is_relative_to(root):
        raise UnsafeImageError(
            f"image path {written!r} leads outside the benchmark folder, to {path}\n"
            "Fix: copy the image into the benchmark folder and write its path from there."
        )
    if not is_file:
        raise MissingImageError(
            f"image {written!r} not found below {folder}\n"
            "Fix: download the benchmark's images folder as well; to run text problems alone, put CFE_text.json into a "
            "folder of its own."
        )
    return path


def _shown(written: str, limit: int = 80) -> str:
    """A path in a message, in one line of bounded length."""
    return repr(written if len(written) <= limit else written[: limit - 3] + "...")


def _why(error: OSError | RuntimeError) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    return said or "its symlinks lead in a circle"


def digest_file(path: Path, name: str) -> FileDigest:
    """sha256 and size of a file, under the name it has in the benchmark.

    Raises:
        BenchmarkError: If it cannot be read.
    """
    try:
        with path.open("rb") as handle:
            found = hashlib.file_digest(handle, "sha256").hexdigest()
        return FileDigest(path=name, sha256=found, n_bytes=path.stat().st_size)
    except OSError as error:
        raise BenchmarkError(
            f"{path}: cannot be read: {error.strerror or error}\nFix: check the file and its permissions."
        ) from error


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What decoding an image tells: size in pixels, colour mode, format, EXIF orientation (1: upright).

    ``fault`` says why it cannot be decoded, and is empty where it can.
    """

    width: int = 0
    height: int = 0
    mode: str = ""
    format: str = ""
    n_frames: int = 1
    orientation: int = 1
    fault: str = ""

    @property
    def min_side(self) -> int:
        """The shorter side, in pixels."""
        return min(self.width, self.height)

    @property
    def aspect(self) -> float:
        """Longer side over shorter side."""
        return max(self.width, self.height) / max(1, self.min_side)


def probe_image(path: Path) -> ImageFacts:
    """Decode an image completely, so that a cut-off file is found too."""
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                image.load()
                return ImageFacts(
                    width=image.width,
                    height=image.height,
                    mode=image.mode,
                    format=image.format or "",
                    n_frames=getattr(image, "n_frames", 1),
                    orientation=image.getexif().get(_ORIENTATION, 1),
                )
    except UnidentifiedImageError:
        return ImageFacts(fault="no known image format")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        return ImageFacts(fault=str(error) or type(error).__name__)
