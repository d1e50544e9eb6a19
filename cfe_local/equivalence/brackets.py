"""Brackets of all kinds and what is between them: groups, tuples, lists, intervals, sets, absolute values.

Not here: brackets written as commands, such as floors (``structures``).
"""

from __future__ import annotations

from cfe_local.equivalence.cursor import Cursor
from cfe_local.equivalence.scripts import subscript_text
from cfe_local.equivalence.structures import group
from cfe_local.equivalence.tokens import ReadError
from cfe_local.equivalence.tree import Node, fn, sym

_BRACKETS = {"(": (")", "]"), "[": ("]", ")")}


def bracketed(cursor: Cursor) -> Node:
    """Brackets of any kind and what is between them."""
    token = cursor.peek()
    if token.text == "{":
        inner = group(cursor)
        return Node("set", inner.args) if inner.head == "seq" else inner
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
    built = _builder(inner)
    if built is not None:
        return built
    if inner.head == "ratio" and len(inner.args) == 2 and inner.args[1].head in ("rel", "and", "or"):
        return Node("setof", inner.args)
    return Node("set", (inner,))


def _builder(inner: Node) -> Node | None:
    r"""``x : x > 2``, ``x \in R : x > 2`` and ``x \mid x > 2``, where the colon or bar binds loosest."""
    if inner.head != "rel":
        return None
    signs, args = inner.name.split(), inner.args
    if "mid" in signs:
        at = signs.index("mid")
        return _set_of(args[: at + 1], signs[:at], args[at + 1 :], signs[at + 1 :])
    for at, arg in enumerate(args):
        if arg.head == "ratio" and len(arg.args) == 2:
            before, after = arg.args
            return _set_of((*args[:at], before), signs[:at], (after, *args[at + 1 :]), signs[at:])
    return None


def _set_of(element: tuple[Node, ...], membership: list[str], args: tuple[Node, ...], signs: list[str]) -> Node | None:
    """A set builder from what stands before and after its sign; membership in the reals says nothing more."""
    if not signs or (membership and (membership != ["in"] or element[1] not in (sym("bb(R)"), sym("R")))):
        return None
    return Node("setof", (element[0], Node("rel", args, name=" ".join(signs))))
