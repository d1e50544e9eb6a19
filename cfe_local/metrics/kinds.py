"""Figures by kind of problem, with what a delimiter grading tells beyond right and wrong.

Source: half credit for at least half of the sub-answers, and renamed symbols as right, are ARB's (arXiv:2307.13692).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

from cfe_local.metrics.accuracy import clustered
from cfe_local.metrics.exam import Figures, KindFigures
from cfe_local.metrics.samples import GradedSample
from cfe_local.metrics.scores import Share
from cfe_local.records import RENAMED, UNPARSABLE, ProblemKind


def kind_figures(
    samples: Sequence[GradedSample], figures: Callable[[str, Sequence[GradedSample]], Figures]
) -> tuple[KindFigures, ...]:
    """One entry per kind that the samples have; none where all of them ask for named variables.

    Args:
        samples: Those with at least one answer to grade.
        figures: Makes the scores of a group.
    """
    kinds: tuple[ProblemKind, ...] = get_args(ProblemKind)
    groups = {kind: [s for s in samples if s.problem.kind == kind] for kind in kinds}
    if all(kind == "variables" or not group for kind, group in groups.items()):
        return ()
    return tuple(
        KindFigures(
            kind=kind,
            figures=figures(kind, group),
            unparsable=_share(group, lambda s: float(UNPARSABLE in _reasons(s))),
            renamed=_share(group, lambda s: float(_is_renamed(s))),
            credit=_share(group, credit),
        )
        for kind, group in groups.items()
        if group
    )


def credit(sample: GradedSample) -> float:
    """1 if every answer is right, 1/2 if at least half of several are, else 0."""
    n_right, n_asked = sample.marks.count("correct"), len(sample.marks)
    if not n_asked:
        return 0.0
    return 1.0 if n_right == n_asked else 0.5 if n_right * 2 >= n_asked else 0.0


def _is_renamed(sample: GradedSample) -> bool:
    """Whether every answer is right once symbols may be renamed, and some answer needs that."""
    reasons = _reasons(sample)
    pairs = zip(sample.marks, reasons, strict=True)
    return RENAMED in reasons and all(mark == "correct" or reason == RENAMED for mark, reason in pairs)


def _reasons(sample: GradedSample) -> list[str]:
    return [verdict.reason if verdict else "" for verdict in sample.verdicts]


def _share(samples: Sequence[GradedSample], value: Callable[[GradedSample], float]) -> Share:
    return clustered([(s.cluster, value(s), 1) for s in samples])
