"""A small run made of real records, for the tests of reports."""

from __future__ import annotations

from collections.abc import Sequence

from cfe_local.config import BenchmarkConfig, JudgeConfig, ModelConfig, RunConfig
from cfe_local.metrics import EngineTime, ExamMetrics, ExamRecords, SummaryOptions, summarise
from cfe_local.records import (
    Comparison,
    Extraction,
    FileDigest,
    ImagePart,
    Key,
    Manifest,
    Part,
    Problem,
    Response,
    TargetVariable,
    TextPart,
    Verdict,
    VerdictValue,
)
from cfe_local.report import Report, RunFacts, build_report

DIGEST = "0123456789abcdef" * 4


def problem(row: int = 0, question: str = "How much is $1+1$?", *, split: str = "text", image: str = "") -> Problem:
    parts: list[Part] = [TextPart(text=question)]
    if image:
        parts.append(ImagePart(path=image, sha256=DIGEST))
    return Problem(
        split=split,
        row=row,
        problem_id=f"{row:02x}{split}" + "0" * 50,
        question=tuple(parts),
        solution="",
        variables=(TargetVariable(name="sum", description="The sum", value="$2$", type="numeric"),),
        topic="arithmetic",
    )


def key_of(of: Problem, sample: int = 0) -> Key:
    return Key(experiment="exam", split=of.split, row=of.row, sample=sample)


def response(of: Problem, text: str = "It is $2$.", *, sample: int = 0, thinking: str = "") -> Response:
    return Response(
        key=key_of(of, sample),
        outcome="answered",
        text=text,
        thinking=thinking,
        thinking_end="closed" if thinking else "none",
        n_prompt_tokens=40,
        n_thinking_tokens=len(thinking),
        n_answer_tokens=120,
        seconds=2.5,
    )


def verdict(of: Problem, mark: VerdictValue = "correct", *, sample: int = 0, says: str = "2") -> Verdict:
    return Verdict(
        key=key_of(of, sample),
        grading="s2s",
        variable=0,
        verdict=mark,
        by="equivalence",
        reason="same_number",
        evidence=f"both read as {says}",
        extraction=Extraction(status="stated", value=says, quote=f"It is {says}."),
        comparison=Comparison(
            verdict="equal", by="number", evidence="", reference_reading=says, candidate_reading=says
        ),
        judge_reasoning=f"The response says {says}.",
        confidence="high",
        p_correct=0.9,
    )


def records_of(problems: Sequence[Problem], responses: Sequence[Response], verdicts: Sequence[Verdict]) -> ExamRecords:
    return ExamRecords(problems=problems, planned=[r.key for r in responses], responses=responses, verdicts=verdicts)


def three_problems() -> ExamRecords:
    """One right, one wrong, one undecided."""
    problems = [problem(i) for i in range(3)]
    marks: list[VerdictValue] = ["correct", "incorrect", "undecided"]
    verdicts = [verdict(p, mark) for p, mark in zip(problems, marks, strict=True)]
    return records_of(problems, [response(p) for p in problems], verdicts)


def measured(records: ExamRecords) -> ExamMetrics:
    times = (EngineTime(phase="generate", seconds=65.0, device="cuda", n_devices=2),)
    return summarise(records, SummaryOptions(grading="s2s", engine_times=times))


def facts(*, judge: str | None = "/models/judge", version: str | None = None, exam: str | None = None) -> RunFacts:
    config = RunConfig(
        benchmark=BenchmarkConfig(path="bench"),
        model=ModelConfig(path="/models/little", engine_args={"max_model_len": 4096}),
        judge=JudgeConfig(path=judge) if judge else None,
    )
    manifest = Manifest(
        created="2026-01-01T00:00:00Z",
        cfe_local_version="0.1.0",
        fingerprint=DIGEST,
        settings={},
        benchmark_files=(FileDigest(path="CFE_text.json", sha256=DIGEST, n_bytes=1),),
        benchmark_name="bench",
        packages={"vllm": "0.32.0", "numpy": "2.0"},
    )
    return RunFacts(config=config, manifest=manifest, benchmark_version=version, judge_exam=exam)


def report_of(records: ExamRecords, run: RunFacts | None = None) -> Report:
    return build_report(run or facts(), measured(records), records)
