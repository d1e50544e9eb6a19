"""Compares values that consist of parts: sets, ordered lists, vectors, matrices, named values.

    set             no order, repeats do not count (a reference with repeats in braces is an ordered list)
    tuple, list     order counts
    matrix          entry by entry, after scalar factors and transposes are carried out
    vector          a tuple and a sum over unit vectors are compared component by component

Not here: comparing the parts (given as a function).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from cfe_local.equivalence.limits import MAX_BRANCHES, MAX_ELEMENTS, LimitError
from cfe_local.equivalence.outcome import Outcome, all_of, different, equal, undecided
from cfe_local.equivalence.tree import Node, add, mul, neg, num, rewrite, substitute, symbols, walk

CompareParts = Callable[[Node, Node], Outcome]
_AXES = ("unit(x)", "unit(y)", "unit(z)")


def compare_ordered(reference: tuple[Node, ...], candidate: tuple[Node, ...], compare: CompareParts) -> Outcome:
    """Same length and equal parts in the same order."""
    if len(reference) != len(candidate):
        return different("length", f"{len(reference)} parts against {len(candidate)}")
    if len(reference) > MAX_ELEMENTS:
        raise LimitError(f"more than {MAX_ELEMENTS} parts")
    if not reference:
        return equal("empty", "both are empty")
    return all_of("parts in order", (compare(left, right) for left, right in zip(reference, candidate, strict=True)))


def compare_sets(reference: tuple[Node, ...], candidate: tuple[Node, ...], compare: CompareParts) -> Outcome:
    """Each element of one side has an equal on the other."""
    left, right = branches(reference), branches(candidate)
    if max(len(left), len(right)) > MAX_ELEMENTS:
        raise LimitError(f"more than {MAX_ELEMENTS} elements")
    missing = [_partner(element, right, compare) for element in left]
    surplus = [_partner(element, left, lambda b, a: compare(a, b)) for element in right]
    found = missing + surplus
    if all(verdict == "equal" for verdict in found):
        return equal("same elements", f"all {len(left)} elements have a partner")
    if "none" in found:
        return different("elements", "an element of one side has no partner on the other")
    return undecided("elements", "some elements cannot be matched with certainty")


def _partner(element: Node, others: list[Node], compare: CompareParts) -> str:
    """``equal`` if some other element equals this one, ``none`` if all certainly differ, else ``open``."""
    verdicts = set()
    for other in others:
        verdict = compare(element, other).verdict
        if verdict == "equal":
            return "equal"
        verdicts.add(verdict)
    return "open" if "undecided" in verdicts else "none"


def branches(elements: tuple[Node, ...]) -> list[Node]:
    """Elements with plus-minus written out as two each."""
    out: list[Node] = []
    for element in elements:
        n_signs = sum(1 for here in walk(element) if here.head == "pm")
        if n_signs > MAX_BRANCHES:
            raise LimitError(f"more than {MAX_BRANCHES} plus-minus signs")
        if n_signs == 0:
            out.append(element)
        else:
            out.extend(_resolve_sign(element, sign) for sign in (1, -1))
    return out


def _resolve_sign(element: Node, sign: int) -> Node:
    def change(node: Node) -> Node:
        if node.head != "pm":
            return node
        upper = sign if node.name == "+-" else -sign
        term = node.args[1] if upper == 1 else neg(node.args[1])
        return term if node.args[0] == num(0) else add(node.args[0], term)

    return rewrite(element, change)


def has_repeats(elements: tuple[Node, ...]) -> bool:
    """Whether an element is written twice: then the order is meant."""
    return len(set(elements)) < len(elements)


# ---------------------------------------------------------------- matrices


def carried_out(node: Node) -> Node:
    """A matrix from a product of scalars with one matrix, transposed where asked; other trees unchanged."""
    if node.head == "transpose":
        inner = carried_out(node.args[0])
        return transpose(inner) if inner.head == "matrix" else node
    if node.head == "mul":
        parts = [carried_out(arg) for arg in node.args]
        matrices = [part for part in parts if part.head == "matrix"]
        scalars = [part for part in parts if part.head != "matrix"]
        if len(matrices) == 1 and scalars:
            return _entries(matrices[0], lambda entry: mul(*scalars, entry))
    if node.head in ("list", "tuple") and node.args and all(arg.head in ("list", "tuple") for arg in node.args):
        widths = {len(arg.args) for arg in node.args}
        if len(widths) == 1:
            return Node("matrix", tuple(Node("row", arg.args) for arg in node.args))
    return node


def transpose(matrix: Node) -> Node:
    """Rows become columns."""
    rows = [row.args for row in matrix.args]
    return Node("matrix", tuple(Node("row", column) for column in zip(*rows, strict=True)))


def _entries(matrix: Node, change: Callable[[Node], Node]) -> Node:
    return Node("matrix", tuple(Node("row", tuple(change(entry) for entry in row.args)) for row in matrix.args))


def compare_matrices(reference: Node, candidate: Node, compare: CompareParts) -> Outcome:
    """Same shape and equal entries."""
    left, right = carried_out(reference), carried_out(candidate)
    if left.head != "matrix" or right.head != "matrix":
        return undecided("matrix", "one side is no single matrix")
    shapes = [(len(side.args), len(side.args[0].args)) for side in (left, right)]
    if shapes[0] != shapes[1]:
        if sorted(shapes[0]) == sorted(shapes[1]):
            return undecided("matrix shape", "a row against a column")
        return different("matrix shape", f"{shapes[0]} against {shapes[1]}")
    entries = [tuple(entry for row in side.args for entry in row.args) for side in (left, right)]
    return compare_ordered(entries[0], entries[1], compare)


# ---------------------------------------------------------------- vectors


def components(node: Node) -> tuple[Node, ...] | None:
    """Components of a sum over the Cartesian unit vectors, None if it is something else."""
    named = {name for name in symbols(node) if name.startswith("unit(")}
    if not named or not named <= set(_AXES):
        return None
    n_axes = 3 if _AXES[2] in named else 2
    zero, one = num(0), Node("num", value=Fraction(1))
    return tuple(
        substitute(node, {axis: one if place == other else zero for other, axis in enumerate(_AXES)})
        for place in range(n_axes)
    )
