"""An earlier run that an experiment starts from: which samples were right there, and what they said.

Not here: reading it from its folder (the pipeline does), and which problems follow from it (``selection``).
"""

from __future__ import annotations

from cfe_local.records import Key, Outcome, Record, Sha256, VerdictValue


class SourceSample(Record):
    """One planned sample of the earlier run; ``outcome`` is None where it had no response."""

    key: Key
    mark: VerdictValue
    outcome: Outcome | None
    text: str = ""


class SourceRun(Record):
    """What an experiment may know about the run that it starts from; ``origin`` is what that run started from."""

    experiment: str
    fingerprint: Sha256
    grading: str
    model: str
    samples: tuple[SourceSample, ...]
    origin: SourceRun | None = None
