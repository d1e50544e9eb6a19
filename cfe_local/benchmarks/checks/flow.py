"""Reasoning flows: numbering and repeats."""

from __future__ import annotations

from collections.abc import Iterator

from cfe_local.benchmarks.checks.rows import Row
from cfe_local.benchmarks.findings import Finding


def check_flow(row: Row) -> Iterator[Finding]:
    """Every finding about one row's reasoning flow."""
    steps = row.problem.steps
    if not steps:
        yield row.finding(
            "info", "no_steps", "reasoning_flow", "there is no reasoning flow; step diagnostics leave it out"
        )
        return
    numbers = [step.step_id for step in steps]
    if numbers != list(range(1, len(steps) + 1)):
        message = f"step ids are not 1 to {len(steps)} in order: {', '.join(map(str, numbers[:12]))}"
        yield row.finding("warning", "step_ids", "reasoning_flow", message)
    seen: dict[str, int] = {}
    for position, step in enumerate(steps):
        field = f"reasoning_flow[{position}]"
        text = " ".join(step.question.split()).casefold()
        earlier = seen.setdefault(text, position)
        if earlier != position:
            yield row.finding("warning", "repeated_step", field, f"asks the same as reasoning_flow[{earlier}]")
        if not text:
            yield row.finding("warning", "empty_step", field, "the step asks nothing")
        if isinstance(step.answer, str) and not step.answer.strip():
            yield row.finding("warning", "empty_step_answer", field, "the step has no answer to check against")
