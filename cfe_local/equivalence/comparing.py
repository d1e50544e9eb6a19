"""Compares two typed values: finds the rule for their kinds and combines what the readings say.

Cheapest rules first; a value that can be read in several ways is equal to another if one way of reading both makes
them equal, and different only if the plainest way does and no way leaves it open.

Not here: reading, and the rules themselves.
"""

from __future__ import annotations

import re
from dataclasses import replace

from cfe_local.equivalence import (
    conditions,
    directions,
    expressions,
    groups,
    growth,
    ratios,
    special,
    statements,
    texts,
)
from cfe_local.equivalence.interpretation import settle
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.missing_units import compare_with_bare_number
from cfe_local.equivalence.naming import names_agree
from cfe_local.equivalence.outcome import Outcome, all_of, different, equal, undecided
from cfe_local.equivalence.quantities import compare_quantities
from cfe_local.equivalence.shaping import Value, shape
from cfe_local.equivalence.tree import Node, substitute, symbols
from cfe_local.equivalence.wording import boolean, leading_boolean
from cfe_local.records import ValueContext

_GROUPS = frozenset({"set", "tuple", "list"})
_ORDERED = re.compile(
    r"\bin (?:this|that|the (?:given|listed|same)) order\b|\brespectively\b|\bordered\b", re.IGNORECASE
)
# Descriptions of values that are no intervals, whatever their brackets.
_POINT = re.compile(r"\b(?:(?:eigen)?vectors?|points?|coordinates?|ordered pairs?|components)\b", re.IGNORECASE)
_PREDICATES = frozenset({"relation", "interval", "membership"})


def compare_values(reference: Value, candidate: Value, context: ValueContext) -> Outcome | None:
    """Compare two typed values.

    Returns:
        What the rule for these kinds says; None if there is none.
    """
    reference, candidate = (_with_definitions(value) for value in (reference, candidate))
    outcome = _compare_main(reference, candidate, context)
    if outcome is None or outcome.verdict != "equal":
        outcome = _with_other_forms(reference, candidate, context, outcome)
    agree = names_agree(reference, candidate, context)
    if outcome is None or outcome.verdict != "equal" or not agree:
        outcome = _as_equations(reference, candidate, outcome, context)
    elif agree:
        outcome = _qualified(reference, candidate, outcome, context)
    left, right = (directions.direction(value.note) for value in (reference, candidate))
    if outcome is not None and outcome.verdict == "different" and left != right and outcome.by != "direction":
        return undecided("direction", f"a sign may stand for a direction; {outcome.evidence}")
    return outcome


def _with_definitions(value: Value) -> Value:
    if not value.given:
        return value
    return replace(value, node=expressions.with_own_definitions(value.node, value.given))


def _qualified(reference: Value, candidate: Value, outcome: Outcome, context: ValueContext) -> Outcome:
    """What stands beside a value that was found equal: further forms, conditions, words in brackets."""
    for form in candidate.others:
        if not _is_consistent(form, reference, candidate, context):
            return undecided("contradictory forms", "the candidate gives another form that is not the same value")
    if reference.conditions and candidate.conditions and not _same_conditions(reference, candidate):
        return undecided("conditions", "equal values, but under conditions that are not the same")
    left, right = (directions.direction(value.note) for value in (reference, candidate))
    if left or right:
        return _directed(outcome, reference.note, candidate.note)
    left, right = (texts.normal_form(value.note) for value in (reference, candidate))
    if left != right and right:
        return undecided("notes", f"equal but for the words {right!r}")
    return outcome


def _directed(outcome: Outcome, reference: str, candidate: str) -> Outcome:
    """An equal value with a direction beside it on one side at least."""
    left, right = (directions.direction(note) for note in (reference, candidate))
    if left == right:
        return outcome
    if left and right and directions.are_opposite(left, right):
        return different("direction", f"{left} against {right}")
    return undecided("direction", f"equal but for the direction: {reference or 'none'} against {candidate or 'none'}")


def _is_consistent(form: Node, reference: Value, candidate: Value, context: ValueContext) -> bool:
    """Whether a further form equals the candidate's own value, or a form of the reference."""
    shaped = replace(shape_like(candidate, form), others=())
    own = replace(candidate, others=())
    known = [own, *(shape_like(reference, other) for other in (reference.node, *reference.others))]
    for value in known:
        found = _compare_main(value, shaped, context)
        if found is not None and found.verdict == "equal":
            return True
    return False


def _is_own_value(form: Node, candidate: Value, context: ValueContext) -> bool:
    """Whether a further form equals the value that it is said to be a form of."""
    shaped = replace(shape_like(candidate, form), others=())
    found = _compare_main(replace(candidate, others=()), shaped, context)
    return found is not None and found.verdict == "equal"


def _same_conditions(reference: Value, candidate: Value) -> bool:
    pairs = [
        replace(value, node=Node("and", value.conditions), kind="relation", name=None)
        for value in (reference, candidate)
    ]
    if reference.conditions == candidate.conditions:
        return True
    if len(reference.conditions) == len(candidate.conditions) == 1:
        pairs = [replace(value, node=value.node.args[0]) for value in pairs]
    return statements.compare_statements(pairs[0], pairs[1], compare_parts).verdict == "equal"


def _as_equations(reference: Value, candidate: Value, outcome: Outcome | None, context: ValueContext) -> Outcome | None:
    """``b = i a`` and ``a = b / i``: named differently, they are compared as equations."""
    named = [value for value in (reference, candidate) if value.kind == "expression" and value.name is not None]
    equations = [value for value in (reference, candidate) if value.kind == "equation"]
    agree = names_agree(reference, candidate, context)
    if len(equations) == 2 or len(named) + len(equations) < 2 or (not equations and agree):
        if outcome is not None and outcome.verdict == "equal" and not agree:
            return undecided("other name", "equal values, but the texts name different variables")
        return outcome
    pair = [_equation(value) for value in (reference, candidate)]
    found = statements.compare_equations(pair[0], pair[1])
    if found.verdict == "equal":
        return found
    if outcome is not None and outcome.verdict == "equal":
        return undecided("other name", f"equal values, but the texts name different variables; {found.evidence}")
    composite = any(value.name is not None and value.name.head == "mul" for value in named)
    if composite and not equations:
        return found
    return undecided("equation", found.evidence) if outcome is None else outcome


def _equation(value: Value) -> Value:
    if value.kind == "equation" or value.name is None:
        return value
    return replace(value, kind="equation", node=Node("rel", (value.name, value.node), name="="))


def _with_other_forms(
    reference: Value, candidate: Value, context: ValueContext, outcome: Outcome | None
) -> Outcome | None:
    """``x = a = b``: another form of a value may be the one that is comparable."""
    seen = [outcome]
    for left in (reference, *(replace(shape_like(reference, form), others=()) for form in reference.others)):
        for right in (candidate, *(replace(shape_like(candidate, form), others=()) for form in candidate.others)):
            if left is reference and right is candidate:
                continue
            found = _compare_main(left, right, context)
            if found is not None and found.verdict == "equal":
                if right is not candidate and not _is_own_value(right.node, candidate, context):
                    return undecided("contradictory forms", found.evidence)
                return found
            seen.append(found)
    return outcome


def shape_like(value: Value, form: Node) -> Value:
    """Another form of a value, as a value of its own."""
    shaped = shape(form)
    return replace(shaped, name=value.name, given=value.given, conditions=value.conditions, note=value.note)


def _compare_main(reference: Value, candidate: Value, context: ValueContext) -> Outcome | None:
    kinds = (reference.kind, candidate.kind)
    try:
        return _by_kind(kinds, reference, candidate, context)
    except LimitError as error:
        return undecided("limit", str(error))


def _by_kind(kinds: tuple[str, str], reference: Value, candidate: Value, context: ValueContext) -> Outcome | None:  # noqa: C901
    """The table of rules by kind. One line each."""
    left, right = reference.node, candidate.node
    if kinds == ("text", "text"):
        return None
    if kinds == ("boolean", "boolean"):
        same = left.name == right.name
        return (
            equal("boolean", f"both {left.name}") if same else different("boolean", f"{left.name} against {right.name}")
        )
    if kinds == ("boolean", "text"):
        return _boolean_and_text(left, right)
    if kinds == ("expression", "expression"):
        return _expressions(reference, candidate, context)
    if kinds == ("quantity", "quantity"):
        return compare_quantities(left, right)
    if set(kinds) == {"quantity", "expression"}:
        return compare_with_bare_number(left, right, context)
    if kinds[0] in _GROUPS and kinds[1] in _GROUPS:
        if _POINT.search(context.description) and {left.head, right.head} == {"tuple", "list"}:
            return groups.compare_ordered(left.args, right.args, compare_parts)
        return _compare_groups(left, right, ordered=bool(_ORDERED.search(context.description)))
    if "matrix" in kinds and kinds[0] in ("matrix", "list", "tuple") and kinds[1] in ("matrix", "list", "tuple"):
        return groups.compare_matrices(left, right, compare_parts)
    if kinds == ("growth", "growth"):
        return growth.compare_growth(left, right)
    if kinds == ("equation", "equation"):
        return statements.compare_equations(reference, candidate)
    if kinds[0] in _PREDICATES and kinds[1] in _PREDICATES:
        return statements.compare_statements(reference, candidate, compare_parts)
    if "ratio" in kinds and set(kinds) <= {"ratio", "expression"}:
        rule = ratios.compare_ratios if kinds == ("ratio", "ratio") else ratios.compare_with_number
        return rule(left, right, compare_parts)
    return _compare_mixed(kinds, reference, candidate, context)


def _boolean_and_text(left: Node, right: Node) -> Outcome:
    """Yes or no against a text that begins with yes or no."""
    said = boolean(right.name, initial=False)
    said = leading_boolean(right.name) if said is None else said
    if said is None:
        return undecided("boolean", "neither yes nor no")
    truth = left.name == "true"
    evidence = f"{left.name} against a text that begins with {'yes' if said else 'no'}"
    return equal("boolean", evidence) if said == truth else different("boolean", evidence)


def _expressions(reference: Value, candidate: Value, context: ValueContext) -> Outcome:
    # Definitions of one text may be needed by the other, but not where that has its own.
    given = reference.given or candidate.given
    if reference.given and candidate.given:
        given = ()
    outcome = compare_parts(reference.node, candidate.node, given)
    if outcome.verdict == "equal":
        return outcome
    renamed = special.rename_bound_variable(reference, candidate, context)
    root = special.root_of_unity(context)
    if set(root) & symbols(reference.node) & symbols(candidate.node):
        outcome = compare_parts(substitute(reference.node, root), substitute(candidate.node, root), given)
    if renamed is not None:
        again = compare_parts(reference.node, renamed, given)
        outcome = again if again.verdict == "equal" else outcome
    return special.check_difference(outcome, reference, candidate, context)


def _compare_mixed(kinds: tuple[str, str], reference: Value, candidate: Value, context: ValueContext) -> Outcome | None:
    """Rules for pairs of different kinds."""
    left, right = reference.node, candidate.node
    if kinds[0] in _GROUPS and kinds[1] == "expression":
        return _group_and_expression(left, right)
    if kinds[0] == "expression" and kinds[1] in _GROUPS:
        return _group_and_expression(right, left)
    if set(kinds) & _PREDICATES and set(kinds) & {"tuple", "list", "set"}:
        return statements.compare_statements(reference, candidate, compare_parts)
    if set(kinds) == {"equation", "expression"}:
        return special.equation_and_expression(reference, candidate, context)
    if kinds[1] == "relation" and kinds[0] == "expression" and right.head == "or":
        return _hedge(left, right)
    return None


def _hedge(left: Node, right: Node) -> Outcome | None:
    """Several alternatives where one value is asked for."""
    values = [shape(arg).node for arg in right.args]
    verdicts = [compare_parts(left, value).verdict for value in values]
    if "different" in verdicts:
        return different("alternatives", "several different alternatives where one value is asked for")
    return None


def compare_parts(left: Node, right: Node, given: tuple[Node, ...] = ()) -> Outcome:
    """Compare two trees that are parts of values, or values without a name."""
    first, second = shape(left), shape(right)
    if first.kind == "expression" and second.kind == "expression":
        if first.name is not None and second.name is not None and first.name != second.name:
            return (
                different("other name", "parts with different names")
                if first.name.head == "sym"
                else undecided("name", "")
            )
        return _compare_plus_minus(first.node, second.node, given)
    found = _compare_main(first, second, ValueContext())
    return found if found is not None else undecided("kinds", f"a {first.kind} against a {second.kind}")


def _compare_plus_minus(left: Node, right: Node, given: tuple[Node, ...]) -> Outcome:
    """``a +- b`` is compared as the pair of its branches, or centre by centre and width by width."""
    if left.head == "pm" and right.head == "pm" and not symbols(left) and not symbols(right):
        parts = zip(left.args, right.args, strict=True)
        outcome = all_of("plus-minus", [expressions.compare(first, second, given) for first, second in parts])
        if outcome.verdict != "undecided":
            return outcome
    signs = [groups.branches((node,)) for node in (left, right)]
    if len(signs[0]) == 1 and len(signs[1]) == 1:
        return expressions.compare(left, right, given)
    if len(signs[0]) != len(signs[1]):
        return different("plus-minus", "two values against one")
    return groups.compare_sets(tuple(signs[0]), tuple(signs[1]), lambda a, b: expressions.compare(a, b, given))


def _compare_groups(left: Node, right: Node, *, ordered: bool = False) -> Outcome:
    """Sets, tuples and lists; ``ordered`` where the description says that the order counts."""
    if ordered and left.head == right.head == "set":
        found = groups.compare_ordered(left.args, right.args, compare_parts)
        again = groups.compare_sets(left.args, right.args, compare_parts)
        same_in_another_order = found.verdict != "equal" and again.verdict == "equal"
        return undecided("order", "the same parts in another order") if same_in_another_order else found
    if {left.head, right.head} == {"tuple", "list"} or (left.head != right.head and "list" in (left.head, right.head)):
        return _brackets_differ(left, right)
    if "set" in (left.head, right.head):
        if left.head == "set" and groups.has_repeats(left.args):
            return groups.compare_ordered(left.args, right.args, compare_parts)
        if groups.has_repeats(right.args) and not groups.has_repeats(left.args):
            found = groups.compare_sets(left.args, right.args, compare_parts)
            return undecided("repeats", "the candidate repeats an element") if found.verdict == "equal" else found
        if left.head != right.head and len(left.args) > 1 and len(right.args) > 1:
            in_order = groups.compare_ordered(left.args, right.args, compare_parts)
            return in_order if in_order.verdict == "equal" else undecided("order", "a set against an ordered list")
        return groups.compare_sets(left.args, right.args, compare_parts)
    return groups.compare_ordered(left.args, right.args, compare_parts)


def _brackets_differ(left: Node, right: Node) -> Outcome:
    """Round, square and curly brackets around two numbers: intervals and sets, which differ; else the order may."""
    if len(left.args) == 2 and len(right.args) == 2:
        found = conditions.compare_conditions(left, right)
        return found if found.verdict == "different" else undecided("brackets", "different brackets")
    ordered = groups.compare_ordered(left.args, right.args, compare_parts)
    if ordered.verdict == "equal" and {left.head, right.head} != {"tuple", "list"}:
        return undecided("brackets", "equal parts in different brackets")
    return ordered


def _group_and_expression(group: Node, expression: Node) -> Outcome | None:
    """A vector in components against unit vectors; a set of two against plus-minus; a set of one."""
    _, settled = settle(group, expression)
    parts = groups.components(settled)
    if parts is not None and group.head in ("tuple", "list"):
        padded = parts if len(parts) == len(group.args) else (*parts, *([Node("num")] * (len(group.args) - len(parts))))
        return groups.compare_ordered(group.args, padded, compare_parts)
    if group.head == "set":
        return groups.compare_sets(group.args, (expression,), compare_parts)
    return None
