"""What verdicts were made from, as one sha256: where it is unchanged, stored verdicts need not be derived again.

Deriving everything again from the judge's stored answers costs about a millisecond per response: nothing for an exam,
minutes for a diagnostic over a whole benchmark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from cfe_local.grading.base import GradingTask
from cfe_local.records import Record, Sha256

ROOMS = ("equivalence", "grading", "prompts")
"""Rooms whose source text decides what follows from a response and the judge's answers."""


class Settled(Record):
    """Stands beside verdicts that are final."""

    made_from: Sha256
    n_verdicts: int


def made_from(tasks: Sequence[GradingTask]) -> str:
    """sha256 over the responses, what they were asked and graded against, and the code that grades."""
    digest = hashlib.sha256(source_sha256().encode())
    for task in tasks:
        response = task.response
        digest.update(f"{response.key.label}\0{response.outcome}\0{response.text}\0".encode("utf-8", "surrogatepass"))
        digest.update(f"{task.question}\0{task.solution}\0".encode("utf-8", "surrogatepass"))
        for target in task.targets:
            parts = (target.name, target.description, target.value, target.type)
            digest.update("\0".join(parts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@cache
def source_sha256() -> str:
    """sha256 over the source files of the rooms that grade."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".py", ".jinja"):
                digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
