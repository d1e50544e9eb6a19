"""The upstream file format: a JSON array per split, read strictly, every departure named with its place.

Not here: what the texts inside say (repair.py, checks/) and where images lie (images.py).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast, get_args

from pydantic import JsonValue

from cfe_local.benchmarks.findings import Finding
from cfe_local.errors import BenchmarkError
from cfe_local.records import VariableType

SPLITS = ("text", "mm")
VARIABLE_LISTS = ("short_answer_value", "short_answer_variable", "short_answer_description", "short_answer_type")
VARIABLE_TYPES: tuple[str, ...] = get_args(VariableType)
KEYS = frozenset({"id", "question", "answer", "reasoning_flow", *VARIABLE_LISTS})

JsonObject = Mapping[str, JsonValue]


def split_path(folder: Path, split: str) -> Path:
    """Where a split's file lies in a benchmark folder."""
    return folder / f"CFE_{split}.json"


def read_rows(path: Path) -> Sequence[JsonValue]:
    """Read one split's file.

    Returns:
        Its rows, of any shape: ``check_row`` says whether one can be used.

    Raises:
        BenchmarkError: If the file is not a JSON array with at least one element, in UTF-8, without NaN, infinities
            or repeated names; with line and column where JSON breaks.
    """
    text = read_text(path)
    try:
        rows = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise BenchmarkError(
            f"{path}: not JSON: {error.msg} at line {error.lineno}, column {error.colno}\n"
            "Fix: download the file again (it may be cut off), or repair it there."
        ) from error
    except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
        raise BenchmarkError(f"{path}: {error}\nFix: correct that value in the file.") from error
    if not isinstance(rows, list) or not rows:
        what = "an empty array" if rows == [] else f"a JSON {_kind(rows)}"
        raise BenchmarkError(f"{path}: holds {what}, not an array of problems\nFix: give the upstream file as it is.")
    return rows


def read_text(path: Path) -> str:
    """The text of a benchmark file, which must be UTF-8 and not empty.

    Raises:
        BenchmarkError: If it is not, or cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BenchmarkError(
            f"{path}: cannot be read: {error.strerror or error}\nFix: check the path and its permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise BenchmarkError(
            f"{path}: byte {error.start} is not UTF-8\nFix: download the file again, or convert it to UTF-8."
        ) from error
    if not text.strip():
        raise BenchmarkError(f"{path}: the file is empty\nFix: download it again.")
    return text


def strict_decoder() -> json.JSONDecoder:
    """Reads JSON as `read_rows` does: no NaN, no infinities, no repeated names; these raise ValueError."""
    return json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_unique)


class _NotAllowedError(ValueError):
    """JSON that Python reads and other readers do not."""


def _refuse_constant(name: str) -> float:
    raise _NotAllowedError(f"{name} is not a JSON value")


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if broken := next((name for name in found if _has_surrogate(name)), None):
        raise _NotAllowedError(f"the name {broken!r} holds half of a surrogate pair, which is no character")
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _NotAllowedError(f"the name {twice!r} stands twice in one object")
    return found


def check_row(raw: JsonValue, split: str, row: int) -> tuple[Finding, ...]:
    """Everything that makes a row unusable, each as a finding of level ``error``; unknown keys as warnings."""
    if not isinstance(raw, dict):
        return (_fault(split, row, None, "wrong_shape", None, f"the row is a JSON {_kind(raw)}, not an object"),)
    problem_id = raw.get("id")
    known_id = problem_id if isinstance(problem_id, str) and problem_id else None
    faults = [
        _fault(split, row, known_id, code, place, message)
        for code, place, message in (
            *_id_faults(raw),
            *_text_faults(raw, "question"),
            *_text_faults(raw, "answer"),
            *_variable_faults(raw),
            *_flow_faults(raw),
        )
    ]
    for name in sorted(raw.keys() - KEYS):
        fault = _fault(split, row, known_id, "unknown_key", name, f"unknown key {name!r} is ignored")
        faults.append(fault.model_copy(update={"level": "warning"}))
    return tuple(faults)


Fault = tuple[str, str, str]
"""code, field, message"""


def _fault(split: str, row: int, problem_id: str | None, code: str, place: str | None, message: str) -> Finding:
    return Finding(level="error", code=code, split=split, row=row, problem_id=problem_id, field=place, message=message)


def _id_faults(raw: JsonObject) -> Iterator[Fault]:
    problem_id = raw.get("id")
    if not isinstance(problem_id, str) or not problem_id:
        yield "wrong_shape", "id", f"must be a non-empty string, got {_shown(problem_id)}"
    elif _has_surrogate(problem_id):
        yield "broken_character", "id", "holds half of a surrogate pair, which is no character"


def _text_faults(raw: JsonObject, name: str) -> Iterator[Fault]:
    part = raw.get(name)
    if not isinstance(part, dict):
        yield "wrong_shape", name, f"must be an object with text and images, got {_shown(part)}"
        return
    text = part.get("text")
    if not isinstance(text, str):
        yield "non_string_value", f"{name}.text", f"must be a string, got {_shown(text)}"
    elif name == "question" and not text.strip():
        yield "empty_text", f"{name}.text", "the question is empty"
    elif _has_surrogate(text):
        yield "broken_character", f"{name}.text", "holds half of a surrogate pair, which is no character"
    images = part.get("images", [])
    if not isinstance(images, list) or not all(map(_is_path, images)):
        yield "wrong_shape", f"{name}.images", f"must be an array of paths, got {_shown(images)}"


def _is_path(value: JsonValue) -> bool:
    return isinstance(value, str) and bool(value) and not _has_surrogate(value)


def _variable_faults(raw: JsonObject) -> Iterator[Fault]:
    lengths: dict[str, int] = {}
    for name in VARIABLE_LISTS:
        values = raw.get(name)
        if not isinstance(values, list):
            yield "wrong_shape", name, f"must be an array of strings, got {_shown(values)}"
            continue
        lengths[name] = len(values)
        for position, value in enumerate(values):
            place = f"{name}[{position}]"
            if not isinstance(value, str):
                yield "non_string_value", place, f"must be a string, got {_shown(value)}"
            elif not value.strip() and name != "short_answer_description":
                yield "empty_text", place, "is empty"
            elif _has_surrogate(value):
                yield "broken_character", place, "holds half of a surrogate pair, which is no character"
            elif name == "short_answer_type" and value not in VARIABLE_TYPES:
                yield "unknown_type", place, f"unknown type {value!r}; known are {', '.join(VARIABLE_TYPES)}"
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} {n}" for name, n in lengths.items())
        yield "unequal_lists", "short_answer_*", f"the lists differ in length: {said}"
    elif lengths and not max(lengths.values()):
        yield "no_variables", "short_answer_variable", "the problem asks for no variable"


def _flow_faults(raw: JsonObject) -> Iterator[Fault]:
    steps = raw.get("reasoning_flow", [])
    if not isinstance(steps, list):
        yield "wrong_shape", "reasoning_flow", f"must be an array of steps, got {_shown(steps)}"
        return
    for position, step in enumerate(steps):
        place = f"reasoning_flow[{position}]"
        if not isinstance(step, dict):
            yield "wrong_shape", place, f"must be an object, got {_shown(step)}"
            continue
        if not isinstance(step.get("step_id"), int) or isinstance(step.get("step_id"), bool):
            yield "wrong_shape", f"{place}.step_id", f"must be a whole number, got {_shown(step.get('step_id'))}"
        question, answer = step.get("step"), step.get("verifiable_answer")
        if not isinstance(question, str) or _has_surrogate(question):
            yield "non_string_value", f"{place}.step", f"must be a string, got {_shown(question)}"
        if not _is_answer(answer):
            yield "wrong_shape", f"{place}.verifiable_answer", f"must be text, a number or a bool, got {_shown(answer)}"


def _is_answer(value: JsonValue) -> bool:
    if isinstance(value, str):
        return not _has_surrogate(value)
    if isinstance(value, int):
        return abs(value) < 10**300
    return isinstance(value, float) and math.isfinite(value)


def text_fields(raw: JsonObject) -> Iterator[tuple[str, str]]:
    """Every text of a usable row with the name of its field, variable names included."""
    for part in ("question", "answer"):
        yield f"{part}.text", str(cast("JsonObject", raw[part])["text"])
    for name in VARIABLE_LISTS[:3]:
        for position, value in enumerate(cast("list[str]", raw[name])):
            yield f"{name}[{position}]", value
    for position, step in enumerate(cast("list[JsonObject]", raw.get("reasoning_flow", []))):
        yield f"reasoning_flow[{position}].step", str(step["step"])
        if isinstance(step["verifiable_answer"], str):
            yield f"reasoning_flow[{position}].verifiable_answer", step["verifiable_answer"]


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _kind(value: JsonValue) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "bool"
    kinds: dict[type, str] = {dict: "object", list: "array", str: "string"}
    return kinds.get(type(value), "number")


def _shown(value: JsonValue, limit: int = 60) -> str:
    if value is None:
        return "nothing"
    text = ascii(value)
    return f"{_kind(value)} {text if len(text) <= limit else text[: limit - 3] + '...'}"
