"""From stored verdicts to figures: reads what the stages left and writes the metrics beside the verdicts."""

from __future__ import annotations

from cfe_local.benchmarks.errata import load_errata
from cfe_local.metrics import ExamMetrics, ExamRecords, SummaryOptions, summarise
from cfe_local.pipeline.clock import engine_work
from cfe_local.pipeline.plan import RunPlan
from cfe_local.records import Response, Verdict
from cfe_local.store import RunStore

METRICS_NAME = "metrics.json"


def measure(plan: RunPlan, store: RunStore, grading: str) -> ExamMetrics:
    """Compute the figures of one grading and write them to its ``metrics.json``.

    Raises:
        StoreError: If there is no such grading.
    """
    metrics = compute(plan, store, grading)
    store.grading(grading).write_json(METRICS_NAME, metrics)
    return metrics


def compute(plan: RunPlan, store: RunStore, grading: str) -> ExamMetrics:
    """The figures of one grading; nothing is written."""
    folder = store.grading(grading)
    keys = [case.key for case in plan.cases()]
    planned = {key.label for key in keys}
    responses = store.stream("responses", Response).load(planned).records
    verdicts = folder.stream("verdicts", Verdict).load().records
    judge = folder.stream("judge", Response).load().records
    work = [*engine_work(store).load().records.values(), *engine_work(folder).load().records.values()]
    records = ExamRecords(
        problems=plan.problems,
        planned=keys,
        responses=list(responses.values()),
        verdicts=list(verdicts.values()),
        judge_responses=list(judge.values()),
    )
    errata = load_errata(plan.benchmark)
    options = SummaryOptions(
        grading=grading,
        k=plan.config.experiment.k,
        errata=frozenset((entry.split, entry.row) for entry in errata),
        engine_times=tuple(stretch.time for stretch in work),
    )
    return summarise(records, options)
