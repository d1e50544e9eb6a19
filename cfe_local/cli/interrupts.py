"""Ctrl-C: once ends the command in order, twice ends it at once. Engines end with their driver in either case."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click


@contextmanager
def interruptible() -> Iterator[None]:
    """Handle SIGINT and SIGTERM inside: the first unwinds the stages, the second leaves at once with code 130."""
    earlier = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def first(number: int, frame: FrameType | None) -> None:
        del frame
        for known in earlier:
            signal.signal(known, second)
        click.echo("\nstopping: what has finished is on disk; once more ends it at once", err=True)
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
