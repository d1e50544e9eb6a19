"""A close look at a benchmark folder before anybody trusts a score on it: counts, digests and findings.

Generic: no check knows any particular benchmark's ids. Nothing is changed. Not here: printing (table.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import cast

from pydantic import Field, JsonValue

from cfe_local.benchmarks.cfe import benchmark_folder, build_problem, digest_folder, image_part, image_paths
from cfe_local.benchmarks.checks.flow import check_flow
from cfe_local.benchmarks.checks.identity import check_identity
from cfe_local.benchmarks.checks.images import check_images, check_marks
from cfe_local.benchmarks.checks.leaks import check_leaks
from cfe_local.benchmarks.checks.references import check_references
from cfe_local.benchmarks.checks.rows import Row
from cfe_local.benchmarks.checks.text import check_text
from cfe_local.benchmarks.entries import SPLITS, check_row, read_rows, split_path
from cfe_local.benchmarks.findings import Finding, Level
from cfe_local.benchmarks.formats import READERS, RecordReader, build_record, detect_format, digest_place, place_of
from cfe_local.benchmarks.images import MissingImageError, UnsafeImageError
from cfe_local.benchmarks.known import known_version
from cfe_local.benchmarks.provenance import PROVENANCE_NAME, UNKNOWN, Provenance, read_provenance
from cfe_local.benchmarks.record_files import RawRecord, read_records
from cfe_local.benchmarks.written import Fault
from cfe_local.errors import BenchmarkError, UsageError
from cfe_local.records import FileDigest, ImagePart, Problem, Record

EXIT_CLEAN, EXIT_WARNINGS, EXIT_UNUSABLE = 0, 1, 2
_IMAGE_FAULTS: dict[type[BenchmarkError], str] = {
    UnsafeImageError: "unsafe_image_path",
    MissingImageError: "missing_image",
}
_LEVELS: tuple[Level, ...] = ("error", "warning", "info")
_ROW_CHECKS: tuple[Callable[[Row], Iterator[Finding]], ...] = (
    check_text,
    check_marks,
    check_references,
    check_flow,
    check_leaks,
)


class Lengths(Record):
    """Length of one text per row of one split, in characters, as the file has it."""

    split: str
    field: str
    shortest: int
    median: float
    p90: int = Field(description="Nine tenths of the rows are at most this long.")
    longest: int


class BenchmarkCounts(Record):
    """How much there is. Rows that cannot be used count as rows only."""

    rows: int = 0
    rows_by_split: dict[str, int] = Field(default_factory=dict)
    distinct_ids: int = 0
    variables: int = 0
    variables_by_type: dict[str, int] = Field(default_factory=dict)
    steps: int = 0
    images: int = Field(default=0, description="Distinct image files that problems show.")
    image_references: int = 0
    repairs: int = Field(default=0, description="Single changes over all texts.")
    repaired_rows: int = 0
    kinds: dict[str, int] = Field(default_factory=dict)
    rubrics: int = Field(default=0, description="Problems with a rubric.")
    perturbable: int = Field(default=0, description="Problems that can be asked with other givens.")
    topics: dict[str, int] = Field(default_factory=dict)
    licences: dict[str, int] = Field(default_factory=dict)


class ValidationReport(Record):
    """What a benchmark folder holds and what was found in it."""

    path: str
    version: str | None = Field(description="The published version whose split files these are, where known.")
    files: tuple[FileDigest, ...]
    counts: BenchmarkCounts
    lengths: tuple[Lengths, ...]
    findings: tuple[Finding, ...] = Field(description="Errors first, then warnings, then the rest.")

    def of_level(self, level: Level) -> tuple[Finding, ...]:
        """The findings of one level."""
        return tuple(finding for finding in self.findings if finding.level == level)

    def of_code(self, code: str) -> tuple[Finding, ...]:
        """The findings of one kind."""
        return tuple(finding for finding in self.findings if finding.code == code)

    def exit_code(self, *, strict: bool = False) -> int:
        """0 usable, 1 usable with warnings where ``strict``, 2 not usable."""
        if self.of_level("error"):
            return EXIT_UNUSABLE
        return EXIT_WARNINGS if strict and self.of_level("warning") else EXIT_CLEAN


def validate_benchmark(path: Path, format_name: str = "auto") -> ValidationReport:
    """Look at everything in a benchmark.

    Args:
        path: The folder or file, or the name of a sample.
        format_name: ``cfe``, ``arb``, ``plain``, or ``auto`` to find out.

    Returns:
        The report; what cannot be used is an ``error`` in it, so that one fault hides no other.

    Raises:
        UsageError: For an unknown format.
        BenchmarkError: If there is no such folder, or no problem in it.
    """
    name = detect_format(path) if format_name == "auto" else format_name
    if name == "cfe":
        return _validate_cfe(path)
    for known, reader in READERS.items():
        if known == name:
            return _validate_records(path, reader)
    raise UsageError(f"unknown benchmark format {name!r}; known: auto, cfe, {', '.join(READERS)}")


def _validate_records(path: Path, reader: RecordReader) -> ValidationReport:
    place = place_of(path)
    findings: list[Finding] = []
    rows: list[Row] = []
    n_rows: dict[str, int] = {}
    for file in place.files:
        raws = _read_file(file, findings)
        n_rows[file.stem] = len(raws)
        for raw in raws:
            made = build_record(raw, place.folder, reader)
            if isinstance(made, Problem):
                rows.append(Row(raw=cast("Mapping[str, JsonValue]", raw.value), problem=made, image_paths=()))
            else:
                findings += [_record_finding(raw, fault) for fault in made]
    for row in rows:
        findings += [
            row.finding("warning", "damaged_text", one.field, f"{one.count} repaired: {one.kind.replace('_', ' ')}")
            for one in row.problem.repairs
        ]
        if row.problem.kind in ("numerical", "symbolic"):
            findings += check_references(row)
    findings += check_identity(rows)
    findings += check_images(rows, place.folder)
    return ValidationReport(
        path=str(path),
        version=None,
        files=digest_place(place, [row.problem for row in rows]),
        counts=_count(rows, n_rows),
        lengths=tuple(_lengths(rows, {"question": lambda r: r.problem.question_text, "solution": _solution})),
        findings=tuple(sorted(findings, key=lambda finding: _LEVELS.index(finding.level))),
    )


def _solution(row: Row) -> str:
    return row.problem.solution


def _read_file(file: Path, findings: list[Finding]) -> Sequence[RawRecord]:
    try:
        return read_records(file)
    except BenchmarkError as error:
        findings.append(Finding(level="error", code="unreadable_file", split=file.stem, message=str(error)))
        return []


def _record_finding(raw: RawRecord, fault: Fault) -> Finding:
    return Finding(
        level="error",
        code=fault.code,
        split=raw.split,
        row=raw.row,
        field=f"line {raw.line}" + (f", {fault.field}" if fault.field else ""),
        message=fault.message,
    )


def _validate_cfe(path: Path) -> ValidationReport:
    """Look at everything in a benchmark folder.

    Args:
        path: The folder, or ``sample``.

    Returns:
        The report; what cannot be used is an ``error`` in it, so that one fault hides no other.

    Raises:
        BenchmarkError: If there is no such folder, or no split in it.
    """
    folder = benchmark_folder(path)
    findings: list[Finding] = []
    rows: list[Row] = []
    n_rows: dict[str, int] = {}
    origins = _Origins(folder, findings)
    for split in SPLITS:
        raws = _read_split(folder, split, findings)
        if raws is not None:
            n_rows[split] = len(raws)
            rows += _usable_rows(folder, split, raws, origins, findings)
    for row in rows:
        for check in _ROW_CHECKS:
            findings += check(row)
    findings += check_identity(rows)
    findings += check_images(rows, folder)
    files = digest_folder(folder, [row.problem for row in rows])
    return ValidationReport(
        path=str(path),
        version=known_version(files),
        files=files,
        counts=_count(rows, n_rows),
        lengths=tuple(_lengths(rows, {"question.text": _text_of("question"), "answer.text": _text_of("answer")})),
        findings=tuple(sorted(findings, key=lambda finding: _LEVELS.index(finding.level))),
    )


class _Origins:
    """The provenance file, with what is wrong about it as findings."""

    def __init__(self, folder: Path, findings: list[Finding]) -> None:
        self._findings = findings
        self._table = None
        try:
            self._table = read_provenance(folder)
        except BenchmarkError as error:
            findings.append(Finding(level="error", code="provenance", field=PROVENANCE_NAME, message=str(error)))
            return
        if self._table is None:
            message = "there is no provenance file: topics, sources and licences are unknown"
            findings.append(Finding(level="info", code="provenance", field=PROVENANCE_NAME, message=message))

    def of(self, split: str, problem_ids: Sequence[str]) -> Sequence[Provenance]:
        if self._table is None:
            return [UNKNOWN] * len(problem_ids)
        found = self._table.align(split, problem_ids)
        for row, (problem_id, origin) in enumerate(zip(problem_ids, found, strict=True)):
            if origin is None:
                self._add(split, row, problem_id, f"{PROVENANCE_NAME} has no entry for this id")
        for problem_id in self._table.surplus(split, problem_ids):
            self._add(split, None, problem_id, f"{PROVENANCE_NAME} lists an id that the split does not have")
        return [origin or UNKNOWN for origin in found]

    def _add(self, split: str, row: int | None, problem_id: str, message: str) -> None:
        finding = Finding(
            level="warning", code="provenance", split=split, row=row, problem_id=problem_id, field="id", message=message
        )
        self._findings.append(finding)


def _read_split(folder: Path, split: str, findings: list[Finding]) -> Sequence[JsonValue] | None:
    path = split_path(folder, split)
    if not path.is_file():
        findings.append(Finding(level="info", code="missing_split", split=split, message=f"there is no {path.name}"))
        return None
    try:
        return read_rows(path)
    except BenchmarkError as error:
        findings.append(Finding(level="error", code="unreadable_file", split=split, message=str(error)))
        return None


def _usable_rows(
    folder: Path, split: str, raws: Sequence[JsonValue], origins: _Origins, findings: list[Finding]
) -> Iterator[Row]:
    ids = [str(raw.get("id", "")) if isinstance(raw, dict) else "" for raw in raws]
    for row, (raw, origin) in enumerate(zip(raws, origins.of(split, ids), strict=True)):
        faults = check_row(raw, split, row)
        findings += faults
        if any(fault.level == "error" for fault in faults):
            continue
        usable = cast("Mapping[str, JsonValue]", raw)
        written = image_paths(usable)
        images: list[ImagePart] = []
        for position, name in enumerate(written):
            try:
                images.append(image_part(folder, name))
            except BenchmarkError as error:
                fault = Finding(
                    level="error",
                    code=_IMAGE_FAULTS.get(type(error), "unreadable_image"),
                    split=split,
                    row=row,
                    problem_id=ids[row],
                    field=f"question.images[{position}]",
                    message=str(error),
                )
                findings.append(fault)
        yield Row(raw=usable, problem=build_problem(usable, split, row, images, origin), image_paths=written)


def _count(rows: Sequence[Row], n_rows: Mapping[str, int]) -> BenchmarkCounts:
    problems = [row.problem for row in rows]
    images = [part.path for problem in problems for part in problem.question if part.kind == "image"]
    types = Counter(variable.type for problem in problems for variable in problem.variables)
    return BenchmarkCounts(
        rows=sum(n_rows.values()),
        rows_by_split=dict(n_rows),
        distinct_ids=len({problem.problem_id for problem in problems}),
        variables=types.total(),
        variables_by_type=dict(types.most_common()),
        steps=sum(len(problem.steps) for problem in problems),
        images=len(set(images)),
        image_references=len(images),
        repairs=sum(repair.count for problem in problems for repair in problem.repairs),
        repaired_rows=sum(bool(problem.repairs) for problem in problems),
        kinds=dict(Counter(problem.kind for problem in problems).most_common()),
        rubrics=sum(bool(problem.rubric) for problem in problems),
        perturbable=sum(problem.perturb is not None for problem in problems),
        topics=dict(Counter(problem.topic or "unknown" for problem in problems).most_common()),
        licences=dict(Counter(problem.licence or "unknown" for problem in problems).most_common()),
    )


def _text_of(part: str) -> Callable[[Row], str]:
    """Gives one text of a row, as the file has it."""
    return lambda row: str(cast("Mapping[str, JsonValue]", row.raw[part])["text"])


def _lengths(rows: Sequence[Row], texts: Mapping[str, Callable[[Row], str]]) -> Iterator[Lengths]:
    for split in dict.fromkeys(row.problem.split for row in rows):
        for field, text_of in texts.items():
            found = sorted(len(text_of(row)) for row in rows if row.problem.split == split)
            yield Lengths(
                split=split,
                field=field,
                shortest=found[0],
                median=median(found),
                p90=found[-(-9 * len(found) // 10) - 1],
                longest=found[-1],
            )
