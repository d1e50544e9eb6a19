"""Known functions and their arguments, with and without brackets.

Not here: unknown functions, which look like products (``interpretation``).
"""

from __future__ import annotations

from fractions import Fraction

from cfe_local.equivalence.brackets import bracketed
from cfe_local.equivalence.cursor import Cursor
from cfe_local.equivalence.names import FUNCTIONS, GREEK, INVERSES, PREFIX_FUNCTIONS, VARIANTS
from cfe_local.equivalence.scripts import exponent as read_exponent
from cfe_local.equivalence.structures import group
from cfe_local.equivalence.tokens import ReadError
from cfe_local.equivalence.tree import Node, div, fn, mul, num, power


def function(cursor: Cursor, name: str) -> Node:
    """A known function: its power and base, then its argument with or without brackets."""
    if name == "sqrt" and (cursor.is_op("(") or cursor.is_op("{")):
        return power(_single_argument(cursor, name), num(Fraction(1, 2)))
    if name in ("sqrt", "cbrt"):
        return power(cursor.parse(cursor, 65), num(Fraction(1, 2 if name == "sqrt" else 3)))
    exponent: Node | None = None
    base: Node | None = None
    while cursor.is_op("^", "_", "**"):
        if cursor.is_op("_"):
            cursor.next()
            base = group(cursor)
        else:
            exponent = read_exponent(cursor)
    if exponent is not None and exponent.head == "num" and exponent.value == -1 and name in INVERSES:
        name, exponent = INVERSES[name], None
    value = _with_base(name, base, _argument(cursor, name))
    return value if exponent is None else power(value, exponent)


def _with_base(name: str, base: Node | None, args: tuple[Node, ...]) -> Node:
    if base is None or name not in ("log", "ln"):
        label = "" if base is None else f"_{base.name or base.value}"
        return Node("fn", args, name=name) if not label else Node("call", args, name=name + label)
    return div(fn("ln", *args), fn("ln", base))


def _single_argument(cursor: Cursor, name: str) -> Node:
    args = _argument(cursor, name)
    if len(args) != 1:
        raise ReadError(f"{name} takes one argument")
    return args[0]


def _argument(cursor: Cursor, name: str) -> tuple[Node, ...]:
    """The arguments of a function."""
    if cursor.is_op("(", "[", "\\{", "{"):
        inner = bracketed(cursor)
        if inner.head in ("tuple", "list", "set", "seq") and inner.args:
            return inner.args
        return (inner,)
    if cursor.is_op("-"):
        cursor.next()
        return (mul(num(-1), _factor(cursor)),)
    if name not in PREFIX_FUNCTIONS and not cursor.is_op("|"):
        raise ReadError(f"{name} without an argument")
    return (_bare_argument(cursor),)


def _bare_argument(cursor: Cursor) -> Node:
    """``sin 2 omega t``: the factors up to an operator, a bracket, a unit vector or the next function."""
    factors = [_factor(cursor)]
    while not cursor.choices.short_argument and _argument_goes_on(cursor):
        cursor.ambiguous.add("argument")
        factors.append(_factor(cursor))
    if cursor.is_op("/") and cursor.peek(1).kind == "num" and not cursor.choices.short_argument:
        cursor.ambiguous.add("argument")
        cursor.next()
        return div(mul(*factors), _factor(cursor))
    return mul(*factors)


def _factor(cursor: Cursor) -> Node:
    return cursor.parse(cursor, 59)


def _argument_goes_on(cursor: Cursor) -> bool:
    token = cursor.peek()
    if token.kind == "word":
        cursor.split_word()
        token = cursor.peek()
        differential = token.text == "d" and cursor.in_integral > 0
        return token.text not in FUNCTIONS and not differential and token.text not in ("or", "and", "mod", "in")
    if token.kind == "cmd":
        text = VARIANTS.get(token.text, token.text)
        return text in GREEK or text in ("frac", "dfrac", "tfrac", "sqrt", "tilde", "bar", "dot", "hbar", "ell")
    return False
