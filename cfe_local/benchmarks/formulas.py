"""Numbers from formulas that a problem file states: arithmetic and named functions only, nothing that could run code.

Not here: comparing values (``equivalence``).
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

Number = int | float


class FormulaError(ValueError):
    """A formula that is none, names something unknown, or has no finite value."""


def _harmonic(n: float) -> float:
    if n != int(n) or not 0 <= n <= 10**6:
        raise FormulaError(f"harmonic({n:g}) needs a whole number from 0 to a million")
    return math.fsum(1 / k for k in range(1, int(n) + 1))


def _whole(function: Callable[..., int]) -> Callable[..., float]:
    def checked(*values: float) -> float:
        if any(value != int(value) or not 0 <= value <= 1000 for value in values):
            raise FormulaError("needs whole numbers from 0 to 1000")
        return float(function(*map(int, values)))

    return checked


CONSTANTS: Mapping[str, float] = {"pi": math.pi, "E": math.e}
FUNCTIONS: Mapping[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in ("sqrt", "exp", "sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(math, name) for name in ("sinh", "cosh", "tanh", "log", "atan2", "erf", "gamma")},
    "ln": math.log,
    "abs": abs,
    "harmonic": _harmonic,
    "factorial": _whole(math.factorial),
    "binomial": _whole(math.comb),
}
_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}


def formula_value(formula: str, givens: Mapping[str, Number]) -> float:
    """The value of a formula at its givens.

    Args:
        formula: ``n*harmonic(n)``, say: ``+ - * / **``, brackets, constants and functions of this module.
        givens: Value of every name that is no constant.

    Raises:
        FormulaError: If it cannot be read or has no finite real value; the message says why.
    """
    try:
        value = _value(ast.parse(formula.strip(), mode="eval").body, givens)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise FormulaError(f"cannot be read: {formula[:80]!r}") from error
    except (ValueError, TypeError, ArithmeticError) as error:
        if isinstance(error, FormulaError):
            raise
        raise FormulaError(f"has no value at {dict(givens)}: {error}") from error
    if not math.isfinite(value):
        raise FormulaError(f"is not finite at {dict(givens)}")
    return value


def _value(node: ast.expr, givens: Mapping[str, Number]) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        if node.id in givens:
            return float(givens[node.id])
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        raise FormulaError(f"unknown name {node.id!r}")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _value(node.operand, givens)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return float(_BINARY[type(node.op)](_value(node.left, givens), _value(node.right, givens)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in FUNCTIONS:
            raise FormulaError(f"unknown function {node.func.id!r}; known: {', '.join(FUNCTIONS)}")
        return float(FUNCTIONS[node.func.id](*(_value(argument, givens) for argument in node.args)))
    raise FormulaError("holds something else than numbers, names, + - * / ** and functions")
