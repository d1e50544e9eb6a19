"""How far labels agree: between people (alpha, kappa), and between a judge and people (precision, recall, AUC).

Labels are any texts; None is a missing label and never counts as a disagreement.

Not here: where labels come from, and which of two labels is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from cfe_local.metrics.intervals import Floats, clustered_share_interval, t_quantile, wilson_interval
from cfe_local.metrics.scores import Interval, Share, share_of
from cfe_local.records import Record

Label = str | None
Distance = Literal["nominal", "interval"]


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


def krippendorff_alpha(units: Sequence[Sequence[Label]], *, distance: Distance = "nominal") -> Agreement:
    """Krippendorff's alpha, missing labels allowed.

    Args:
        units: One list of labels per unit (one per observer, None where missing). Units with fewer than two are left
            out, as they compare with nothing.
        distance: ``nominal``: two different labels disagree; ``interval``: labels are numbers, and disagree by the
            square of their difference.

    Returns:
        1 - observed / expected disagreement. None where nothing can be compared or every label is the same, so that no
        disagreement could be expected.

    Raises:
        ValueError: If labels are to be numbers and one is not.

    Source:
        Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", sections C and D.
    """
    counts, distances = _label_counts(units, distance)
    if not len(counts):
        return Agreement(value=None, n_units=0)
    totals = counts.sum(axis=0)  # (labels,)
    observed = float(_disagreements(counts, distances).sum())
    expected = float(totals @ distances @ totals / (totals.sum() - 1))
    return Agreement(value=1 - observed / expected if expected else None, n_units=len(counts))


def krippendorff_alpha_with_interval(
    units: Sequence[Sequence[Label]],
    *,
    clusters: Sequence[str],
    distance: Distance = "nominal",
    level: float = 0.95,
) -> Agreement:
    """Alpha with an interval for units that come in clusters: the variables of a response, the steps of a problem.

    The interval is made on log(1 - alpha), the ratio of observed to expected disagreement, whose variance is linearised
    over clusters; t on as many degrees of freedom as there are clusters less one. Without any disagreement the upper
    limit is 1, and the lower one is where Wilson's limit for the share of clusters that disagree would put it.

    Args:
        units: As for `krippendorff_alpha`.
        clusters: What makes units dependent, one name per unit.
        distance: As for `krippendorff_alpha`.
        level: Nominal coverage in (0, 1).

    Returns:
        The coefficient; its interval is None where alpha is undefined or fewer than two clusters can be compared.

    Raises:
        ValueError: If there are not as many clusters as units, or labels are to be numbers and one is not.

    Source:
        Variance of a ratio over clusters: Cochran 1977, Sampling Techniques, 3rd edition, chapter 9; the coverage found
        is in ``tests/metrics/test_interval_coverage.py``.
    """
    point = krippendorff_alpha(units, distance=distance)
    counts, distances = _label_counts(units, distance)
    pairs = zip(units, clusters, strict=True)
    kept = [cluster for unit, cluster in pairs if sum(label is not None for label in unit) >= 2]
    position = {cluster: i for i, cluster in enumerate(dict.fromkeys(kept))}
    if point.value is None or len(position) < 2:
        return point
    places = [position[cluster] for cluster in kept]
    observed, totals = np.zeros(len(position)), np.zeros((len(position), counts.shape[1]))
    np.add.at(observed, places, _disagreements(counts, distances))
    np.add.at(totals, places, counts)
    low, high = _alpha_limits(observed, totals, distances, level=level)
    method = "linearised over clusters, on log(1 - alpha)"
    interval = Interval(low=low, high=high, level=level, n_clusters=len(position), method=method)
    return point.model_copy(update={"interval": interval})


def _alpha_limits(observed: Floats, counts: Floats, distances: Floats, *, level: float) -> tuple[float, float]:
    """Limits from every cluster's observed disagreement (clusters,) and its labels (clusters, labels)."""
    n_clusters, totals = len(observed), counts.sum(axis=0)
    n = totals.sum()
    expected = float(totals @ distances @ totals / (n - 1))
    if not observed.any():
        share = wilson_interval(0, n_clusters, level=level)[1]
        return float(max(-1.0, 1 - share * n * distances.max() / expected)), 1.0
    slope = (2 * counts @ distances @ totals - counts.sum(axis=1) * expected) / (n - 1)
    influence = observed / observed.sum() - slope / expected
    error = np.sqrt(n_clusters / (n_clusters - 1) * np.sum(influence**2))
    reach = np.exp(t_quantile(0.5 + level / 2, n_clusters - 1) * error)
    ratio = observed.sum() / expected
    return float(max(-1.0, 1 - ratio * reach)), float(1 - ratio / reach)


def _disagreements(counts: Floats, distances: Floats) -> Floats:
    """Per unit, the distances of all ordered pairs of its labels over the number of others each is compared with."""
    return np.asarray(((counts @ distances) * counts).sum(axis=1) / (counts.sum(axis=1) - 1), dtype=np.float64)


def _label_counts(units: Sequence[Sequence[Label]], distance: Distance) -> tuple[Floats, Floats]:
    """How often each label was given, (units with at least two labels, labels), and distances (labels, labels)."""
    pairable = [[label for label in unit if label is not None] for unit in units]
    pairable = [unit for unit in pairable if len(unit) >= 2]
    names = sorted({label for unit in pairable for label in unit})
    position = {name: i for i, name in enumerate(names)}
    counts = np.zeros((len(pairable), len(names)))
    for row, unit in enumerate(pairable):
        for label, n in Counter(unit).items():
            counts[row, position[label]] = n
    if distance == "nominal":
        return counts, 1 - np.eye(len(names))
    values = np.asarray([float(name) for name in names], dtype=np.float64)
    return counts, (values[:, None] - values[None, :]) ** 2


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
