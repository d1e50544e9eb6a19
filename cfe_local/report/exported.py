"""What the exports of a graded run are made from, and what they share: per-problem groups, standard errors, prompts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cfe_local.config import RunConfig
from cfe_local.metrics import ExamMetrics, GradedSample
from cfe_local.records import Case, Manifest, Response


@dataclass(frozen=True, slots=True)
class GradedRun:
    """One run under one grading.

    Attributes:
        config: The resolved configuration, the judge as it graded.
        cases: By key label; the prompts.
        samples: Every planned sample, in the plan's order.
        n_rows: Rows that each split of the benchmark has, planned or not.
        benchmark_version: Name of the published version, None for any other benchmark.
    """

    config: RunConfig
    manifest: Manifest
    metrics: ExamMetrics
    cases: Mapping[str, Case]
    samples: tuple[GradedSample, ...]
    n_rows: Mapping[str, int]
    benchmark_version: str | None

    @property
    def judge_name(self) -> str:
        """The judge's display name; empty without a judge."""
        return self.config.judge.display_name if self.config.judge is not None else ""


def by_problem(samples: Sequence[GradedSample]) -> dict[tuple[str, int], list[GradedSample]]:
    """Samples of each (split, row), in order."""
    groups: dict[tuple[str, int], list[GradedSample]] = {}
    for sample in samples:
        groups.setdefault((sample.problem.split, sample.problem.row), []).append(sample)
    return groups


def question_value(sample: GradedSample) -> float:
    """1 where every variable is right, else 0; undecided and missing are not right."""
    return float(sample.mark == "correct")


def variable_value(sample: GradedSample) -> float:
    """Share of right variables."""
    return sample.marks.count("correct") / len(sample.marks) if sample.marks else 0.0


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value."""
    return sum(values) / len(values)


def clustered_error(values: Sequence[float], clusters: Sequence[str]) -> float | None:
    """Standard error of the mean of values that come in clusters; None for fewer than two clusters.

    Source:
        Liang and Zeger 1986, doi:10.1093/biomet/73.1.13, for a mean: the root of the sum of squared cluster residuals
        over n, times c/(c - 1) for c clusters.
    """
    data = np.asarray(values, dtype=np.float64)
    residuals: dict[str, float] = {}
    for cluster, residual in zip(clusters, data - data.mean(), strict=True):
        residuals[cluster] = residuals.get(cluster, 0.0) + float(residual)
    n_clusters = len(residuals)
    if n_clusters < 2:
        return None
    squares = sum(residual**2 for residual in residuals.values())
    return math.sqrt(squares * n_clusters / (n_clusters - 1)) / len(data)


def whole_text(response: Response | None, start: str, end: str) -> str:
    """Thinking between the model's marks, then the answer: what the model wrote, as far as it is kept."""
    if response is None:
        return ""
    if not response.thinking:
        return response.text
    closing = "" if response.thinking_end == "unclosed" else end
    return f"{start}{response.thinking}{closing}{response.text}"
