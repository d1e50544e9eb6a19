"""The grading stage: alternates value comparisons and judge calls until a grading has nothing left to ask.

Everything that was asked is stored as it arrives, so a killed grading goes on where it stopped, and a grading that is
repeated over stored answers gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cfe_local.config import JudgeConfig, RunConfig
from cfe_local.engines.process import EngineProcess
from cfe_local.equivalence import ComparisonPool
from cfe_local.errors import UsageError
from cfe_local.grading import Grading, Judged, JudgeSettings, Pair
from cfe_local.pipeline.clock import timed
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.generate import note_damage, writing
from cfe_local.pipeline.manifest import model_settings
from cfe_local.pipeline.measure import JUDGE_NAME
from cfe_local.pipeline.plan import RunPlan, resolve
from cfe_local.pipeline.tables import GRADINGS, look_up
from cfe_local.pipeline.watch import Watcher
from cfe_local.prompts.render import template_digests
from cfe_local.records import Case, ComparedPair, Comparison, Response, Verdict
from cfe_local.store import GradingFolder, RunStore

EXAM_TEMPLATES = "exam"
"""Templates whose names begin like this ask the model under test, not the judge."""


@dataclass(frozen=True, slots=True)
class GradeRequest:
    """One run folder to grade, and how."""

    plan: RunPlan
    store: RunStore
    judge: JudgeConfig
    protocols: tuple[str, ...]
    name: str = ""
    fresh: bool = False

    def grading_name(self, protocol: str) -> str:
        """Folder of one protocol's grading: the protocol, behind the given name where there is one."""
        return f"{self.name}-{protocol}" if self.name else protocol


def grade_runs(requests: Sequence[GradeRequest], engines: EngineHost, watch: Watcher) -> dict[str, list[Verdict]]:
    """Grade any number of runs, with one engine load where the judge is the same.

    Returns:
        Verdicts by ``run folder/grading``.

    Raises:
        UsageError: For an unknown protocol.
        StoreError: If a grading of that name was made with another judge or other prompts.
        EngineError: If the judge's engine ends; what it had answered is stored.
    """
    graded: dict[str, list[Verdict]] = {}
    for request in requests:
        limits = request.plan.config.equivalence
        with ComparisonPool(n_workers=limits.workers, timeout_s=limits.timeout_s, memory_mb=limits.memory_mb) as pool:
            for protocol in request.protocols:
                grading = look_up("grading protocol", GRADINGS, protocol)(judge_settings(request))
                verdicts = _grade_one(request, grading, pool, engines, watch)
                graded[f"{request.store.path}/{request.grading_name(protocol)}"] = verdicts
    return graded


def _grade_one(
    request: GradeRequest, grading: Grading, pool: ComparisonPool, engines: EngineHost, watch: Watcher
) -> list[Verdict]:
    name = request.grading_name(grading.name)
    folder = request.store.grading(name, grading_settings(request, grading), fresh=request.fresh)
    folder.write_json(JUDGE_NAME, request.judge)
    responses = request.store.stream("responses", Response).load({c.key.label for c in request.plan.cases()})
    tasks = request.plan.tasks(responses.records)
    work = _Work(folder, watch)
    while True:
        pairs = grading.pairs(tasks, work.judged)
        if pairs:
            work.compare(pairs, pool)
        calls = grading.calls(tasks, work.judged)
        if calls:
            watch.stage(f"judge {name}", total=len(calls), done=0)
            work.ask(calls, engines.engine_for(request.judge))
        if not pairs and not calls:
            break
    verdicts = [v.model_copy(update={"grading": name}) for v in grading.verdicts(tasks, work.judged)]
    folder.write_records("verdicts", verdicts)
    return verdicts


class _Work:
    """What one grading has found out so far, in memory and on disk."""

    def __init__(self, folder: GradingFolder, watch: Watcher) -> None:
        self._folder = folder
        self._watch = watch
        self._answer_stream = folder.stream("judge", Response)
        self._pair_stream = folder.stream("comparisons", ComparedPair, label=lambda record: record.label)
        answers, compared = self._answer_stream.load(), self._pair_stream.load()
        for loaded in (answers.report, compared.report):
            note_damage(loaded, watch)
        self._answers = dict(answers.records)
        self._comparisons = {label: untimed(record.comparison) for label, record in compared.records.items()}
        self.judged = Judged(answers=self._answers, comparisons=self._comparisons)

    def compare(self, pairs: Sequence[Pair], pool: ComparisonPool) -> None:
        self._watch.stage("compare values", total=len(pairs), done=0)
        triples = [(pair.reference, pair.candidate, pair.context) for pair in pairs]
        for index, comparison in pool.compare_all(triples):
            with writing():
                self._pair_stream.append(ComparedPair(label=pairs[index].label, comparison=comparison))
            self._comparisons[pairs[index].label] = untimed(comparison)
            self._watch.advance()

    def ask(self, calls: Sequence[Case], engine: EngineProcess) -> None:
        with timed(self._folder, "grade", engine):
            for answer in engine.generate(calls):
                with writing():
                    self._answer_stream.append(answer)
                self._answers[answer.key.label] = answer
                self._watch.response(answer)


def untimed(comparison: Comparison) -> Comparison:
    """A comparison without its seconds: they stay in the comparisons' own file, so verdicts repeat byte by byte."""
    return comparison.model_copy(update={"seconds": 0.0})


def judge_settings(request: GradeRequest) -> JudgeSettings:
    """What the gradings need to know about the judge."""
    return JudgeSettings(
        sampling=request.judge.sampling, max_response_tokens=request.plan.config.grading.max_response_tokens
    )


def grading_settings(request: GradeRequest, grading: Grading) -> dict[str, str]:
    """What would change the verdicts: the judge, its prompts, the protocol and its settings, the responses' run."""
    judge, files = resolve(request.judge)
    own = request.plan.config.grading.model_copy(update={"name": "", "protocols": ()})
    return {
        "protocol": grading.name,
        "grading": own.model_dump_json(),
        "run": request.store.manifest.fingerprint,
        **model_settings(judge, files, "judge"),
        **{
            f"template.{name}": digest
            for name, digest in template_digests().items()
            if not name.startswith(EXAM_TEMPLATES)
        },
    }


def judge_of(config: RunConfig) -> JudgeConfig:
    """The configured judge.

    Raises:
        UsageError: If there is none.
    """
    if config.judge is None:
        raise UsageError("no judge is configured\nFix: --judge DIR, or a judge section in the configuration.")
    return config.judge
