"""One writer per run folder, also where the folder lies on NFS and the writers run on different machines.

The lock is a file that appears by hard link, which is atomic on local disks and on NFS, and that says who holds it.
A holder that died on this machine is recognised and replaced; one on another machine cannot be judged from here, so
the error names it and says how to remove the lock by hand.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psutil
from pydantic import Field, ValidationError

from cfe_local.errors import RunLockedError, StoreError
from cfe_local.records import Record

LOCK_NAME = "run.lock"
# psutil derives start times from clock ticks (1/100 s) and the boot time, which drifts a little with the clock.
START_TIME_TOLERANCE_S = 2.0
# A second round happens when a stale lock was removed; more only when several writers race for the same folder.
MAX_ROUNDS = 5


class LockHolder(Record):
    """Who holds a lock. ``machine``, ``boot`` and ``pid_namespace`` are empty where the system does not tell."""

    host: str
    machine: str = ""
    boot: str = ""
    pid_namespace: str = ""
    pid: int = Field(ge=1)
    started: float
    since: str
    nonce: str

    @classmethod
    def this_process(cls) -> LockHolder:
        """Describe the process that asks."""
        return cls(
            host=socket.gethostname(),
            machine=_read_line(Path("/etc/machine-id")),
            boot=_read_line(Path("/proc/sys/kernel/random/boot_id")),
            pid_namespace=_pid_namespace(),
            pid=os.getpid(),
            started=psutil.Process().create_time(),
            since=datetime.now(UTC).isoformat(timespec="seconds"),
            nonce=uuid.uuid4().hex,
        )

    def is_gone(self, observer: LockHolder) -> bool:
        """Whether this holder certainly no longer runs, as far as ``observer``'s place can tell.

        False where it cannot be known: another host, another container, an unknown boot.
        """
        if self.host != observer.host or self.machine != observer.machine:
            return False
        if self.boot != observer.boot:
            # Equal host names are not enough: two machines of a cluster may share one. The machine id settles it.
            return bool(self.machine and self.boot and observer.boot)
        if self.pid_namespace != observer.pid_namespace:
            return False
        try:
            process = psutil.Process(self.pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
            return abs(process.create_time() - self.started) > START_TIME_TOLERANCE_S
        except psutil.NoSuchProcess:
            return True
        except psutil.AccessDenied:
            return False


class RunLock:
    """The right to write to one run folder, held until ``release``."""

    def __init__(self, path: Path, holder: LockHolder) -> None:
        """Use ``acquire``."""
        self.path = path
        self.holder = holder

    @classmethod
    def acquire(cls, folder: Path) -> RunLock:
        """Take the lock of a run folder.

        Raises:
            RunLockedError: If another process holds it, or may hold it.
            StoreError: If the folder cannot be written.
        """
        path = folder / LOCK_NAME
        me = LockHolder.this_process()
        for _ in range(MAX_ROUNDS):
            if _place(path, me):
                return cls(path, me)
            text = _read_text(path)
            if text is None:
                continue  # released in between
            holder = _parse(text)
            if holder is None or not holder.is_gone(me):
                raise _locked(path, holder)
            _remove_stale(path, text, holder)
        raise _locked(path, None)

    def release(self) -> None:
        """Give the lock back; does nothing in a forked child or where the lock was taken away by hand."""
        if os.getpid() != self.holder.pid:
            return
        text = _read_text(self.path)
        if text is not None and (holder := _parse(text)) is not None and holder.nonce == self.holder.nonce:
            self.path.unlink(missing_ok=True)


def holder_of(folder: Path) -> LockHolder | None:
    """Who writes to a folder now, as far as it can be told from here; None if nobody does.

    Raises:
        StoreError: If the lock cannot be read.
    """
    text = _read_text(folder / LOCK_NAME)
    holder = _parse(text) if text is not None else None
    return None if holder is None or holder.is_gone(LockHolder.this_process()) else holder


def _place(path: Path, holder: LockHolder) -> bool:
    """Try to create the lock file with its content in one step; False where one exists."""
    claim = path.with_name(f".{path.name}.{holder.nonce}")
    try:
        claim.write_text(holder.model_dump_json() + "\n", encoding="utf-8")
        try:
            os.link(claim, path)
        except FileExistsError:
            # NFS may repeat a request whose answer was lost and then report the link it made itself.
            return claim.stat().st_nlink == 2
        except OSError:
            return _place_exclusively(path, holder)
        return True
    except OSError as error:
        raise StoreError(
            f"{path.parent}: cannot be written: {error.strerror or error}\n"
            "Fix: choose another run folder (out), or make this one writable and free some space."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            claim.unlink(missing_ok=True)


def _place_exclusively(path: Path, holder: LockHolder) -> bool:
    """The same where the file system has no hard links; the content follows a moment after the name."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
        handle.write(holder.model_dump_json() + "\n")
    return True


def _remove_stale(path: Path, text: str, holder: LockHolder) -> None:
    """Take a dead holder's lock away, and only that one: somebody else may have replaced it meanwhile.

    A holder is only ever known to be dead on its own machine, so those who take its lock away can wait for each other
    there. Where the file system cannot do that, a writer that comes in the instant between two renames gets past.
    """
    with _alone(path.parent) as is_alone:
        if is_alone:
            if _read_text(path) == text:
                path.unlink(missing_ok=True)
            return
    aside = path.with_name(f".{path.name}.stale.{uuid.uuid4().hex}")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return
    if _read_text(aside) == text:
        aside.unlink(missing_ok=True)
        return
    try:
        os.link(aside, path)
    except OSError as error:
        raise _locked(path, holder) from error
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Be the only one inside for a folder, on this machine; False where the file system has no such locks (NFS)."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            is_alone = True
        except OSError:
            is_alone = False
        yield is_alone
    finally:
        os.close(descriptor)


def _locked(path: Path, holder: LockHolder | None) -> RunLockedError:
    who = "an unknown process (the lock file cannot be read)"
    if holder is not None:
        who = f"process {holder.pid} on host {holder.host} since {holder.since}"
    return RunLockedError(
        f"{path.parent}: this run folder is in use by {who}\n"
        f"Fix: wait for it or stop it, or choose another run folder (out). If it certainly no longer runs: rm {path}"
    )


def _parse(text: str) -> LockHolder | None:
    try:
        return LockHolder.model_validate_json(text)
    except ValidationError:
        return None


def _read_text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(
            f"{path}: is in the place of the lock and cannot be read: {error.strerror or error}\n"
            f"Fix: if no other process writes to this run, remove {path}; else choose another run folder (out)."
        ) from error


def _read_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _pid_namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""
