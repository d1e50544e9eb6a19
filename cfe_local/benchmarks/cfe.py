"""From upstream CFE files to problems: repaired where certain, images at their places, topics from the provenance file.

Identity is (split, row); ids repeat. Not here: judging the content (validate.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from cfe_local.benchmarks.entries import SPLITS, check_row, read_rows, split_path
from cfe_local.benchmarks.images import digest_file, resolve_image
from cfe_local.benchmarks.known import known_version
from cfe_local.benchmarks.provenance import PROVENANCE_NAME, UNKNOWN, Provenance, read_provenance
from cfe_local.benchmarks.repair import Repairer
from cfe_local.config.run import SelectionConfig
from cfe_local.errors import BenchmarkError, UsageError
from cfe_local.records import FileDigest, ImagePart, Part, Problem, Step, TargetVariable, TextPart, VariableType

IMAGE_MARK = "<image>"
SAMPLE = "sample"
SAMPLE_PATH = Path(__file__).with_name("sample")


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark folder, read. ``problems`` has split text before mm, each in file order."""

    name: str
    path: Path
    problems: tuple[Problem, ...]
    files: tuple[FileDigest, ...]
    version: str | None

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits that the folder has."""
        return tuple(dict.fromkeys(problem.split for problem in self.problems))


def benchmark_folder(path: Path) -> Path:
    """The folder that a user means; ``sample`` is the benchmark that ships with cfe_local.

    Raises:
        BenchmarkError: If there is no such folder, or no split in it.
    """
    if str(path) == SAMPLE:
        return SAMPLE_PATH
    if path.is_file():
        raise BenchmarkError(f"{path}: is a file\nFix: give the folder that holds {_names()}: {path.parent}")
    if not path.is_dir():
        raise BenchmarkError(f"{path}: no such folder\nFix: give the folder that holds {_names()}.")
    if not any(split_path(path, split).is_file() for split in SPLITS):
        raise BenchmarkError(f"{path}: holds no benchmark\nFix: give the folder that holds {_names()}.")
    return path


def load_cfe(path: Path) -> Benchmark:
    """Read a benchmark folder in the upstream format.

    Args:
        path: The folder with ``CFE_text.json``, ``CFE_mm.json`` or both; ``sample`` for the embedded benchmark.

    Returns:
        All problems; every repair is recorded in its problem.

    Raises:
        BenchmarkError: If a file or row cannot be used, or an image is missing or lies outside the folder; names
            file, row and field.
    """
    folder = benchmark_folder(path)
    provenance = read_provenance(folder)
    problems: list[Problem] = []
    for split in SPLITS:
        file = split_path(folder, split)
        if not file.is_file():
            continue
        rows = _usable_rows(file, split)
        origins = provenance.align(split, [str(row["id"]) for row in rows]) if provenance else [None] * len(rows)
        for row, (raw, origin) in enumerate(zip(rows, origins, strict=True)):
            try:
                images = [image_part(folder, written) for written in image_paths(raw)]
            except BenchmarkError as error:
                raise BenchmarkError(f"{file}, row {row} ({str(raw['id'])[:8]}): {error}") from error
            problems.append(build_problem(raw, split, row, images, origin or UNKNOWN))
    files = digest_folder(folder, problems)
    version = known_version(files)
    name = SAMPLE if folder == SAMPLE_PATH else version or folder.resolve().name
    return Benchmark(name=name, path=folder, problems=tuple(problems), files=files, version=version)


def _usable_rows(file: Path, split: str) -> list[Mapping[str, JsonValue]]:
    rows = read_rows(file)
    faults = [fault for row, raw in enumerate(rows) for fault in check_row(raw, split, row) if fault.level == "error"]
    if faults:
        shown = "\n".join(f"  row {fault.row}, {fault.field or 'whole row'}: {fault.message}" for fault in faults[:5])
        more = f"\n  ... and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise BenchmarkError(
            f"{file}: {len(faults)} values cannot be used:\n{shown}{more}\n"
            f"Fix: correct them in the file; `cfe-local validate {file.parent}` lists all."
        )
    return cast("list[Mapping[str, JsonValue]]", rows)


def digest_folder(folder: Path, problems: Iterable[Problem]) -> tuple[FileDigest, ...]:
    """sha256 of every file that the problems come from: splits, provenance, images; by name."""
    names = [split_path(folder, split).name for split in SPLITS] + [PROVENANCE_NAME]
    digests = [digest_file(folder / name, name) for name in names if (folder / name).is_file()]
    root = folder.resolve()
    images = {part.path: part.sha256 for problem in problems for part in problem.question if part.kind == "image"}
    digests += [
        FileDigest(path=Path(path).relative_to(root).as_posix(), sha256=sha256, n_bytes=Path(path).stat().st_size)
        for path, sha256 in sorted(images.items())
    ]
    return tuple(digests)


def build_problem(
    raw: Mapping[str, JsonValue], split: str, row: int, images: Sequence[ImagePart], origin: Provenance = UNKNOWN
) -> Problem:
    """Make a problem of a row that ``check_row`` found usable."""
    repairer = Repairer()
    question = cast("Mapping[str, JsonValue]", raw["question"])
    answer = cast("Mapping[str, JsonValue]", raw["answer"])
    text = repairer("question.text", str(question["text"]))
    return Problem(
        split=split,
        row=row,
        problem_id=str(raw["id"]),
        question=interleave(text, images),
        solution=repairer("answer.text", str(answer["text"])),
        variables=_variables(raw, repairer),
        steps=_steps(raw, repairer),
        topic=origin.topic,
        source=origin.source,
        licence=origin.licence,
        repairs=tuple(repairer.repairs),
    )


def interleave(text: str, images: Sequence[ImagePart]) -> tuple[Part, ...]:
    """Put images where the text marks them with ``<image>``.

    Images beyond the marks follow at the end, in their order. Marks beyond the images stay as text, which engines
    neutralise; ``validate`` reports either case.
    """
    pieces = text.split(IMAGE_MARK)
    n_placed = min(len(pieces) - 1, len(images))
    parts: list[Part] = []
    for position in range(n_placed):
        if pieces[position]:
            parts.append(TextPart(text=pieces[position]))
        parts.append(images[position])
    rest = IMAGE_MARK.join(pieces[n_placed:])
    if rest:
        parts.append(TextPart(text=rest))
    return (*parts, *images[n_placed:])


def _variables(raw: Mapping[str, JsonValue], repairer: Repairer) -> tuple[TargetVariable, ...]:
    names, types = _as_list(raw["short_answer_variable"]), _as_list(raw["short_answer_type"])
    values, descriptions = _as_list(raw["short_answer_value"]), _as_list(raw["short_answer_description"])
    return tuple(
        TargetVariable(
            name=str(name),
            description=repairer(f"short_answer_description[{position}]", str(descriptions[position])),
            value=repairer(f"short_answer_value[{position}]", str(values[position])),
            type=cast("VariableType", types[position]),
        )
        for position, name in enumerate(names)
    )


def _steps(raw: Mapping[str, JsonValue], repairer: Repairer) -> tuple[Step, ...]:
    steps: list[Step] = []
    for position, raw_step in enumerate(_as_list(raw.get("reasoning_flow", []))):
        step = cast("Mapping[str, JsonValue]", raw_step)
        answer = cast("str | float | bool", step["verifiable_answer"])
        if isinstance(answer, str):
            answer = repairer(f"reasoning_flow[{position}].verifiable_answer", answer)
        elif not isinstance(answer, bool):
            answer = float(answer)
        question = repairer(f"reasoning_flow[{position}].step", str(step["step"]))
        steps.append(Step(step_id=cast("int", step["step_id"]), question=question, answer=answer))
    return tuple(steps)


def image_paths(raw: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The image paths of a usable row's question, as written."""
    question = cast("Mapping[str, JsonValue]", raw["question"])
    return tuple(map(str, _as_list(question.get("images", []))))


def image_part(folder: Path, written: str) -> ImagePart:
    """An image of a problem, found and digested.

    Raises:
        BenchmarkError: If it is missing or lies outside the folder.
    """
    path = resolve_image(folder, written)
    return ImagePart(path=str(path), sha256=digest_file(path, written).sha256)


def _as_list(value: JsonValue) -> list[JsonValue]:
    return cast("list[JsonValue]", value)


def _names() -> str:
    return " or ".join(split_path(Path(), split).name for split in SPLITS)


def select(problems: Sequence[Problem], selection: SelectionConfig) -> tuple[Problem, ...]:
    """The problems that a selection names, in file order.

    Raises:
        UsageError: If it names a split or row that does not exist, or nothing is left; lists what exists.
    """
    n_rows: dict[str, int] = {}
    for problem in problems:
        n_rows[problem.split] = max(n_rows.get(problem.split, 0), problem.row + 1)
    unknown = [split for split in selection.splits if split not in n_rows]
    if unknown:
        raise UsageError(f"no split {unknown[0]!r}; {_existing(n_rows)}\nFix: name one of these (selection.splits).")
    wanted = {key for written in selection.rows for key in _rows_of(written, n_rows)}
    chosen = tuple(
        problem
        for problem in problems
        if (not selection.splits or problem.split in selection.splits)
        and (not selection.rows or (problem.split, problem.row) in wanted)
    )[: selection.limit]
    if not chosen:
        raise UsageError(
            f"the selection leaves no problem; {_existing(n_rows)}\nFix: widen selection.splits or selection.rows."
        )
    return chosen


def take_shard(problems: tuple[Problem, ...], selection: SelectionConfig) -> tuple[Problem, ...]:
    """Of the selected problems those of the selection's shard: one by one in turn, so that long ones spread evenly.

    Raises:
        UsageError: If there are more shards than problems.
    """
    part, n_parts = selection.shard_numbers
    if len(problems) < n_parts:
        raise UsageError(
            f"shard {selection.shard}: only {len(problems)} problems are selected\nFix: make at most that many shards."
        )
    return problems[part - 1 :: n_parts]


def _rows_of(written: str, n_rows: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    split, _, numbers = written.partition(":")
    first, dash, last = numbers.partition("-")
    start, stop = int(first), int(last) if dash and last else int(first)
    if split not in n_rows or stop >= n_rows[split] or stop < start:
        raise UsageError(f"no rows {written!r}; {_existing(n_rows)}\nFix: name rows that exist (selection.rows).")
    return ((split, row) for row in range(start, stop + 1))


def _existing(n_rows: Mapping[str, int]) -> str:
    said = [f"{split}:0-{n - 1}" for split, n in n_rows.items()]
    return f"there are {' and '.join(said)}" if said else "the benchmark has no problems"


def first_copies(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """One problem per id, the first in order: a second figure where ids repeat."""
    first: dict[str, Problem] = {}
    for problem in problems:
        first.setdefault(problem.problem_id, problem)
    return tuple(first.values())
