"""One JSONL file of keyed records: appended as results arrive, loaded again after any kind of end.

What an unclean end leaves behind is counted, never hidden: a torn last line, damaged lines, several lines for one
key (the last wins), lines whose key nobody planned. Not here: which files a run has (run.py).
"""

from __future__ import annotations

import gc
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Generic

from pydantic import ValidationError

from cfe_local.errors import StoreError
from cfe_local.records import Record
from cfe_local.store.files import sync_folder
from cfe_local.store.loading import Loaded, RecordT, StreamIndex, Tally, label_of

# A power failure may cost at most this much; a killed process costs nothing.
SYNC_INTERVAL_S = 2.0
SYNC_LINES = 64
_log = logging.getLogger(__name__)


class RecordStream(Generic[RecordT]):
    """One JSONL file. ``append`` returns once the line would survive the death of this process."""

    def __init__(
        self,
        path: Path,
        model: type[RecordT],
        *,
        label: Callable[[RecordT], str] = label_of,
        writable: bool = True,
    ) -> None:
        """Nothing is opened or created until it is used."""
        self.path = path
        self.model = model
        self._label = label
        self._writable = writable
        self._descriptor: int | None = None
        self._size = 0
        self._n_appended = 0
        self._n_unsynced = 0
        self._last_sync = 0.0
        self._sync_error: OSError | None = None
        self._timer: threading.Timer | None = None
        self._mutex = threading.RLock()

    # ------------------------------------------------------------ reading

    def load(self, planned: Collection[str] | None = None) -> Loaded[RecordT]:
        """Read every record into memory.

        Args:
            planned: Labels that may stand in the file, best a set; None accepts all.

        Returns:
            The last record of each planned label, and what else was found.

        Raises:
            StoreError: If the file cannot be read at all.
        """
        records: dict[str, RecordT] = {}
        tally = Tally(self.path)
        with _without_cycle_collection():
            for _, record in self._scan(tally):
                label = self._label(record)
                if planned is not None and label not in planned:
                    tally.orphan(label)
                    continue
                if records.pop(label, None) is not None:
                    tally.n_duplicates += 1
                records[label] = record
        return Loaded(MappingProxyType(records), tally.report(len(records)))

    def index(self, planned: Collection[str] | None = None) -> StreamIndex[RecordT]:
        """As ``load``, but only positions are kept: for files that are larger than memory."""
        offsets: dict[str, int] = {}
        tally = Tally(self.path)
        for offset, record in self._scan(tally):
            label = self._label(record)
            if planned is not None and label not in planned:
                tally.orphan(label)
                continue
            if offsets.pop(label, None) is not None:
                tally.n_duplicates += 1
            offsets[label] = offset
        return StreamIndex(self.path, self.model, MappingProxyType(offsets), tally.report(len(offsets)))

    def _scan(self, tally: Tally) -> Iterator[tuple[int, RecordT]]:
        """Every line that holds a record, with its position in bytes."""
        if not self.path.exists():
            return
        offset = 0
        try:
            with self.path.open("rb") as handle:
                for raw in handle:
                    tally.n_lines += 1
                    try:
                        yield offset, self.model.model_validate_json(raw)
                    except ValidationError:
                        if raw.endswith(b"\n"):
                            tally.damaged()
                        else:
                            tally.n_lines -= 1
                            tally.n_torn_bytes = len(raw)
                    offset += len(raw)
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot be read: {error.strerror or error}\n"
                "Fix: check the disk and the permissions of the run folder."
            ) from error

    # ------------------------------------------------------------ writing

    @property
    def n_appended(self) -> int:
        """Records written through this object."""
        return self._n_appended

    def append(self, record: RecordT) -> None:
        """Write one record as one line; it survives a killed process from here on, a power failure within 2 s.

        Raises:
            StoreError: If the disk is full or fails. The file then ends with its last whole line.
        """
        line = record.model_dump_json().encode() + b"\n"
        with self._mutex:
            descriptor = self._open()
            if self._sync_error is not None:
                raise self._failed(self._sync_error) from self._sync_error
            try:
                _write_all(descriptor, line)
            except OSError as error:
                self._roll_back(descriptor)
                raise self._failed(error) from error
            except BaseException:  # an interruption between two partial writes must not leave half a line
                self._roll_back(descriptor)
                raise
            self._size += len(line)
            self._n_appended += 1
            self._n_unsynced += 1
            if self._n_unsynced >= SYNC_LINES or time.monotonic() - self._last_sync >= SYNC_INTERVAL_S:
                self.sync()
            elif self._timer is None:
                self._timer = threading.Timer(SYNC_INTERVAL_S, self._sync_late)
                self._timer.daemon = True
                self._timer.start()

    def sync(self) -> None:
        """Make every line that was written survive a power failure.

        Raises:
            StoreError: If the disk reports that it could not keep them.
        """
        with self._mutex:
            if self._descriptor is None or not self._n_unsynced:
                return
            try:
                os.fsync(self._descriptor)
            except OSError as error:
                self._sync_error = error
                raise self._failed(error) from error
            self._n_unsynced = 0
            self._last_sync = time.monotonic()

    def close(self) -> None:
        """Sync and let go of the file; the stream can be used again."""
        with self._mutex:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            try:
                self.sync()
            finally:
                if self._descriptor is not None:
                    os.close(self._descriptor)
                    self._descriptor = None

    def _open(self) -> int:
        if self._descriptor is not None:
            return self._descriptor
        if not self._writable:
            raise StoreError(f"{self.path}: this run was opened for reading only\nFix: open it as its writer.")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _set_torn_tail_aside(self.path, self.model)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
            self._size = os.fstat(descriptor).st_size
            sync_folder(self.path.parent)
        except OSError as error:
            raise self._failed(error) from error
        self._descriptor = descriptor
        self._last_sync = time.monotonic()
        return descriptor

    def _roll_back(self, descriptor: int) -> None:
        """Cut a half-written line off again; freeing space works on a full disk."""
        try:
            os.ftruncate(descriptor, self._size)
        except OSError as error:
            _log.warning("%s: a half-written line could not be removed: %s", self.path, error)

    def _sync_late(self) -> None:
        """Timer's end: bound the loss also when no further line comes."""
        with self._mutex:
            self._timer = None
            try:
                self.sync()
            except StoreError as error:  # the writer learns of it with its next line, or when it closes
                _log.warning("%s", error)

    def _failed(self, error: OSError) -> StoreError:
        safe = self._n_appended - self._n_unsynced
        return StoreError(
            f"{self.path}: could not be written: {error.strerror or error}\n"
            f"Safe on disk: everything from earlier processes and {safe} records of this one"
            f" ({self._n_unsynced} more are written but not yet confirmed by the disk).\n"
            "Fix: free space (or repair the disk), then run the same command again; it goes on where it stopped."
        )


@contextmanager
def _without_cycle_collection() -> Iterator[None]:
    """Pause the search for reference cycles: records have none, and looking takes half of the time of a large load."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; a nearly full disk takes only some of them at a time."""
    while data:
        data = data[os.write(descriptor, data) :]


def _set_torn_tail_aside(path: Path, model: type[Record]) -> None:
    """Give a file that a crash tore a whole last line again; the torn bytes go to ``NAME.torn``, not away."""
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("r+b") as handle:
        tail = _last_line(handle.fileno(), path.stat().st_size)
        if tail.endswith(b"\n"):
            return
        handle.seek(0, os.SEEK_END)
        try:
            model.model_validate_json(tail)
        except ValidationError:
            with path.with_name(path.name + ".torn").open("ab") as torn:
                torn.write(tail + b"\n")
                torn.flush()
                os.fsync(torn.fileno())
            handle.truncate(handle.tell() - len(tail))
            _log.warning("%s: a torn last line (%d bytes) was moved to %s.torn", path, len(tail), path.name)
        else:
            handle.write(b"\n")  # the record is whole, only its newline is missing


def _last_line(descriptor: int, size: int, block: int = 65536) -> bytes:
    """The last line of a file, with its newline where it has one; reads backwards, in blocks of bytes."""
    tail = b""
    position = size
    while position:
        start = max(0, position - block)
        tail = os.pread(descriptor, position - start, start) + tail
        position = start
        cut = tail.rfind(b"\n", 0, len(tail) - 1)
        if cut >= 0:
            return tail[cut + 1 :]
    return tail
