"""cfe_local: CFE-Bench on open-weight models, with a local judge and no external API.

The tour, in the order in which data flows: `benchmarks` reads problems, `experiments` plan cases, `engines` answer
them, `grading` turns responses into verdicts with the help of `equivalence` and a judge, `metrics` counts, `report`
shows, and `pipeline` joins them. `records` is the glossary. Names below are imported when they are first used.

    >>> from cfe_local import equivalent
    >>> equivalent("1 m", "100 cm").verdict
    'equal'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfe_local.benchmarks.cfe import load_cfe
    from cfe_local.benchmarks.validate import validate_benchmark
    from cfe_local.config import RunConfig, load_run_config
    from cfe_local.equivalence import ComparisonPool, equivalent
    from cfe_local.pipeline import run
    from cfe_local.records import Comparison, Problem, ValueContext

__all__ = [
    "Comparison",
    "ComparisonPool",
    "Problem",
    "RunConfig",
    "ValueContext",
    "equivalent",
    "load_cfe",
    "load_run_config",
    "run",
    "validate_benchmark",
]

_HOMES = {
    "Comparison": "cfe_local.records",
    "ComparisonPool": "cfe_local.equivalence",
    "Problem": "cfe_local.records",
    "RunConfig": "cfe_local.config",
    "ValueContext": "cfe_local.records",
    "equivalent": "cfe_local.equivalence",
    "load_cfe": "cfe_local.benchmarks.cfe",
    "load_run_config": "cfe_local.config",
    "run": "cfe_local.pipeline",
    "validate_benchmark": "cfe_local.benchmarks.validate",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that ``import cfe_local`` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cfe_local' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
