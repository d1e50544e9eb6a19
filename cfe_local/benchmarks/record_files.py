"""Files of records, one JSON object each: a JSON array or JSON lines. Every record comes with the line it starts at.

Not here: what a record means (arb.py, plain.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from cfe_local.benchmarks.entries import read_text, strict_decoder
from cfe_local.errors import BenchmarkError

SUFFIXES = frozenset({".json", ".jsonl"})


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record as its file has it; ``row`` is its 0-based position, ``line`` the line where it starts, from 1."""

    split: str
    row: int
    line: int
    value: JsonValue


def record_files(path: Path) -> tuple[Path, ...]:
    """The files that a path means: itself, or every ``.json`` and ``.jsonl`` file directly in the folder, by name.

    Raises:
        BenchmarkError: If there is nothing of the kind.
    """
    if path.is_file():
        return (path,)
    found = (
        tuple(sorted(entry for entry in path.iterdir() if entry.suffix in SUFFIXES and entry.is_file()))
        if path.is_dir()
        else ()
    )
    if not found:
        raise BenchmarkError(
            f"{path}: holds no .json or .jsonl file\nFix: give the folder or the file of the problems."
        )
    names = [entry.stem for entry in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BenchmarkError(f"{path}: {twice} stands there as .json and as .jsonl\nFix: keep one of the two.")
    return found


def read_records(path: Path) -> Sequence[RawRecord]:
    """Read one file of records.

    Raises:
        BenchmarkError: If it is not UTF-8, not JSON, or holds no record; with the line where it breaks.
    """
    text = read_text(path)
    try:
        found = list(_array(text) if text.lstrip()[0] == "[" else _lines(text))
    except json.JSONDecodeError as error:
        raise BenchmarkError(
            f"{path}, line {error.lineno}: not JSON: {error.msg} at column {error.colno}\nFix: correct that line."
        ) from error
    except (ValueError, RecursionError) as error:
        raise BenchmarkError(f"{path}: {error}\nFix: correct that value in the file.") from error
    if not found:
        raise BenchmarkError(
            f"{path}: holds no record\nFix: give a JSON array or JSON lines with at least one problem."
        )
    return [RawRecord(path.stem, row, line, value) for row, (line, value) in enumerate(found)]


def _array(text: str) -> Iterator[tuple[int, JsonValue]]:
    """Elements of an array, each with its first line."""
    decoder = strict_decoder()
    position = _skip(text, text.index("[") + 1)
    while text[position : position + 1] != "]":
        value, end = decoder.raw_decode(text, position)
        yield text.count("\n", 0, position) + 1, value
        position = _skip(text, end)
        if text[position : position + 1] == ",":
            position = _skip(text, position + 1)
        elif text[position : position + 1] != "]":
            raise json.JSONDecodeError("Expecting ',' or ']'", text, min(position, len(text)))
    if text[position + 1 :].strip():
        raise json.JSONDecodeError("Extra data", text, position + 1)


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _lines(text: str) -> Iterator[tuple[int, JsonValue]]:
    """JSON lines; a file that is one object over several lines is one record."""
    decoder = strict_decoder()
    try:
        yield 1, decoder.decode(text)
    except json.JSONDecodeError:
        pass
    else:
        return
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if line.strip():
            try:
                yield number, decoder.decode(line)
            except json.JSONDecodeError as error:
                raise json.JSONDecodeError(error.msg, text, start + error.pos) from error
        start += len(line)
