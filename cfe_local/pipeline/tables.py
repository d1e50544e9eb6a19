"""The plug-in tables: one line per kind of experiment and grading."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import TypeVar

from cfe_local.errors import UsageError
from cfe_local.experiments.base import Experiment
from cfe_local.experiments.efficiency import Efficiency
from cfe_local.experiments.exam import Exam
from cfe_local.experiments.image_dependence import ImageDependence
from cfe_local.experiments.progress import Progress
from cfe_local.experiments.recall import Recall
from cfe_local.experiments.step_execution import StepExecution
from cfe_local.grading import DelimiterGrading, Grading, JudgeSettings, ShortToShort, SymbolicGrading, WholeResponse

Plugin = TypeVar("Plugin")

EXPERIMENTS: Mapping[str, Experiment] = {
    "exam": Exam(),
    "step_execution": StepExecution(),
    "progression": Progress("progression"),
    "injection": Progress("injection"),
    "image_dependence": ImageDependence(),
    "efficiency": Efficiency(),
    "recall": Recall(),
}
GRADINGS: Mapping[str, Callable[[JudgeSettings], Grading]] = {
    "s2s": ShortToShort,
    "delimiter": DelimiterGrading,
    "symbolic": SymbolicGrading,
    "l2s": lambda settings: WholeResponse("l2s", settings),
    "l2l": lambda settings: WholeResponse("l2l", settings),
}


def look_up(kind: str, table: Mapping[str, Plugin], name: str) -> Plugin:
    """Find a plug-in by name.

    Raises:
        UsageError: For an unknown name; the message has the nearest and all known names.
    """
    if name in table:
        return table[name]
    near = difflib.get_close_matches(name, table, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError(f"unknown {kind} {name!r}; {hint}known: {', '.join(table)}")
