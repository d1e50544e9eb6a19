"""The section on lengths, time and the judge's cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from cfe_local.metrics.effort import Distribution
from cfe_local.metrics.exam import ExamMetrics
from cfe_local.metrics.samples import GradedSample
from cfe_local.report.model import Histogram, Row, Section, Table
from cfe_local.report.numbers import count, seconds


def effort_section(metrics: ExamMetrics, samples: Sequence[GradedSample]) -> Section:
    """Tokens and seconds per response, what the judge used, engine time and GPU hours."""
    effort = metrics.effort
    kinds = [("prompt", effort.prompt_tokens), ("thinking", effort.thinking_tokens), ("answer", effort.answer_tokens)]
    columns = ("tokens per response", "mean", "median", "p90", "max", "sum")
    tables = [Table(columns=columns, rows=tuple(_row(name, found) for name, found in kinds if found.total))]
    notes = [f"Over the {effort.answer_tokens.n} responses that generated anything."]
    if effort.seconds.total:
        notes.append(f"Median time from hand-over to the last token: {seconds(effort.seconds.p50)} (batched).")
    judge = metrics.judge
    if judge.n_calls:
        rows = [
            Row(("calls", count(judge.n_calls))),
            *[Row((f"  {entry.name}", count(entry.n))) for entry in judge.calls],
            Row(("prompt tokens", count(judge.n_prompt_tokens))),
            Row(("  served from the prefix cache", count(judge.n_cached_tokens))),
            Row(("generated tokens", count(judge.n_generated_tokens))),
            Row(("tokens per variable", count(judge.tokens_per_variable))),
            Row(("  without cached ones", count(judge.uncached_tokens_per_variable))),
        ]
        tables.append(Table(columns=("", ""), rows=tuple(rows), caption="What the judge used"))
    if metrics.engine_times:
        rows = [
            Row((f"{entry.phase} on {entry.n_devices} x {entry.device}", seconds(entry.seconds)))
            for entry in metrics.engine_times
        ]
        if metrics.gpu_hours:
            rows.append(Row(("GPU hours", f"{metrics.gpu_hours:.2f}"), kind="total"))
        tables.append(Table(columns=("", ""), rows=tuple(rows), caption="Engine time"))
    lengths = [s.response.n_answer_tokens for s in samples if s.response and s.response.n_answer_tokens]
    thoughts = [s.response.n_thinking_tokens for s in samples if s.response and s.response.n_thinking_tokens]
    charts = [doubling_histogram("Length of answers", "tokens", lengths)] if lengths else []
    if thoughts:
        charts.append(doubling_histogram("Length of thinking", "tokens", thoughts))
    return Section(
        anchor="effort",
        title="Length and time",
        notes=tuple(notes),
        tables=tuple(tables),
        charts=tuple(charts),
        brief=False,
    )


def doubling_histogram(caption: str, unit: str, values: Sequence[int]) -> Histogram:
    """Counts in bins that double, as lengths of texts spread over powers.

    Args:
        caption: What is counted.
        unit: Of the values.
        values: At least one, all at least 1.
    """
    low, high = 0, max(values).bit_length()
    while low < high - 1 and 2 ** (low + 1) <= min(values):
        low += 1
    edges = [2.0**power for power in range(low, high + 1)]
    counts = tuple(sum(left <= value < right for value in values) for left, right in pairwise(edges))
    return Histogram(caption=caption, unit=unit, edges=tuple(edges), counts=counts)


def _row(name: str, found: Distribution) -> Row:
    return Row((name, *(count(n) for n in (found.mean, found.p50, found.p90, found.max, found.total))))
