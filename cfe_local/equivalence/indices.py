r"""Symbols with an index that a sum or product runs over: ``\sum_i x_i`` adds different numbers, not N times one.

Inside such a sum, ``x_i`` becomes an unknown function x_ of i, and ``a_{ij}`` one of i and j, so that the index may be
renamed and nothing else is assumed.

Not here: symbols whose subscript is a word or a free index alone.
"""

from __future__ import annotations

import re

from cfe_local.equivalence.tree import Node, add, num, sym

_INDEX = re.compile(r"([a-z])(?:([+-])(\d+))?|(\d+)")
_WORDS = frozenset({"in", "min", "rms", "ms", "rs"})


def with_indices(node: Node, bound: frozenset[str] = frozenset()) -> Node:
    """The tree in which indexed symbols inside sums and products depend on the index."""
    if node.head in ("sum", "prod") and node.args[1].head == "sym":
        body, index, *limits = node.args
        inner = with_indices(body, bound | {index.name})
        outer = tuple(with_indices(limit, bound) for limit in limits)
        return Node(node.head, (inner, index, *outer), node.name, node.value, node.ulp)
    if node.head == "sym":
        return _indexed(node, bound)
    if not node.args:
        return node
    return Node(node.head, tuple(with_indices(arg, bound) for arg in node.args), node.name, node.value, node.ulp)


def _indexed(symbol: Node, bound: frozenset[str]) -> Node:
    base, _, subscript = symbol.name.partition("_")
    marks = subscript[len(subscript.rstrip("'*")) :]
    subscript = subscript.rstrip("'*")
    if not bound or not base or subscript in _WORDS or len(subscript) > 6:
        return symbol
    parts = list(_INDEX.finditer(subscript))
    if "".join(part.group() for part in parts) != subscript or not bound & {part[1] for part in parts}:
        return symbol
    return Node("call", tuple(_index(part) for part in parts), name=f"{base}_{marks}")


def _index(part: re.Match[str]) -> Node:
    if part[4]:
        return num(int(part[4]))
    letter = sym(part[1])
    return add(letter, num(int(f"{part[2]}{part[3]}"))) if part[2] else letter
