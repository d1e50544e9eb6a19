"""Writes a run in other tools' formats. The table of formats; what each looks like stands in ``report``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from cfe_local.metrics import ExamMetrics
from cfe_local.pipeline.measure import measure
from cfe_local.pipeline.plan import RunPlan
from cfe_local.pipeline.tables import look_up
from cfe_local.records import Response, Verdict
from cfe_local.report.csv_files import responses_csv, verdicts_csv
from cfe_local.report.upstream import upstream_responses, upstream_results, upstream_summary
from cfe_local.store import RunStore, write_atomically


@dataclass(frozen=True, slots=True)
class Exported:
    """Everything that an export may use."""

    plan: RunPlan
    responses: tuple[Response, ...]
    verdicts: tuple[Verdict, ...]
    metrics: ExamMetrics | None


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
        UsageError: For an unknown format.
        StoreError: If the grading does not exist, or the folder cannot be written.
    """
    write = look_up("export format", FORMATS, format_name)
    if grading is not None:
        measured = measure(plan, store, grading)
        responses, verdicts = tuple(measured.records.responses), tuple(measured.records.verdicts)
        metrics: ExamMetrics | None = measured.metrics
    else:
        planned = {case.key.label for case in plan.cases()}
        responses = tuple(store.stream("responses", Response).load(planned).records.values())
        verdicts, metrics = (), None
    files = write(Exported(plan, responses, verdicts, metrics))
    for name, text in files.items():
        write_atomically(out / name, text.encode())
    return [out / name for name in files]


def _upstream(run: Exported) -> dict[str, str]:
    problems, config = run.plan.problems, run.plan.config
    files = {f"responses_{split}.json": rows for split, rows in upstream_responses(problems, run.responses).items()}
    if run.metrics is not None:
        results = upstream_results(problems, run.responses, run.verdicts)
        files |= {f"results_{split}.json": rows for split, rows in results.items()}
    texts = {name: _json(rows) for name, rows in files.items()}
    if run.metrics is not None:
        judge = config.judge.display_name if config.judge is not None else ""
        texts["results_summary.json"] = _json(
            upstream_summary(run.metrics, model=config.model.display_name, judge=judge)
        )
    return texts


def _csv(run: Exported) -> dict[str, str]:
    files = {"responses.csv": responses_csv(run.plan.problems, run.responses)}
    if run.metrics is not None:
        files["verdicts.csv"] = verdicts_csv(run.plan.problems, run.verdicts)
    return files


def _json(value: JsonValue) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


FORMATS: Mapping[str, Callable[[Exported], dict[str, str]]] = {"upstream": _upstream, "csv": _csv}
"""Export formats by name; each gives file names and their texts."""
