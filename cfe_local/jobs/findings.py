"""What the doctor says: one line per check, with the remedy where something is wrong."""

from __future__ import annotations

from typing import Literal

from cfe_local.records import Record

Level = Literal["ok", "warning", "error"]


class Finding(Record):
    """One check and how it went. ``about`` is ``run``, ``model``, ``judge`` or ``machine``."""

    check: str
    about: str
    level: Level
    message: str
    remedy: str = ""


class Examination(Record):
    """Everything that the doctor found, in the order of the checks."""

    findings: tuple[Finding, ...]

    @property
    def n_errors(self) -> int:
        """Findings that would stop the run or spoil it."""
        return sum(finding.level == "error" for finding in self.findings)

    @property
    def n_warnings(self) -> int:
        """Findings that a person should have read."""
        return sum(finding.level == "warning" for finding in self.findings)


def ok(about: str, check: str, message: str) -> Finding:
    """A check that went well."""
    return Finding(check=check, about=about, level="ok", message=message)


def warning(about: str, check: str, message: str, remedy: str) -> Finding:
    """Something that a person should have read before the run."""
    return Finding(check=check, about=about, level="warning", message=message, remedy=remedy)


def error(about: str, check: str, message: str, remedy: str) -> Finding:
    """Something that would stop the run or spoil it."""
    return Finding(check=check, about=about, level="error", message=message, remedy=remedy)
