"""How the pipeline tells whoever is looking what happens. Printing is the command line's."""

from __future__ import annotations

from typing import Protocol

from cfe_local.records import Response


class Watcher(Protocol):
    """Receives events; each call must return quickly."""

    def stage(self, name: str, *, total: int, done: int) -> None:
        """A stage begins: how many records it will have, and how many an earlier attempt left."""
        ...

    def response(self, response: Response) -> None:
        """One response is on disk."""
        ...

    def advance(self, n: int = 1) -> None:
        """Other records of the stage are done."""
        ...

    def note(self, text: str) -> None:
        """Something that the user should read, in one line."""
        ...


class Silent:
    """A watcher that looks away; for tests and notebooks."""

    def stage(self, name: str, *, total: int, done: int) -> None:
        """Ignore."""

    def response(self, response: Response) -> None:
        """Ignore."""

    def advance(self, n: int = 1) -> None:
        """Ignore."""

    def note(self, text: str) -> None:
        """Ignore."""
