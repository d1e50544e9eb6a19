"""Chooses how two statements are compared: equations, inequalities, conditions on one variable, logic, or by form.

Not here: the comparisons themselves.
"""

from __future__ import annotations

from dataclasses import replace

from cfe_local.equivalence import conditions, logic, relations
from cfe_local.equivalence.expressions import compare as compare_expressions
from cfe_local.equivalence.expressions import define
from cfe_local.equivalence.interpretation import readings, settle
from cfe_local.equivalence.logic import CompareParts
from cfe_local.equivalence.outcome import Outcome, any_of, equal, undecided
from cfe_local.equivalence.shaping import Value
from cfe_local.equivalence.tree import NONE, Node, has_head, symbols

_SIGNS = ("<", "<=", ">", ">=")
_CONDITION_HEADS = frozenset(
    {"rel", "and", "or", "not", "bar", "interval", "union", "inter", "minus", "set", "tuple", "list", "setof"}
)


def compare_equations(reference: Value, candidate: Value) -> Outcome:
    """Compare two equations, definitions put in, under every way of understanding e, i, j and log."""
    left, right = settle(reference.node, candidate.node)
    left, right = define(left, right, (*reference.given, *candidate.given))
    return any_of(relations.compare_equations(left, right, reading) for reading in readings(left, right))


def compare_statements(reference: Value, candidate: Value, compare: CompareParts) -> Outcome:
    """Compare two conditions, sets of reals or formulas of logic."""
    left, right = settle(_stated(reference), _stated(candidate))
    left, right = define(left, right, (*reference.given, *candidate.given))
    left, right = _named_alike(left, right)
    if logic.is_propositional(left) and logic.is_propositional(right):
        return logic.compare_propositions(left, right)
    if left.head == "rel" and right.head == "rel":
        by_form = logic.compare_forms(left, right, compare)
        if by_form.verdict == "equal":
            return by_form
        if left.name in _SIGNS and right.name in _SIGNS:
            return _inequalities(left, right)
    if _is_condition(left) and _is_condition(right):
        found = conditions.compare_conditions(left, right)
        if found.verdict != "undecided":
            return found
    return _by_ends(left, right, compare)


def _stated(value: Value) -> Node:
    """The statement with the name of its variable."""
    node = value.node
    if value.name is not None and value.kind not in ("relation", "equation"):
        return Node("rel", (value.name, node), name="in")
    return node


def _named_alike(left: Node, right: Node) -> tuple[Node, Node]:
    """``>= 11`` and ``t >= 11``: the side without a left part gets the other's."""
    if left.head == "rel" and right.head == "rel" and len(left.args) == len(right.args) == 2:
        if left.args[0] == NONE and right.args[0] != NONE:
            left = replace(left, args=_with_subject(left, right))
        elif right.args[0] == NONE and left.args[0] != NONE:
            right = replace(right, args=_with_subject(right, left))
    return left, right


def _with_subject(bare: Node, full: Node) -> tuple[Node, ...]:
    """The subject is the side of the full relation that is a symbol."""
    subject = full.args[0] if full.args[0].head == "sym" or full.args[1].head != "sym" else full.args[1]
    return (subject, *bare.args[1:])


def _inequalities(left: Node, right: Node) -> Outcome:
    if NONE in (*left.args, *right.args):
        if left.args[0] == NONE and right.args[0] == NONE:
            return conditions.compare_conditions(left, right)
        return undecided("inequality", "an inequality without a left side")
    if len(symbols(left) | symbols(right)) == 1:
        found = conditions.compare_conditions(left, right)
        if found.verdict != "undecided":
            return found
    return any_of(relations.compare_inequalities(left, right, reading) for reading in readings(left, right))


def _is_condition(node: Node) -> bool:
    return node.head in _CONDITION_HEADS and not has_head(node, "call", "matrix", "text")


def _by_ends(left: Node, right: Node, compare: CompareParts) -> Outcome:
    """Intervals with symbols in their ends: the same brackets and equal ends; set builders by form."""
    if left == right and left.head == "setof":
        return equal("same form", "the same set builder")
    if left.head == "interval" and right.head == "interval" and left.name == right.name:
        ends = [compare_expressions(a, b) for a, b in zip(left.args, right.args, strict=True)]
        if all(end.verdict == "equal" for end in ends):
            return Outcome("equal", "same interval", "the same brackets and equal ends")
    if left.head == "rel" and right.head == "rel":
        return logic.compare_forms(left, right, compare)
    return undecided("statement", f"a {left.head} against a {right.head}")
