"""The log of a run: begun with its first line, and never more important than the run."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from cfe_local.cli.console import RunLog


def line(text: str) -> logging.LogRecord:
    return logging.LogRecord("cfe_local", logging.INFO, __file__, 1, text, None, None)


def test_the_log_begins_with_its_first_line(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "logs" / "a.log")
    assert not (tmp_path / "logs").exists()
    log.emit(line("half a character: \ud800"))
    log.close()
    assert (tmp_path / "logs" / "a.log").read_text(encoding="utf-8") == "half a character: \\ud800\n"


def test_a_full_disk_costs_log_lines_and_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    log = RunLog(Path("/dev/full"))
    for n in range(3):
        log.emit(line(f"line {n}"))
    log.close()
    said = capsys.readouterr().err
    assert said.count("No space left on device") == 1
    assert "Traceback" not in said


def test_a_log_that_cannot_be_begun_does_not_stop_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").write_text("a file")
    log = RunLog(tmp_path / "logs" / "a.log")
    log.emit(line("x"))
    log.close()
    assert "not complete" in capsys.readouterr().err
