"""Exams are found again by what a judge's verdicts are made from, and cited."""

from pathlib import Path

import pytest

from cfe_local.config import GradingConfig
from cfe_local.errors import StoreError
from cfe_local.pipeline.exams import ExamRecord, exam_fingerprint, exams_folder, find, keep, settings_text

SETTINGS = {
    "protocol": "s2s",
    "grading": settings_text(GradingConfig()),
    "judge.files": "a" * 64,
    "template.judge_extract": "b" * 64,
}


def record(n_responses: int = 58, **changed: object) -> ExamRecord:
    values: dict[str, object] = {
        "fingerprint": exam_fingerprint(SETTINGS),
        "protocol": "s2s",
        "labels": "dev.jsonl",
        "labels_sha256": "c" * 64,
        "n_responses": n_responses,
        "n_right": 50,
        "accuracy_low": 0.8,
        "accuracy_high": 0.93,
        "n_false_positives": 1,
        "n_wrong": 29,
        "qualified": False,
    }
    return ExamRecord.model_validate({**values, **changed})


def test_an_exam_counts_for_the_same_judge_prompts_and_settings_only() -> None:
    """What was graded (the run, the labels) makes no difference; all that makes verdicts does."""
    same = {**SETTINGS, "run": "d" * 64, "labels": "e" * 64, "template.flow": "f" * 64}
    assert exam_fingerprint(same) == exam_fingerprint(SETTINGS)
    for name in SETTINGS:
        assert exam_fingerprint({**SETTINGS, name: "other"}) != exam_fingerprint(SETTINGS)


def test_gradings_from_before_an_option_keep_their_settings() -> None:
    assert settings_text(GradingConfig()) == '{"protocols":[],"name":"","max_response_tokens":6000}'
    assert '"accept_from":0.8' in settings_text(GradingConfig(accept_from=0.8))
    assert '"typography":"never"' in settings_text(GradingConfig(typography="never"))


def test_the_largest_exam_is_found_and_a_damaged_one_proves_nothing(tmp_path: Path) -> None:
    assert find(exam_fingerprint(SETTINGS), folder=tmp_path) is None
    keep(record(20), folder=tmp_path)
    keep(record(159, labels_sha256="1" * 64), folder=tmp_path)
    path = keep(record(500, labels_sha256="2" * 64), folder=tmp_path)
    path.write_text("{")
    found = find(exam_fingerprint(SETTINGS), folder=tmp_path)
    assert found == record(159, labels_sha256="1" * 64)
    assert "not qualified: s2s right on 50 of 159" in found.line
    assert "1 false positives of 29" in found.line


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="CFE_LOCAL_EXAMS_DIR"):
        keep(record(), folder=tmp_path / "file")


def test_the_folder_is_chosen_by_the_environment() -> None:
    assert exams_folder({"CFE_LOCAL_EXAMS_DIR": "/data/exams"}) == Path("/data/exams")
    assert exams_folder({}).name == "judge-exams"
