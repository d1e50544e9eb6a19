"""Rules that need the problem's own words: polynomials and their equations, bound variables, algebraic settings.

Not here: anything that can be told from the two values alone.
"""

from __future__ import annotations

import re

from cfe_local.equivalence.expressions import compare
from cfe_local.equivalence.outcome import Outcome, equal, undecided
from cfe_local.equivalence.shaping import Value
from cfe_local.equivalence.tree import Node, num, substitute, sym, symbols
from cfe_local.records import ValueContext

# Words after which symbols are no positive reals, so that evaluation proves no difference.
_ALGEBRAIC = re.compile(
    r"roots? of unity|primitive\s+\$?\w*\$?(?:th|st|nd|rd|-th)?\s*root|modulo\b|finite field|noncommut|quaternion"
    r"|cyclotomic|Boolean|\bgroup ring|Pauli|Grassmann",
    re.IGNORECASE,
)
_BINDING = re.compile(r"polynomial|function|series|transform|expression in one variable", re.IGNORECASE)


def equation_and_expression(reference: Value, candidate: Value, context: ValueContext) -> Outcome | None:
    """An equation against a value: ``p(x) = 0`` where a polynomial is asked for, ``w^2 = ...`` where a square is."""
    equation, value = (reference, candidate) if reference.kind == "equation" else (candidate, reference)
    left, right = equation.node.args
    if right == num(0) and re.search(r"polynomial", context.description, re.IGNORECASE):
        found = compare(left, value.node) if equation is candidate else compare(left, value.node)
        if found.verdict == "equal":
            return equal("polynomial", f"the polynomial of the equation; {found.evidence}")
    asked = f"{context.variable} {context.description}"
    if left.head == "pow" and left.args[0].head == "sym" and left.args[1] == num(2) and "square" in asked.lower():
        found = compare(*((right, value.node) if equation is reference else (value.node, right)))
        if found.verdict != "undecided":
            return found
    return undecided("kinds", "an equation against a value")


def rename_bound_variable(reference: Value, candidate: Value, context: ValueContext) -> Node | None:
    """The candidate with its one variable named as in the reference, where both are functions of one variable.

    Only where a text binds the variable: the candidate is written as a function of it (``m(t) = t^2 + 1``), and the
    problem asks for a polynomial or function.
    """
    name = candidate.name
    if name is None or name.head != "apply" or len(name.args) != 2 or name.args[1].head != "sym":
        return None
    ours, theirs = symbols(reference.node), symbols(candidate.node)
    bound = name.args[1].name
    if theirs != {bound} or len(ours) != 1 or ours == theirs or not _BINDING.search(context.description):
        return None
    return substitute(candidate.node, {bound: sym(next(iter(ours)))})


def check_difference(outcome: Outcome, reference: Value, candidate: Value, context: ValueContext) -> Outcome:
    """A difference is not final where symbols are no reals, or where the candidate solves for another name."""
    if outcome.verdict != "different":
        return outcome
    if symbols(reference.node) and _ALGEBRAIC.search(f"{context.description} {context.question}"):
        return undecided("algebraic symbols", f"symbols that are no free reals; {outcome.evidence}")
    surplus = symbols(candidate.node) - symbols(reference.node) - {"e", "i", "j"}
    if candidate.name is not None and reference.name is None and surplus:
        return undecided("other name", f"the candidate also uses {', '.join(sorted(surplus))}; {outcome.evidence}")
    return outcome
