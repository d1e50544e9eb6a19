"""The grading stage: alternates value comparisons and judge calls until a grading has nothing left to ask.

Everything that was asked is stored as it arrives, so a killed grading goes on where it stopped, and a grading that is
repeated over stored answers gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from cfe_local.config import JudgeConfig
from cfe_local.equivalence import ComparisonPool
from cfe_local.grading import Grading, JudgeSettings
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.exams import cite, settings_of_judge, settings_text
from cfe_local.pipeline.generate import note_damage
from cfe_local.pipeline.manifest import model_settings
from cfe_local.pipeline.measure import JUDGE_NAME
from cfe_local.pipeline.plan import RunPlan, resolve
from cfe_local.pipeline.settle import GradingWork, is_settled
from cfe_local.pipeline.tables import GRADINGS, look_up
from cfe_local.pipeline.watch import Watcher
from cfe_local.pipeline.watchdog import answer_all
from cfe_local.prompts.render import template_digests
from cfe_local.records import Response
from cfe_local.store import RunStore

OF_ALL_GRADINGS = "judge_"
"""Templates whose names begin like this are shared by gradings; all others are an experiment's or one grading's."""

OWN_TEMPLATES: Mapping[str, tuple[str, ...]] = {"symbolic": ("assess_symbolic",)}
"""Templates of one protocol alone: another one's verdicts do not depend on them."""


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


def grade_runs(requests: Sequence[GradeRequest], engines: EngineHost, watch: Watcher) -> None:
    """Grade any number of runs, with one engine load where the judge is the same; verdicts go into their folders.

    Raises:
        UsageError: For an unknown protocol.
        StoreError: If a grading of that name was made with another judge or other prompts.
        EngineError: If the judge's engine ends; what it had answered is stored.
    """
    for request in requests:
        limits = request.plan.config.equivalence
        with ComparisonPool(n_workers=limits.workers, timeout_s=limits.timeout_s, memory_mb=limits.memory_mb) as pool:
            for protocol in request.protocols:
                grading = look_up("grading protocol", GRADINGS, protocol)(judge_settings(request))
                _grade_one(request, grading, pool, engines, watch)


def require_same_gradings(request: GradeRequest) -> None:
    """Refuse gradings that exist with another judge, other prompts or other settings, before anything is generated.

    Raises:
        StoreError: Names the grading and what differs.
        UsageError: For an unknown protocol.
    """
    if request.fresh:
        return
    existing = request.store.grading_names()
    for protocol in request.protocols:
        name = request.grading_name(protocol)
        if name in existing:
            grading = look_up("grading protocol", GRADINGS, protocol)(judge_settings(request))
            request.store.grading(name, grading_settings(request, grading))


def _grade_one(
    request: GradeRequest, grading: Grading, pool: ComparisonPool, engines: EngineHost, watch: Watcher
) -> None:
    name = request.grading_name(grading.name)
    folder = request.store.grading(name, grading_settings(request, grading), fresh=request.fresh)
    folder.write_json(JUDGE_NAME, request.judge)
    cite(folder)
    responses = request.store.stream("responses", Response).load({c.key.label for c in request.plan.cases()})
    note_damage(responses.report, watch)
    # A problem that asks for no value (a proof) has no verdict: it gets points by rubric.
    tasks = [task for task in request.plan.tasks(responses.records) if task.targets]
    if is_settled(folder, tasks):
        return
    work = GradingWork(folder, watch)
    ask = partial(answer_all, model=request.judge, engines=engines, watch=watch, timing=(folder, "grade"))
    work.settle(grading, tasks, pool, ask)


def judge_settings(request: GradeRequest) -> JudgeSettings:
    """What the gradings need to know about the judge."""
    return settings_of_judge(request.judge, request.plan.config.grading)


def grading_settings(request: GradeRequest, grading: Grading) -> dict[str, str]:
    """What would change the verdicts: the judge, its prompts, the protocol and its settings, the responses' run."""
    judge, files = resolve(request.judge)
    return {
        "protocol": grading.name,
        "grading": settings_text(request.plan.config.grading),
        "run": request.store.manifest.fingerprint,
        **model_settings(judge, files, "judge"),
        **judge_templates(OWN_TEMPLATES.get(grading.name, ())),
    }


def judge_templates(own: Sequence[str]) -> dict[str, str]:
    """Digests of the judge's shared templates and of some more, as settings."""
    return {
        f"template.{name}": digest
        for name, digest in template_digests().items()
        if name in own or name.startswith(OF_ALL_GRADINGS)
    }
