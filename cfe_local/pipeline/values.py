"""Compares the values that an analysis needs, once: what is found is kept beside the grading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cfe_local.config import EquivalenceConfig
from cfe_local.equivalence import ComparisonPool
from cfe_local.grading import Pair
from cfe_local.records import ComparedPair, Comparison
from cfe_local.store import RunFolder

STREAM = "analysis_comparisons"


def compare_for_analysis(
    pairs: Sequence[Pair], folder: RunFolder, limits: EquivalenceConfig
) -> Mapping[str, Comparison]:
    """What equivalence says about pairs of values, by the pair's label.

    Args:
        pairs: What the analysis needs.
        folder: Where earlier comparisons are and new ones go; opened for reading, they are made and not kept.
        limits: Of the worker processes.

    Raises:
        StoreError: If the folder cannot be written.
    """
    stream = folder.stream(STREAM, ComparedPair, label=lambda record: record.label)
    found = {label: record.comparison for label, record in stream.load().records.items()}
    wanted = {pair.label: pair for pair in pairs if pair.label not in found}
    if not wanted:
        return found
    due = list(wanted.values())
    with ComparisonPool(n_workers=limits.workers, timeout_s=limits.timeout_s, memory_mb=limits.memory_mb) as pool:
        for index, comparison in pool.compare_all((pair.reference, pair.candidate, pair.context) for pair in due):
            found[due[index].label] = comparison
            if folder.is_writable:
                stream.append(ComparedPair(label=due[index].label, comparison=comparison))
    if folder.is_writable:
        stream.sync()
    return found
