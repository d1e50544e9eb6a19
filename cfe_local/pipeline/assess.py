"""Assessments of finished runs: points by rubric and errors by kind, stored, analysed and put into the run's report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from cfe_local.benchmarks.entries import read_text
from cfe_local.config import JudgeConfig
from cfe_local.equivalence import ComparisonPool
from cfe_local.errors import StoreError, UsageError
from cfe_local.experiments.analysis import Analysis
from cfe_local.experiments.assessed import errors_analysis, rubric_analysis
from cfe_local.grading import GradingTask
from cfe_local.grading.asking import JudgeSettings
from cfe_local.grading.assessment import Assessment, RecordT_co
from cfe_local.grading.errors import AnswerMark, ErrorMarking
from cfe_local.grading.rubric import Rubric, RubricGrading
from cfe_local.grading.rubric_design import DesignedRubric
from cfe_local.metrics.samples import GradedSample
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.grade import judge_templates
from cfe_local.pipeline.manifest import model_settings, text_sha256
from cfe_local.pipeline.measure import JUDGE_NAME, publish, read_records, write_analysis
from cfe_local.pipeline.people import HumanErrors, HumanPoints, read_marks
from cfe_local.pipeline.plan import RunPlan, judge_of, require_exam, resolve
from cfe_local.pipeline.regrade import Regrading, refuse_repeats, reopen
from cfe_local.pipeline.settle import GradingWork
from cfe_local.pipeline.watch import Watcher
from cfe_local.pipeline.watchdog import answer_all
from cfe_local.records import UNPARSABLE, Record, Response
from cfe_local.report import Report
from cfe_local.store import GradingFolder, RunStore

RECORDS_NAME = "marks"
"""The stream of an assessment's records, in its folder."""


@dataclass(frozen=True, slots=True)
class Assessing:
    """How runs are assessed.

    Attributes:
        rerun: Judge, settings and freshness, as for grading again.
        rubrics: File of designed rubrics, for problems that come without one.
        human: File of people's marks, or None.
        grading: Whose verdicts say what is wrong; the run's first where left out.
    """

    rerun: Regrading
    rubrics: Path | None = None
    human: Path | None = None
    grading: str | None = None


@dataclass(frozen=True, slots=True)
class _Desk:
    """One run on the desk."""

    plan: RunPlan
    store: RunStore
    judge: JudgeConfig
    tasks: Sequence[GradingTask]
    settings: JudgeSettings


def grade_rubrics(paths: Sequence[Path], wanted: Assessing, watch: Watcher) -> list[Report]:
    """Give points by rubric to every response whose problem has one.

    Raises:
        UsageError: If no problem has a rubric, or people's marks do not fit.
        CfeError: As the stages; what the judge had answered is on disk.
    """
    reports: list[Report] = []
    with ExitStack() as stack:
        engines = _engines(stack, paths)
        for path in paths:
            desk = _open(stack, path, wanted)
            designed, digest = _designed(wanted.rubrics)
            grading = RubricGrading(desk.settings, designed)
            mine = [t for t in desk.tasks if t.rubric or (t.key.split, t.key.row) in designed]
            if not mine:
                raise UsageError(f"{path}: no problem of this run has a rubric\nFix: --rubrics FILE (rubric design).")
            human = read_marks(wanted.human, HumanPoints, [t.key for t in mine]) if wanted.human else {}
            folder = _folder(desk, grading.name, {"rubrics": digest}, wanted)
            scores = _carry_out(desk, folder, grading, mine, engines, watch)
            problems = {(p.split, p.row): p for p in desk.plan.problems}
            points = {label: mark.points for label, mark in human.items()}
            analysis = rubric_analysis(scores, problems, points, seed=desk.plan.config.seed)
            reports += _publish(desk, folder, analysis, human)
    return reports


def mark_errors(paths: Sequence[Path], wanted: Assessing, watch: Watcher) -> list[Report]:
    """Mark the errors of every answer that is right or wrong.

    Raises:
        StoreError: If the grading does not exist.
        CfeError: As the stages; what the judge had answered is on disk.
    """
    reports: list[Report] = []
    with ExitStack() as stack:
        engines = _engines(stack, paths)
        for path in paths:
            desk = _open(stack, path, wanted)
            name = wanted.grading or next(iter(desk.store.grading_names()), None)
            if name is None:
                raise StoreError(f"{path}: is not graded yet\nFix: cfe-local grade {path}")
            marks = answer_marks(read_records(desk.plan, desk.store, name).samples(name))
            human = (
                read_marks(wanted.human, HumanErrors, [t.key for t in desk.tasks if t.key.label in marks])
                if wanted.human
                else {}
            )
            marking = ErrorMarking(marks, desk.settings)
            digest = text_sha256("\n".join(f"{label} {mark}" for label, mark in sorted(marks.items())))
            folder = _folder(desk, marking.name, {"answers": digest, "of": name}, wanted)
            found = _carry_out(desk, folder, marking, desk.tasks, engines, watch)
            problems = {(p.split, p.row): p for p in desk.plan.problems}
            kinds = {label: frozenset(mark.kinds) for label, mark in human.items()}
            reports += _publish(desk, folder, errors_analysis(found, problems, kinds, grading=name), human)
    return reports


def answer_marks(samples: Sequence[GradedSample]) -> dict[str, AnswerMark]:
    """Which answers are right and which wrong, by key label; unparsable, undecided and absent ones are neither."""
    found: dict[str, AnswerMark] = {}
    for sample in samples:
        stated = all(v is not None and v.reason not in (UNPARSABLE, "absent") for v in sample.verdicts)
        if sample.mark == "correct":
            found[sample.key.label] = "right"
        elif sample.mark == "incorrect" and stated:
            found[sample.key.label] = "wrong"
    return found


def read_rubrics(path: Path) -> dict[tuple[str, int], Rubric]:
    """A file of designed rubrics, by split and row; problems for which the design failed are left out.

    Raises:
        BenchmarkError: If the file cannot be read.
        UsageError: For a line that is no rubric; names the line.
    """
    found = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            rubric = DesignedRubric.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise UsageError(f"{path}, line {number}: {where}: {first['msg']}\nFix: correct that line.") from error
        if rubric.items:
            found[rubric.split, rubric.row] = Rubric(rubric.items, rubric.author)
    return found


def _engines(stack: ExitStack, paths: Sequence[Path]) -> EngineHost:
    refuse_repeats(paths)
    return stack.enter_context(EngineHost(paths[0] / "logs"))


def _open(stack: ExitStack, path: Path, wanted: Assessing) -> _Desk:
    store = stack.enter_context(RunStore.reopen(path))
    plan = reopen(store, wanted.rerun)
    require_exam(plan, "an assessment")
    judge, _ = resolve(judge_of(plan.config))
    responses = store.stream("responses", Response).load({case.key.label for case in plan.cases()})
    settings = JudgeSettings(sampling=judge.sampling, max_response_tokens=plan.config.grading.max_response_tokens)
    return _Desk(plan, store, judge, plan.tasks(responses.records), settings)


def _designed(path: Path | None) -> tuple[Mapping[tuple[str, int], Rubric], str]:
    return (read_rubrics(path), text_sha256(read_text(path))) if path is not None else ({}, "none")


def _folder(desk: _Desk, name: str, own: Mapping[str, str], wanted: Assessing) -> GradingFolder:
    judge, files = resolve(desk.judge)
    settings = {
        "assessment": name,
        "run": desk.store.manifest.fingerprint,
        **own,
        **model_settings(judge, files, "judge"),
        **judge_templates((f"assess_{name}",)),
    }
    folder = desk.store.assessment(name, settings, fresh=wanted.rerun.fresh)
    folder.write_json(JUDGE_NAME, desk.judge)
    return folder


def _carry_out(
    desk: _Desk,
    folder: GradingFolder,
    assessment: Assessment[RecordT_co],
    tasks: Sequence[GradingTask],
    engines: EngineHost,
    watch: Watcher,
) -> Sequence[RecordT_co]:
    limits = desk.plan.config.equivalence
    with ComparisonPool(n_workers=limits.workers, timeout_s=limits.timeout_s, memory_mb=limits.memory_mb) as pool:
        work = GradingWork(folder, watch)
        ask = partial(answer_all, model=desk.judge, engines=engines, watch=watch, timing=(folder, "grade"))
        judged = work.carry_out(assessment, tasks, pool, ask)
    found = assessment.records(tasks, judged)
    folder.write_records(RECORDS_NAME, found)
    return found


def _publish(desk: _Desk, folder: GradingFolder, analysis: Analysis, human: Mapping[str, Record]) -> list[Report]:
    if human:
        folder.write_records("human", human.values())
    write_analysis(folder, analysis)
    return publish(desk.plan, desk.store, desk.store.grading_names())
