"""Writes a run in other tools' formats. The table of formats; what each looks like stands in ``report``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from cfe_local.config import JudgeConfig
from cfe_local.errors import UsageError
from cfe_local.metrics import ExamMetrics, join_samples
from cfe_local.pipeline.measure import JUDGE_NAME, measure
from cfe_local.pipeline.plan import RunPlan, require_exam
from cfe_local.pipeline.tables import look_up
from cfe_local.records import Response, Verdict
from cfe_local.report.csv_files import responses_csv, verdicts_csv
from cfe_local.report.exported import GradedRun
from cfe_local.report.inspect_log import inspect_files
from cfe_local.report.lm_eval import lm_eval_files
from cfe_local.report.parquet import responses_parquet, verdicts_parquet
from cfe_local.report.upstream import upstream_responses, upstream_results, upstream_summary
from cfe_local.store import RunStore, write_atomically

Files = dict[str, str | bytes]
"""File names below the export folder, and their contents."""


@dataclass(frozen=True, slots=True)
class Exported:
    """Everything that an export may use."""

    plan: RunPlan
    responses: tuple[Response, ...]
    verdicts: tuple[Verdict, ...]
    metrics: ExamMetrics | None
    judge: JudgeConfig | None

    def graded(self) -> GradedRun:
        """The run as the formats see it that have no place for a run without verdicts.

        Raises:
            UsageError: If nothing is graded yet.
        """
        if self.metrics is None:
            raise UsageError(
                f"{self.plan.config.out}: this format needs verdicts, and the run is not graded\n"
                f"Fix: cfe-local grade {self.plan.config.out}, or --format upstream, csv or parquet."
            )
        cases = self.plan.cases()
        problems = self.plan.problems
        samples = join_samples(
            problems, [case.key for case in cases], self.responses, self.verdicts, grading=self.metrics.grading
        )
        return GradedRun(
            config=self.plan.config.model_copy(update={"judge": self.judge}),
            manifest=self.plan.manifest,
            metrics=self.metrics,
            cases={case.key.label: case for case in cases},
            samples=tuple(samples),
            n_rows=Counter(problem.split for problem in self.plan.benchmark.problems),
            benchmark_version=self.plan.benchmark.version,
        )


def export(plan: RunPlan, store: RunStore, format_name: str, out: Path, *, grading: str | None) -> list[Path]:
    """Write one run in one format.

    Args:
        plan: The run's plan.
        store: The run folder, open for reading at least.
        format_name: A name in `FORMATS`.
        out: Folder that the files go to; created where missing.
        grading: Whose verdicts; None exports responses alone where nothing is graded.

    Returns:
        The files that were written.

    Raises:
        UsageError: For an unknown format, one that needs a package which is not installed, or verdicts.
        StoreError: If the grading does not exist, or the folder cannot be written.
    """
    write = look_up("export format", FORMATS, format_name)
    require_exam(plan, "export")
    if grading is not None:
        measured = measure(plan, store, grading)
        responses, verdicts = tuple(measured.records.responses), tuple(measured.records.verdicts)
        metrics: ExamMetrics | None = measured.metrics
        judge = store.grading(grading).read_json(JUDGE_NAME, JudgeConfig)
    else:
        planned = {case.key.label for case in plan.cases()}
        responses = tuple(store.stream("responses", Response).load(planned).records.values())
        verdicts, metrics, judge = (), None, None
    files = write(Exported(plan, responses, verdicts, metrics, judge))
    for name, content in files.items():
        write_atomically(out / name, content.encode() if isinstance(content, str) else content)
    return [out / name for name in files]


def _upstream(run: Exported) -> Files:
    problems, config = run.plan.problems, run.plan.config
    files = {f"responses_{split}.json": rows for split, rows in upstream_responses(problems, run.responses).items()}
    if run.metrics is not None:
        results = upstream_results(problems, run.responses, run.verdicts)
        files |= {f"results_{split}.json": rows for split, rows in results.items()}
    texts: Files = {name: _json(rows) for name, rows in files.items()}
    if run.metrics is not None:
        judge = run.judge.display_name if run.judge is not None else ""
        texts["results_summary.json"] = _json(
            upstream_summary(run.metrics, model=config.model.display_name, judge=judge)
        )
    return texts


def _csv(run: Exported) -> Files:
    files: Files = {"responses.csv": responses_csv(run.plan.problems, run.responses)}
    if run.metrics is not None:
        files["verdicts.csv"] = verdicts_csv(run.plan.problems, run.verdicts)
    return files


def _json(value: JsonValue) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _parquet(run: Exported) -> Files:
    files: Files = {"responses.parquet": responses_parquet(run.plan.problems, run.responses)}
    if run.metrics is not None:
        files["verdicts.parquet"] = verdicts_parquet(run.plan.problems, run.verdicts)
    return files


FORMATS: Mapping[str, Callable[[Exported], Files]] = {
    "upstream": _upstream,
    "csv": _csv,
    "parquet": _parquet,
    "lm-eval": lambda run: dict(lm_eval_files(run.graded())),
    "inspect": lambda run: dict(inspect_files(run.graded())),
}
"""Export formats by name; each gives file names and what is in the files."""
