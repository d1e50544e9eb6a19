"""The seam that every engine has: cases in, responses out, each as soon as it is finished.

An engine lives in its own process (``engines.process``); what implements this protocol runs inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from cfe_local.records import Case, Response


class Engine(Protocol):
    """Something that answers cases."""

    def generate(self, cases: Iterable[Case]) -> Iterator[Response]:
        """Answer every case exactly once.

        Args:
            cases: Read lazily; an engine takes more as it has room, so a plan of any size fits into memory.

        Yields:
            One response per case, in the order in which they finish. A case that cannot be answered yields a response
            with another outcome than ``answered``; it never ends the others.

        Raises:
            EngineError: When the engine as a whole cannot go on.
        """
        ...
