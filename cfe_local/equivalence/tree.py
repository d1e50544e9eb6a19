"""The tree that texts are read into: one immutable node type, its constructors, and walks over it.

A node has a ``head`` that says what it is:

    num                     an exact rational ``value``; ``ulp`` is one unit of the last digit where it was a decimal
    sym                     a symbol; ``name`` keeps case, subscripts, primes and accents
    const                   ``name`` in {pi, inf, empty, ellipsis}
    add mul pow             arithmetic; a - b is a + (-1) b, a / b is a b^(-1)
    pm                      a +- b; ``name`` is ``+-`` or ``-+``
    fn                      a known function, ``name``
    call                    an unknown function applied to arguments
    int sum prod lim        args (body, variable, lower, upper); missing bounds are ``none`` nodes
    deriv                   args (operand,) with respect to ``name``, order ``value``
    rel                     a chain: args a0 .. an, ``name`` the n relation signs separated by blanks
    and or not implies xor  logic
    set seq tuple list      braces, bare commas, round and square brackets
    interval                args (low, high), ``name`` the two bracket characters
    union inter minus setof set algebra; setof is a set builder (element, condition)
    matrix row cases case   case is (value, condition); a missing condition is the ``otherwise`` node
    quantity                args (number,), ``name`` the unit as written
    bigo                    args (growth,), ``name`` the class: O, Theta, Omega, o, omega, ~ in front for soft ones
    bool text               ``name`` holds the normal form
    none otherwise          markers

Not here: reading, evaluating or comparing trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a value; see the module's table of heads."""

    head: str
    args: tuple[Node, ...] = ()
    name: str = ""
    value: Fraction = Fraction(0)
    ulp: Fraction | None = None


NONE = Node("none")
OTHERWISE = Node("otherwise")
PI = Node("const", name="pi")
INF = Node("const", name="inf")
EMPTY = Node("set")


def num(value: int | Fraction, ulp: Fraction | None = None) -> Node:
    """A number; ``ulp`` is one unit of its last written digit, None for an exact one."""
    return Node("num", value=Fraction(value), ulp=ulp)


ONE = num(1)
MINUS_ONE = num(-1)


def sym(name: str) -> Node:
    """A symbol."""
    return Node("sym", name=name)


def fn(name: str, *args: Node) -> Node:
    """A known function applied to arguments."""
    return Node("fn", args=args, name=name)


def _ungroup(node: Node) -> Node:
    """``{x}`` inside arithmetic is x: braces used as brackets."""
    return node.args[0] if node.head == "set" and len(node.args) == 1 else node


def add(*terms: Node) -> Node:
    """A sum, flattened."""
    flat: list[Node] = []
    for raw in terms:
        term = _ungroup(raw)
        flat.extend(term.args if term.head == "add" else (term,))
    return flat[0] if len(flat) == 1 else Node("add", tuple(flat))


def mul(*factors: Node) -> Node:
    """A product, flattened."""
    flat: list[Node] = []
    for raw in factors:
        factor = _ungroup(raw)
        flat.extend(factor.args if factor.head == "mul" else (factor,))
    return flat[0] if len(flat) == 1 else Node("mul", tuple(flat))


def power(base: Node, exponent: Node) -> Node:
    """A power; an application as the base is kept in brackets, see ``raised``."""
    base = Node("mul", (base,)) if base.head == "apply" else _ungroup(base)
    return Node("pow", (base, _ungroup(exponent)))


def raised(base: Node, exponent: Node) -> Node:
    """A power as written: ``a(b)^2`` is a (b^2) if a turns out to be a factor, and (a(b))^2 if it is a function."""
    return Node("pow", (_ungroup(base), _ungroup(exponent)))


def neg(node: Node) -> Node:
    """The negative; of a number literal, a number literal."""
    if node.head == "num":
        return num(-node.value, node.ulp)
    if node.head == "quantity":
        return replace(node, args=(neg(node.args[0]),))
    return mul(MINUS_ONE, node)


def div(top: Node, bottom: Node) -> Node:
    """A quotient."""
    return mul(top, power(bottom, MINUS_ONE))


def walk(node: Node) -> Iterator[Node]:
    """Every node, parents first."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(here.args))


def size(node: Node) -> int:
    """Number of nodes."""
    return sum(1 for _ in walk(node))


def has_head(node: Node, *heads: str) -> bool:
    """Whether any node has one of these heads."""
    return any(here.head in heads for here in walk(node))


def symbols(node: Node) -> frozenset[str]:
    """Names of the free symbols; bound variables of integrals, sums, products and limits are left out."""
    if node.head == "sym":
        return frozenset({node.name})
    if node.head in ("int", "sum", "prod", "lim"):
        body, bound, *limits = node.args
        inner = symbols(body) - symbols(bound)
        return inner.union(*(symbols(limit) for limit in limits))
    if not node.args:
        return frozenset()
    return frozenset().union(*(symbols(arg) for arg in node.args))


def rewrite(node: Node, change: Callable[[Node], Node]) -> Node:
    """Apply ``change`` to every node, children first."""
    if node.args:
        args = tuple(rewrite(arg, change) for arg in node.args)
        if any(new is not old for new, old in zip(args, node.args, strict=True)):
            node = replace(node, args=args)
    return change(node)


def substitute(node: Node, table: dict[str, Node]) -> Node:
    """Replace symbols by trees."""
    return rewrite(node, lambda here: table.get(here.name, here) if here.head == "sym" else here)


def is_number(node: Node) -> bool:
    """Whether the node is a number literal."""
    return node.head == "num"


def is_integer(node: Node) -> bool:
    """Whether the node is a whole-number literal without a decimal point."""
    return node.head == "num" and node.ulp is None and node.value.denominator == 1


def has_decimal(node: Node) -> bool:
    """Whether any number in the tree was written as a decimal, so that it may be rounded."""
    return any(here.head == "num" and here.ulp is not None for here in walk(node))
