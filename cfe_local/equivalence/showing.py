"""Writes a value back as one line, so that a person can see how a text was read."""

from __future__ import annotations

from cfe_local.equivalence.shaping import Value
from cfe_local.equivalence.tree import Node

_INFIX = {"add": " + ", "mul": " ", "union": " ∪ ", "inter": " ∩ ", "minus": " \\ ", "and": " and ", "or": " or ",
          "implies": " ⇒ ", "iff": " ⇔ ", "xor": " xor ", "ratio": " : "}  # fmt: skip
_BRACKETS = {"set": "{}", "tuple": "()", "list": "[]", "seq": "()"}


def show(value: Value) -> str:
    """A typed value as one line."""
    name = f"{show_node(value.node) if value.name is None else show_node(value.name) + ' = ' + show_node(value.node)}"
    given = f" with {', '.join(show_node(node) for node in value.given)}" if value.given else ""
    return f"{value.kind}: {name}{given}"


def show_node(node: Node) -> str:
    """A tree as text."""
    parts = [show_node(arg) for arg in node.args]
    if node.head == "num":
        return str(node.value) if node.ulp is None else f"{float(node.value):.12g}"
    if node.head in ("sym", "const", "text", "boolean"):
        return node.name
    if node.head in _INFIX:
        return f"({_INFIX[node.head].join(parts)})"
    if node.head == "pow":
        return f"{parts[0]}^{parts[1]}"
    if node.head in _BRACKETS:
        return _BRACKETS[node.head][0] + ", ".join(parts) + _BRACKETS[node.head][1]
    if node.head == "interval":
        return node.name[:1] + ", ".join(parts) + node.name[1:]
    if node.head == "quantity":
        return f"{parts[0]} [{node.name}]"
    if node.head == "rel":
        signs = node.name.split()
        return parts[0] + "".join(f" {sign} {part}" for sign, part in zip(signs, parts[1:], strict=False))
    if node.head in ("fn", "call", "bigo"):
        return f"{node.name}({', '.join(parts)})"
    return f"{node.head}({', '.join(parts)})" if parts else node.head
