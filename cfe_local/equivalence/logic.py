"""Statements without numbers: propositional logic and set algebra by truth tables, relations by their form.

Not here: conditions on numbers (``conditions``, ``relations``).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from cfe_local.equivalence.outcome import Outcome, all_of, different, equal, undecided
from cfe_local.equivalence.tree import Node, symbols

_HEADS = frozenset({"and", "or", "not", "implies", "iff", "xor", "bar", "union", "inter", "minus"})
_MAX_LETTERS = 10
_MIRRORED = {
    ">": "<", ">=": "<=", ">>": "<<", "supset": "subset", "supseteq": "subseteq", ">~": "<~", "ni": "in",
}  # fmt: skip
_SYMMETRIC = frozenset({"=", "!=", "~", "==", "cong", "parallel", "perp", "<->"})
CompareParts = Callable[[Node, Node], Outcome]


def is_propositional(node: Node) -> bool:
    """Whether a tree is made of connectives (or set operations) and letters only."""
    if node.head == "sym":
        return True
    return node.head in _HEADS and all(is_propositional(arg) for arg in node.args)


def compare_propositions(reference: Node, candidate: Node) -> Outcome:
    """Compare two formulas at every assignment."""
    letters = sorted(symbols(reference) | symbols(candidate))
    if len(letters) > _MAX_LETTERS:
        return undecided("logic", f"more than {_MAX_LETTERS} letters")
    for values in product((False, True), repeat=len(letters)):
        table = dict(zip(letters, values, strict=True))
        if _truth(reference, table) != _truth(candidate, table):
            where = ", ".join(f"{name} = {value}" for name, value in table.items())
            return different("truth table", f"they differ for {where}")
    return equal("truth table", f"the same for all {2 ** len(letters)} assignments")


def _truth(node: Node, table: dict[str, bool]) -> bool:
    if node.head == "sym":
        return table[node.name]
    parts = [_truth(arg, table) for arg in node.args]
    if node.head in ("and", "inter"):
        return all(parts)
    if node.head in ("or", "union", "bar"):
        return any(parts)
    if node.head == "not":
        return not parts[0]
    if node.head == "minus":
        return parts[0] and not parts[1]
    if node.head == "implies":
        return not parts[0] or parts[1]
    return parts[0] == parts[1] if node.head == "iff" else sum(parts) % 2 == 1


def compare_forms(reference: Node, candidate: Node, compare: CompareParts) -> Outcome:
    """Compare two relation chains part by part, written in either direction."""
    left, right = _forward(reference), _forward(candidate)
    if left.name != right.name or len(left.args) != len(right.args):
        return undecided("relation", "relations of different form")
    outcome = all_of("relation", (compare(a, b) for a, b in zip(left.args, right.args, strict=True)))
    if outcome.verdict == "equal":
        return equal("same relation", "the same relation between equal parts")
    if left.name in _SYMMETRIC:
        swapped = all_of("relation", (compare(a, b) for a, b in zip(left.args, reversed(right.args), strict=True)))
        if swapped.verdict == "equal":
            return equal("same relation", "the same relation with its sides exchanged")
    return undecided("relation", "not the same parts")


def _forward(node: Node) -> Node:
    """A chain that runs upwards: ``c > b > a`` as ``a < b < c``."""
    signs = node.name.split()
    if not any(sign in _MIRRORED for sign in signs) or not all(
        sign in _MIRRORED or sign in ("=", "~") for sign in signs
    ):
        return node
    return Node("rel", tuple(reversed(node.args)), name=" ".join(_MIRRORED.get(sign, sign) for sign in reversed(signs)))
