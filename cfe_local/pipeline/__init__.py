"""The one room that knows every stage: it joins benchmark, experiment, engines, gradings, store and report."""

from cfe_local.pipeline.generate import generate
from cfe_local.pipeline.grade import GradeRequest, grade_runs
from cfe_local.pipeline.measure import measure
from cfe_local.pipeline.plan import RunPlan, plan_run
from cfe_local.pipeline.run import run
from cfe_local.pipeline.watch import Silent, Watcher

__all__ = [
    "GradeRequest",
    "RunPlan",
    "Silent",
    "Watcher",
    "generate",
    "grade_runs",
    "measure",
    "plan_run",
    "run",
]
