"""Rules that need the problem's own words: polynomials and their equations, bound variables, algebraic settings.

Not here: anything that can be told from the two values alone.
"""

from __future__ import annotations

import re
from fractions import Fraction

from cfe_local.equivalence.expressions import compare
from cfe_local.equivalence.outcome import Outcome, equal, undecided
from cfe_local.equivalence.shaping import Value
from cfe_local.equivalence.tree import Node, num, power, substitute, sym, symbols
from cfe_local.records import ValueContext

# Words after which symbols are no positive reals, so that evaluation proves no difference.
_ALGEBRAIC = re.compile(
    r"modulo\b|finite field|non-?commut|quaternion|Boolean|group ring|Pauli|Grassmann|roots? of unity",
    re.IGNORECASE,
)
_ROOT = re.compile(
    r"(\\?(?:zeta|omega|xi)\b|[ζωξ])[^.]{0,40}?primitive\s+\$?(\d+)\s*\$?(?:\^?\{?\s*(?:\\text\{)?(?:th|st|nd|rd)|-th)",
)
_BINDING = re.compile(r"polynomial", re.IGNORECASE)


def equation_and_expression(reference: Value, candidate: Value, context: ValueContext) -> Outcome | None:
    """An equation against a value: ``p(x) = 0`` where a polynomial is asked for, ``w^2 = ...`` where a square is."""
    equation, value = (reference, candidate) if reference.kind == "equation" else (candidate, reference)
    left, right = equation.node.args
    if right == num(0) and re.search(r"polynomial", context.description, re.IGNORECASE):
        found = compare(left, value.node)
        if found.verdict == "equal":
            return equal("polynomial", f"the polynomial of the equation; {found.evidence}")
    asked = f"{context.variable} {context.description}"
    if left.head == "pow" and left.args[0].head == "sym" and left.args[1] == num(2) and "square" in asked.lower():
        found = compare(*((right, value.node) if equation is reference else (value.node, right)))
        if found.verdict != "undecided":
            return found
    return undecided("kinds", "an equation against a value")


def root_of_unity(context: ValueContext) -> dict[str, Node]:
    """The symbol that the problem calls a primitive n-th root of unity, as that number; empty if there is none.

    An algebraic identity that holds for one primitive root holds for all.
    """
    match = _ROOT.search(context.description) or _ROOT.search(context.question)
    if match is None or not 3 <= int(match[2]) <= 1000:
        return {}
    name = {"ζ": "zeta", "ω": "omega", "ξ": "xi"}.get(match[1], match[1].lstrip("\\"))
    return {name: power(num(-1), num(Fraction(2, int(match[2]))))}


def rename_bound_variable(reference: Value, candidate: Value, context: ValueContext) -> Node | None:
    """The candidate with its one variable named as in the reference, where both are functions of one variable.

    Only where a text binds the variable: the candidate is written as a function of it (``m(t) = t^2 + 1``), and the
    problem asks for a polynomial.
    """
    name = candidate.name
    if name is None or name.head != "apply" or len(name.args) != 2 or name.args[1].head != "sym":
        return None
    ours, theirs = symbols(reference.node), symbols(candidate.node)
    bound = name.args[1].name
    if theirs != {bound} or len(ours) != 1 or ours == theirs or not _BINDING.search(context.description):
        return None
    if reference.name is not None and not (reference.name.head == "apply" and symbols(reference.name) >= ours):
        return None
    return substitute(candidate.node, {bound: sym(next(iter(ours)))})


def check_difference(outcome: Outcome, reference: Value, candidate: Value, context: ValueContext) -> Outcome:
    """A difference is not final where symbols are no reals, or where the candidate solves for another name."""
    if outcome.verdict != "different":
        return outcome
    if symbols(reference.node) and _ALGEBRAIC.search(context.description):
        return undecided("algebraic symbols", f"symbols that are no free reals; {outcome.evidence}")
    surplus = symbols(candidate.node) - symbols(reference.node) - {"e", "i", "j"}
    if candidate.name is not None and reference.name is None and surplus:
        return undecided("other name", f"the candidate also uses {', '.join(sorted(surplus))}; {outcome.evidence}")
    return outcome
