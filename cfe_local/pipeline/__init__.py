"""The one room that knows every stage: it joins benchmark, experiment, engines, gradings, store and report."""

from cfe_local.pipeline.export import export
from cfe_local.pipeline.generate import generate
from cfe_local.pipeline.grade import GradeRequest, grade_runs
from cfe_local.pipeline.measure import measure, publish, refuse_unfinished
from cfe_local.pipeline.plan import RunPlan, plan_run, require_exam
from cfe_local.pipeline.regrade import Regrading, grade_folders, reopen
from cfe_local.pipeline.run import generate_only, run
from cfe_local.pipeline.watch import Silent, Watcher

__all__ = [
    "GradeRequest",
    "Regrading",
    "RunPlan",
    "Silent",
    "Watcher",
    "export",
    "generate",
    "generate_only",
    "grade_folders",
    "grade_runs",
    "measure",
    "plan_run",
    "publish",
    "refuse_unfinished",
    "reopen",
    "require_exam",
    "run",
]
