"""Which format a benchmark has, and reading it: CFE's own, ARB's, or the plain one.

Not here: the formats themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cfe_local.benchmarks.arb import looks_like_arb, read_arb
from cfe_local.benchmarks.cfe import SAMPLE, Benchmark, load_cfe
from cfe_local.benchmarks.entries import SPLITS, split_path
from cfe_local.benchmarks.images import digest_file
from cfe_local.benchmarks.plain import PLAIN_NAME, looks_plain, read_plain
from cfe_local.benchmarks.record_files import RawRecord, read_records, record_files
from cfe_local.benchmarks.written import Fault, WrittenProblem, build_written, find_images
from cfe_local.errors import BenchmarkError, UsageError
from cfe_local.records import FileDigest, Problem

FormatName = Literal["cfe", "arb", "plain"]
RecordReader = Callable[[RawRecord], WrittenProblem | tuple[Fault, ...]]

READERS: Mapping[FormatName, RecordReader] = {"arb": read_arb, "plain": read_plain}
ARB_SAMPLE = "arb_sample"
ARB_SAMPLE_PATH = Path(__file__).with_name("arb_sample")
N_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Place:
    """Where the records of a benchmark lie: image paths are relative to ``folder``."""

    folder: Path
    files: tuple[Path, ...]


def load_benchmark(path: Path, format_name: str = "auto") -> Benchmark:
    """Read a benchmark in any format.

    Args:
        path: A folder or a file, or the name of a sample: ``sample``, ``arb_sample``.
        format_name: ``cfe``, ``arb``, ``plain``, or ``auto`` to find out.

    Raises:
        UsageError: For an unknown format.
        BenchmarkError: For files that cannot be used; names file, record, line and field.
    """
    name = detect_format(path) if format_name == "auto" else format_name
    if name == "cfe":
        return load_cfe(path)
    for known, reader in READERS.items():
        if known == name:
            return _load_records(path, known, reader)
    raise UsageError(f"unknown benchmark format {name!r}; known: auto, cfe, {', '.join(READERS)}")


def detect_format(path: Path) -> FormatName:
    """The format that the files at a path have; ``cfe`` where nothing speaks for another.

    Raises:
        BenchmarkError: If the first file cannot be read as JSON.
    """
    if str(path) == SAMPLE or any(split_path(path, split).is_file() for split in SPLITS):
        return "cfe"
    if str(path) != ARB_SAMPLE and not path.exists():
        return "cfe"  # whose loader says what is missing
    try:
        files = place_of(path).files
    except BenchmarkError:
        return "cfe"
    first = read_records(files[0])[0].value
    if looks_like_arb(first):
        return "arb"
    return "plain" if looks_plain(first) or files[0].name == PLAIN_NAME else "cfe"


def place_of(path: Path) -> Place:
    """The record files that a path means.

    Raises:
        BenchmarkError: If there are none.
    """
    path = ARB_SAMPLE_PATH if str(path) == ARB_SAMPLE else path
    if path.is_dir() and (path / PLAIN_NAME).is_file():
        return Place(path, (path / PLAIN_NAME,))
    return Place(path.parent if path.is_file() else path, record_files(path))


def _load_records(path: Path, format_name: FormatName, reader: RecordReader) -> Benchmark:
    place = place_of(path)
    problems: list[Problem] = []
    faults: list[str] = []
    for file in place.files:
        for raw in read_records(file):
            made = build_record(raw, place.folder, reader)
            if isinstance(made, Problem):
                problems.append(made)
                continue
            faults += [f"  {file.name}, record {raw.row}, line {raw.line}, {f.field}: {f.message}" for f in made]
    if faults:
        more = f"\n  ... and {len(faults) - N_SHOWN} more" if len(faults) > N_SHOWN else ""
        raise BenchmarkError(
            f"{path}: {len(faults)} values cannot be used:\n" + "\n".join(faults[:N_SHOWN]) + more + "\n"
            f"Fix: correct them in the file; `cfe-local validate --format {format_name} {path}` lists all."
        )
    name = ARB_SAMPLE if place.folder == ARB_SAMPLE_PATH else path.resolve().stem
    files = digest_place(place, problems)
    return Benchmark(name=name, path=place.folder, problems=tuple(problems), files=files, version=None)


def build_record(raw: RawRecord, folder: Path, reader: RecordReader) -> Problem | tuple[Fault, ...]:
    """The problem that one record makes, or everything that is wrong with it."""
    record = reader(raw)
    if not isinstance(record, WrittenProblem):
        return record
    images, faults = find_images(folder, record)
    return faults or build_written(record, raw.split, raw.row, images)


def digest_place(place: Place, problems: list[Problem]) -> tuple[FileDigest, ...]:
    """sha256 of the record files and of every image that the problems show."""
    root = place.folder.resolve()
    images = sorted({part.path for problem in problems for part in problem.question if part.kind == "image"})
    return (
        *(digest_file(file, file.name) for file in place.files),
        *(digest_file(Path(image), Path(image).relative_to(root).as_posix()) for image in images),
    )
