"""Compares the pairs of a JSON-lines stream: reads and checks each line, compares in worker processes, keeps the order.

A line that cannot be used is reported and passed over; the others are compared all the same.
Not here: printing, files, counting (``metrics.pairs``).
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import get_args

from cfe_local.equivalence import ComparisonPool
from cfe_local.equivalence.pool import Pair
from cfe_local.records import Comparison, ValueContext, VariableType

_TYPES = get_args(VariableType)
_CONTEXT_KEYS = ("variable", "description", "question")
_COMPARISON_KEYS = ("verdict", "by", "evidence", "reference_reading", "candidate_reading")
_SECONDS_DIGITS = 6  # Microseconds; below that a clock reading says nothing.


@dataclass(frozen=True, slots=True)
class PairLine:
    """One usable line.

    Attributes:
        n_line: Its number in the stream, from 1.
        row: The whole JSON object, keys that mean nothing here included.
        label: Whether the values are equal, None without a label.
    """

    n_line: int
    row: dict[str, object]
    reference: str
    candidate: str
    context: ValueContext
    label: bool | None


@dataclass(frozen=True, slots=True)
class BadLine:
    """One line that cannot be used, and why."""

    n_line: int
    problem: str


@dataclass(frozen=True, slots=True)
class VerifiedPair:
    """A line with its comparison."""

    line: PairLine
    comparison: Comparison

    def to_json(self) -> str:
        """The line as it is written back: its own keys, and what the comparison says under the comparison's."""
        said: dict[str, object] = {key: getattr(self.comparison, key) for key in _COMPARISON_KEYS}
        said["seconds"] = round(self.comparison.seconds, _SECONDS_DIGITS)
        return json.dumps(self.line.row | said, ensure_ascii=False)


class _LineError(ValueError):
    """What is wrong with a line."""


def verify_lines(
    lines: Iterable[bytes], pool: ComparisonPool, report: Callable[[BadLine], None]
) -> Iterator[VerifiedPair]:
    """Compare the pairs of a stream.

    Args:
        lines: JSON lines in UTF-8; empty ones are passed over.
        pool: Started workers. Lines are read only as fast as these can take them.
        report: Called once with each bad line, while the stream is read.

    Yields:
        Every usable line with its comparison, in the order of the stream, as soon as it is due.
    """
    waiting: deque[PairLine] = deque()

    def pairs() -> Iterator[Pair]:
        for line in read_pairs(lines):
            if isinstance(line, BadLine):
                report(line)
                continue
            waiting.append(line)
            yield line.reference, line.candidate, line.context

    for _, comparison in pool.compare_all(pairs()):
        yield VerifiedPair(waiting.popleft(), comparison)


def read_pairs(lines: Iterable[bytes]) -> Iterator[PairLine | BadLine]:
    """Read and check the lines of a stream; empty ones are passed over."""
    for n_line, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _pair(n_line, line)
        except _LineError as error:
            yield BadLine(n_line, str(error))


def _pair(n_line: int, line: bytes) -> PairLine:
    row = _object(line)
    given = {key: _text(row, key) for key in _CONTEXT_KEYS if row.get(key) is not None}
    label = row.get("equal")
    if label is not None and not isinstance(label, bool):
        raise _LineError(f"`equal` has to be true or false, not {_shown(label)}")
    kind = row.get("type")
    if kind is not None and kind not in _TYPES:
        raise _LineError(f"`type` has to be one of {', '.join(_TYPES)}, not {_shown(kind)}")
    context = ValueContext.model_validate({"type": kind, **given})
    return PairLine(n_line, row, _text(row, "reference"), _text(row, "candidate"), context, label)


def _object(line: bytes) -> dict[str, object]:
    try:
        row = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse_constant)
        json.dumps(row, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        raise _LineError(f"not UTF-8 (byte {error.start + 1})") from error
    except UnicodeEncodeError as error:
        raise _LineError("holds half of a surrogate pair, which is no character") from error
    except json.JSONDecodeError as error:
        raise _LineError(f"not JSON: {error.msg} (column {error.colno})") from error
    except RecursionError as error:
        raise _LineError("not a pair: nested too deeply") from error
    except ValueError as error:  # A whole number of more digits than Python reads, or NaN.
        raise _LineError(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise _LineError(f"not a JSON object but {_shown(row)}")
    return row


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON value")


def _text(row: dict[str, object], key: str) -> str:
    if key not in row:
        raise _LineError(f"`{key}` is missing")
    value = row[key]
    if not isinstance(value, str):
        raise _LineError(f"`{key}` has to be a text, not {_shown(value)}")
    return value


def _shown(value: object) -> str:
    """A value in a message: short, in one line."""
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
