"""Compares two expressions: exactly where both are rational, else by their values, with definitions put in.

Definitions (``with a = b + c``) are solved for a symbol that only one side uses, so that both sides are evaluated in
the same symbols. A difference is final only if both sides speak of the same symbols: a symbol that only one side uses
may be linked to the others by a relation that the problem gives.

Not here: how ambiguous notation is understood (``interpretation``).
"""

from __future__ import annotations

from cfe_local.equivalence.exact import exact_value
from cfe_local.equivalence.interpretation import compare_any, settle
from cfe_local.equivalence.outcome import Outcome, different, equal, undecided
from cfe_local.equivalence.tree import Node, add, has_decimal, has_head, neg, rewrite, substitute, symbols

_CONSTANT_NAMES = frozenset({"e", "i", "j"})
_MAX_DEFINITIONS = 6


def compare(reference: Node, candidate: Node, given: tuple[Node, ...] = ()) -> Outcome:
    """Compare two expressions.

    Args:
        reference: The value that counts.
        candidate: The value that is judged.
        given: Equations that hold, from definitions in either text.
    """
    if reference == candidate and not has_head(reference, "fn", "pow"):
        return equal("same form", "the same expression")
    exact = _exact(reference, candidate)
    if exact is not None:
        return exact
    reference, candidate = settle(reference, candidate)
    reference, candidate = define(reference, candidate, given)
    outcome = compare_any(reference, candidate)
    return _checked(outcome, reference, candidate)


def _exact(reference: Node, candidate: Node) -> Outcome | None:
    left, right = exact_value(reference), exact_value(candidate)
    if left is None or right is None:
        return None
    if left == right:
        return equal("exact value", f"both are {_short(left)}")
    if not has_decimal(reference) and not has_decimal(candidate):
        return different("exact value", f"{_short(left)} against {_short(right)}")
    return None


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:18]}...{text[-18:]} ({len(text)} digits)"


def _checked(outcome: Outcome, reference: Node, candidate: Node) -> Outcome:
    """A difference between expressions in different symbols is not final."""
    if outcome.verdict != "different":
        return outcome
    left, right = (symbols(node) - _CONSTANT_NAMES for node in (reference, candidate))
    if left - right and right - left:
        names = ", ".join(sorted(left ^ right)[:6])
        return undecided("other symbols", f"only one side uses {names}; {outcome.evidence}")
    return outcome


def define(reference: Node, candidate: Node, given: tuple[Node, ...]) -> tuple[Node, Node]:
    """Put definitions in: each replaces a symbol that only one side uses."""
    for _ in range(_MAX_DEFINITIONS):
        before = reference, candidate
        for relation in given:
            for name, value in definitions(relation):
                one_sided = (name in symbols(reference)) != (name in symbols(candidate))
                if one_sided and name not in symbols(value):
                    reference, candidate = (substitute(node, {name: value}) for node in (reference, candidate))
        if before == (reference, candidate):
            break
    return reference, candidate


def with_own_definitions(node: Node, given: tuple[Node, ...]) -> Node:
    """A value with what its own text defines put in."""
    for _ in range(_MAX_DEFINITIONS):
        before = node
        for relation in given:
            if relation.head != "rel" or relation.name != "=" or len(relation.args) != 2:
                continue
            name, value = relation.args
            if name.head == "sym" and name.name not in symbols(value):
                node = _applications_replaced(node, name, value)
                node = substitute(node, {name.name: value})
            elif name.head == "apply":
                node = _replaced(node, name, value)
        if node == before:
            break
    return node


def _applications_replaced(node: Node, name: Node, value: Node) -> Node:
    """``tau(r)`` becomes the value, where tau was defined without naming its argument."""

    def change(here: Node) -> Node:
        applied = here.head == "apply" and here.args[0] == name and all(arg.head == "sym" for arg in here.args[1:])
        return value if applied else here

    return rewrite(node, change)


def _replaced(node: Node, old: Node, new: Node) -> Node:
    return rewrite(node, lambda here: new if here == old else here)


def definitions(relation: Node) -> list[tuple[str, Node]]:
    """What an equation defines: a symbol alone on one side, or a symbol that it is solved for in a sum."""
    if relation.head != "rel" or relation.name != "=" or len(relation.args) != 2:
        return []
    left, right = relation.args
    found = [(name.name, value) for name, value in ((left, right), (right, left)) if name.head == "sym"]
    if not found and left.head == "add":
        found.extend(_solved_sum(left, right))
    return found


def _solved_sum(left: Node, right: Node) -> list[tuple[str, Node]]:
    """``s + t + u = c`` defines each of s, t and u."""
    plain = [term for term in left.args if term.head == "sym"]
    return [(term.name, add(right, *(neg(other) for other in left.args if other is not term))) for term in plain]
