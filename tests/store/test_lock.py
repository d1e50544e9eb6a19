from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cfe_local.errors import RunLockedError, StoreError
from cfe_local.store import LockHolder, RunLock


def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def locks_of_writers(folder: Path, n_writers: int) -> list[RunLock]:
    """What writers get that come to a folder at the same moment."""
    barrier = threading.Barrier(n_writers)
    got: list[RunLock] = []

    def write() -> None:
        barrier.wait()
        with contextlib.suppress(RunLockedError):
            got.append(RunLock.acquire(folder))

    writers = [threading.Thread(target=write) for _ in range(n_writers)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=60)
    return got


def test_a_second_writer_is_refused_until_the_first_lets_go(tmp_path: Path) -> None:
    lock = RunLock.acquire(tmp_path)
    with pytest.raises(RunLockedError, match=f"process {os.getpid()} on host {lock.holder.host} since"):
        RunLock.acquire(tmp_path)
    lock.release()
    RunLock.acquire(tmp_path).release()
    assert list(tmp_path.iterdir()) == []


Change = Callable[[LockHolder], LockHolder]

HOLDERS: list[tuple[str, Change, bool]] = [
    ("a process of this machine that ended", lambda me: me.model_copy(update={"pid": dead_pid()}), True),
    ("a process whose id was given to another", lambda me: me.model_copy(update={"started": me.started - 500}), True),
    ("a process from before this machine rebooted", lambda me: me.model_copy(update={"boot": "another"}), True),
    ("a living process", lambda me: me, False),
    ("a process on another host", lambda me: me.model_copy(update={"pid": dead_pid(), "host": "elsewhere"}), False),
    (
        "a process on another machine of the same name",
        lambda me: me.model_copy(update={"pid": dead_pid(), "machine": "another"}),
        False,
    ),
    (
        "a process in another container",
        lambda me: me.model_copy(update={"pid": dead_pid(), "pid_namespace": "pid:[1]"}),
        False,
    ),
    (
        "a process of an unknown boot of an unnamed machine",
        lambda me: me.model_copy(update={"boot": "another", "machine": ""}),
        False,
    ),
]


@pytest.mark.parametrize(("who", "change", "gone"), HOLDERS, ids=[row[0] for row in HOLDERS])
def test_only_a_holder_that_is_certainly_gone_loses_its_lock(
    tmp_path: Path, who: str, change: Change, gone: bool
) -> None:
    me = LockHolder.this_process().model_copy(update={"machine": "m", "boot": "b"})
    holder = change(me)
    observer = me if holder.machine else me.model_copy(update={"machine": ""})
    assert holder.is_gone(observer) is gone, who


def test_the_lock_of_a_process_that_ended_is_taken_over(tmp_path: Path) -> None:
    holder = LockHolder.this_process().model_copy(update={"pid": dead_pid()})
    (tmp_path / "run.lock").write_text(holder.model_dump_json())
    lock = RunLock.acquire(tmp_path)
    assert lock.holder.pid == os.getpid()
    lock.release()
    assert list(tmp_path.iterdir()) == []


NO_PROCESS = LockHolder.this_process().model_dump_json().replace(f'"pid":{os.getpid()}', '"pid":-5')


@pytest.mark.parametrize("content", [b"", b"{}", b"not json", b"\xff\xfe", NO_PROCESS.encode()])
def test_a_lock_file_that_says_nothing_is_respected(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.lock").write_bytes(content)
    with pytest.raises(RunLockedError, match="unknown process"):
        RunLock.acquire(tmp_path)


def test_a_disk_that_takes_nothing_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "write_text", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StoreError, match="cannot be written: Read-only"):
        RunLock.acquire(tmp_path)


def test_a_folder_in_the_place_of_the_lock_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "run.lock").mkdir()
    with pytest.raises(StoreError, match=r"run\.lock"):
        RunLock.acquire(tmp_path)


def test_release_leaves_a_lock_that_somebody_else_took_by_hand(tmp_path: Path) -> None:
    mine = RunLock.acquire(tmp_path)
    (tmp_path / "run.lock").unlink()
    other = RunLock.acquire(tmp_path)
    mine.release()
    assert (tmp_path / "run.lock").exists()
    other.release()


def test_without_hard_links_the_lock_still_excludes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    lock = RunLock.acquire(tmp_path)
    with pytest.raises(RunLockedError, match=f"process {os.getpid()}"):
        RunLock.acquire(tmp_path)
    lock.release()


def test_a_folder_that_is_missing_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        RunLock.acquire(tmp_path / "missing")


@pytest.fixture
def restless_threads() -> Iterator[None]:
    """Threads that change every few microseconds, so that a race of two system calls is met within a hundred rounds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless_threads")
def test_a_dead_holders_lock_goes_to_one_writer_however_many_find_it(tmp_path: Path) -> None:
    stale = LockHolder.this_process().model_copy(update={"pid": dead_pid()}).model_dump_json()
    for attempt in range(100):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        (folder / "run.lock").write_text(stale)
        assert len(locks_of_writers(folder, 8)) == 1, attempt


@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.parametrize("attempt", range(5))
def test_of_many_writers_at_once_exactly_one_gets_the_lock(tmp_path: Path, stale: bool, attempt: int) -> None:
    if stale:
        holder = LockHolder.this_process().model_copy(update={"pid": dead_pid()})
        (tmp_path / "run.lock").write_text(holder.model_dump_json())
    got = locks_of_writers(tmp_path, 8)
    assert len(got) == 1, attempt
    got[0].release()
    assert list(tmp_path.iterdir()) == []
