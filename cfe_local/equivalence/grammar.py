r"""The operator grammar: a Pratt parser over tokens, from lists and logic down to powers.

Binding powers, loosest first:

    2 ; \\   5 ,   8 or   10 and   12 implies, iff   20 relations   26 set operations   30 + -   35 mod   40 * /
    60 ^   70 ! % '

Not here: what can stand as an operand (``atoms``), nor which of several readings is meant.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from cfe_local.equivalence.atoms import atom, power_exponent
from cfe_local.equivalence.cursor import Choices, Cursor
from cfe_local.equivalence.names import (
    LOGIC_COMMANDS,
    PRODUCT_COMMANDS,
    RELATION_COMMANDS,
    RELATION_SIGNS,
    SET_COMMANDS,
)
from cfe_local.equivalence.tokens import ReadError, Token, tokenize
from cfe_local.equivalence.tree import Node, add, div, fn, mul, neg, num

_LOGIC_WORDS = {"or": ("or", 8), "and": ("and", 10), "xor": ("xor", 8), "implies": ("implies", 12), "iff": ("iff", 12)}
_LOGIC_POWERS = {"or": 8, "and": 10, "xor": 9, "implies": 12, "iff": 12}
_POSTFIX = 70


def parse_text(text: str, choices: Choices) -> tuple[Node, frozenset[str]]:
    """Read a cleaned text wholly.

    Returns:
        The tree, and the names of the choices that mattered (``slash``, ``loose slash``, ``argument``).

    Raises:
        ReadError: If it is not mathematics, or if anything is left over.
        LimitError: If it is too long or too deep.
    """
    cursor = Cursor(tokenize(text), choices, parse)
    if cursor.at_end():
        raise ReadError("nothing to read")
    node = parse(cursor, 0)
    if cursor.peek().kind != "eof":
        raise ReadError(f"cannot read from {cursor.peek().text!r} on")
    return node, frozenset(cursor.ambiguous)


def parse(cursor: Cursor, floor: int) -> Node:
    """Read an expression whose operators bind tighter than ``floor``."""
    with cursor.nested():
        left = _prefix(cursor)
        while not cursor.at_end():
            operator = infix(cursor)
            if operator is None:
                raise ReadError(f"cannot read from {cursor.peek().text!r} on")
            kind, name, binding = operator
            if binding <= floor:
                break
            left = _infix(cursor, left, kind, name, binding)
        return left


def _prefix(cursor: Cursor) -> Node:
    """A sign, a negation, a leading relation, or an operand."""
    token = cursor.peek()
    if token.kind == "op" and token.text in ("-", "+"):
        cursor.next()
        operand = parse(cursor, 39)
        return operand if token.text == "+" else neg(operand)
    if token.kind == "cmd" and token.text in ("pm", "mp"):
        cursor.next()
        return Node("pm", (num(0), parse(cursor, 39)), name="+-" if token.text == "pm" else "-+")
    if (token.kind == "cmd" and token.text in ("lnot", "neg")) or (token.kind == "op" and token.text == "~"):
        return _negation(cursor)
    sign = relation(token)
    if sign is not None and sign != "mid":
        cursor.next()
        return Node("rel", (Node("none"), parse(cursor, 20)), name=sign)
    return atom(cursor)


def _negation(cursor: Cursor) -> Node:
    """``~x``: about, where a number follows; else not."""
    token = cursor.next()
    if token.text == "~" and (cursor.peek().kind == "num" or cursor.is_op("-", "$")):
        return Node("rel", (Node("none"), parse(cursor, 20)), name="~")
    return Node("not", (parse(cursor, 45),))


def relation(token: Token) -> str | None:
    """The relation that a token stands for."""
    if token.kind == "cmd":
        return RELATION_COMMANDS.get(token.text)
    if token.kind == "op":
        return RELATION_SIGNS.get(token.text)
    if token.kind == "word" and token.text == "in":
        return "in"
    return None


def infix(cursor: Cursor) -> tuple[str, str, int] | None:
    """Kind, name and binding power of the operator that is next; juxtaposition counts as one."""
    token = cursor.peek()
    if token.kind == "op":
        found = _infix_sign(cursor, token)
    elif token.kind == "cmd":
        found = _infix_command(cursor, token)
    else:
        found = _infix_word(cursor, token)
    if found is not None:
        return found
    sign = relation(token)
    if sign is not None:
        return ("implies", "implies", 12) if sign == "implies" else ("relation", sign, 20)
    return ("juxtaposition", "", _juxtaposition_power(cursor)) if starts_operand(cursor) else None


def _infix_sign(cursor: Cursor, token: Token) -> tuple[str, str, int] | None:
    text = token.text
    if text in (";", "\\\\"):
        return "separator", text, 2
    if text == ",":
        return "comma", text, 5
    if text in ("+", "-"):
        return "sum", text, 30
    if text in ("*", "/"):
        return "product", text, 40
    if text in ("^", "**"):
        return "power", text, 60
    if text in ("!", "%", "\\%", "'"):
        return "postfix", text, _POSTFIX
    if text == "&":
        return "logic", "and", 10
    if text == "|" and cursor.in_bars == 0 and _bars_ahead(cursor) % 2 == 1:
        return "bar", text, 8
    return ("ratio", text, 25) if text == ":" else None


def _bars_ahead(cursor: Cursor) -> int:
    """Number of bars from here to the end of these brackets: an odd one is a separator, not an absolute value."""
    level = count = ahead = 0
    while (token := cursor.peek(ahead)).kind != "eof":
        if token.kind == "op":
            level += token.text in ("(", "[", "{", "\\{")
            level -= token.text in (")", "]", "}", "\\}")
            count += level == 0 and token.text == "|"
        if level < 0:
            break
        ahead += 1
    return count


def _infix_command(cursor: Cursor, token: Token) -> tuple[str, str, int] | None:
    text = token.text
    if text in ("pm", "mp"):
        return "sum", text, 30
    if text in PRODUCT_COMMANDS or text == "div":
        return "product", "/" if text == "div" else "*", 40
    if text in ("bmod", "mod", "pmod"):
        return "mod", text, 35 if text != "pmod" else 22
    if text in LOGIC_COMMANDS:
        name = LOGIC_COMMANDS[text]
        return "logic", name, _LOGIC_POWERS[name]
    if text in SET_COMMANDS:
        return "sets", SET_COMMANDS[text], 26
    if text in ("choose", "times", "otimes", "wedge"):
        return text, text, 40
    if text in ("cdots", "ldots", "dots") and cursor.at > 0:
        return None
    return None


def _infix_word(cursor: Cursor, token: Token) -> tuple[str, str, int] | None:
    word = token.text.strip(" ,").lower() if token.kind == "text" else token.text
    if token.kind in ("text", "word", "name") and word in _LOGIC_WORDS:
        name, binding = _LOGIC_WORDS[word]
        return "logic", name, binding
    if token.kind in ("word", "name", "text") and word == "mod":
        return "mod", "mod", 35
    if token.kind == "word" and word in ("x", "X") and _times_letter(cursor):
        return "product", "*", 40
    return None


def _times_letter(cursor: Cursor) -> bool:
    """``1.34 x 10^3``: the letter x as a times sign, between a number and a power of ten."""
    before, after = cursor.peek(-1) if cursor.at else cursor.peek(), cursor.peek(1)
    return before.kind == "num" and after.kind == "num" and after.text == "10" and cursor.peek(2).text in ("^", "**")


def starts_operand(cursor: Cursor) -> bool:
    """Whether the next token can begin an operand that is multiplied by the one before."""
    token = cursor.peek()
    if token.kind in ("num", "word", "name", "begin"):
        return True
    if token.kind == "op":
        return token.text in ("(", "[", "{", "\\{", "|", "\\|")
    return token.kind == "cmd"


def _juxtaposition_power(cursor: Cursor) -> int:
    """A factor written tightly after a slash may bind tighter than the slash."""
    if not cursor.choices.tight_slash or cursor.is_op("(", "["):
        return 40
    return 40 if _is_spaced(cursor) and not cursor.choices.loose_slash else 41


def _is_spaced(cursor: Cursor) -> bool:
    """Whether a blank stands before the next factor; the blanks of LaTeX do not print."""
    return cursor.peek().spaced and not cursor.choices.latex


def _infix(cursor: Cursor, left: Node, kind: str, name: str, binding: int) -> Node:  # noqa: C901
    """Apply one operator. A dispatch over the kinds of operators, one line each."""
    if kind == "juxtaposition":
        return _juxtapose(cursor, left)
    if kind == "power":
        return power_exponent(cursor, left)
    if kind == "postfix":
        return _postfix(cursor, left, name)
    cursor.next()
    if kind in ("separator", "comma"):
        return _sequence(cursor, left, name, binding)
    if kind == "sum":
        return _sum(cursor, left, name)
    if kind == "product":
        return _product(cursor, left, name)
    if kind == "relation":
        return _relation(cursor, left, name)
    if kind == "mod":
        return _mod(cursor, left, name)
    if kind == "choose":
        return fn("binom", left, parse(cursor, 40))
    if kind == "bar":
        return Node("bar", (left, parse(cursor, binding)))
    if kind == "logic":
        return _flatten(name, left, parse(cursor, binding))
    if kind == "sets":
        return _flatten(name, left, parse(cursor, binding))
    if kind == "ratio":
        return _flatten("ratio", left, parse(cursor, binding))
    raise ReadError(f"cannot read the operator {name!r}")


def _flatten(head: str, left: Node, right: Node) -> Node:
    """An n-ary node; minus and implies are not associative and stay binary."""
    if left.head == head and head not in ("minus", "implies"):
        return Node(head, (*left.args, right))
    return Node(head, (left, right))


def _sequence(cursor: Cursor, left: Node, name: str, binding: int) -> Node:
    """``a, b, and c``; a comma at the end is punctuation."""
    token = cursor.peek()
    if token.kind in ("text", "word") and token.text.strip().lower() in ("and", "or") and name == ",":
        cursor.next()
        cursor.take_op(",")
    if cursor.at_end():
        return left
    right = parse(cursor, binding)
    head = "seq" if name == "," else "rows"
    if left.head == head:
        return Node(head, (*left.args, right))
    return Node(head, (left, right))


def _sum(cursor: Cursor, left: Node, name: str) -> Node:
    right = parse(cursor, 30)
    if name in ("pm", "mp"):
        return Node("pm", (left, right), name="+-" if name == "pm" else "-+")
    return add(left, right if name == "+" else neg(right))


def _product(cursor: Cursor, left: Node, name: str) -> Node:
    start = cursor.at
    right = parse(cursor, 40)
    if name == "*":
        return mul(left, right)
    if cursor.peek().kind in ("word", "name", "cmd") and starts_operand(cursor):
        operator = infix(cursor)
        if operator is not None and operator[0] == "juxtaposition":
            cursor.ambiguous.add("loose slash" if _is_spaced(cursor) else "slash")
    if cursor.at > start + 1 and cursor.choices.tight_slash:
        cursor.ambiguous.add("slash")
    return div(left, right)


def _relation(cursor: Cursor, left: Node, name: str) -> Node:
    right = parse(cursor, 20)
    if left.head == "rel":
        return replace(left, args=(*left.args, right), name=f"{left.name} {name}")
    return Node("rel", (left, right), name=name)


def _mod(cursor: Cursor, left: Node, name: str) -> Node:
    if name == "pmod":
        modulus = atom(cursor)
        return Node("congruent", (left, modulus))
    return fn("mod", left, parse(cursor, 35))


def _postfix(cursor: Cursor, left: Node, name: str) -> Node:
    cursor.next()
    if name in ("%", "\\%"):
        return Node("percent", (left,))
    if name == "'":
        return Node("deriv", (left,), value=Fraction(1))
    if cursor.is_op("!") and not cursor.peek().spaced:
        cursor.next()
        return fn("factorial2", left)
    return fn("factorial", left)


def _juxtapose(cursor: Cursor, left: Node) -> Node:
    """Multiply by the next factor; a whole number before a proper fraction is a mixed number."""
    token = cursor.peek()
    if left.head == "num" and token.kind == "num":
        return _mixed_plain(cursor, left)
    is_fraction = token.kind == "cmd" and token.text in ("frac", "dfrac", "tfrac", "cfrac")
    right = parse(cursor, 40 if not cursor.choices.tight_slash else 41)
    if is_fraction and _is_mixed(left, right):
        return add(left, right)
    if left.head == "mul" and left.args[-1].head == "num" and is_fraction and _is_mixed(left.args[-1], right):
        return mul(*left.args[:-1], add(left.args[-1], right))
    return mul(left, right)


def _mixed_plain(cursor: Cursor, left: Node) -> Node:
    """``1 1/4``: a whole number, a blank, and a fraction of whole numbers."""
    top = atom(cursor)
    if cursor.take_op("/") and cursor.peek().kind == "num":
        bottom = atom(cursor)
        fraction = div(top, bottom)
        if _is_mixed(left, fraction):
            return add(left, fraction)
    raise ReadError("two numbers side by side")


def _is_mixed(whole: Node, fraction: Node) -> bool:
    if whole.head != "num" or whole.ulp is not None or whole.value.denominator != 1 or fraction.head != "mul":
        return False
    if len(fraction.args) != 2 or fraction.args[1].head != "pow":
        return False
    top, bottom = fraction.args[0], fraction.args[1].args[0]
    plain = all(part.head == "num" and part.ulp is None for part in (top, bottom))
    return plain and 0 < top.value < bottom.value
