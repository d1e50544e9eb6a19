"""Question accuracy, variable accuracy and pass@k over graded samples, each in two readings with what it left out.

The headline's denominator is what was planned: undecided, failed and missing samples count as not correct. Beside it
stand the figure over what could be decided, and how much that was.

Not here: the interval's formula (``intervals``), and which samples form a group (``summary``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import Field

from cfe_local.metrics.intervals import clustered_share_interval
from cfe_local.metrics.pass_at_k import pass_at_k
from cfe_local.metrics.samples import GradedSample
from cfe_local.metrics.scores import Share, share_of
from cfe_local.records import Record, VariableType


class Accuracy(Record):
    """One accuracy in both readings."""

    headline: Share = Field(description="Over everything planned; what was not decided counts as not correct.")
    decided_only: Share = Field(description="Over what was decided.")
    coverage: Share = Field(description="Decided over planned.")


class PassAtK(Record):
    """pass@k, averaged over problems."""

    k: int = Field(ge=1)
    headline: Share = Field(description="Over problems with at least k planned samples; undecided is not correct.")
    decided_only: Share = Field(description="Over problems with at least k decided samples, from those samples alone.")


def question_accuracy(samples: Sequence[GradedSample]) -> Accuracy:
    """Share of samples with every variable right.

    A sample is decided when one of its variables is wrong (it is wrong then, whatever the others are) or all are right.
    An empty list gives shares without a value.
    """
    correct = [(s.cluster, float(s.mark == "correct"), 1) for s in samples]
    decided = [(s.cluster, float(s.mark == "correct"), int(s.mark != "undecided")) for s in samples]
    return Accuracy(
        headline=clustered(correct),
        decided_only=clustered(decided),
        coverage=share_of(sum(s.mark != "undecided" for s in samples), len(samples)),
    )


def variable_accuracy(samples: Sequence[GradedSample]) -> Accuracy:
    """Mean over samples of the share of right variables, so that every problem weighs the same.

    ``decided_only`` averages right over decided variables, over samples that have any; ``coverage`` counts variables.
    """
    planned, decided = [], []
    n_decided = n_variables = 0
    for sample in samples:
        marks = sample.marks
        n_right, n_seen = marks.count("correct"), len(marks) - marks.count("undecided")
        planned.append((sample.cluster, n_right / len(marks) if marks else 0.0, 1))
        decided.append((sample.cluster, n_right / n_seen if n_seen else 0.0, int(n_seen > 0)))
        n_decided += n_seen
        n_variables += len(marks)
    return Accuracy(
        headline=clustered(planned), decided_only=clustered(decided), coverage=share_of(n_decided, n_variables)
    )


def accuracy_of_type(samples: Sequence[GradedSample], variable_type: VariableType) -> Accuracy:
    """Share of right variables among those of one type, every variable weighing the same."""
    planned, decided = [], []
    for sample in samples:
        marks = [m for v, m in zip(sample.targets, sample.marks, strict=True) if v.type == variable_type]
        n_right, n_seen = float(marks.count("correct")), len(marks) - marks.count("undecided")
        planned.append((sample.cluster, n_right, len(marks)))
        decided.append((sample.cluster, n_right, n_seen))
    n_variables = sum(m for _, _, m in planned)
    return Accuracy(
        headline=clustered(planned),
        decided_only=clustered(decided),
        coverage=share_of(sum(m for _, _, m in decided), n_variables),
    )


def mean_pass_at_k(samples: Sequence[GradedSample], k: int) -> PassAtK:
    """pass@k over problems (rows), each estimated from its own samples.

    Problems with fewer than k samples are left out, never counted as 0; with none left the value is None.
    """
    rows: dict[tuple[str, int], list[GradedSample]] = {}
    for sample in samples:
        rows.setdefault((sample.problem.split, sample.problem.row), []).append(sample)
    planned, decided = [], []
    for group in rows.values():
        marks = [sample.mark for sample in group]
        n_right, n_seen = marks.count("correct"), len(marks) - marks.count("undecided")
        if len(marks) >= k:
            planned.append((group[0].cluster, pass_at_k(len(marks), n_right, k), 1))
        if n_seen >= k:
            decided.append((group[0].cluster, pass_at_k(n_seen, n_right, k), 1))
    return PassAtK(k=k, headline=clustered(planned), decided_only=clustered(decided))


def clustered(parts: Iterable[tuple[str, float, int]]) -> Share:
    """A share from (cluster, value summed, how many values) parts."""
    sums: dict[str, tuple[float, int]] = {}
    for cluster, value, n in parts:
        total, count = sums.get(cluster, (0.0, 0))
        sums[cluster] = (total + value, count + n)
    numerators = [total for total, n in sums.values() if n]
    denominators = [n for _, n in sums.values() if n]
    interval = clustered_share_interval(numerators, denominators)
    return share_of(sum(numerators), sum(denominators), interval=interval)
