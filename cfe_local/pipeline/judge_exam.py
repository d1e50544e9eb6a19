"""The exam of a judge: grades labelled responses with each protocol and holds the result against a stated bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cfe_local.benchmarks.formats import load_benchmark
from cfe_local.config import EquivalenceConfig, GradingConfig, JudgeConfig
from cfe_local.equivalence import ComparisonPool
from cfe_local.errors import BenchmarkError
from cfe_local.grading.labels import LabelledResponse, labelled_tasks, read_labels
from cfe_local.grading.qualification import Bar, JudgeFigures, Qualification, join_graded, judge_figures, qualify
from cfe_local.pipeline.clock import engine_work
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.exams import ExamRecord, exam_fingerprint, keep, settings_of_judge, settings_text
from cfe_local.pipeline.manifest import build_manifest, combined_sha256, model_settings, text_sha256
from cfe_local.pipeline.plan import resolve
from cfe_local.pipeline.settle import GradingWork
from cfe_local.pipeline.tables import GRADINGS, look_up
from cfe_local.pipeline.watch import Watcher
from cfe_local.pipeline.watchdog import answer_all
from cfe_local.prompts.render import template_digests
from cfe_local.store import RunStore

SAMPLE_LABELS = Path(__file__).parents[1] / "benchmarks" / "sample" / "labelled_responses.jsonl"


@dataclass(frozen=True, slots=True)
class ExamRequest:
    """What a judge exam is held over.

    Attributes:
        labels: File of labelled responses.
        limit: Only so many of them, spread evenly over the file; None takes all.
        out: Folder that keeps every answer of the judge, so that an exam resumes.
    """

    judge: JudgeConfig
    benchmark: str
    labels: Path
    protocols: tuple[str, ...]
    out: Path
    bar: Bar
    limit: int | None = None
    seed: int = 0
    grading: GradingConfig = field(default_factory=GradingConfig)


@dataclass(frozen=True, slots=True)
class ExamResult:
    """One protocol's figures and verdict."""

    figures: JudgeFigures
    qualification: Qualification


def judge_exam(request: ExamRequest, watch: Watcher) -> tuple[ExamResult, ...]:
    """Examine a judge; the same call again goes on from what its folder holds.

    What it finds is also kept for the reports of runs that this judge grades (see `exams`).

    Raises:
        BenchmarkError: For labels that cannot be used.
        CfeError: As the stages of a run.
    """
    judge, files = resolve(request.judge)
    protocols = [look_up("grading protocol", GRADINGS, name) for name in request.protocols]
    benchmark = load_benchmark(Path(request.benchmark))
    text = _read(request.labels)
    labels = _spread(read_labels(text, source=str(request.labels)), request.limit)
    tasks = labelled_tasks(labels, benchmark.problems)
    templates = template_digests()
    settings = {
        "labels": text_sha256(text),
        "limit": str(request.limit),
        "grading": settings_text(request.grading),
        "benchmark.files": combined_sha256(benchmark.files),
        **model_settings(judge, files, "judge"),
        **{f"template.{name}": digest for name, digest in templates.items() if name.startswith("judge")},
    }
    manifest = build_manifest(
        settings=settings,
        benchmark_name=benchmark.name,
        benchmark_files=benchmark.files,
        model_files=files,
        templates=templates,
    )
    limits = EquivalenceConfig()
    results = []
    with (
        RunStore.create_or_resume(request.out, manifest, judge.model_dump_json(indent=2)) as store,
        EngineHost(store.path / "logs") as engines,
        ComparisonPool(n_workers=limits.workers, timeout_s=limits.timeout_s, memory_mb=limits.memory_mb) as pool,
    ):
        for name, protocol in zip(request.protocols, protocols, strict=True):
            grading = protocol(settings_of_judge(judge, request.grading))
            folder = store.grading(name, settings)
            work = GradingWork(folder, watch)
            ask = partial(answer_all, model=judge, engines=engines, watch=watch, timing=(folder, "grade"))
            verdicts = work.settle(grading, tasks, pool, ask)
            seconds = sum(stretch.time.seconds for stretch in engine_work(folder).load().records.values())
            graded = join_graded(labels, tasks, verdicts)
            figures = judge_figures(name, graded, work.answers, seconds=seconds, seed=request.seed)
            folder.write_json("exam.json", figures)
            result = ExamResult(figures, qualify(figures, request.bar))
            keep(_record(request, name, result, settings=settings))
            results.append(result)
    return tuple(results)


def _record(request: ExamRequest, protocol: str, result: ExamResult, *, settings: Mapping[str, str]) -> ExamRecord:
    figures = result.figures
    return ExamRecord(
        fingerprint=exam_fingerprint({**settings, "protocol": protocol}),
        protocol=protocol,
        labels=request.labels.name,
        labels_sha256=settings["labels"],
        n_responses=figures.n_responses,
        n_right=round(figures.question.accuracy.numerator),
        accuracy_low=figures.accuracy_low,
        accuracy_high=figures.accuracy_high,
        n_false_positives=figures.false_positives.n,
        n_wrong=figures.question.false_positives + figures.question.true_negatives,
        qualified=result.qualification.qualified,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BenchmarkError(f"{path}: not readable: {error}\nFix: give a UTF-8 file of labelled responses.") from error


def _spread(labels: Sequence[LabelledResponse], limit: int | None) -> tuple[LabelledResponse, ...]:
    """At most ``limit`` labels, evenly over the file, so that a short exam meets every kind."""
    if limit is None or limit >= len(labels):
        return tuple(labels)
    return tuple(labels[position * len(labels) // limit] for position in range(limit))
