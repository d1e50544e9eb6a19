"""Conventions that a benchmark puts in the place of the usual ones: see `ComparisonRule`.

Not here: when a grading asks for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from cfe_local.equivalence.comparing import compare_values
from cfe_local.equivalence.measuring import measure
from cfe_local.equivalence.outcome import Outcome, different, equal, undecided
from cfe_local.equivalence.quantities import in_si
from cfe_local.equivalence.shaping import Value
from cfe_local.equivalence.tolerance import DECIMAL_TOLERANCE, Measured
from cfe_local.equivalence.tree import Node, substitute, sym, symbols
from cfe_local.equivalence.units import Unit, parse_unit
from cfe_local.records import ValueContext

MAX_SYMBOLS = 5
"""Names are tried in every order: 120 comparisons for five symbols."""

CONSTANTS = frozenset({"e", "i"})


def by_rule(references: Sequence[Value], candidates: Sequence[Value], context: ValueContext) -> Outcome | None:
    """What the context's rule says about two texts, each in all its readings; None where it says nothing."""
    if context.rule == "one percent":
        return one_percent(references, candidates)
    if context.rule == "renamed":
        return renamed(references[0], candidates[0], context)
    return None


# ---------------------------------------------------------------- numbers


@dataclass(frozen=True, slots=True)
class _Reading:
    """A number with the units that its text may mean; no units where it has none."""

    number: Measured
    units: tuple[Unit, ...] = ()


def one_percent(references: Sequence[Value], candidates: Sequence[Value]) -> Outcome | None:
    """Numbers within 1 % of the reference are equal, others different; whole numbers have no tolerance.

    Units on both sides are converted; a unit on one side alone is left out.

    Source:
        ARB, arXiv:2307.13692: right if |a - b| / |b| < 0.01, units stripped. That whole numbers have to be the same is
        ours: counts and exponents that are nearly right are wrong.
    """
    found = [_reading(value) for value in references], [_reading(value) for value in candidates]
    outcomes = [_near(left, right) for left in found[0] if left for right in found[1] if right]
    if not outcomes:
        return None
    return next((outcome for outcome in outcomes if outcome.verdict == "equal"), outcomes[0])


def _reading(value: Value) -> _Reading | None:
    node = value.node
    if value.kind == "quantity":
        number = measure(node.args[0], has_unit=True)
        return _Reading(number, tuple(parse_unit(node.name))) if number is not None else None
    if value.kind != "expression" or symbols(node) - CONSTANTS:
        return None
    number = measure(node)
    return _Reading(number) if number is not None else None


def _near(reference: _Reading, candidate: _Reading) -> Outcome:
    if not (reference.units and candidate.units):
        return _numbers(reference.number, candidate.number)
    same = [(a, b) for a in reference.units for b in candidate.units if a.dimensions == b.dimensions]
    if not same:
        return different("dimensions", "the units measure different things")
    outcomes = [
        _numbers(reference.number, candidate.number)
        if a == b
        else _numbers(
            replace(in_si(reference.number, a), whole=False), replace(in_si(candidate.number, b), whole=False)
        )
        for a, b in same
    ]
    return next((outcome for outcome in outcomes if outcome.verdict == "equal"), outcomes[0])


def _numbers(reference: Measured, candidate: Measured) -> Outcome:
    distance, size = abs(reference.value - candidate.value), abs(reference.value)
    if reference.whole and candidate.whole:
        rule = "whole numbers"
        evidence = f"{reference.value.real:.12g} and {candidate.value.real:.12g}"
        return equal(rule, evidence) if distance == 0 else different(rule, evidence)
    if size == 0:
        evidence = f"{abs(candidate.value):.6g} against 0"
        return equal("zero", evidence) if distance == 0 else different("zero", evidence)
    evidence = f"{distance / size:.3%} apart"
    return equal("one percent", evidence) if distance / size < DECIMAL_TOLERANCE else different("one percent", evidence)


# ---------------------------------------------------------------- names


def renamed(reference: Value, candidate: Value, context: ValueContext) -> Outcome:
    """Whether the candidate's symbols can be named in another way that makes it equal to the reference.

    The naming that the texts have is not among those tried. Functions and constants keep their names.
    """
    ours, theirs = (tuple(sorted(symbols(value.node) - CONSTANTS)) for value in (reference, candidate))
    if len(ours) != len(theirs) or not ours:
        return different("other symbols", f"{len(ours)} symbols against {len(theirs)}")
    if len(ours) > MAX_SYMBOLS:
        return undecided("many symbols", f"{len(ours)} symbols can be named in too many ways")
    plain = context.model_copy(update={"rule": ""})
    target, given = (replace(value, name=None, others=()) for value in (reference, candidate))
    for names in permutations(ours):
        if names == theirs:
            continue
        table: dict[str, Node] = {old: sym(new) for old, new in zip(theirs, names, strict=True)}
        outcome = compare_values(target, replace(given, node=substitute(given.node, table)), plain)
        if outcome is not None and outcome.verdict == "equal":
            said = ", ".join(f"{old} as {new}" for old, new in zip(theirs, names, strict=True) if old != new)
            return equal("renamed", f"equal with {said}")
    return different("renamed", "no other naming of the symbols makes it equal")
