"""Lines over a pipe, with a limit on how long the other side may take. Bytes only; what they mean is ``wire``'s."""

from __future__ import annotations

import os
import select
import time


class PipeTimeoutError(TimeoutError):
    """The other side neither wrote nor read in time."""


class LineReader:
    """Reads whole lines from a file descriptor, which it owns."""

    def __init__(self, fd: int) -> None:
        """Nothing is read yet."""
        self._fd = fd
        self._buffer = bytearray()
        self._searched = 0
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)

    def read(self, timeout_s: float) -> bytes:
        """The next line with its newline; what is left without one at the end of the stream.

        Raises:
            PipeTimeoutError: If no whole line comes in time.
        """
        deadline = time.monotonic() + timeout_s
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            if not self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise PipeTimeoutError
            piece = os.read(self._fd, 1 << 16)
            if not piece:
                end = len(self._buffer) - 1
                break
            self._buffer += piece
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self._fd)


class PipeWriter:
    """Writes bytes to a file descriptor, which it owns, and does not wait for ever for a reader that hangs."""

    def __init__(self, fd: int) -> None:
        """Nothing is written yet."""
        self._fd = fd
        os.set_blocking(fd, False)
        self._poll = select.poll()
        self._poll.register(fd, select.POLLOUT)

    def write(self, data: bytes, timeout_s: float) -> None:
        """Write all of it.

        Raises:
            PipeTimeoutError: If the reader takes nothing for that long.
            BrokenPipeError: If the reader is gone.
        """
        view = memoryview(data)
        while view:
            if not self._poll.poll(timeout_s * 1000):
                raise PipeTimeoutError
            try:
                view = view[os.write(self._fd, view) :]
            except BlockingIOError:
                continue

    def close(self) -> None:
        """Let go of the pipe; the reader sees its end."""
        os.close(self._fd)
