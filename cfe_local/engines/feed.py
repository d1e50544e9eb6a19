"""Cases on their way into an engine. One with work in hand must not wait for the next case; a feed says if it would.

Not here: where cases come from.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from cfe_local.engines.wire import FROM_DRIVER, Ask, EndOfCases
from cfe_local.records import Case


class CaseFeed:
    """An iterator over cases that can say whether the next one is there already. This one: always."""

    def __init__(self, cases: Iterable[Case]) -> None:
        """Takes nothing yet."""
        self._cases = iter(cases)

    def __iter__(self) -> Iterator[Case]:
        return self

    def __next__(self) -> Case:
        return next(self._cases)

    def ready(self) -> bool:
        """Whether ``next`` returns, or ends, without waiting for anybody."""
        return True


def as_feed(cases: Iterable[Case]) -> CaseFeed:
    """The same cases as a feed."""
    return cases if isinstance(cases, CaseFeed) else CaseFeed(cases)


class Inbox:
    """Reads the driver's messages in a thread, so that the driver can always write and the engine never has to wait."""

    def __init__(self, pipe: BinaryIO) -> None:
        """Starts reading."""
        self._messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(pipe,), name="inbox", daemon=True).start()

    def _read(self, pipe: BinaryIO) -> None:
        for raw in pipe:
            self._messages.put(raw)
        self._messages.put(b"")

    def next_round(self) -> PipedCases | None:
        """Wait for the next round of cases; None once the driver has closed the pipe."""
        first = self._messages.get()
        return PipedCases(first, self._messages) if first else None


class PipedCases(CaseFeed):
    """The cases of one round, as they arrive from the driver."""

    def __init__(self, first: bytes, messages: queue.SimpleQueue[bytes]) -> None:
        """``first`` is the round's first message."""
        self._first: bytes | None = first
        self._messages = messages
        self._ended = False

    def __next__(self) -> Case:
        if self._ended:
            raise StopIteration
        raw = self._first if self._first is not None else self._messages.get()
        self._first = None
        if not raw:
            self._messages.put(b"")  # the closed pipe ends this round and is still to be seen by whoever asks for more
        message = FROM_DRIVER.validate_json(raw) if raw else EndOfCases()
        if isinstance(message, Ask):
            return message.case
        self._ended = True
        raise StopIteration

    def ready(self) -> bool:
        """Whether a message has arrived that nobody has taken."""
        return self._ended or self._first is not None or not self._messages.empty()
