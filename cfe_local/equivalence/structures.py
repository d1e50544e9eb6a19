"""LaTeX commands that build something out of groups: fractions, roots, sums, integrals, limits, matrices, cases.

Not here: symbols, brackets and functions (``atoms``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from cfe_local.equivalence.cursor import Cursor
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.tokens import ReadError, Token
from cfe_local.equivalence.tree import EMPTY, NONE, OTHERWISE, Node, div, fn, neg, num, power, sym, symbols

_MATRICES = frozenset({"matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "smallmatrix", "array"})
_CASES = frozenset({"cases", "dcases", "rcases", "numcases"})
_CONDITION_WORDS = re.compile(r"^(?:if|for|when|where|in|as)?\s*$", re.IGNORECASE)
_OTHERWISE_WORDS = re.compile(r"^(?:otherwise|else|elsewhere)$", re.IGNORECASE)


def group(cursor: Cursor) -> Node:
    r"""``{...}``, or the single token that LaTeX takes as an argument: ``\frac12`` takes one digit each.

    Raises:
        ReadError: If nothing can be taken.
    """
    if cursor.take_op("{"):
        if cursor.take_op("}"):
            return NONE
        with cursor.outside_bars():
            inner = cursor.parse(cursor, 0)
        cursor.expect("}")
        return inner
    token = cursor.peek()
    if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
        return _first_digit(cursor, token)
    if token.kind == "word" and len(token.text) > 1 and cursor.choices.latex:
        cursor.tokens[cursor.at] = Token("word", token.text[1:])
        return sym(token.text[0])
    if token.kind == "op" and token.text in ("-", "+", "*"):
        cursor.next()
        return sym(token.text)
    if token.kind == "word" or token.kind == "name":
        cursor.next()
        return sym(token.text)
    return cursor.parse(cursor, 65)


def _first_digit(cursor: Cursor, token: Token) -> Node:
    rest = token.text[1:]
    cursor.tokens[cursor.at] = Token("num", rest, value=Fraction(int(rest)))
    return num(int(token.text[0]))


def _fraction(cursor: Cursor) -> Node:
    cursor.next()
    derivative = _derivative(cursor)
    if derivative is not None:
        return derivative
    top = group(cursor)
    return div(top, group(cursor))


def _binomial(cursor: Cursor) -> Node:
    cursor.next()
    top = group(cursor)
    return fn("binom", top, group(cursor))


def _root(cursor: Cursor) -> Node:
    cursor.next()
    degree = num(2)
    if cursor.is_op("["):
        cursor.next()
        degree = cursor.parse(cursor, 0)
        cursor.expect("]")
    radicand = cursor.parse(cursor, 65) if cursor.is_op("(", "|") else group(cursor)
    return power(radicand, power(degree, num(-1)) if degree.head != "num" else num(1 / degree.value))


# ---------------------------------------------------------------- derivatives


def _derivative(cursor: Cursor) -> Node | None:
    """``d^2 f / dx^2`` and ``d/dx (...)`` inside a fraction; None if the fraction is an ordinary one."""
    start = cursor.at
    tokens = list(cursor.tokens)
    try:
        found = _try_derivative(cursor)
    except ReadError:
        found = None
    if found is None:
        cursor.at = start
        cursor.tokens[:] = tokens
    return found


def _try_derivative(cursor: Cursor) -> Node | None:
    if not cursor.take_op("{") or not _take_d(cursor):
        return None
    order = _order(cursor)
    operand = None if cursor.is_op("}") else cursor.parse(cursor, 0)
    cursor.expect("}")
    cursor.expect("{")
    if not _take_d(cursor):
        return None
    variable = cursor.parse(cursor, 65)
    if variable.head == "pow" and variable.args[1].head == "num":
        variable, written = variable.args[0], variable.args[1].value
    else:
        written = Fraction(1)
    if variable.head != "sym" or written != order or order.denominator != 1:
        return None
    if not 1 <= order <= 8:
        raise LimitError(f"a derivative of order {order}")
    cursor.expect("}")
    if operand is None:
        operand = cursor.parse(cursor, 40)
    return Node("deriv", (operand,), name=variable.name, value=order)


def _take_d(cursor: Cursor) -> bool:
    """Move past the d of a differential; ``dx`` is cut in two."""
    token = cursor.peek()
    if token.kind == "cmd" and token.text == "partial":
        cursor.next()
        return True
    if token.kind == "name" and token.text == "d":
        cursor.next()
        return True
    if token.kind == "word" and token.text.startswith("d"):
        rest = token.text[1:]
        cursor.tokens[cursor.at : cursor.at + 1] = [Token("word", "d"), *([Token("word", rest)] if rest else [])]
        cursor.next()
        return True
    return False


def _order(cursor: Cursor) -> Fraction:
    if not cursor.take_op("^"):
        return Fraction(1)
    order = group(cursor)
    if order.head != "num":
        raise ReadError("a derivative of symbolic order")
    return order.value


# ---------------------------------------------------------------- sums, integrals, limits


def _bounds(cursor: Cursor) -> tuple[Node, Node]:
    """The lower and upper bound that follow, in either order."""
    lower, upper = NONE, NONE
    while cursor.is_op("_", "^"):
        if cursor.next().text == "_":
            lower = group(cursor)
        else:
            upper = group(cursor)
    return lower, upper


def _sum(cursor: Cursor) -> Node:
    head = "sum" if cursor.next().text == "sum" else "prod"
    lower, upper = _bounds(cursor)
    body = cursor.parse(cursor, 39)
    if lower.head == "rel" and lower.name == "=" and lower.args[0].head == "sym":
        return Node(head, (body, lower.args[0], lower.args[1], upper))
    if lower.head == "sym" and upper.head == "none":
        return Node(head, (body, lower, NONE, NONE))
    if lower.head == "none" and upper.head == "none":
        return Node(head, (body, NONE, NONE, NONE))
    raise ReadError(f"a {head} over something else than a range")


def _integral(cursor: Cursor) -> Node:
    r"""``\int_a^b f(x) dx``; the differential may stand in a numerator."""
    cursor.next()
    lower, upper = _bounds(cursor)
    cursor.in_integral += 1
    try:
        if _differential_is_next(cursor):
            variable = _differential(cursor)
            body = cursor.parse(cursor, 39)
        else:
            body, variable = _integrand(cursor)
    finally:
        cursor.in_integral -= 1
    return Node("int", (body, variable, lower, upper))


def _integrand(cursor: Cursor) -> tuple[Node, Node]:
    body = cursor.parse(cursor, 29)
    if body.head == "mul" and body.args[-1].head == "differential":
        kept = body.args[:-1]
        return (kept[0] if len(kept) == 1 else Node("mul", kept)), body.args[-1].args[0]
    if body.head == "differential":
        return num(1), body.args[0]
    return _differential_inside(body)


def _differential_inside(body: Node) -> tuple[Node, Node]:
    r"""``\int \frac{dx}{x}``: the differential among the factors of the integrand."""
    if body.head == "mul":
        marks = [arg for arg in body.args if arg.head == "differential"]
        if len(marks) == 1:
            kept = tuple(arg for arg in body.args if arg.head != "differential")
            return Node("mul", kept) if len(kept) > 1 else kept[0], marks[0].args[0]
    raise ReadError("an integral without a differential")


def _differential_is_next(cursor: Cursor) -> bool:
    token, following = cursor.peek(), cursor.peek(1)
    if token.kind == "word" and token.text[0] == "d" and len(token.text) == 2:
        return True
    letter = token.kind in ("word", "name") and token.text == "d"
    return letter and (following.kind in ("word", "cmd", "name") and following.text not in ("times", "cdot", "frac"))


def _differential(cursor: Cursor) -> Node:
    _take_d_letter(cursor)
    variable = cursor.parse(cursor, 65)
    if variable.head != "sym":
        raise ReadError("a differential of something else than a symbol")
    return variable


def _take_d_letter(cursor: Cursor) -> None:
    token = cursor.peek()
    if token.kind == "word" and len(token.text) == 2:
        cursor.tokens[cursor.at] = Token("word", token.text[1:])
    else:
        cursor.next()


def differential(cursor: Cursor) -> Node | None:
    """A differential as a factor, inside an integral only."""
    if cursor.in_integral == 0 or not _differential_is_next(cursor):
        return None
    return Node("differential", (_differential(cursor),))


def _limit(cursor: Cursor) -> Node:
    cursor.next()
    lower, _ = _bounds(cursor)
    if lower.head != "rel" or lower.name != "->" or lower.args[0].head != "sym":
        raise ReadError("a limit without x -> a")
    return Node("lim", (cursor.parse(cursor, 39), lower.args[0], lower.args[1], NONE))


# ---------------------------------------------------------------- brackets that are commands


def _fenced(name: str, closing: str) -> Callable[[Cursor], Node]:
    def read(cursor: Cursor) -> Node:
        cursor.next()
        with cursor.outside_bars():
            inner = cursor.parse(cursor, 0)
        if not cursor.is_cmd(closing):
            raise ReadError(f"expected \\{closing}")
        cursor.next()
        if name == "tuple":
            return Node("tuple", inner.args) if inner.head == "seq" else Node("call", (inner,), name="mean")
        return fn(name, inner)

    return read


def _empty_set(cursor: Cursor) -> Node:
    cursor.next()
    return EMPTY


def _ellipsis(cursor: Cursor) -> Node:
    cursor.next()
    return Node("const", name="ellipsis")


def _angle(cursor: Cursor) -> Node:
    r"""``5 \angle 30^\circ`` is polar; ``\angle ABC`` names an angle, read from either leg."""
    cursor.next()
    token = cursor.peek()
    if token.kind == "word" and len(token.text) == 3 and token.text.isupper():
        cursor.next()
        legs = sorted((token.text[0], token.text[2]))
        return sym(f"angle({legs[0]}{token.text[1]}{legs[1]})")
    sign = num(-1 if cursor.take_op("-") else 1)
    angle = cursor.parse(cursor, 40)
    while cursor.is_op("/") and cursor.peek(1).kind == "num":  # As in ``\angle \pi/4``.
        cursor.next()
        angle = div(angle, cursor.parse(cursor, 40))
    return Node("phase", (angle if sign.value > 0 else neg(angle),))


# ---------------------------------------------------------------- environments


def environment(cursor: Cursor) -> Node:
    r"""``\begin{...} ... \end{...}``: a matrix, a piecewise value, or lines of equations."""
    name = cursor.next().text
    if name == "array" and cursor.is_op("{"):
        while cursor.next().text != "}":
            if cursor.peek().kind == "eof":
                raise ReadError("array without columns")
    cursor.in_rows += 1
    rows = _rows(cursor, name)
    cursor.in_rows -= 1
    if name in _MATRICES:
        width = {len(row) for row in rows}
        if len(width) != 1:
            raise ReadError("matrix rows of different length")
        return Node("matrix", tuple(Node("row", row) for row in rows))
    if name in _CASES:
        cases = [_case(row) for row in rows]
        return Node("cases", tuple(sorted(cases, key=lambda case: case.args[1] == OTHERWISE)))  # The rest comes last.
    if name in ("aligned", "align", "gathered", "equation", "split"):
        return Node("and", tuple(row[0] for row in rows)) if len(rows) > 1 else rows[0][0]
    raise ReadError(f"unknown environment {name}")


def _rows(cursor: Cursor, name: str) -> list[tuple[Node, ...]]:
    rows: list[tuple[Node, ...]] = []
    row: list[Node] = []
    while True:
        if cursor.peek().kind == "end":
            break
        row.append(_cell(cursor, name))
        if cursor.take_op("&"):
            continue
        rows.append(tuple(row))
        row = []
        if not cursor.take_op("\\\\"):
            break
    if cursor.peek().kind != "end" or cursor.peek().text != name:
        raise ReadError(f"environment {name} without an end")
    cursor.next()
    if row:
        rows.append(tuple(row))
    return rows


def _cell(cursor: Cursor, name: str) -> Node:
    token = cursor.peek()
    if name in _CASES and token.kind in ("text", "word"):
        if _OTHERWISE_WORDS.match(token.text.strip(" .,")):
            cursor.next()
            return OTHERWISE
        if _CONDITION_WORDS.match(token.text):
            cursor.next()
    if cursor.is_op("&", "\\\\"):
        return NONE
    return cursor.parse(cursor, 2)


def _case(row: tuple[Node, ...]) -> Node:
    """One line of a piecewise value; a comma before the condition is punctuation."""
    if len(row) == 1 and row[0].head == "seq" and len(row[0].args) == 2:
        return Node("case", row[0].args)
    if len(row) == 1:
        return Node("case", (row[0], OTHERWISE))
    if len(row) != 2:
        raise ReadError("a case with more than a value and a condition")
    return Node("case", row)


COMMANDS: Mapping[str, Callable[[Cursor], Node]] = {
    "frac": _fraction, "dfrac": _fraction, "tfrac": _fraction, "cfrac": _fraction, "binom": _binomial,
    "dbinom": _binomial, "tbinom": _binomial, "sqrt": _root, "sum": _sum, "prod": _sum, "int": _integral,
    "lim": _limit, "langle": _fenced("tuple", "rangle"), "lfloor": _fenced("floor", "rfloor"),
    "lceil": _fenced("ceil", "rceil"), "lvert": _fenced("abs", "rvert"), "lVert": _fenced("norm", "rVert"),
    "emptyset": _empty_set, "varnothing": _empty_set, "cdots": _ellipsis, "ldots": _ellipsis, "dots": _ellipsis,
    "angle": _angle,
}  # fmt: skip


def bound_names(node: Node) -> frozenset[str]:
    """Names bound by integrals, sums, products and limits anywhere in the tree."""
    found: frozenset[str] = frozenset()
    if node.head in ("int", "sum", "prod", "lim"):
        found = symbols(node.args[1])
    for arg in node.args:
        found |= bound_names(arg)
    return found
