"""Operands: numbers, symbols with their decorations, brackets, and functions with their arguments.

Not here: LaTeX commands that build structures (``structures``), operators between operands (``grammar``).
"""

from __future__ import annotations

from fractions import Fraction

from cfe_local.equivalence.applying import function
from cfe_local.equivalence.brackets import bracketed
from cfe_local.equivalence.cursor import Cursor
from cfe_local.equivalence.names import (
    ACCENTS,
    DOTS,
    FUNCTIONS,
    GREEK,
    IGNORED_COMMANDS,
    STYLES,
    SYMBOL_COMMANDS,
    VARIANTS,
)
from cfe_local.equivalence.scripts import exponent as read_exponent
from cfe_local.equivalence.scripts import mark as read_mark
from cfe_local.equivalence.scripts import subscript_text
from cfe_local.equivalence.structures import COMMANDS, differential, environment, group
from cfe_local.equivalence.tokens import ReadError, Token
from cfe_local.equivalence.tree import INF, PI, Node, fn, num, power, raised, sym

_WORD_CONSTANTS = {"pi": PI, "infty": INF, "infinity": INF, "inf": INF, "oo": INF}


def atom(cursor: Cursor) -> Node:
    """Read one operand with its subscripts and superscripts, but without what multiplies it.

    Raises:
        ReadError: If no operand can start here.
    """
    token = cursor.peek()
    if token.kind == "num":
        return _number(cursor)
    if token.kind == "word":
        return _word(cursor)
    if token.kind == "name":
        return _name(cursor)
    if token.kind == "begin":
        return environment(cursor)
    if token.kind == "cmd":
        return _command(cursor)
    if token.kind == "op":
        return bracketed(cursor)
    raise ReadError(f"words in a formula: {token.text!r}")


def _number(cursor: Cursor) -> Node:
    token = cursor.next()
    node = num(token.value, token.ulp)
    if cursor.is_op("_"):
        return _in_base(cursor, token)
    return node


def _in_base(cursor: Cursor, token: Token) -> Node:
    """``204_5``: digits in a base from 2 to 36."""
    cursor.next()
    base = group(cursor)
    if base.head != "num" or base.value.denominator != 1 or not 2 <= base.value <= 36:
        raise ReadError("a number with a subscript that is no base")
    try:
        return num(int(token.text, int(base.value)))
    except ValueError as error:
        raise ReadError(str(error)) from error


def _word(cursor: Cursor) -> Node:
    """A run of letters: a function, a constant, a symbol, or several of them."""
    mark = differential(cursor)
    if mark is not None:
        return mark
    cursor.split_word()
    token = cursor.peek()
    text = token.text
    if text in cursor.choices.known:
        cursor.next()
        return _decorated(cursor, text)
    if text in FUNCTIONS:
        cursor.next()
        return function(cursor, FUNCTIONS[text])
    if text in _WORD_CONSTANTS:
        cursor.next()
        return _WORD_CONSTANTS[text]
    if text in ("O", "o") and _is_growth(cursor):
        return _growth(cursor, text)
    if text == "C" and cursor.peek(1).text == "_":
        combination = _combination(cursor)
        if combination is not None:
            return combination
    cursor.next()
    return _decorated(cursor, VARIANTS.get(text, text))


def _name(cursor: Cursor) -> Node:
    """An upright run of letters: a function, or one symbol."""
    mark = differential(cursor)
    if mark is not None:
        return mark
    token = cursor.next()
    text = token.text
    if text in FUNCTIONS and text not in ("lg",):
        return function(cursor, FUNCTIONS[text])
    if text in ("O", "o") and cursor.is_op("("):
        cursor.at -= 1
        return _growth(cursor, text)
    return _decorated(cursor, text)


def _is_growth(cursor: Cursor) -> bool:
    following = cursor.peek(1)
    return following.kind == "op" and following.text in ("(", "[")


def _growth(cursor: Cursor, name: str) -> Node:
    """``O(n log n)``."""
    cursor.next()
    argument = bracketed(cursor)
    return Node("bigo", (argument,), name=name)


def _combination(cursor: Cursor) -> Node | None:
    """``C_n^k``: n choose k; a plain subscript is left for the symbol."""
    start = cursor.at
    cursor.next()
    cursor.next()
    lower = group(cursor)
    if cursor.take_op("^") and lower.head in ("num", "sym"):
        upper = group(cursor)
        if upper.head in ("num", "sym"):
            return fn("binom", lower, upper)
    cursor.at = start
    return None


def _decorated(cursor: Cursor, name: str) -> Node:
    """A symbol with what is written on it: subscript, primes, stars and signs as superscripts."""
    following = cursor.peek()
    if following.kind == "num" and not following.spaced and following.ulp is None and _is_index(cursor, name):
        cursor.next()
        name = f"{name}_{following.text}"
    marks = "'" * (len(name) - len(name.rstrip("'")))
    name = name.rstrip("'")
    subscript = ""
    exponent: Node | None = None
    while True:
        if cursor.is_op("_") and not subscript:
            cursor.next()
            subscript = "_" + subscript_text(cursor)
        elif cursor.is_op("'"):
            cursor.next()
            marks += "'"
        elif cursor.is_op("^") and exponent is None:
            mark = read_mark(cursor, name + subscript)
            if mark is None:
                exponent = read_exponent(cursor)
            else:
                marks += mark
        else:
            break
    symbol = sym(name + subscript + marks)
    node = symbol if exponent is None else power(symbol, exponent)
    return _applied(cursor, node, symbol, exponent)


def _is_index(cursor: Cursor, name: str) -> bool:
    """Whether digits that touch a letter are its index: ``x2``, but ``j5`` is 5 j unless the other value has j_5."""
    return name not in ("e", "i") and (name != "j" or f"j_{cursor.peek().text}" in cursor.choices.known)


def power_exponent(cursor: Cursor, base: Node) -> Node:
    """``base ^ exponent``, where base is more than a symbol; a degree sign turns a number into an angle."""
    if cursor.peek(1).kind == "cmd" and cursor.peek(1).text in ("circ", "degree"):
        cursor.at += 2
        return Node("degrees", (base,))
    if cursor.peek(1).text == "{" and cursor.peek(2).text in ("circ", "degree") and cursor.peek(3).text == "}":
        cursor.at += 4
        return Node("degrees", (base,))
    if cursor.peek(1).text == "{" and cursor.peek(2).text in ("T", "top") and base.head == "matrix":
        cursor.at += 4
        return Node("transpose", (base,))
    if cursor.peek(1).text in ("T", "top") and base.head == "matrix":
        cursor.at += 2
        return Node("transpose", (base,))
    mark = read_mark(cursor, "")
    if mark is not None and set(mark) == {"'"}:
        return Node("deriv", (base,), value=Fraction(len(mark)))
    if mark is not None:
        return Node("call", (base,), name=f"^{mark}")
    return raised(base, read_exponent(cursor))


def _applied(cursor: Cursor, node: Node, symbol: Node, exponent: Node | None) -> Node:
    """``f(x)``: an application that may turn out to be a product; decided when both values are known."""
    if exponent is not None or not cursor.is_op("(") or symbol.name in ("e", "i", "j"):
        return node
    if cursor.in_bare_exponent and (cursor.choices.latex or symbol.name not in ("f", "g", "h")):
        return node
    argument = bracketed(cursor)
    if argument.head == "interval":
        raise ReadError("a symbol before an interval")
    return Node("apply", (symbol, *(argument.args if argument.head == "tuple" else (argument,))))


def _command(cursor: Cursor) -> Node:
    """An operand that begins with a backslash."""
    token = cursor.peek()
    text = VARIANTS.get(token.text, token.text)
    if text in IGNORED_COMMANDS:
        cursor.next()
        return atom(cursor)
    if text in COMMANDS:
        return COMMANDS[text](cursor)
    cursor.next()
    if text in ("pi", "infty"):
        return _WORD_CONSTANTS[text] if not cursor.is_op("_") else _decorated(cursor, text)
    if text in FUNCTIONS:
        return function(cursor, FUNCTIONS[text])
    if text in ACCENTS or text in STYLES or text in DOTS:
        return _accented_symbol(cursor, text)
    if text == "Delta" and _is_difference(cursor):
        inner = atom_name(cursor)
        return _decorated(cursor, f"Delta {inner}")
    if text in ("Theta", "Omega") and _growth_follows(cursor):
        return Node("bigo", (bracketed(cursor),), name=text)
    if text in GREEK:
        return _decorated(cursor, text)
    if text in SYMBOL_COMMANDS:
        return _decorated(cursor, SYMBOL_COMMANDS[text])
    raise ReadError(f"unknown command \\{token.text}")


def _accented_symbol(cursor: Cursor, command: str) -> Node:
    name = _accented(cursor, command)
    if name == "cal(O)" and cursor.is_op("("):
        return Node("bigo", (bracketed(cursor),), name="O")
    return _decorated(cursor, name)


def _growth_follows(cursor: Cursor) -> bool:
    r"""``\Theta(n ...)`` at the start of the value is a class; elsewhere Theta is a symbol."""
    return cursor.at == 1 and cursor.is_op("(") and cursor.tokens[-1].text in (")", "}")


def _is_difference(cursor: Cursor) -> bool:
    r"""``\Delta t`` is one symbol where a letter follows."""
    token = cursor.peek()
    if token.kind == "word":
        return True
    return token.kind == "cmd" and (token.text in GREEK or token.text in VARIANTS) and token.text != "pi"


def atom_name(cursor: Cursor) -> str:
    """The bare name of the symbol that is next.

    Raises:
        ReadError: If no plain symbol is next.
    """
    token = cursor.peek()
    if token.kind == "word":
        cursor.split_word()
        return cursor.next().text
    cursor.next()
    if token.kind == "name":
        return token.text
    if token.kind == "num":
        return token.text
    text = VARIANTS.get(token.text, token.text)
    if token.kind == "cmd" and (text in GREEK or text in SYMBOL_COMMANDS):
        return SYMBOL_COMMANDS.get(text, text)
    raise ReadError(f"expected a symbol, found {token.text!r}")


def _accented(cursor: Cursor, command: str) -> str:
    """The name of a letter with an accent or in a type face: ``hat(x)``, ``bold(F)``; dots are primes in time."""
    braced = cursor.take_op("{")
    token = cursor.peek()
    if token.kind == "cmd" and (token.text in ACCENTS or token.text in STYLES or token.text in DOTS):
        cursor.next()
        name = _accented(cursor, token.text)
    else:
        name = _accented_letters(cursor) if braced else atom_name(cursor)
    if braced:
        if cursor.is_op("_"):
            cursor.next()
            name += "_" + subscript_text(cursor)
        cursor.expect("}")
    if command in DOTS:
        return name + "'" * DOTS[command]
    style = ACCENTS.get(command, STYLES.get(command, ""))
    return f"{style}({name})" if style else name


def _accented_letters(cursor: Cursor) -> str:
    """Everything in the braces of an accent, as one name."""
    name = atom_name(cursor)
    while cursor.peek().kind in ("word", "name", "num"):
        name += cursor.next().text
    return name
