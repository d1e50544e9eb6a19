"""Conditions on one real variable: inequalities, intervals, sets of reals, and what is built from them.

A condition is a truth value for each real number. Two conditions are compared at every number that either mentions,
closely on both sides of each, on both sides of every boundary that bisection finds, and at many numbers between and
beyond. Differences are proofs; agreement at all of them is taken as equality, since both sides are made of few pieces
whose ends are among the numbers mentioned or found.

Not here: conditions in several variables (``relations``), statements without numbers (``logic``).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from flint import acb

from cfe_local.equivalence.evaluation import Point, ball, evaluate, holds, unit_interval
from cfe_local.equivalence.functions import Ball, UndefinedError, real
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.outcome import Outcome, different, equal, undecided
from cfe_local.equivalence.sampling import CONSTANT_BITS, precision
from cfe_local.equivalence.tree import NONE, Node, add, has_decimal, neg, rewrite, sym, symbols, walk

_FAILURES = (UndefinedError, LimitError, ZeroDivisionError, ValueError, OverflowError)
_CUSTOMARY_WHOLE = frozenset({"n", "m", "k", "N", "i", "j"})
_TINY = Fraction(1, 10**9)
_ALL_REALS = ("bb(R)", "R")
_N_SPREAD = 60
_PLACEHOLDER = "?"
_MAX_MENTIONED = 40


def as_condition(node: Node, variable: str) -> Node:
    """A tree as a condition on the variable: sets and intervals become membership of it."""
    if node.head == "rel" and node.name in ("in", "notin"):
        inner = Node("member", (node.args[0], node.args[1]))
        return inner if node.name == "in" else Node("not", (inner,))
    if node.head == "rel":
        return rewrite(node, lambda here: sym(variable) if here == NONE else here)
    if node.head in ("and", "or", "not", "bar"):
        head = "or" if node.head == "bar" else node.head
        return Node(head, tuple(as_condition(arg, variable) for arg in node.args))
    return Node("member", (sym(variable), node))


def compare_conditions(reference: Node, candidate: Node) -> Outcome:
    """Compare two trees that state conditions on, or sets of, one real variable."""
    names = {name for node in (reference, candidate) for name in symbols(node)} - set(_ALL_REALS) - {"e"}
    variable = next(iter(names)) if len(names) == 1 else _PLACEHOLDER
    if len(names) > 1:
        return undecided("condition", "a condition in several variables")
    pair = [as_condition(node, variable) for node in (reference, candidate)]
    try:
        with precision(CONSTANT_BITS):
            return _compare(pair[0], pair[1], variable)
    except LimitError as error:
        return undecided("limit", str(error))


def _compare(first: Node, second: Node, variable: str) -> Outcome:
    points = _points(first, second, variable)
    n_true = n_false = n_skipped = 0
    for value in points:
        try:
            one, other = (_truth(node, variable, value) for node in (first, second))
        except _FAILURES:
            n_skipped += 1
            continue
        if one != other:
            if has_decimal(first) or has_decimal(second):
                return _nearly(first, second, variable)
            return different("condition", f"at {variable} = {complex(value.mid()).real:.8g} only one holds")
        n_true += one
        n_false += not one
    if n_skipped > len(points) // 4 or not n_true:
        return undecided("condition", "cannot be told at enough points")
    return equal("condition", f"the same at {n_true + n_false} numbers, {n_true} of them inside")


def _nearly(first: Node, second: Node, variable: str) -> Outcome:
    """Decimals: compare once more away from the numbers mentioned, to a hundredth."""
    mentioned = _mentioned(first) + _mentioned(second)
    for value in _spread():
        near = any(abs(value - m).mid() <= 0.011 * abs(m).mid() + 1e-9 for m in mentioned)
        try:
            if not near and _truth(first, variable, value) != _truth(second, variable, value):
                return different("condition", f"at {variable} = {complex(value.mid()).real:.8g} only one holds")
        except _FAILURES:
            continue
    return undecided("condition", "boundaries that agree only nearly")


def _truth(node: Node, variable: str, value: Ball) -> bool:
    if node.head == "and":
        return all(_truth(arg, variable, value) for arg in node.args)
    if node.head == "or":
        return any(_truth(arg, variable, value) for arg in node.args)
    if node.head == "not":
        return not _truth(node.args[0], variable, value)
    point = Point({variable: value, "e": acb(1).exp()})
    if node.head == "member":
        return _member(evaluate(node.args[0], point), node.args[1], point)
    verdict = holds(node, point)
    if point.opaque or point.left_reals:
        raise UndefinedError("not a condition on reals")
    return verdict


def _member(value: Ball, node: Node, point: Point) -> bool:
    """Whether a real is in a set."""
    if node.head in ("union", "inter"):
        found = (_member(value, arg, point) for arg in node.args)
        return any(found) if node.head == "union" else all(found)
    if node.head == "minus":
        return _member(value, node.args[0], point) and not _member(value, node.args[1], point)
    if node.head == "sym" and node.name in _ALL_REALS:
        return True
    if node.head == "set":
        return any(_same(value, evaluate(arg, point)) for arg in node.args)
    if node.head == "setof" and node.args[0].head == "sym":
        name = node.args[0].name
        if name in _CUSTOMARY_WHOLE:
            raise UndefinedError("a set of whole numbers, maybe")
        return _truth(as_condition(node.args[1], name), name, value)
    if node.head in ("interval", "tuple", "list") and len(node.args) == 2:
        brackets = {"tuple": "()", "list": "[]"}.get(node.head, node.name)
        return _above(value, node.args[0], point, brackets[0] == "[") and _above(
            -value, neg(node.args[1]), point, brackets[1] == "]"
        )
    raise UndefinedError(f"a {node.head} is no set of reals")


def _above(value: Ball, bound: Node, point: Point, closed: bool) -> bool:  # noqa: FBT001
    """``bound < value``, or ``<=`` where closed."""
    if any(here.head == "const" and here.name == "inf" for here in walk(bound)):
        return bound.head == "mul" and bound.args[0].value < 0
    limit = evaluate(bound, point)
    if _same(value, limit):
        return closed
    return bool(real(limit) < real(value))


def _same(left: Ball, right: Ball) -> bool:
    gap = left - right
    return bool(gap.contains(0) and gap.rad() < 1e-40 * (1 + abs(left).mid()))


def _points(first: Node, second: Node, variable: str) -> list[Ball]:
    """Numbers at which the two conditions are compared."""
    mentioned = (_mentioned(first) + _mentioned(second))[: 2 * _MAX_MENTIONED]
    points: list[Ball] = []
    for value in mentioned:
        for number in (value, -value):
            points += [number, number + ball(_TINY), number - ball(_TINY)]
    for node in (first, second):
        points += _boundaries(node, variable)
    return points + _spread()


def _spread() -> list[Ball]:
    numbers = [ball(Fraction(k, 4)) for k in range(-24, 25)] + [
        ball(Fraction(s * 10**k)) for k in (2, 3, 6) for s in (1, -1)
    ]
    shares = [unit_interval(f"spread {k}") for k in range(_N_SPREAD)]
    return numbers + [ball((share - Fraction(1, 2)) * 10 ** (k % 5)) for k, share in enumerate(shares)]


def _mentioned(node: Node) -> list[Ball]:
    """Values of the constant subtrees, largest first."""
    found: list[Ball] = []
    for here in walk(node):
        if here.head in ("none", "rel", "and", "or", "member", "set", "interval", "tuple", "list") or symbols(here) - {
            "e"
        }:
            continue
        try:
            value = evaluate(here, Point({"e": acb(1).exp()}))
        except _FAILURES:
            continue
        if value.imag.contains(0):
            found.append(acb(value.real))
        if len(found) >= _MAX_MENTIONED:
            break
    return found


def _boundaries(node: Node, variable: str) -> list[Ball]:
    """Both ends of tiny gaps in which the sides of some inequality cross."""
    found: list[Ball] = []
    for here in walk(node):
        if here.head == "rel":
            for left, right in zip(here.args, here.args[1:], strict=False):
                found += _crossings(add(left, neg(right)), variable)
    return found


def _crossings(difference: Node, variable: str) -> list[Ball]:
    found: list[Ball] = []
    grid = [Fraction(k, 3) + Fraction(1, 97) for k in range(-36, 37)]
    for low, high in pairwise(grid):
        try:
            signs = [_sign(difference, variable, end) for end in (low, high)]
            if 0 in signs or signs[0] == signs[1]:
                continue
            for _ in range(60):
                middle = (low + high) / 2
                if _sign(difference, variable, middle) == signs[0]:
                    low = middle
                else:
                    high = middle
        except _FAILURES:
            continue
        found += [ball(low - _TINY), ball(high + _TINY)]
    return found


def _sign(difference: Node, variable: str, value: Fraction) -> int:
    number = real(evaluate(difference, Point({variable: ball(value), "e": acb(1).exp()})))
    return 1 if number > 0 else -1 if number < 0 else 0
