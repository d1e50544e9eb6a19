"""Keeps what judge exams found where gradings and reports find it: by what the judge's verdicts are made from.

An exam counts for a grading if judge, weights, prompts, sampling, protocol and grading settings are the same. It is
copied into the grading's folder, so that a report can be made elsewhere; a judge that is examined after it graded is
looked up again. What an exam asks is in `judge_exam`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs
from pydantic import Field, ValidationError

from cfe_local.config import GradingConfig, JudgeConfig
from cfe_local.errors import StoreError
from cfe_local.grading.asking import JudgeSettings
from cfe_local.records import Record, Sha256
from cfe_local.store import GradingFolder, settings_fingerprint
from cfe_local.store.files import write_atomically

CITED_NAME = "judge_exam.json"
"""The exam of the judge, in the folder of the grading that it made."""


class ExamRecord(Record):
    """What an exam found for a judge, for a report to cite."""

    fingerprint: Sha256 = Field(description="Of everything that a verdict is made from, the graded responses left out.")
    protocol: str
    labels: str = Field(description="Name of the file of labelled responses.")
    labels_sha256: Sha256
    n_responses: int
    n_right: int = Field(description="Questions whose verdict agrees with their label; undecided does not.")
    accuracy_low: float
    accuracy_high: float
    n_false_positives: int
    n_wrong: int = Field(description="Responses whose label is wrong: as many could have been false positives.")
    qualified: bool

    @property
    def line(self) -> str:
        """The exam in one line of a report."""
        verdict = "qualified" if self.qualified else "not qualified"
        return (
            f"{verdict}: {self.protocol} right on {self.n_right} of {self.n_responses} labelled responses "
            f"(95 % interval {100 * self.accuracy_low:.0f}\u2013{100 * self.accuracy_high:.0f} %), "
            f"{self.n_false_positives} false positives of {self.n_wrong} "
            f"({self.labels}, sha256 {self.labels_sha256[:8]})"
        )


def exams_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Where exams are kept: ``$CFE_LOCAL_EXAMS_DIR``, else ``judge-exams`` in the user's data folder."""
    chosen = (os.environ if environ is None else environ).get("CFE_LOCAL_EXAMS_DIR")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_data_dir("cfe-local")) / "judge-exams"


def settings_of_judge(judge: JudgeConfig, grading: GradingConfig) -> JudgeSettings:
    """What gradings need to know about the judge."""
    return JudgeSettings(
        sampling=judge.sampling,
        max_response_tokens=grading.max_response_tokens,
        typography=grading.typography,
        accept_from=grading.accept_from,
    )


def settings_text(grading: GradingConfig) -> str:
    """The grading's settings that change verdicts; those added later only where they are not the default."""
    own = grading.model_copy(update={"name": "", "protocols": ()})
    usual = GradingConfig()
    later = {name for name in ("typography", "accept_from") if getattr(own, name) == getattr(usual, name)}
    return own.model_dump_json(exclude=later)


def exam_fingerprint(settings: Mapping[str, str]) -> str:
    """What an exam and a grading share, from the settings of either."""
    shared = {
        name: value
        for name, value in settings.items()
        if name in {"protocol", "grading"} or name.startswith(("judge.", "template.judge"))
    }
    return settings_fingerprint(shared)


def keep(record: ExamRecord, *, folder: Path | None = None) -> Path:
    """Keep an exam; one over the same labels replaces an earlier one."""
    path = (folder or exams_folder()) / record.fingerprint / f"{record.labels_sha256}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (record.model_dump_json(indent=2) + "\n").encode())
    except OSError as error:
        raise StoreError(
            f"{path}: the exam cannot be kept: {error}\nFix: set CFE_LOCAL_EXAMS_DIR to a folder that can be written."
        ) from error
    return path


def find(fingerprint: str, *, folder: Path | None = None) -> ExamRecord | None:
    """The exam with most responses for a fingerprint; None where there is none that can be read."""
    found = []
    for path in sorted(((folder or exams_folder()) / fingerprint).glob("*.json")):
        try:
            found.append(ExamRecord.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError):
            # A damaged record is no proof of anything.
            continue
    return max(found, key=lambda record: record.n_responses, default=None)


def cite(folder: GradingFolder) -> ExamRecord | None:
    """The exam of a grading's judge: copied into the grading's folder where that can be written."""
    kept = find(exam_fingerprint(folder.manifest.settings))
    if kept is None:
        return folder.read_json(CITED_NAME, ExamRecord)
    if folder.is_writable:
        folder.write_json(CITED_NAME, kept)
    return kept
