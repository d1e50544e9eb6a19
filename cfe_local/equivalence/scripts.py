"""Subscripts and superscripts: which are part of a name, which are exponents.

Not here: the symbols that carry them (``atoms``).
"""

from __future__ import annotations

from cfe_local.equivalence.cursor import Cursor
from cfe_local.equivalence.names import ACCENTS, IGNORED_COMMANDS, STYLES, SYMBOL_COMMANDS, VARIANTS
from cfe_local.equivalence.structures import group
from cfe_local.equivalence.tokens import ReadError, Token
from cfe_local.equivalence.tree import Node, mul, num, power

_DECORATING_COMMANDS = frozenset({"ast", "star", "dagger", "prime", "circ", "top", "intercal", "perp", "parallel"})


def subscript_text(cursor: Cursor) -> str:
    """The subscript that is next, as the text by which the symbol is known: commas, blanks and braces left out."""
    token = cursor.peek()
    if token.kind == "op" and token.text == "{":
        cursor.next()
        parts: list[str] = []
        level = 1
        while True:
            token = cursor.next()
            if token.kind == "eof":
                raise ReadError("subscript without an end")
            if token.kind == "op" and token.text in ("{", "}"):
                level += 1 if token.text == "{" else -1
                if level == 0:
                    return "".join(parts)
                continue
            parts.append(_label(token))
    return _short_subscript(cursor)


def _short_subscript(cursor: Cursor) -> str:
    """A subscript without braces: a sign and digits, digits, one command, or letters."""
    token = cursor.next()
    if token.kind == "op" and token.text in ("-", "+", "*"):
        following = cursor.peek()
        return token.text + (_label(cursor.next()) if following.kind == "num" else "")
    if token.kind == "word" and len(token.text) > 1:
        return _subscript_letters(cursor, token)
    if token.kind in ("num", "word", "name", "text", "cmd"):
        return _label(token)
    raise ReadError(f"cannot read the subscript {token.text!r}")


def _subscript_letters(cursor: Cursor, token: Token) -> str:
    """``E_cm``: the whole run in plain text; in LaTeX the first letter, unless the run is known to be one name."""
    base = cursor.peek(-3).text if cursor.at >= 3 else ""
    for length in range(len(token.text), 0, -1):
        if f"{base}_{token.text[:length]}" in cursor.choices.known:
            return _split_after(cursor, token, length)
    if cursor.choices.latex:
        return _split_after(cursor, token, 1)
    return token.text


def _split_after(cursor: Cursor, token: Token, length: int) -> str:
    if length < len(token.text):
        cursor.at -= 1
        cursor.tokens[cursor.at] = Token("word", token.text[length:])
    return token.text[:length]


def _label(token: Token) -> str:
    """How a token reads inside a subscript."""
    if token.kind == "op" and token.text == ",":
        return ""
    if token.kind == "cmd":
        if token.text in STYLES or token.text in ACCENTS or token.text in IGNORED_COMMANDS:
            return ""
        return VARIANTS.get(token.text, SYMBOL_COMMANDS.get(token.text, token.text))
    return "".join(token.text.split()).replace("\\", "")


def mark(cursor: Cursor, name: str) -> str | None:
    """A superscript that is part of the name (``*``, ``+``, primes, ``(0)``); None if it is an exponent."""
    start = cursor.at
    cursor.next()
    braced = cursor.take_op("{")
    parts: list[str] = []
    while True:
        token = cursor.peek()
        if token.kind == "op" and token.text in ("*", "+", "-", "'"):
            parts.append(token.text)
        elif token.kind == "cmd" and token.text in _DECORATING_COMMANDS:
            parts.append({"prime": "'", "ast": "*", "star": "*"}.get(token.text, token.text))
        else:
            break
        cursor.next()
        if not braced:
            if parts[0] in "+-" and cursor.peek().kind in ("num", "word"):
                break
            return parts[0]
    if braced and parts and cursor.take_op("}"):
        return "".join(parts)
    cursor.at = start
    return _bracketed_mark(cursor, name)


def _bracketed_mark(cursor: Cursor, name: str) -> str | None:
    """``p^{(0)}`` is a name; ``p^(0)`` is one only where the other value writes it so."""
    start = cursor.at
    cursor.next()
    braced = cursor.take_op("{")
    if cursor.take_op("(") and cursor.peek().kind in ("num", "word") and cursor.peek(1).text == ")":
        label = f"^({cursor.next().text})"
        cursor.next()
        if braced and cursor.take_op("}"):
            return label
        if not braced and name + label in cursor.choices.known:
            return label
    cursor.at = start
    return None


def exponent(cursor: Cursor) -> Node:
    """What stands after ``^`` or ``**``."""
    cursor.next()
    if cursor.is_op("-", "+"):
        sign = cursor.next().text
        value = exponent_operand(cursor)
        return (
            mul(num(-1), value) if sign == "-" and value.head != "num" else num(-value.value) if sign == "-" else value
        )
    return exponent_operand(cursor)


def exponent_operand(cursor: Cursor) -> Node:
    """An exponent without its sign: a group, or one operand with its own power."""
    if cursor.is_op("{"):
        return group(cursor)
    with cursor.bare_exponent():
        operand = cursor.parse(cursor, 65)
    if cursor.is_op("^", "**"):
        return power(operand, exponent(cursor))
    return operand
