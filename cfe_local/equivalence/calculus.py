"""Derivatives of trees by the rules of calculus; of unknown functions, symbols with primes.

Not here: simplification. The result is only evaluated.
"""

from __future__ import annotations

from cfe_local.equivalence.functions import UndefinedError
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.tree import (
    MINUS_ONE,
    ONE,
    Node,
    add,
    div,
    fn,
    mul,
    num,
    power,
    size,
    substitute,
    sym,
    symbols,
)

_MAX_SIZE = 4000


def derivative(node: Node) -> Node:
    """The tree of an n-th derivative.

    Args:
        node: A ``deriv`` node: operand, variable (``name``), order (``value``).

    Raises:
        UndefinedError: If the variable is not named and cannot be told, or a rule is missing.
        LimitError: If the result grows too large.
    """
    tree = node.args[0]
    variable = node.name or _independent(tree)
    for _ in range(int(node.value)):
        tree = _differentiate(tree, variable, _dependent(tree) if not node.name else frozenset())
        if size(tree) > _MAX_SIZE:
            raise LimitError("a derivative that grows too large")
    return tree


def _dependent(node: Node) -> frozenset[str]:
    """Bases of the symbols with primes: functions of the variable."""
    return frozenset(name.rstrip("'") for name in symbols(node) if name.endswith("'"))


def _independent(node: Node) -> str:
    """The variable of ``(r R')'``: the one symbol beside the functions, which are known by their primes."""
    functions = _dependent(node)
    plain = [name for name in symbols(node) if name.rstrip("'") not in functions]
    if not functions or len(plain) > 1:
        raise UndefinedError("a derivative with respect to an unnamed variable")
    return plain[0] if plain else "#unnamed"


def _differentiate(node: Node, x: str, functions: frozenset[str]) -> Node:
    names = symbols(node)
    if x not in names and not any(name.rstrip("'") in functions for name in names):
        return num(0)
    if node.head == "sym":
        return ONE if node.name == x else sym(node.name + "'")
    if node.head == "add":
        return add(*(_differentiate(arg, x, functions) for arg in node.args))
    if node.head == "mul":
        return add(*(_product_term(node.args, at, x, functions) for at in range(len(node.args))))
    if node.head == "pow":
        return _power(node.args[0], node.args[1], x, functions)
    if node.head == "fn" and len(node.args) == 1 and node.name in _RULES:
        inner = node.args[0]
        outer = substitute(_RULES[node.name], {"#": inner})
        return mul(outer, _differentiate(inner, x, functions))
    raise UndefinedError(f"no rule for the derivative of {node.head} {node.name}")


def _product_term(factors: tuple[Node, ...], at: int, x: str, functions: frozenset[str]) -> Node:
    return mul(
        *(_differentiate(factor, x, functions) if place == at else factor for place, factor in enumerate(factors))
    )


def _power(base: Node, exponent: Node, x: str, functions: frozenset[str]) -> Node:
    varying = {x} | {name for name in symbols(exponent) if name.rstrip("'") in functions}
    if not varying & symbols(exponent):
        return mul(exponent, power(base, add(exponent, MINUS_ONE)), _differentiate(base, x, functions))
    whole = power(base, exponent)
    from_exponent = mul(_differentiate(exponent, x, functions), fn("ln", base))
    from_base = mul(exponent, _differentiate(base, x, functions), power(base, MINUS_ONE))
    return mul(whole, add(from_exponent, from_base))


_X = sym("#")
_SQUARE = power(_X, num(2))
_RULES = {
    "sin": fn("cos", _X), "cos": mul(MINUS_ONE, fn("sin", _X)), "tan": power(fn("sec", _X), num(2)),
    "cot": mul(MINUS_ONE, power(fn("csc", _X), num(2))), "sec": mul(fn("sec", _X), fn("tan", _X)),
    "csc": mul(MINUS_ONE, fn("csc", _X), fn("cot", _X)), "exp": fn("exp", _X), "ln": div(ONE, _X), "log": div(ONE, _X),
    "sinh": fn("cosh", _X), "cosh": fn("sinh", _X), "tanh": power(fn("sech", _X), num(2)),
    "asin": power(add(ONE, mul(MINUS_ONE, _SQUARE)), div(MINUS_ONE, num(2))),
    "acos": mul(MINUS_ONE, power(add(ONE, mul(MINUS_ONE, _SQUARE)), div(MINUS_ONE, num(2)))),
    "atan": div(ONE, add(ONE, _SQUARE)), "abs": fn("sgn", _X),
}  # fmt: skip
