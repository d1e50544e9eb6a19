"""Ctrl-C: once ends the command in order, twice ends it at once. Engines end with their driver in either case."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible() -> Iterator[None]:
    """Handle SIGINT and SIGTERM inside: the first unwinds the stages, the second leaves at once with code 130."""
    earlier = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def first(number: int, frame: FrameType | None) -> None:
        del frame
        for known in earlier:
            signal.signal(known, second)
        with contextlib.suppress(OSError):  # no buffered stream here: the signal may have come while one was written
            os.write(2, b"\nstopping: what has finished is on disk; once more ends it at once\n")
        raise KeyboardInterrupt(signal.Signals(number).name)

    def second(number: int, frame: FrameType | None) -> None:
        del number, frame
        os._exit(130)

    for number in earlier:
        signal.signal(number, first)
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
