r"""From a tree to a typed value: what is the value itself, what is only its name, its conditions, another form of it.

``x = 1/3 \approx 0.333`` is the value 1/3 with the name x and another form 0.333; ``B = ..., r > R`` has a
condition; ``f = 0`` about an unknown f is an equation as well as a value of f.

Not here: reading texts (``reading``), comparing values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cfe_local.equivalence.tree import MINUS_ONE, NONE, Node, has_head, is_number, symbols, walk

_RELATION_HEADS = frozenset({"rel", "and", "or", "not", "implies", "iff", "xor", "congruent", "bar"})
_SET_HEADS = frozenset({"union", "inter", "minus", "setof", "interval"})
_EXPRESSION_HEADS = frozenset(
    {"num", "sym", "const", "add", "mul", "pow", "pm", "fn", "call", "apply", "int", "sum", "prod", "lim", "deriv",
     "percent", "degrees", "phase", "cases"}
)  # fmt: skip
_BOUNDS = frozenset({"<", ">", "<=", ">=", "!=", "->", "<<", ">>", "in"})
_STATED = ("=", "~", "cong", "==")


@dataclass(frozen=True, slots=True)
class Value:
    """A typed value.

    Attributes:
        kind: expression, quantity, equation, relation, set, tuple, list, interval, matrix, growth, boolean, text.
        node: The value.
        name: What the text calls it, if it says ``name = value``.
        others: Further forms of the same value that the text gives, such as a rounded decimal.
        given: Definitions that the text adds (``with a = b + c``).
        conditions: Where the text says the value holds.
        note: Words in brackets after the value.
        doubt: Why this reading is possible but not the usual one; empty for a usual one.
    """

    kind: str
    node: Node
    name: Node | None = None
    others: tuple[Node, ...] = ()
    given: tuple[Node, ...] = ()
    conditions: tuple[Node, ...] = ()
    note: str = ""
    doubt: str = ""


def shape(node: Node) -> Value:
    """The typed value that a tree states."""
    if node.head in ("seq", "rows"):
        return _listed(node)
    if node.head == "rel":
        return _related(node)
    if node.head in ("and", "or") and not any(arg.head in _RELATION_HEADS - {"rel"} for arg in node.args):
        gathered = _gathered(node)
        if gathered is not None:
            return gathered
    return Value(_kind(node), node)


def _gathered(node: Node) -> Value | None:
    """``a and b`` about values, ``x = a or x = b`` about one name: a set; None for a statement."""
    shaped = [shape(arg) for arg in node.args]
    names = {value.name for value in shaped if value.name is not None}
    if any(value.kind in ("relation", "equation") for value in shaped):
        return None
    if any(value.node.head == "sym" and value.name is None for value in shaped) and node.head == "or":
        return None
    if names and (len(names) > 1 or (node.head == "and" and any(value.name is None for value in shaped[:1]))):
        return None
    if node.head == "and" and len(names) == 1 and all(value.name is not None for value in shaped):
        return None
    members = tuple(value.node for value in shaped)
    return Value("set", Node("set", members, name=node.head), name=next(iter(names), None))


def _kind(node: Node) -> str:
    if node.head in ("set", "tuple", "list", "matrix", "quantity", "interval"):
        return node.head
    if node.head == "bigo":
        return "growth"
    if node.head == "transpose":
        return "matrix"
    if node.head in _SET_HEADS:
        return "interval"
    if node.head in _RELATION_HEADS:
        return "relation"
    if node.head in _EXPRESSION_HEADS and has_head(node, "matrix"):
        return "matrix"
    return "expression" if node.head in _EXPRESSION_HEADS else node.head


def is_name(node: Node) -> bool:
    """Whether a tree can be the name of a value: a symbol, a function of simple arguments, a sum of one, a tuple."""
    if node.head == "sym":
        return True
    if node.head == "apply":
        return all(arg.head not in _RELATION_HEADS for arg in node.args)
    if node.head in ("call", "fn"):
        return (
            (node.name in ("abs", "max", "min", "mean") or node.name.startswith("norm"))
            and len(node.args) == 1
            and is_name(node.args[0])
        )
    if node.head in ("sum", "deriv"):
        return is_name(node.args[0])
    if node.head == "mul" and len(node.args) == 2:
        top, bottom = node.args
        return bottom.head == "pow" and bottom.args[1] == MINUS_ONE and is_name(top) and is_name(_alone(bottom.args[0]))
    return node.head in ("tuple", "ratio") and bool(node.args) and all(is_name(arg) for arg in node.args)


def _alone(node: Node) -> Node:
    return node.args[0] if node.head == "mul" and len(node.args) == 1 else node


def _related(node: Node) -> Value:
    signs = node.name.split()
    if signs == ["->"] and node.args[0].head == "apply":
        signs = ["~"]
    if all(sign in _STATED for sign in signs):
        return _stated(node, signs)
    if signs == ["in"] and node.args[0].head in ("sym", "tuple"):
        inner = shape(node.args[1])
        kind = "membership" if inner.kind == "expression" else inner.kind
        return replace(inner, kind=kind, name=node.args[0])
    if node.args[0] != NONE and signs[-1] in _STATED and len(signs) > 1:
        kept = Node("rel", node.args[:-1], name=" ".join(signs[:-1]))
        return Value("relation", kept, others=(Node("rel", (*node.args[:-2], node.args[-1]), name=kept.name),))
    return Value("relation", node)


def _stated(node: Node, signs: list[str]) -> Value:
    """``a = b = c``: a name and its value, several forms of a value, or an equation."""
    first, *rest = node.args
    if first == NONE:
        return shape(rest[0])
    own_name = is_name(first) and not _shared(first, rest)
    if own_name or (is_name(first) and len(rest) == 1 and rest[0].head == "bigo"):
        inner = shape(rest[0])
        if inner.kind != "relation":
            return replace(inner, name=first, others=tuple(rest[1:]))
    if len(rest) == 1 and is_name(rest[0]) and rest[0].head == "sym" and not _shared(rest[0], [first]):
        return replace(shape(first), name=rest[0])
    if len(rest) == 1 and signs[0] == "=" and symbols(node):
        return Value("equation", node)
    if "~" in signs or not symbols(node):
        return replace(shape(first), others=tuple(rest))
    return Value("equation", node) if len(rest) == 1 else replace(shape(first), others=tuple(rest))


def _shared(name: Node, rest: list[Node]) -> bool:
    """Whether the name occurs in what should be its value: then it is an equation for it."""
    own = {name.name} if name.head == "sym" else {here.name for here in walk(name) if here.head == "sym"}
    head = name.args[0].name if name.head == "apply" else None
    for node in rest:
        names = symbols(node)
        if head is not None:
            applied = any(here.head == "apply" and here.args[0].name == head for here in walk(node))
            if head in names or applied:
                return True
        elif (name.head == "sym" and own & names) or (name.head not in ("sym", "apply") and name in set(walk(node))):
            return True
    return False


def _listed(node: Node) -> Value:
    """A list without brackets: members of a set, a value with conditions, or named values."""
    args = _with_last_two(node.args)
    if node.head == "rows" and all(arg.head == "seq" for arg in args):
        return Value("set", Node("set", tuple(Node("tuple", arg.args) for arg in args)))
    first, *rest = args
    if rest and all(_is_condition(arg) for arg in rest) and not _is_condition(first):
        used = symbols(first)
        named = tuple(arg for arg in rest if _is_definition(arg))
        conditions = tuple(arg for arg in rest if arg not in named)
        defines = all(arg.args[0].head == "sym" and arg.args[0].name in used for arg in named)
        bounds = all(set(arg.name.split()) <= _BOUNDS for arg in conditions if arg.head == "rel")
        if bounds and defines and (conditions or first.head != "rel"):
            return replace(shape(first), given=named, conditions=conditions)
    if first.head == "rel" and first.name == "=" and is_name(first.args[0]) and not any(_is_statement(a) for a in rest):
        members = (first.args[1], *rest)
        if first.args[0].head == "sym":
            return Value("set", Node("set", members), name=first.args[0])
    return Value("set", Node("set", args))


def _with_last_two(args: tuple[Node, ...]) -> tuple[Node, ...]:
    """``1, 2 and 5``: the last two members of a list are joined by a word."""
    *start, last = args
    if last.head in ("and", "or") and not any(_is_statement(arg) for arg in (*start[1:], *last.args)):
        return (*start, *last.args)
    return args


def with_definitions(node: Node) -> Value | None:
    """``S = ..., x = n/N``: the first as the value and the others as definitions that it uses."""
    if node.head not in ("seq", "and") or not all(_is_definition(arg) for arg in node.args[1:]):
        return None
    first, *rest = node.args
    value = shape(first)
    used = symbols(value.node)
    if value.kind not in ("expression", "relation", "equation"):
        return None
    for definition in rest:
        name, meaning = definition.args[0], symbols(definition.args[1])
        if name.head != "sym" or not (name.name in used or (meaning and meaning <= used)):
            return None
    return replace(value, given=(*value.given, *rest))


def _is_statement(node: Node) -> bool:
    return node.head in _RELATION_HEADS


def _is_condition(node: Node) -> bool:
    return node.head == "rel" or (node.head in ("and", "or") and all(arg.head == "rel" for arg in node.args))


def _is_definition(node: Node) -> bool:
    return node.head == "rel" and node.name == "=" and not is_number(node.args[0])
