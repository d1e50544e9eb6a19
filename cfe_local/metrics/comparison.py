"""Runs against each other on the problems that all of them were asked: which rows count, and every pair's tests.

Only first copies count: a problem that the benchmark holds twice would be two observations of one thing.

Not here: whether runs may be compared at all, and how the figures are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from pydantic import Field

from cfe_local.metrics.paired import (
    McNemar,
    PairedDifference,
    holm,
    mcnemar_exact,
    paired_difference,
    smallest_difference_of_means,
    smallest_difference_of_pairs,
)
from cfe_local.metrics.samples import GradedSample, first_copies
from cfe_local.records import Record

Samples = Sequence[GradedSample]
Row = tuple[str, int]


@dataclass(frozen=True, slots=True)
class CommonRows:
    """The samples that runs can be compared on.

    Attributes:
        runs: Per run, in the order given, the samples of the rows below.
        rows: (split, row) of every problem that counts, in the order of the first run.
        n_common: Rows that all runs planned, copies included.
        n_other_problem: Rows that all runs planned, but with another problem there; left out.
    """

    runs: tuple[tuple[GradedSample, ...], ...]
    rows: tuple[Row, ...]
    n_common: int
    n_other_problem: int


class PairComparison(Record):
    """Two runs on the same problems; every difference is second minus first, as shares."""

    first: int = Field(ge=0, description="Position of the run in the list of runs.")
    second: int = Field(ge=0)
    question: PairedDifference = Field(description="Of question accuracy, mean over each problem's samples.")
    variable: PairedDifference = Field(description="Of variable accuracy.")
    mcnemar: McNemar | None = Field(description="Of question accuracy; None where a problem has several samples.")
    question_p: float | None = Field(description="Exact McNemar at one sample per problem, else sign flips.")
    question_p_holm: float | None = Field(default=None, description="The same, adjusted for all pairs of runs.")
    variable_p_holm: float | None = Field(default=None, description="Sign flips, adjusted for all pairs of runs.")
    smallest_question: float | None = Field(
        description="Difference in question accuracy that these problems show with 80 % power; None where none would."
    )
    smallest_variable: float | None = Field(description="The same for variable accuracy.")


def common_rows(runs: Sequence[Samples]) -> CommonRows:
    """The rows that every run planned and that hold the same problem in all of them, first copies only.

    Args:
        runs: The graded samples of each run, at least one run.
    """
    contents = [{(s.problem.split, s.problem.row): _content(s) for s in samples} for samples in runs]
    planned = [row for row in contents[0] if all(row in other for other in contents)]
    same = {row for row in planned if len({other[row] for other in contents}) == 1}
    kept = first_copies([s for s in runs[0] if (s.problem.split, s.problem.row) in same])
    rows = tuple(dict.fromkeys((s.problem.split, s.problem.row) for s in kept))
    wanted = set(rows)
    return CommonRows(
        runs=tuple(tuple(s for s in samples if (s.problem.split, s.problem.row) in wanted) for samples in runs),
        rows=rows,
        n_common=len(same),
        n_other_problem=len(planned) - len(same),
    )


def _content(sample: GradedSample) -> tuple[object, ...]:
    """What makes a problem the same wherever its files lie."""
    problem = sample.problem
    images = tuple(part.sha256 for part in problem.question if part.kind == "image")
    return problem.problem_id, problem.question_text, images, problem.variables


def compare_pairs(runs: Sequence[Samples], *, seed: int = 0) -> tuple[PairComparison, ...]:
    """Every pair of runs, with p-values adjusted over all pairs, question and variable accuracy each for themselves.

    Args:
        runs: As `common_rows` gives them: the same problems in each.
        seed: Of the resamples; each pair draws from a stream of its own.

    Raises:
        ValueError: If the runs' problems differ.
    """
    places = list(combinations(range(len(runs)), 2))
    found = [_pair(runs, pair, np.random.default_rng([seed, *pair])) for pair in places]
    question = _adjusted([one.question_p for one in found])
    variable = _adjusted([one.variable.p_value for one in found])
    return tuple(
        one.model_copy(update={"question_p_holm": q, "variable_p_holm": v})
        for one, q, v in zip(found, question, variable, strict=True)
    )


def _pair(runs: Sequence[Samples], pair: tuple[int, int], rng: np.random.Generator) -> PairComparison:
    first, second = (runs[i] for i in pair)
    right = [question_shares(samples) for samples in (first, second)]
    variables = [variable_shares(samples) for samples in (first, second)]
    question = paired_difference(right[0], right[1], rng=rng)
    variable = paired_difference(variables[0], variables[1], rng=rng)
    mcnemar = None
    if all(len(samples) == len(shares) for samples, shares in zip((first, second), right, strict=True)):
        mcnemar = mcnemar_exact(*({key: share == 1 for key, share in shares.items()} for shares in right))
    return PairComparison(
        first=pair[0],
        second=pair[1],
        question=question,
        variable=variable,
        mcnemar=mcnemar,
        question_p=mcnemar.p_value if mcnemar and mcnemar.n else question.p_value,
        smallest_question=_smallest_pairs(mcnemar) if mcnemar else _smallest_means(right[0], right[1]),
        smallest_variable=_smallest_means(variables[0], variables[1]),
    )


def question_shares(samples: Samples) -> dict[str, float]:
    """Problem to the share of its samples that are right; undecided is not right."""
    return _means(samples, [float(sample.mark == "correct") for sample in samples])


def variable_shares(samples: Samples) -> dict[str, float]:
    """Problem to its mean share of right variables; undecided is not right."""
    shares = [s.marks.count("correct") / len(s.marks) if s.marks else 0.0 for s in samples]
    return _means(samples, shares)


def _means(samples: Samples, values: Sequence[float]) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for sample, value in zip(samples, values, strict=True):
        groups.setdefault(sample.problem.label, []).append(value)
    return {label: sum(group) / len(group) for label, group in groups.items()}


def _smallest_pairs(found: McNemar) -> float | None:
    n_discordant = found.only_first + found.only_second
    return smallest_difference_of_pairs(found.n, discordant=n_discordant / found.n) if n_discordant else None


def _smallest_means(first: dict[str, float], second: dict[str, float]) -> float | None:
    return smallest_difference_of_means([second[key] - first[key] for key in first]) or None


def _adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm over the tests that there are."""
    known = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(known) for p in p_values]
