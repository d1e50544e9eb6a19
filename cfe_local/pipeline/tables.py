"""The plug-in tables: one line per kind of experiment, grading and benchmark format."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from cfe_local.benchmarks.cfe import Benchmark, load_cfe
from cfe_local.errors import UsageError
from cfe_local.experiments.base import Experiment
from cfe_local.experiments.exam import Exam
from cfe_local.grading import Grading, JudgeSettings, ShortToShort, WholeResponse

Plugin = TypeVar("Plugin")

BENCHMARKS: Mapping[str, Callable[[Path], Benchmark]] = {"cfe": load_cfe}
EXPERIMENTS: Mapping[str, Experiment] = {"exam": Exam()}
GRADINGS: Mapping[str, Callable[[JudgeSettings], Grading]] = {
    "s2s": ShortToShort,
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
