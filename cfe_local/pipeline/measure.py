"""From stored verdicts to figures and reports: reads what the stages left, writes the results beside the verdicts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cfe_local.benchmarks.errata import doubtful_rows, load_errata
from cfe_local.config import JudgeConfig
from cfe_local.errors import IncompleteError
from cfe_local.experiments.analysis import Analysis
from cfe_local.experiments.base import Analysing, Comparing, ExperimentRecords
from cfe_local.metrics import ExamMetrics, ExamRecords, SummaryOptions, summarise
from cfe_local.pipeline.clock import engine_work
from cfe_local.pipeline.exams import cite
from cfe_local.pipeline.plan import RunPlan
from cfe_local.pipeline.values import compare_for_analysis
from cfe_local.records import Response, Verdict
from cfe_local.report import Report, RunFacts, build_report, embedded_images, render_markdown
from cfe_local.report.analysed import analysis_csv, build_analysis_report, report_section
from cfe_local.report.html import render_html
from cfe_local.report.model import Section
from cfe_local.report.svg import plot_file
from cfe_local.store import RecordStream, RunFolder, RunStore
from cfe_local.store.loading import RecordT

LOG = logging.getLogger(__name__)

METRICS_NAME = "metrics.json"
ANALYSIS_NAME = "analysis.json"
JUDGE_NAME = "judge.json"
"""The judge's configuration, in the folder of the grading that it made."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one grading, what they were made from, and their report."""

    grading: str
    metrics: ExamMetrics
    records: ExamRecords
    report: Report
    analysis: Analysis | None = None


def measure(plan: RunPlan, store: RunStore, grading: str) -> Measured:
    """Compute the figures of one grading.

    Raises:
        StoreError: If there is no such grading.
    """
    records = read_records(plan, store, grading)
    folder = store.grading(grading)
    work = [*engine_work(store).load().records.values(), *engine_work(folder).load().records.values()]
    options = SummaryOptions(
        grading=grading,
        k=plan.config.experiment.k,
        errata=frozenset(doubtful_rows(plan.problems, load_errata())),
        engine_times=tuple(stretch.time for stretch in work),
    )
    metrics = summarise(records, options)
    judge = folder.read_json(JUDGE_NAME, JudgeConfig)
    exam = cite(folder)
    facts = RunFacts(
        manifest=store.manifest,
        config=plan.config.model_copy(update={"judge": judge}),
        benchmark_version=plan.benchmark.version,
        judge_exam=exam.line if exam is not None else None,
    )
    if not isinstance(plan.experiment, Analysing):
        report = build_report(facts, metrics, records, extra_sections=assessed_sections(store))
        return Measured(grading, metrics, records, report)
    found = ExperimentRecords(plan.problems, records.samples(grading), plan.settings, grading)
    if isinstance(plan.experiment, Comparing):
        compared = compare_for_analysis(plan.experiment.pairs(found), folder, plan.config.equivalence)
        found = replace(found, comparisons=compared)
    analysis = plan.experiment.analyse(found)
    report = build_analysis_report(facts, metrics, found.samples, analysis)
    return Measured(grading, metrics, records, report, analysis)


def assessed_sections(store: RunStore) -> list[Section]:
    """What assessments of this run found, as parts of its report."""
    found = (store.assessment(name).read_json(ANALYSIS_NAME, Analysis) for name in store.assessment_names())
    return [report_section(section) for analysis in found if analysis is not None for section in analysis.sections]


def read_records(plan: RunPlan, store: RunStore, grading: str) -> ExamRecords:
    """Everything that one grading's figures are made from, planned keys only."""
    folder = store.grading(grading)
    keys = [case.key for case in plan.cases()]
    responses = _load(store.stream("responses", Response), {key.label for key in keys})
    return ExamRecords(
        problems=plan.problems,
        planned=keys,
        responses=responses,
        verdicts=_load(folder.stream("verdicts", Verdict)),
        judge_responses=_load(folder.stream("judge", Response)),
        targets=plan.experiment.targets,
    )


def _load(stream: RecordStream[RecordT], planned: set[str] | None = None) -> list[RecordT]:
    """Records of a stream; damaged lines are said aloud, since figures without them are not what was measured."""
    loaded = stream.load(planned)
    if loaded.report.n_damaged:
        LOG.warning("%s: %s", stream.path.parent, loaded.report.describe())
    return list(loaded.records.values())


def refuse_unfinished(store: RunStore, gradings: Sequence[str]) -> None:
    """Say that published figures are not the last word, where work is open.

    Raises:
        IncompleteError: If planned samples have no response or no verdict.
    """
    for grading in gradings:
        metrics = store.grading(grading).read_json(METRICS_NAME, ExamMetrics)
        if metrics is not None and (metrics.n_missing or metrics.n_not_graded):
            raise IncompleteError(
                f"{store.path}, grading {grading}: of {metrics.n_planned} planned samples {metrics.n_missing} have no "
                f"response and {metrics.n_not_graded} are not graded; the table counts them as not correct\n"
                "Fix: `cfe-local run` with the same settings for the first, `cfe-local grade` for the others."
            )


def publish(plan: RunPlan, store: RunStore, gradings: tuple[str, ...]) -> list[Report]:
    """Write metrics and reports of some gradings; the first one's also stand at the top of the run folder.

    Raises:
        StoreError: If a grading does not exist, or something cannot be written.
    """
    reports = []
    for position, grading in enumerate(gradings):
        measured = measure(plan, store, grading)
        markdown = render_markdown(measured.report)
        page = render_html(measured.report, images=embedded_images())
        for folder in (store, store.grading(grading)) if position == 0 else (store.grading(grading),):
            folder.write_json(METRICS_NAME, measured.metrics)
            folder.write_text("report.md", markdown)
            folder.write_text("report.html", page)
            if measured.analysis is not None:
                write_analysis(folder, measured.analysis)
        reports.append(measured.report)
    return reports


def write_analysis(folder: RunFolder, analysis: Analysis) -> None:
    """Write an analysis as JSON, and beside it a folder with a CSV per table and an SVG per plot."""
    folder.write_json(ANALYSIS_NAME, analysis)
    files = folder.subfolder("analysis")
    for table in analysis.tables:
        files.write_text(f"{table.name}.csv", analysis_csv(table))
    for plot in analysis.plots:
        files.write_text(f"{plot.name}.svg", plot_file(plot))
