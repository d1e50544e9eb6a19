"""The command line as a process: light to start, and clear about what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "vllm", "transformers", "outlines", "sympy", "pint", "flint", "scipy", "numpy", "matplotlib")
CFE_LOCAL = Path(sys.executable).with_name("cfe-local")


def run_cli(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([CFE_LOCAL, *arguments], capture_output=True, text=True, cwd=cwd, timeout=120, check=False)


@pytest.mark.parametrize(
    "code",
    [
        "import cfe_local",
        "from cfe_local.cli.main import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass",
    ],
    ids=["import", "help"],
)
def test_starting_imports_no_heavy_package(code: str) -> None:
    script = f"import sys\n{code}\nprint([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr.strip() == "[]"


def test_the_public_names_can_all_be_imported() -> None:
    import cfe_local

    for name in cfe_local.__all__:
        assert getattr(cfe_local, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        _ = cfe_local.absent


def test_an_unknown_verb_names_itself_and_ends_with_2() -> None:
    done = run_cli("rnu")
    assert done.returncode == 2
    assert "rnu" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "absent.yaml"], 2, "configuration file not found: absent.yaml"),
        (["run", "--model", "nowhere", "--judge", "nowhere", "--benchmark", "sample"], 2, "nowhere: no such folder"),
        (["run", "--model", "smollm2", "--judge", "x", "--benchmark", "sample"], 2, "smollm2-135m-instruct"),
        (["run", "--model", "m", "--benchmark", "no/benchmark"], 2, "no/benchmark: no such folder"),
        (["run", "--model", "m", "--benchmark", "sample", "--rows", "text"], 2, "not written as split:row"),
        (["run", "--model", "m", "--benchmark", "sample", "--experiment", "exams"], 2, "did you mean exam?"),
        (["run", "--model", "m", "--benchmark", "sample", "-k", "4"], 2, "k=4, samples=1"),
        (["run", "--model", "m", "--benchmark", "sample", "--set", "grading.protocols=[s3s]"], 2, "did you mean s2s?"),
        (
            [
                "run",
                "--model",
                "m",
                "--judge",
                "j",
                "--benchmark",
                "sample",
                "--set",
                "judge.structured_backend=outlines",
            ],
            2,
            "S2S extracts under a grammar",
        ),
        (["report", "."], 2, "is not a run folder"),
        (["models", "prepare", "llama"], 2, "not an embedded model"),
    ],
)
def test_bad_input_says_what_and_how_to_fix_it(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    done = run_cli(*arguments, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert said in done.stderr
    assert "Fix:" in done.stderr or "did you mean" in done.stderr or "not written as" in done.stderr


def replayed_run(folder: Path) -> list[str]:
    """Arguments of a run by replay, without ``--out``."""
    answers = folder / "answers.jsonl"
    answers.write_text('{"split": "text", "row": 0, "text": "72"}\n', encoding="utf-8")
    return ["generate", "--engine", "replay", "--model", str(answers), "--benchmark", "sample", "--rows", "text:0"]


@pytest.mark.parametrize("out", ["file", "file/below", "dangling", "/proc/run", "x" * 300])
def test_a_place_that_cannot_be_a_run_folder_is_a_clear_error(tmp_path: Path, out: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "dangling").symlink_to("nowhere")
    done = run_cli(*replayed_run(tmp_path), "--out", out, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "Fix:" in done.stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_that_is_no_run_is_left_as_it_was(tmp_path: Path) -> None:
    foreign = tmp_path / "thesis"
    foreign.mkdir()
    (foreign / "chapter.tex").write_text("mine")
    for arguments in (["grade", str(foreign)], [*replayed_run(tmp_path), "--out", str(foreign)]):
        assert run_cli(*arguments).returncode == 2
        assert [path.name for path in foreign.iterdir()] == ["chapter.tex"]


def test_an_unknown_log_level_is_a_usage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFE_LOCAL_LOG_LEVEL", "loud")
    done = run_cli(*replayed_run(tmp_path), "--out", str(tmp_path / "run"))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "CFE_LOCAL_LOG_LEVEL" in done.stderr


def test_a_system_error_that_nobody_expected_is_a_message_with_the_file(tmp_path: Path) -> None:
    done = run_cli("validate", str(tmp_path / ("x" * 5000)))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "File name too long" in done.stderr


def test_a_reader_that_goes_away_is_no_fault() -> None:
    script = """
import sys
from cfe_local.cli import main as entry
def write(**_):
    raise BrokenPipeError
entry.cli.main = write
entry.main([])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (141, "")


def test_validate_prints_json_that_can_be_read() -> None:
    done = run_cli("validate", "sample", "--json", "--strict")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert report["counts"]["rows"] == 24


def test_an_empty_selection_is_refused(tmp_path: Path) -> None:
    replay = tmp_path / "answers.jsonl"
    replay.write_text('{"split": "text", "row": 0, "text": "72"}\n', encoding="utf-8")
    base = ["generate", "--engine", "replay", "--model", str(replay), "--benchmark", "sample"]
    done = run_cli(*base, "--rows", "text:900", "--out", str(tmp_path / "run"))
    assert done.returncode == 2, done.stderr
    assert not (tmp_path / "run" / "responses.jsonl").exists()
