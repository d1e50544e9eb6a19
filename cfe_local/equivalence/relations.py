"""Compares equations and conditions by where they hold.

Not here: statements without numbers (``logic``).
"""

from __future__ import annotations

from cfe_local.equivalence.outcome import Outcome, undecided
from cfe_local.equivalence.shaping import Value
from cfe_local.equivalence.tree import Node


def compare_equations(reference: Node, candidate: Node) -> Outcome:
    """Compare two equations."""
    return undecided("equation", "not yet")


def compare_predicates(reference: Value, candidate: Value) -> Outcome:
    """Compare two conditions or sets of reals."""
    return undecided("relation", "not yet")
