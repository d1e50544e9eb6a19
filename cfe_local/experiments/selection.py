"""Which problems a diagnostic looks at: all, or those that the model got wrong in the run that it starts from.

"Got wrong" means that fewer than half of a problem's decided samples were right. A problem without a decided sample is
neither; it is left out and listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cfe_local.errors import UsageError
from cfe_local.experiments.source import SourceRun
from cfe_local.records import Problem

Which = Literal["wrong", "all"]
Row = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the earlier run says about one problem; the headline counts undecided samples as not right."""

    n_right: int
    n_decided: int
    n_planned: int

    @property
    def share(self) -> float:
        """Share of planned samples that were right."""
        return self.n_right / self.n_planned

    @property
    def is_wrong(self) -> bool:
        """Whether fewer than half of the decided samples were right."""
        return self.n_decided > 0 and self.n_right / self.n_decided < 0.5


@dataclass(frozen=True, slots=True)
class Chosen:
    """The problems to look at, and what was left out.

    Attributes:
        problems: In file order.
        undecided: Labels of problems that the earlier run leaves undecided.
        n_right: Problems that it got right.
        n_not_asked: Problems that it did not ask.
        n_without_steps: Problems left out because they have no reasoning flow.
    """

    problems: tuple[Problem, ...]
    undecided: tuple[str, ...] = ()
    n_right: int = 0
    n_not_asked: int = 0
    n_without_steps: int = 0


def exam_behind(source: SourceRun | None) -> SourceRun | None:
    """The exam that a run goes back to: itself, or what it started from; None where there is none."""
    while source is not None and source.experiment != "exam":
        source = source.origin
    return source


def baselines(source: SourceRun | None) -> Mapping[Row, Baseline]:
    """The exam's result for each problem that it asked."""
    exam = exam_behind(source)
    marks: dict[Row, list[str]] = {}
    for sample in exam.samples if exam is not None else ():
        marks.setdefault((sample.key.split, sample.key.row), []).append(sample.mark)
    return {
        row: Baseline(found.count("correct"), len(found) - found.count("undecided"), len(found))
        for row, found in marks.items()
    }


def choose(problems: Sequence[Problem], source: SourceRun | None, which: Which | None) -> Chosen:
    """Choose problems.

    Args:
        problems: What the configuration selects.
        source: The run that the experiment starts from.
        which: None means those got wrong where there is an earlier run, else all.

    Raises:
        UsageError: If those got wrong are wanted without an earlier run, or nothing is left.
    """
    if (which or ("wrong" if exam_behind(source) is not None else "all")) == "all":
        return Chosen(tuple(problems))
    found = baselines(source)
    if not found:
        raise UsageError("problems=wrong needs a finished exam\nFix: --from RUN, or experiment.options.problems=all.")
    asked = [problem for problem in problems if (problem.split, problem.row) in found]
    result = {problem.label: found[problem.split, problem.row] for problem in asked}
    chosen = Chosen(
        problems=tuple(problem for problem in asked if result[problem.label].is_wrong),
        undecided=tuple(label for label, one in result.items() if not one.n_decided),
        n_right=sum(one.n_decided > 0 and not one.is_wrong for one in result.values()),
        n_not_asked=len(problems) - len(asked),
    )
    if not chosen.problems:
        raise UsageError(
            f"no problem is left: of {len(problems)} selected the earlier run got {chosen.n_right} right, left "
            f"{len(chosen.undecided)} undecided and did not ask {chosen.n_not_asked}\n"
            "Fix: select other problems, or look at all of them (--set experiment.options.problems=all)."
        )
    return chosen


def with_steps(chosen: Chosen) -> Chosen:
    """Leave out what has no reasoning flow.

    Raises:
        UsageError: If nothing is left.
    """
    kept = tuple(problem for problem in chosen.problems if problem.steps)
    if not kept:
        raise UsageError(
            f"none of the {len(chosen.problems)} problems has a reasoning flow (reasoning_flow is missing or empty)\n"
            "Fix: use a benchmark whose problems have flows."
        )
    return Chosen(
        kept, chosen.undecided, chosen.n_right, chosen.n_not_asked, n_without_steps=len(chosen.problems) - len(kept)
    )
