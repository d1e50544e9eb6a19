"""Rubrics designed by a judge for a benchmark's problems; a folder keeps every answer, so that a design resumes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cfe_local.benchmarks.cfe import select
from cfe_local.benchmarks.formats import load_benchmark
from cfe_local.config import JudgeConfig, SelectionConfig
from cfe_local.errors import UsageError
from cfe_local.grading.asking import JudgeSettings
from cfe_local.grading.rubric_design import CALL, DesignedRubric, RubricDesign
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.grade import judge_templates
from cfe_local.pipeline.manifest import build_manifest, combined_sha256, model_settings
from cfe_local.pipeline.plan import resolve
from cfe_local.pipeline.settle import GradingWork
from cfe_local.pipeline.watch import Watcher
from cfe_local.pipeline.watchdog import answer_all
from cfe_local.prompts.render import template_digests
from cfe_local.store import RunStore

RUBRICS_NAME = "rubrics"


@dataclass(frozen=True, slots=True)
class DesignRequest:
    """What rubrics are designed for.

    Attributes:
        out: Folder that keeps the judge's answers and ``rubrics.jsonl``.
        again: Also problems that have a hand-written rubric, to compare the two.
    """

    judge: JudgeConfig
    benchmark: Path
    out: Path
    format_name: str = "auto"
    selection: SelectionConfig = field(default_factory=SelectionConfig)
    again: bool = False


def design_rubrics(request: DesignRequest, watch: Watcher) -> tuple[Path, list[DesignedRubric]]:
    """Design a rubric for every selected problem with a reference solution that has none.

    Returns:
        The file of rubrics, and what stands in it: one line per problem, failed ones included.

    Raises:
        UsageError: If there is no such problem.
        CfeError: As the stages of a run.
    """
    judge, files = resolve(request.judge)
    benchmark = load_benchmark(request.benchmark, request.format_name)
    chosen = select(benchmark.problems, request.selection)
    problems = [p for p in chosen if p.solution.strip() and (request.again or not p.rubric)]
    if not problems:
        raise UsageError(
            f"{request.benchmark}: no selected problem has a solution and no rubric\n"
            "Fix: select others, or design second rubrics with --again."
        )
    settings = {
        "benchmark.files": combined_sha256(benchmark.files),
        **model_settings(judge, files, "judge"),
        **judge_templates((f"assess_{CALL}",)),
    }
    manifest = build_manifest(
        settings=settings,
        benchmark_name=benchmark.name,
        benchmark_files=benchmark.files,
        model_files=files,
        templates=template_digests(),
    )
    design = RubricDesign(benchmark.problems, JudgeSettings(sampling=judge.sampling))
    with (
        RunStore.create_or_resume(request.out, manifest, judge.model_dump_json(indent=2)) as store,
        EngineHost(store.path / "logs") as engines,
    ):
        folder = store.assessment(CALL, settings)
        work = GradingWork(folder, watch)
        ask = partial(answer_all, model=judge, engines=engines, watch=watch, timing=(folder, "grade"))
        while calls := design.calls(problems, work.judged):
            work.ask(calls, ask)
        found = design.records(problems, work.judged)
        return store.write_records(RUBRICS_NAME, found), found
