"""Images: files that are missing, broken, too small for vision encoders, unused, shared or oddly named."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cfe_local.benchmarks.cfe import IMAGE_MARK
from cfe_local.benchmarks.checks.rows import Row
from cfe_local.benchmarks.findings import Finding
from cfe_local.benchmarks.images import IMAGE_SUFFIXES, ImageFacts, probe_image

# Vision encoders cut images into patches of 14 px merged by two, or 16 px: below 28 or 32 px several refuse.
MIN_SIDE = 32
# Encoders that keep the aspect ratio shrink the short side of such images to a few patches.
LONG_ASPECT = 10.0

_PLAIN_PATH = re.compile(r"^[A-Za-z0-9._/-]+$")
_FORMATS = {"JPEG": {".jpg", ".jpeg"}, "PNG": {".png"}, "GIF": {".gif"}, "WEBP": {".webp"}, "BMP": {".bmp"}}


def check_marks(row: Row) -> Iterator[Finding]:
    """Whether the question marks as many images as it has."""
    question = row.raw["question"]
    text = str(question["text"]) if isinstance(question, Mapping) else ""
    n_marks, n_images = text.count(IMAGE_MARK), len(row.image_paths)
    if n_marks > n_images:
        message = f"{n_marks} marks {IMAGE_MARK} for {n_images} images; those left over stay as plain text"
        yield row.finding("warning", "image_marks", "question.text", message)
    elif n_marks < n_images:
        message = f"{n_marks} marks {IMAGE_MARK} for {n_images} images; the others follow after the text"
        yield row.finding("warning", "image_marks", "question.text", message)
    for written in {path for path in row.image_paths if row.image_paths.count(path) > 1}:
        yield row.finding("info", "image_twice", written, "the question shows this image twice")
    answer = row.raw["answer"]
    if isinstance(answer, Mapping) and answer.get("images"):
        yield row.finding("info", "solution_images", "answer.images", "the solution's images are not used")


def check_images(rows: Sequence[Row], folder: Path) -> Iterator[Finding]:
    """Findings about image files: each file is told once, at the first row that shows it."""
    root = folder.resolve()
    first: dict[str, Row] = {}
    contents: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        for part in row.problem.question:
            if part.kind == "image":
                written = Path(part.path).relative_to(root).as_posix()
                first.setdefault(written, row)
                contents[part.sha256].setdefault(row.problem.problem_id, written)
    for written, row in first.items():
        yield from _check_file(row, written, root / written)
    for holders in contents.values():
        if len(holders) > 1:
            ids = ", ".join(problem_id[:8] for problem_id in holders)
            row = first[next(iter(holders.values()))]
            yield row.finding("info", "shared_image", next(iter(holders.values())), f"the same image stands in {ids}")
    yield from _unused(first.keys() | _written_paths(rows), folder)


def _written_paths(rows: Sequence[Row]) -> set[str]:
    return {Path(written).as_posix() for row in rows for written in row.image_paths}


def _check_file(row: Row, written: str, path: Path) -> Iterator[Finding]:
    if not _PLAIN_PATH.match(written):
        yield row.finding(
            "info", "odd_image_name", written, "the path has characters that shells and URLs treat specially"
        )
    facts = probe_image(path)
    if facts.fault:
        yield row.finding("error", "corrupt_image", written, f"cannot be decoded: {facts.fault}")
        return
    yield from _check_facts(row, written, path, facts)


def _check_facts(row: Row, written: str, path: Path, facts: ImageFacts) -> Iterator[Finding]:
    size = f"{facts.width}x{facts.height} px"
    if facts.min_side < MIN_SIDE:
        message = f"{size}: a side is below {MIN_SIDE} px, which some vision encoders refuse; it is enlarged for them"
        yield row.finding("warning", "tiny_image", written, message)
    if facts.aspect > LONG_ASPECT:
        yield row.finding("info", "long_image", written, f"{size}: sides differ by a factor of {facts.aspect:.1f}")
    if facts.mode != "RGB":
        yield row.finding(
            "info", "image_mode", written, f"colour mode {facts.mode}; converted to RGB before a model sees it"
        )
    if facts.n_frames > 1:
        yield row.finding("warning", "image_frames", written, f"{facts.n_frames} frames; only the first is shown")
    if facts.orientation != 1:
        yield row.finding("warning", "image_rotated", written, "EXIF data rotate it; viewers and models may disagree")
    if path.suffix.lower() not in _FORMATS.get(facts.format, {path.suffix.lower()}):
        yield row.finding("info", "image_suffix", written, f"is {facts.format} by content")


def _unused(used: set[str], folder: Path) -> Iterator[Finding]:
    for path in sorted((folder / "images").rglob("*")):
        written = path.relative_to(folder).as_posix()
        if path.is_file() and path.suffix.lower() in IMAGE_SUFFIXES and written not in used:
            yield Finding(level="warning", code="unused_image", field=written, message="no problem shows this image")
