"""The error tree: what a user can cause, each class with the exit code that the command line ends with.

    CfeError            1  anything below; prints without a traceback
    ├── UsageError      2  a command line or configuration that makes no sense
    ├── BenchmarkError  2  benchmark files that cannot be used
    ├── ModelError      2  a model folder, tokenizer or chat template that cannot be used
    ├── StoreError      2  a run folder that cannot be used: other settings, damaged, not a run
    ├── BundleError     2  a bundle that is not whole, or cannot be made
    ├── RunLockedError  3  another process writes to this run folder
    ├── EngineError     4  the engine died, hung or refused; what had finished is on disk
    ├── JudgeError      4  the judge cannot be trusted to answer at all (its grammar does not bind, say)
    ├── IncompleteError 5  the command ended well, but planned work has no outcome yet
    ├── NetworkRefusedError 6  something tried to leave this machine
    └── UnfitError      7  the doctor found what would stop or spoil a run

Exit code 0 is success, 1 an unexpected error (a bug: it keeps its traceback), 130 an interruption by the user.
Every message says what, where, and how to fix it.
"""

from __future__ import annotations


class CfeError(Exception):
    """Base of every error that a user can cause and repair."""

    exit_code = 1


class UsageError(CfeError):
    """A command line or configuration that makes no sense."""

    exit_code = 2


class BenchmarkError(CfeError):
    """Benchmark files that cannot be used as they are."""

    exit_code = 2


class ModelError(CfeError):
    """A model folder, tokenizer, chat template or image processor that cannot be used."""

    exit_code = 2


class StoreError(CfeError):
    """A run folder that cannot be used: other settings, damaged, or not a run folder."""

    exit_code = 2


class BundleError(CfeError):
    """A bundle that is not whole, or cannot be made."""

    exit_code = 2


class RunLockedError(StoreError):
    """Another process writes to this run folder."""

    exit_code = 3


class EngineError(CfeError):
    """The engine died, hung or refused; results that had finished are on disk."""

    exit_code = 4


class EngineDiedError(EngineError):
    """The engine process ended or hung; a new one may go on with the cases that have no response."""


class JudgeError(CfeError):
    """The judge cannot be trusted to answer at all."""

    exit_code = 4


class IncompleteError(CfeError):
    """The command ended well, but planned work has no outcome yet."""

    exit_code = 5


class NetworkRefusedError(CfeError):
    """Something tried to open a connection that leaves this machine."""

    exit_code = 6


class UnfitError(CfeError):
    """The doctor found what would stop or spoil a run."""

    exit_code = 7
