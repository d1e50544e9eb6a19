"""How far labels agree: between people (alpha, kappa), and between a judge and people (precision, recall, AUC).

Labels are any texts; None is a missing label and never counts as a disagreement.

Not here: where labels come from, and which of two labels is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from pydantic import Field

from cfe_local.metrics.intervals import Floats, clustered_share_interval, t_quantile, wilson_interval
from cfe_local.metrics.scores import Interval, Share, share_of
from cfe_local.records import Record

Label = str | None


class Agreement(Record):
    """One coefficient of agreement."""

    value: float | None = Field(description="1 is perfect, 0 is chance; None where it is undefined.")
    n_units: int = Field(ge=0, description="Units with at least two labels.")
    interval: Interval | None = None


class BinaryAgreement(Record):
    """A judge's yes/no against reference labels."""

    true_positives: int = Field(ge=0)
    false_positives: int = Field(ge=0)
    false_negatives: int = Field(ge=0)
    true_negatives: int = Field(ge=0)
    accuracy: Share
    precision: Share
    recall: Share
    f1: float | None = Field(description="None where there is neither a positive label nor a positive answer.")
    false_positive_rate: Share = Field(description="Wrongly said yes, over all that should be no.")
    false_negative_rate: Share = Field(description="Wrongly said no, over all that should be yes.")


def krippendorff_alpha(units: Sequence[Sequence[Label]]) -> Agreement:
    """Krippendorff's alpha for nominal labels, missing labels allowed.

    Args:
        units: One list of labels per unit (one per observer, None where missing). Units with fewer than two are left
            out, as they compare with nothing.

    Returns:
        1 - observed / expected disagreement. None where nothing can be compared or every label is the same, so that no
        disagreement could be expected.

    Source:
        Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C.
    """
    counts = _label_counts(units)
    if not len(counts):
        return Agreement(value=None, n_units=0)
    totals = counts.sum(axis=0)  # (labels,)
    n = totals.sum()
    observed = float(_disagreements(counts).sum())
    expected = float((n**2 - np.sum(totals**2)) / (n - 1))
    return Agreement(value=1 - observed / expected if expected else None, n_units=len(counts))


def krippendorff_alpha_with_interval(
    units: Sequence[Sequence[Label]], *, clusters: Sequence[str], level: float = 0.95
) -> Agreement:
    """Alpha with an interval for units that come in clusters: the variables of a response, the steps of a problem.

    The interval is made on log(1 - alpha), the ratio of observed to expected disagreement, whose variance is linearised
    over clusters; t on as many degrees of freedom as there are clusters less one. Without any disagreement the upper
    limit is 1, and the lower one is where Wilson's limit for the share of clusters that disagree would put it.

    Args:
        units: As for `krippendorff_alpha`.
        clusters: What makes units dependent, one name per unit.
        level: Nominal coverage in (0, 1).

    Returns:
        The coefficient; its interval is None where alpha is undefined or fewer than two clusters can be compared.

    Raises:
        ValueError: If there are not as many clusters as units.

    Source:
        Variance of a ratio over clusters: Cochran 1977, Sampling Techniques, 3rd edition, section 9.2; the coverage found is in
        ``tests/metrics/test_interval_coverage.py``.
    """
    point = krippendorff_alpha(units)
    sums = _cluster_sums(units, clusters)
    if point.value is None or len(sums) < 2:
        return point
    low, high = _alpha_limits(sums, level=level)
    method = "linearised over clusters, on log(1 - alpha)"
    interval = Interval(low=low, high=high, level=level, n_clusters=len(sums), method=method)
    return point.model_copy(update={"interval": interval})


def _alpha_limits(sums: Floats, *, level: float) -> tuple[float, float]:
    n_clusters, totals = len(sums), sums[:, 1:].sum(axis=0)  # (labels,)
    n = totals.sum()
    expected = (n**2 - np.sum(totals**2)) / (n - 1)
    observed = float(sums[:, 0].sum())
    if observed == 0:
        share = wilson_interval(0, n_clusters, level=level)[1]
        return float(max(-1.0, 1 - share * n / expected)), 1.0
    per_cluster = sums[:, 1:].sum(axis=1)  # (clusters,)
    slope = 2 * (n * per_cluster - sums[:, 1:] @ totals) / (n - 1) - per_cluster * expected / (n - 1)
    influence = sums[:, 0] / observed - slope / expected
    error = np.sqrt(n_clusters / (n_clusters - 1) * np.sum(influence**2))
    reach = np.exp(t_quantile(0.5 + level / 2, n_clusters - 1) * error)
    ratio = observed / expected
    return float(max(-1.0, 1 - ratio * reach)), float(1 - ratio / reach)


def _cluster_sums(units: Sequence[Sequence[Label]], clusters: Sequence[str]) -> Floats:
    """Shape (clusters, 1 + labels): observed disagreement and how often each label was given, pairable units only."""
    pairs = list(zip(units, clusters, strict=True))
    kept = [cluster for unit, cluster in pairs if sum(label is not None for label in unit) >= 2]
    counts = _label_counts(units)
    position = {cluster: i for i, cluster in enumerate(dict.fromkeys(kept))}
    sums = np.zeros((len(position), 1 + counts.shape[1]))
    values = np.column_stack([_disagreements(counts), counts])  # (units, 1 + labels)
    np.add.at(sums, [position[cluster] for cluster in kept], values)
    return sums


def _disagreements(counts: Floats) -> Floats:
    """Per unit, ordered pairs of different labels over the number of others that one label is compared with."""
    n = counts.sum(axis=1)
    return np.asarray((n**2 - np.sum(counts**2, axis=1)) / (n - 1), dtype=np.float64)


def _label_counts(units: Sequence[Sequence[Label]]) -> Floats:
    """Shape (units with at least two labels, labels): how often each label was given to each unit."""
    pairable = [[label for label in unit if label is not None] for unit in units]
    pairable = [unit for unit in pairable if len(unit) >= 2]
    names = sorted({label for unit in pairable for label in unit})
    position = {name: i for i, name in enumerate(names)}
    counts = np.zeros((len(pairable), len(names)))
    for row, unit in enumerate(pairable):
        for label, n in Counter(unit).items():
            counts[row, position[label]] = n
    return counts


def cohen_kappa(first: Sequence[Label], second: Sequence[Label]) -> Agreement:
    """Cohen's kappa of two observers; units that one of them left out do not count.

    Raises:
        ValueError: If the lists differ in length.

    Source:
        Cohen 1960, doi:10.1177/001316446002000104.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    n = len(pairs)
    if not n:
        return Agreement(value=None, n_units=0)
    observed = sum(a == b for a, b in pairs) / n
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(left[name] * right[name] for name in left) / n**2
    return Agreement(value=None if expected == 1 else (observed - expected) / (1 - expected), n_units=n)


def binary_agreement(labels: Sequence[bool], answers: Sequence[bool], *, clusters: Sequence[str]) -> BinaryAgreement:
    """Counts and rates of a judge's answers against labels, intervals clustered.

    Args:
        labels: The reference.
        answers: What the judge said; undecided cases are to be left out of both, and counted elsewhere.
        clusters: What makes cases dependent, for example the response they come from.

    Raises:
        ValueError: If the lists differ in length.
    """
    rows = list(zip(labels, answers, clusters, strict=True))
    tp = sum(label and answer for label, answer, _ in rows)
    fp = sum(not label and answer for label, answer, _ in rows)
    fn = sum(label and not answer for label, answer, _ in rows)
    return BinaryAgreement(
        true_positives=tp,
        false_positives=fp,
        false_negatives=fn,
        true_negatives=len(rows) - tp - fp - fn,
        accuracy=_rate([(c, label == answer) for label, answer, c in rows]),
        precision=_rate([(c, label) for label, answer, c in rows if answer]),
        recall=_rate([(c, answer) for label, answer, c in rows if label]),
        f1=2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None,
        false_positive_rate=_rate([(c, answer) for label, answer, c in rows if not label]),
        false_negative_rate=_rate([(c, not answer) for label, answer, c in rows if label]),
    )


def _rate(hits: Sequence[tuple[str, bool]]) -> Share:
    n_hits: Counter[str] = Counter()
    n_all: Counter[str] = Counter()
    for cluster, hit in hits:
        n_hits[cluster] += hit
        n_all[cluster] += 1
    interval = clustered_share_interval([n_hits[c] for c in n_all], list(n_all.values()))
    return share_of(n_hits.total(), n_all.total(), interval=interval)


def area_under_curve(labels: Sequence[bool], scores: Sequence[float]) -> float | None:
    """Chance that a positive case scores above a negative one, ties counting half; None without both kinds.

    Raises:
        ValueError: If the lists differ in length.

    Source:
        Hanley and McNeil 1982, doi:10.1148/radiology.143.1.7063747 (the Mann-Whitney statistic).
    """
    pairs = list(zip(labels, scores, strict=True))
    positive = np.sort(np.asarray([s for label, s in pairs if label], dtype=np.float64))
    negative = np.asarray([s for label, s in pairs if not label], dtype=np.float64)
    if not len(positive) or not len(negative):
        return None
    above = len(positive) - np.searchsorted(positive, negative, side="right")
    tied = np.searchsorted(positive, negative, side="right") - np.searchsorted(positive, negative, side="left")
    return float((above + tied / 2).sum() / (len(positive) * len(negative)))
