r"""Whether the names that two texts give to their values can be one name.

Texts shorten names (``R`` for R(T), ``E`` for \vec E) and the problem has its own (the variable). Names that differ
in more than that leave equality open: ``f = 0`` is not ``g = 0``.
"""

from __future__ import annotations

import re

from cfe_local.equivalence.shaping import Value
from cfe_local.equivalence.tree import Node, has_head
from cfe_local.records import ValueContext


def names_agree(reference: Value, candidate: Value, context: ValueContext) -> bool:
    """Whether both values can be values of one variable."""
    if reference.name is None or candidate.name is None:
        return True
    if "mul" in (reference.name.head, candidate.name.head):
        return reference.name == candidate.name
    if not _same_arguments(reference.name, candidate.name):
        return False  # A renamed bound variable is compared under the reference's name, and equal only if bound.
    if (reference.name.head == "deriv") != (candidate.name.head == "deriv"):
        return _is_derivative(reference.name, candidate) or _is_derivative(candidate.name, reference)
    left, right = _key(reference.name), _key(candidate.name)
    if left == right or not left or not right:
        return True
    variable = _simple(context.variable)
    if variable and variable == _simple(right):
        return True
    return _base(left) == _base(right) and ("_" not in left or "_" not in right)


def _same_arguments(left: Node, right: Node) -> bool:
    """``f(x)`` and ``f(X)`` are not the same; ``f(x)`` and ``f`` may be."""
    if left.head == right.head == "deriv" and left.name != right.name:
        return False
    if left.head != "apply" or right.head != "apply" or len(left.args) != len(right.args):
        return True
    return left.args[1:] == right.args[1:]


def _is_derivative(name: Node, value: Value) -> bool:
    """``x'`` for dx/dt; ``u_t`` for it only in an equation with other derivatives: elsewhere u_x is a component."""
    derivative = value.name
    if derivative is None or derivative.head != "deriv":
        return False
    order = int(derivative.value)
    key, base = _key(name), _key(derivative)
    if key == f"{base}_{derivative.name * order}":
        return has_head(value.node, "deriv")
    return bool(base) and key == base + "'" * order


def _key(node: Node) -> str:
    """The name of a name: its symbol, without arguments and accents."""
    if node.head == "sym":
        return _bare(node.name)
    if node.head in ("apply", "fn", "call", "sum", "deriv") and node.args:
        return _key(node.args[0])
    if node.head in ("tuple", "ratio"):
        return ",".join(_key(arg) for arg in node.args)
    return ""


def _bare(name: str) -> str:
    while (match := re.match(r"^(?:hat|bold|cal|sf|frak|bar|tilde)\((.*?)\)(.*)$", name)) is not None:
        name = match[1] + match[2]
    return name


def _base(name: str) -> str:
    return name.partition("_")[0].rstrip("'*")


def _simple(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", name)
