"""Operands: numbers, symbols with their decorations, brackets, and functions with their arguments.

Not here: LaTeX commands that build structures (``structures``), operators between operands (``grammar``).
"""

from __future__ import annotations

from fractions import Fraction

from cfe_local.equivalence.cursor import Cursor
from cfe_local.equivalence.names import (
    ACCENTS,
    DOTS,
    FUNCTIONS,
    GREEK,
    IGNORED_COMMANDS,
    INVERSES,
    PREFIX_FUNCTIONS,
    STYLES,
    SYMBOL_COMMANDS,
    VARIANTS,
)
from cfe_local.equivalence.structures import COMMANDS, differential, environment, group
from cfe_local.equivalence.tokens import ReadError, Token
from cfe_local.equivalence.tree import INF, PI, Node, div, fn, mul, num, power, raised, sym

_WORD_CONSTANTS = {"pi": PI, "infty": INF, "infinity": INF, "inf": INF, "oo": INF}
_DECORATING_COMMANDS = frozenset({"ast", "star", "dagger", "prime", "circ", "top", "intercal", "perp", "parallel"})
_BRACKETS = {"(": (")", "]"), "[": ("]", ")")}


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
        return _bracketed(cursor)
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
    argument = _bracketed(cursor)
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


# ---------------------------------------------------------------- symbols and their decorations


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


def _decorated(cursor: Cursor, name: str) -> Node:
    """A symbol with what is written on it: subscript, primes, stars and signs as superscripts."""
    following = cursor.peek()
    if following.kind == "num" and not following.spaced and following.ulp is None and name not in ("e", "i"):
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
            mark = _mark(cursor, name + subscript)
            if mark is None:
                exponent = _exponent(cursor)
            else:
                marks += mark
        else:
            break
    symbol = sym(name + subscript + marks)
    node = symbol if exponent is None else power(symbol, exponent)
    return _applied(cursor, node, symbol, exponent)


def _mark(cursor: Cursor, name: str) -> str | None:
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


def _exponent(cursor: Cursor) -> Node:
    """What stands after ``^`` or ``**``."""
    cursor.next()
    if cursor.is_op("-", "+"):
        sign = cursor.next().text
        value = _exponent_operand(cursor)
        return (
            mul(num(-1), value) if sign == "-" and value.head != "num" else num(-value.value) if sign == "-" else value
        )
    return _exponent_operand(cursor)


def _exponent_operand(cursor: Cursor) -> Node:
    if cursor.is_op("{"):
        return group(cursor)
    operand = atom(cursor)
    if cursor.is_op("^", "**"):
        return power(operand, _exponent(cursor))
    return operand


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
    mark = _mark(cursor, "")
    if mark is not None and set(mark) == {"'"}:
        return Node("deriv", (base,), value=Fraction(len(mark)))
    if mark is not None:
        return Node("call", (base,), name=f"^{mark}")
    return raised(base, _exponent(cursor))


def _applied(cursor: Cursor, node: Node, symbol: Node, exponent: Node | None) -> Node:
    """``f(x)``: an application that may turn out to be a product; decided when both values are known."""
    if exponent is not None or not cursor.is_op("(") or symbol.name in ("e", "i", "j"):
        return node
    argument = _bracketed(cursor)
    if argument.head == "interval":
        raise ReadError("a symbol before an interval")
    return Node("apply", (symbol, *(argument.args if argument.head == "tuple" else (argument,))))


# ---------------------------------------------------------------- commands


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
        name = _accented(cursor, text)
        if name == "cal(O)" and cursor.is_op("("):
            return Node("bigo", (_bracketed(cursor),), name="O")
        return _decorated(cursor, name)
    if text == "Delta" and _is_difference(cursor):
        inner = atom_name(cursor)
        return _decorated(cursor, f"Delta {inner}")
    if text in ("Theta", "Omega") and _growth_follows(cursor):
        return Node("bigo", (_bracketed(cursor),), name=text)
    if text in GREEK:
        return _decorated(cursor, text)
    if text in SYMBOL_COMMANDS:
        return _decorated(cursor, SYMBOL_COMMANDS[text])
    raise ReadError(f"unknown command \\{token.text}")


def _growth_follows(cursor: Cursor) -> bool:
    """``\\Theta(n ...)`` at the start of the value is a class; elsewhere Theta is a symbol."""
    return cursor.at == 1 and cursor.is_op("(") and cursor.tokens[-1].text in (")", "}")


def _is_difference(cursor: Cursor) -> bool:
    """``\\Delta t`` is one symbol where a letter follows."""
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


# ---------------------------------------------------------------- brackets


def _bracketed(cursor: Cursor) -> Node:
    """Brackets of any kind and what is between them."""
    token = cursor.peek()
    if token.text in ("{",):
        return group(cursor)
    if token.text in ("|", "\\|"):
        return _bars(cursor)
    if token.text == "\\{":
        cursor.next()
        return _braces(cursor)
    if token.text not in _BRACKETS:
        raise ReadError(f"cannot read from {token.text!r} on")
    cursor.next()
    if cursor.peek().text in _BRACKETS[token.text] and cursor.peek().kind == "op":
        cursor.next()
        return Node("tuple")
    with cursor.outside_bars():
        inner = cursor.parse(cursor, 0)
    closing = cursor.next()
    if closing.kind != "op" or closing.text not in _BRACKETS[token.text]:
        raise ReadError(f"{token.text!r} without its partner")
    return _between(inner, token.text + closing.text)


def _between(inner: Node, brackets: str) -> Node:
    if inner.head == "seq":
        if len(inner.args) == 2 and brackets in ("(]", "[)"):
            return Node("interval", inner.args, name=brackets)
        if brackets not in ("()", "[]"):
            raise ReadError(f"brackets {brackets} around a list")
        return Node("tuple" if brackets == "()" else "list", inner.args)
    if brackets not in ("()", "[]"):
        raise ReadError(f"brackets {brackets} around one value")
    if brackets == "[]" and inner.head == "list":
        return Node("list", (inner,))
    # Brackets around ``a(b)`` keep an outer power from being taken for a power of (b).
    return Node("mul", (inner,)) if inner.head == "apply" else inner


def _bars(cursor: Cursor) -> Node:
    opening = cursor.next().text
    with cursor.inside_bars():
        inner = cursor.parse(cursor, 10)
    cursor.expect(opening)
    norm = opening == "\\|" or inner.head in ("matrix",)
    if norm and cursor.take_op("_"):
        return Node("call", (inner,), name=f"norm_{subscript_text(cursor)}")
    return fn("norm" if norm else "abs", inner)


def _braces(cursor: Cursor) -> Node:
    """A set, a set builder, or braces used as brackets (a set of one, undone by arithmetic)."""
    if cursor.take_op("\\}"):
        return Node("set")
    with cursor.outside_bars():
        inner = cursor.parse(cursor, 0)
    cursor.expect("\\}")
    if inner.head == "seq":
        return Node("set", inner.args)
    if inner.head == "bar":
        return Node("setof", inner.args)
    if inner.head == "ratio" and len(inner.args) == 2 and inner.args[1].head in ("rel", "and", "or"):
        return Node("setof", inner.args)
    return Node("set", (inner,))


# ---------------------------------------------------------------- functions


def function(cursor: Cursor, name: str) -> Node:
    """A known function: its power and base, then its argument with or without brackets."""
    if name == "sqrt" and (cursor.is_op("(") or cursor.is_op("{")):
        return power(_single_argument(cursor, name), num(Fraction(1, 2)))
    if name in ("sqrt", "cbrt"):
        return power(atom(cursor), num(Fraction(1, 2 if name == "sqrt" else 3)))
    exponent: Node | None = None
    base: Node | None = None
    while cursor.is_op("^", "_", "**"):
        if cursor.is_op("_"):
            cursor.next()
            base = group(cursor)
        else:
            exponent = _exponent(cursor)
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
        inner = _bracketed(cursor)
        if inner.head in ("tuple", "list", "set", "seq") and inner.args:
            return inner.args
        return (inner,)
    if cursor.is_op("-"):
        cursor.next()
        return (mul(num(-1), atom(cursor)),)
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
    node = atom(cursor)
    while cursor.is_op("^", "**", "!"):
        if cursor.is_op("!"):
            cursor.next()
            node = fn("factorial", node)
        else:
            node = power_exponent(cursor, node)
    return node


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
