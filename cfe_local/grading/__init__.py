"""Turns responses into verdicts. Each grading is a plan (what to compare, what to ask) and a conclusion, both pure."""

from cfe_local.grading.asking import JudgeSettings
from cfe_local.grading.base import Grading, GradingTask, Judged, Pair
from cfe_local.grading.delimiter import DelimiterGrading
from cfe_local.grading.s2s import ShortToShort
from cfe_local.grading.symbolic import SymbolicGrading
from cfe_local.grading.whole import WholeResponse

__all__ = [
    "DelimiterGrading",
    "Grading",
    "GradingTask",
    "JudgeSettings",
    "Judged",
    "Pair",
    "ShortToShort",
    "SymbolicGrading",
    "WholeResponse",
]
