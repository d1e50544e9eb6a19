"""Exports against the readers of the tools whose formats they are."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cfe_local.errors import UsageError
from cfe_local.metrics import ExamRecords, join_samples
from cfe_local.records import Case, Key, Message, Problem, Response, Sampling, TextPart
from cfe_local.report import parquet
from cfe_local.report.exported import GradedRun, clustered_error
from cfe_local.report.inspect_log import inspect_files
from cfe_local.report.lm_eval import lm_eval_files, sanitised
from cfe_local.report.parquet import responses_parquet, verdicts_parquet
from tests.report.runs import facts, measured, problem, records_of, response, three_problems, verdict

HOSTILE = "../../<script>|\u202e: x"


def needs(package: str) -> pytest.MarkDecorator:
    missing = importlib.util.find_spec(package) is None
    return pytest.mark.skipif(missing, reason=f"{package} is not installed; it is part of the extra dev")


def graded(records: ExamRecords, *, model: str = "little") -> GradedRun:
    run = facts()
    named = run.config.model.model_copy(update={"name": model})
    samples = join_samples(records.problems, records.planned, records.responses, records.verdicts, grading="s2s")
    prompt = (Message(role="user", parts=(TextPart(text="How much?"),)),)
    return GradedRun(
        config=run.config.model_copy(update={"model": named}),
        manifest=run.manifest,
        metrics=measured(records),
        cases={key.label: Case(key=key, messages=prompt, sampling=Sampling()) for key in records.planned},
        samples=tuple(samples),
        n_rows=Counter(p.split for p in records.problems),
        benchmark_version=None,
    )


def with_thinking_and_failure() -> ExamRecords:
    problems: list[Problem] = [problem(i) for i in range(3)]
    failed = Response(key=Key(experiment="exam", split="text", row=2, sample=0), outcome="failed", detail="no memory")
    responses = [response(problems[0], thinking="Let me see."), response(problems[1], HOSTILE), failed]
    return records_of(problems, responses, [verdict(problems[0]), verdict(problems[1], "undecided", says=HOSTILE)])


def write(files: dict[str, str], folder: Path) -> list[Path]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def read_elsewhere(code: str, *arguments: object) -> list[Any]:
    """What another tool's reader says, in a process of its own: its imports and warnings are its own affair."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return said


# ---------------------------------------------------------------- lm-evaluation-harness


def test_lm_eval_figures_are_the_headlines() -> None:
    files = list(lm_eval_files(graded(three_problems())).items())
    results = json.loads(files[0][1])
    assert results["results"]["cfe_text"]["question_accuracy,none"] == pytest.approx(1 / 3)
    assert results["results"]["cfe"] == results["results"]["cfe_text"] | {"alias": "cfe"}
    assert results["n-samples"] == {"cfe_text": {"original": 3, "effective": 3}}
    lines = [json.loads(line) for line in files[1][1].splitlines()]
    assert [line["doc_id"] for line in lines] == [0, 1, 2]
    assert [line["question_accuracy"] for line in lines] == [1, 0, 0]
    assert [line["marks"] for line in lines] == [["correct"], ["incorrect"], ["undecided"]]


def test_lm_eval_samples_hold_what_the_model_wrote_and_the_answer() -> None:
    _, text = lm_eval_files(graded(with_thinking_and_failure())).values()
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines[0]["resps"] == [["<think>Let me see.</think>It is $2$."]]
    assert lines[0]["filtered_resps"] == ["It is $2$."]
    assert [line["outcomes"] for line in lines] == [["answered"], ["answered"], ["failed"]]
    assert lines[1]["question_accuracy"] == 0


@pytest.mark.parametrize("name", [HOSTILE, "org/model", "..", "a b:c"])
def test_a_model_name_cannot_leave_the_export_folder(name: str) -> None:
    assert "/" not in sanitised(name)
    assert sanitised(name) not in ("", ".", "..")


@needs("lm_eval")
def test_lm_eval_reads_its_files(tmp_path: Path) -> None:
    paths = write(lm_eval_files(graded(three_problems())), tmp_path)
    code = """
import json, sys
from lm_eval.utils import (get_file_datetime, get_file_task_name, get_results_filenames,
                           get_sample_results_filenames, make_table)
(results,), (samples,) = get_results_filenames(sys.argv[1:]), get_sample_results_filenames(sys.argv[1:])
name = samples.rpartition("/")[2]
table = make_table(json.load(open(results)))
print(json.dumps([get_file_task_name(name), get_file_datetime(name) in results, table]))
"""
    task, same_time, table = read_elsewhere(code, *paths)
    assert task == "cfe_text"
    assert same_time
    assert "cfe_text" in table
    assert "0.3333" in table


# ---------------------------------------------------------------- Inspect


@needs("inspect_ai")
def test_inspect_reads_its_log(tmp_path: Path) -> None:
    (path,) = write(inspect_files(graded(with_thinking_and_failure(), model=HOSTILE)), tmp_path)
    code = """
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
metrics = {score.name: score.metrics["accuracy"].value for score in log.results.scores}
samples = [[s.id, s.epoch, s.scores["question_accuracy"].value, s.output.completion, s.output.stop_reason,
            s.error.message if s.error else None] for s in log.samples]
thinking = log.samples[0].output.message.content[0].reasoning
print(json.dumps([log.status, metrics, samples, log.eval.model, thinking]))
"""
    status, metrics, samples, model, thinking = read_elsewhere(code, path)
    assert (status, thinking) == ("success", "Let me see.")
    assert metrics == {"question_accuracy": pytest.approx(1 / 3), "variable_accuracy": pytest.approx(1 / 3)}
    assert samples == [
        ["text:0", 1, "C", "It is $2$.", "stop", None],
        ["text:1", 1, "N", HOSTILE, "stop", None],
        ["text:2", 1, "N", "", "unknown", "failed: no memory"],
    ]
    assert model == f"vllm/{HOSTILE}"


def test_an_inspect_log_of_an_unfinished_run_says_cancelled() -> None:
    records = three_problems()
    torn = ExamRecords(records.problems, records.planned, records.responses[:1], records.verdicts[:1])
    (text,) = inspect_files(graded(torn)).values()
    log = json.loads(text)
    assert log["status"] == "cancelled"
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (3, 1)
    assert log["results"]["scores"][0]["metrics"]["accuracy"]["value"] == pytest.approx(1 / 3)


# ---------------------------------------------------------------- Parquet


@needs("pyarrow")
def test_parquet_files_hold_typed_columns(tmp_path: Path) -> None:
    records = with_thinking_and_failure()
    (tmp_path / "r.parquet").write_bytes(responses_parquet(records.problems, records.responses))
    (tmp_path / "v.parquet").write_bytes(verdicts_parquet(records.problems, records.verdicts))
    code = """
import json, sys
import pyarrow.parquet as parquet
responses, verdicts = (parquet.read_table(path) for path in sys.argv[1:])
print(json.dumps([str(responses.schema.field("seconds").type), responses.column("text").to_pylist(),
                  verdicts.column("p_correct").to_pylist(), responses.column("step").null_count]))
"""
    seconds, texts, chances, n_null = read_elsewhere(code, tmp_path / "r.parquet", tmp_path / "v.parquet")
    assert seconds == "double"
    assert texts == ["It is $2$.", HOSTILE, ""]
    assert chances == [0.9, 0.9]
    assert n_null == 3


def test_without_pyarrow_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'cfe-local\[data\]'"):
        parquet.responses_parquet([], [])


# ---------------------------------------------------------------- standard errors


def test_the_error_of_independent_values_is_the_usual_one() -> None:
    """0, 0, 1, 1: variance 1/3 with n - 1, so sqrt(1/12)."""
    assert clustered_error([0, 0, 1, 1], ["a", "b", "c", "d"]) == pytest.approx(math.sqrt(1 / 12))


def test_repeated_values_of_one_problem_add_no_certainty() -> None:
    once = clustered_error([0, 0, 1, 1], ["a", "b", "c", "d"])
    assert clustered_error([0, 0, 1, 1] * 3, ["a", "b", "c", "d"] * 3) == pytest.approx(once)
    assert clustered_error([1, 0], ["a", "a"]) is None
