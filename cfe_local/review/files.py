"""A reviewer's file of labels: one writer at a time, every line on the disk before the page says so.

Each reviewer has a file and a lock of their own, so two reviewers never wait for each other.
"""

from __future__ import annotations

import re
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from cfe_local.errors import RunLockedError, StoreError, UsageError
from cfe_local.review.labels import ReviewLine, Standing, undo_line
from cfe_local.store import LoadReport, RecordStream, RunLock

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
SUFFIX = ".jsonl"


def check_reviewer(name: str) -> str:
    """A name that can stand in a file name.

    Raises:
        UsageError: If it cannot.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"reviewer name {name[:80]!r} cannot name a file\n"
            "Fix: 1 to 64 letters, digits, '-' and '_', beginning with a letter or digit."
        )
    return name


class LabelBook:
    """The labels of one reviewer, open for writing. Safe to use from several threads."""

    def __init__(self, path: Path, reviewer: str, lock: RunLock) -> None:
        """Use ``open``."""
        self.path = path
        self.reviewer = reviewer
        self._lock = lock
        self._stream = RecordStream(path, ReviewLine, label=lambda line: line.id)
        loaded = self._stream.load()
        self.found: LoadReport = loaded.report
        self._lines = list(loaded.records.values())
        self._standing = Standing.after(self._lines)
        self._mutex = threading.Lock()

    @classmethod
    def open(cls, folder: Path, reviewer: str) -> LabelBook:
        """Become the writer of ``FOLDER/REVIEWER.jsonl``, new or begun earlier.

        Raises:
            UsageError: If the name cannot name a file.
            RunLockedError: If another page is open on the same labels.
            StoreError: If the folder or the file cannot be used.
        """
        check_reviewer(reviewer)
        path = folder / f"{reviewer}{SUFFIX}"
        # The lock's file has a fixed name, so every reviewer's lock has a folder of its own.
        place = folder / f".{reviewer}"
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{folder}: labels cannot be kept here: {error.strerror or error}\nFix: give another place (--labels)."
            ) from error
        try:
            lock = RunLock.acquire(place)
        except RunLockedError as error:
            raise RunLockedError(
                f"{path}: another review page is open on these labels\n"
                f"Fix: use that page or stop it (Ctrl-C), or choose another --reviewer.\n({error})"
            ) from error
        try:
            return cls(path, reviewer, lock)
        except BaseException:
            lock.release()
            raise

    @property
    def standing(self) -> Standing:
        """What the file says now."""
        with self._mutex:
            return self._standing

    def add(self, line: ReviewLine) -> None:
        """Append a line; it is on the disk when this returns.

        Raises:
            StoreError: If the disk is full or fails; the file then ends with its last whole line.
        """
        with self._mutex:
            self._append(line)

    def undo(self) -> ReviewLine | None:
        """Take back the last label that stands, and say which it was; None where there is none."""
        with self._mutex:
            if not self._standing.history:
                return None
            last = self._standing.history[-1]
            self._append(undo_line(self.reviewer))
            return last

    def _append(self, line: ReviewLine) -> None:
        self._stream.append(line)
        self._stream.sync()
        self._lines.append(line)
        self._standing = Standing.after(self._lines)

    def close(self) -> None:
        """Close the file and let others write to it."""
        self._stream.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_labels_file(path: Path) -> tuple[Standing, LoadReport]:
    """What one reviewer's file says; torn and damaged lines are counted in the report.

    Raises:
        StoreError: If there is no such file, or no line of it is a label.
    """
    if not path.is_file():
        raise StoreError(f"{path}: no such file of labels\nFix: give files that `cfe-local review` wrote.")
    loaded = RecordStream(path, ReviewLine, label=lambda line: line.id, writable=False).load()
    if not loaded.records and loaded.report.n_lines + loaded.report.n_torn_bytes:
        raise StoreError(f"{path}: holds no label that can be read\nFix: give files that `cfe-local review` wrote.")
    return Standing.after(loaded.records.values()), loaded.report
