"""What loading one JSONL file gives: its records, or where they stand, and a count of everything else found there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Generic, TypeVar

from cfe_local.records import Key, Record, Verdict

# How many labels or line numbers a report names; the counts are always complete.
N_EXAMPLES = 5

RecordT = TypeVar("RecordT", bound=Record)


def label_of(record: Record) -> str:
    """The key of a record inside its file: its key's label, for verdicts with the variable.

    Raises:
        TypeError: If the record has no key, so that it cannot stand in a stream.
    """
    key = getattr(record, "key", None)
    if not isinstance(key, Key):
        raise TypeError(f"{type(record).__name__} has no key; give the stream a label function")
    return f"{key.label}/v{record.variable}" if isinstance(record, Verdict) else key.label


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was found in one file besides its records."""

    path: Path
    n_lines: int = 0
    n_records: int = 0
    n_duplicates: int = 0
    n_orphans: int = 0
    n_damaged: int = 0
    n_torn_bytes: int = 0
    orphan_labels: tuple[str, ...] = ()
    damaged_lines: tuple[int, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether every line is a record that was planned, once."""
        return not (self.n_duplicates or self.n_orphans or self.n_damaged or self.n_torn_bytes)

    def describe(self) -> str:
        """One line for the log, with everything that was set aside."""
        said = [f"{self.path.name}: {self.n_records} records"]
        if self.n_torn_bytes:
            said.append(f"torn last line ({self.n_torn_bytes} bytes) ignored")
        if self.n_duplicates:
            said.append(f"{self.n_duplicates} repeated lines, the last of each key counts")
        if self.n_orphans:
            said.append(f"{self.n_orphans} lines outside the plan ignored, for example {self.orphan_labels[0]}")
        if self.n_damaged:
            lines = ", ".join(map(str, self.damaged_lines))
            said.append(f"{self.n_damaged} damaged lines ignored (line {lines}{' ...' if self.n_damaged > 5 else ''})")
        return "; ".join(said)


@dataclass(frozen=True, slots=True)
class Loaded(Generic[RecordT]):
    """The records of one file by label, in the order of their last lines, and what else was found."""

    records: MappingProxyType[str, RecordT]
    report: LoadReport


@dataclass(frozen=True, slots=True)
class StreamIndex(Generic[RecordT]):
    """Where each label's record stands in its file; the records stay on disk until asked for."""

    path: Path
    model: type[RecordT]
    offsets: MappingProxyType[str, int]
    report: LoadReport

    def __contains__(self, label: str) -> bool:
        return label in self.offsets

    def __len__(self) -> int:
        return len(self.offsets)

    def read(self, label: str) -> RecordT:
        """One record.

        Raises:
            KeyError: If no record has this label.
        """
        with self.path.open("rb") as handle:
            handle.seek(self.offsets[label])
            return self.model.model_validate_json(handle.readline())

    def __iter__(self) -> Iterator[RecordT]:
        """Every record once, in file order, one at a time in memory."""
        if not self.offsets:
            return
        with self.path.open("rb") as handle:
            for offset in sorted(self.offsets.values()):
                handle.seek(offset)
                yield self.model.model_validate_json(handle.readline())


@dataclass(slots=True)
class Tally:
    """Counts that grow while a file is read."""

    path: Path
    n_lines: int = 0
    n_duplicates: int = 0
    n_orphans: int = 0
    n_damaged: int = 0
    n_torn_bytes: int = 0
    orphan_labels: list[str] = field(default_factory=list)
    damaged_lines: list[int] = field(default_factory=list)

    def orphan(self, label: str) -> None:
        """Count a line whose key nobody planned."""
        self.n_orphans += 1
        if len(self.orphan_labels) < N_EXAMPLES:
            self.orphan_labels.append(label)

    def damaged(self) -> None:
        """Count the current line as no record."""
        self.n_damaged += 1
        if len(self.damaged_lines) < N_EXAMPLES:
            self.damaged_lines.append(self.n_lines)

    def report(self, n_records: int) -> LoadReport:
        """The counts as they stand."""
        return LoadReport(
            path=self.path,
            n_lines=self.n_lines,
            n_records=n_records,
            n_duplicates=self.n_duplicates,
            n_orphans=self.n_orphans,
            n_damaged=self.n_damaged,
            n_torn_bytes=self.n_torn_bytes,
            orphan_labels=tuple(self.orphan_labels),
            damaged_lines=tuple(self.damaged_lines),
        )
