r"""Decides, for a pair of values together, what ambiguous notation stands for.

    f(x)        a call if f is never used without brackets in the pair and its argument is simple; else a product
    type faces  \mathcal S and S are one symbol unless one of the values uses both
    unit vectors  \hat i, \mathbf i_x, \hat x are one symbol
    e, i, j     Euler's number, the imaginary unit, or plain symbols: each way is tried, on both sides alike
    log         natural or base 10, tried likewise

Both sides are always understood in the same way, so an interpretation can make two different values equal only if
they are equal under a convention that both writers may have meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from cfe_local.equivalence.calculus import derivative
from cfe_local.equivalence.functions import BINARY, UNARY, VARIADIC, UndefinedError
from cfe_local.equivalence.indices import with_indices
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.outcome import Outcome, any_of
from cfe_local.equivalence.sampling import Reading, compare_expressions
from cfe_local.equivalence.structures import bound_names
from cfe_local.equivalence.tree import Node, fn, mul, power, rewrite, substitute, sym, symbols, walk

_STYLED = re.compile(r"^(bold|cal|frak|bb|sf)\((.*?)\)(.*)$")
_SPECIAL_CALLS = {"Gamma": ("gamma", 1), "zeta": ("zeta", 1), "Phi": ("Phi", 1)}  # fmt: skip
_FUNCTION_LETTERS = frozenset(
    [
        "f",
        "g",
        "h",
        "F",
        "G",
        "H",
        "u",
        "v",
        "w",
        "y",
        "R",
        "S",
        "T",
        "E",
        "B",
        "V",
        "P",
        "U",
        "L",
        "X",
        "Y",
        "phi",
        "psi",
        "Phi",
        "Psi",
        "rho",
    ]
)
_BESSEL = re.compile(r"^([JYIK])_(\d+|[nm])$")


def settle(reference: Node, candidate: Node) -> tuple[Node, Node]:
    """Bring two trees to one understanding of applications, type faces and unit vectors."""
    reference, candidate = with_indices(reference), with_indices(candidate)
    reference, candidate = _unify_styles(reference, candidate)
    reference, candidate = (rewrite(node, _unit_vector) for node in (reference, candidate))
    reference, candidate = _subscript_derivatives(reference, candidate)
    several = _several_variables(reference, candidate)
    reference, candidate = (
        rewrite(node, lambda here: _prime_derivative(here, several)) for node in (reference, candidate)
    )
    reference, candidate = _drop_arguments(reference, candidate)
    calls = _call_names(reference, candidate)
    reference, candidate = _apply(reference, calls), _apply(candidate, calls)
    bound = bound_names(reference) | bound_names(candidate)
    return _plain_calls(reference, bound), _plain_calls(candidate, bound)


def _plain_calls(node: Node, bound: frozenset[str]) -> Node:
    """``f(x)`` with a free symbol as its argument is one unknown, and is treated as a symbol."""

    def change(here: Node) -> Node:
        if here.head == "call" and here.args and all(arg.head == "sym" and arg.name not in bound for arg in here.args):
            return sym(f"{here.name}({', '.join(arg.name for arg in here.args)})")
        return here

    return rewrite(node, change)


# ---------------------------------------------------------------- applications


def _drop_arguments(reference: Node, candidate: Node) -> tuple[Node, Node]:
    """``R_0(T)`` in one value and ``R_0`` in the other: one function, written with and without its argument.

    Only for names that can hardly be factors (with primes or a subscript, or a usual letter for a function), applied
    to the same plain symbols wherever they are applied, and used in one way within each value.
    """
    dropped: set[str] = set()
    for one, other in ((reference, candidate), (candidate, reference)):
        arguments: dict[str, set[tuple[Node, ...]]] = {}
        for here in walk(one):
            if here.head == "apply":
                arguments.setdefault(here.args[0].name, set()).add(here.args[1:])
        bare_here, bare_there = _bare_names(one), _bare_names(other)
        applied_there = {here.args[0].name for here in walk(other) if here.head == "apply" and _is_to_symbols(here)}
        for name, lists in arguments.items():
            plain = len(lists) == 1 and all(arg.head == "sym" for args in lists for arg in args)
            usual = "_" in name or "'" in name or name in _FUNCTION_LETTERS
            if plain and usual and name in bare_there and name not in bare_here | applied_there:
                dropped.add(name)
    if not dropped:
        return reference, candidate

    def change(node: Node) -> Node:
        is_dropped = node.head == "apply" and node.args[0].name in dropped and _is_to_symbols(node)
        return node.args[0] if is_dropped else node

    return rewrite(reference, change), rewrite(candidate, change)


def _is_to_symbols(application: Node) -> bool:
    """Whether something is applied to plain symbols; brackets around more look like a factor."""
    return all(arg.head == "sym" for arg in application.args[1:])


def _bare_names(node: Node) -> set[str]:
    """Symbols used without brackets after them."""
    if node.head == "sym":
        return {node.name}
    args = node.args[1:] if node.head == "apply" and _is_to_symbols(node) else node.args
    return {name for arg in args for name in _bare_names(arg)}


def _call_names(*nodes: Node) -> frozenset[str]:
    """Names that are functions in this pair."""
    applied: set[str] = set()
    refused: set[str] = set()
    bare: set[str] = set()
    for node in nodes:
        _collect(node, applied, refused, bare)
    return frozenset(name for name in applied if name not in refused and name not in bare)


def _collect(node: Node, applied: set[str], refused: set[str], bare: set[str]) -> None:
    if node.head == "apply":
        head, *args = node.args
        if all(_is_simple(arg) for arg in args) or len(args) > 1:
            applied.add(head.name)
        else:
            refused.add(head.name)
        for arg in args:
            _collect(arg, applied, refused, bare)
        return
    if node.head == "sym":
        bare.add(node.name)
    for arg in node.args:
        _collect(arg, applied, refused, bare)


def _is_simple(node: Node) -> bool:
    """An argument that a function call has more often than a product: a symbol, a number, a sign or a scale on it."""
    if node.head in ("sym", "num", "const"):
        return True
    return sum(1 for here in walk(node) if here.head in ("sym", "num", "const")) <= 3 and len(symbols(node)) <= 2


def _apply(node: Node, calls: frozenset[str]) -> Node:
    """Applications become calls or products; a power on the brackets of a product belongs to the brackets."""
    if node.head == "pow" and node.args[0].head == "apply":
        application = node.args[0]
        exponent = _apply(node.args[1], calls)
        if not _is_call(application, calls):
            head, argument = application.args
            return mul(head, power(_apply(argument, calls), exponent))
    if node.head == "fn" and node.name.startswith("factorial") and node.args[0].head == "apply":
        head, argument = node.args[0].args[0], node.args[0].args[-1]
        if not _is_call(node.args[0], calls):
            return mul(head, fn(node.name, _apply(argument, calls)))
    if node.head == "apply":
        head, *args = node.args
        inner = tuple(_apply(arg, calls) for arg in args)
        return _called(head.name, inner) if _is_call(node, calls) else mul(head, inner[0])
    if not node.args:
        return node
    return Node(node.head, tuple(_apply(arg, calls) for arg in node.args), node.name, node.value, node.ulp)


def _is_call(node: Node, calls: frozenset[str]) -> bool:
    return node.args[0].name in calls or len(node.args) != 2


def _called(name: str, args: tuple[Node, ...]) -> Node:
    special = _SPECIAL_CALLS.get(name)
    if special is not None and special[1] == len(args):
        return fn(special[0], *args)
    bessel = _BESSEL.match(name)
    if bessel and len(args) == 1:
        order = Node("num", value=Fraction(bessel[2])) if bessel[2].isdigit() else sym(bessel[2])
        return fn(f"bessel_{bessel[1].lower()}", order, *args)
    if name in ("C", "binom") and len(args) == 2:
        return fn("binom", *args)
    if name in UNARY or name in BINARY or name in VARIADIC:
        return fn(name, *args)
    return Node("call", args, name=name)


def _subscript_derivatives(reference: Node, candidate: Node) -> tuple[Node, Node]:
    """``u_t`` and ``u_{xx}`` are derivatives where the pair differentiates u by t and x in full notation elsewhere."""
    marks = [_differentiated(node) for node in (reference, candidate)]
    changed = []
    for node, own, other in zip((reference, candidate), marks, reversed(marks), strict=True):
        # A text that itself writes the derivative in full means a component by u_x.
        table = {name: made for name in _all_names(node) if (made := _as_derivative(name, other - own)) is not None}
        changed.append(substitute(node, table) if table else node)
    return changed[0], changed[1]


def _differentiated(node: Node) -> frozenset[tuple[str, str]]:
    """Functions and the variables by which a value differentiates them in full notation."""
    found: set[tuple[str, str]] = set()
    for here in walk(node):
        if here.head == "deriv" and here.name:
            operand = here.args[0].args[0] if here.args[0].head == "apply" else here.args[0]
            found.add((operand.name, here.name))
    return frozenset(found)


def _as_derivative(name: str, known: frozenset[tuple[str, str]]) -> Node | None:
    base, _, letters = name.partition("_")
    if not letters or len(set(letters)) > 1 or (base, letters[0]) not in known:
        return None
    if len(letters) < 2 and sum(function == base for function, _ in known) < 2:
        return None  # By one variable alone, u_x may as well be a component.
    return Node("deriv", (sym(base),), name=letters[0], value=Fraction(len(letters)))


def _several_variables(*nodes: Node) -> frozenset[str]:
    """Functions that the pair differentiates with respect to more than one named variable."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        for here in walk(node):
            if here.head == "deriv" and here.name:
                operand = here.args[0].args[0] if here.args[0].head == "apply" else here.args[0]
                found.setdefault(operand.name, set()).add(here.name)
    return frozenset(name for name, variables in found.items() if len(variables) > 1)


def _prime_derivative(node: Node, several: frozenset[str]) -> Node:
    """The derivative of an unknown function is the symbol with primes, whatever notation it was written in.

    The variable is part of the name only for functions that the pair differentiates by several.
    """
    if node.head != "deriv":
        return node
    operand = node.args[0]
    if not node.name and operand.head not in ("sym", "apply"):
        try:
            return derivative(node)
        except (UndefinedError, LimitError):
            return node
    primes = "'" * int(node.value)
    function = operand.args[0].name if operand.head == "apply" else operand.name
    if function in several:
        primes += f"[{node.name}]"
    if operand.head == "sym" and operand.name != node.name:
        return sym(operand.name + primes)
    if operand.head == "apply" and not node.name:
        return Node("apply", (sym(operand.args[0].name + primes), *operand.args[1:]))
    if operand.head == "apply" and len(operand.args) == 2 and operand.args[1] == sym(node.name):
        return Node("apply", (sym(operand.args[0].name + primes), *operand.args[1:]))
    return node


# ---------------------------------------------------------------- names


def _unify_styles(reference: Node, candidate: Node) -> tuple[Node, Node]:
    keep: set[str] = set()
    for node in (reference, candidate):
        faces: dict[str, set[str]] = {}
        for name in _all_names(node):
            faces.setdefault(_plain(name), set()).add(name)
        keep |= {name for names in faces.values() if len(names) > 1 for name in names}

    def change(node: Node) -> Node:
        if node.head != "sym" or node.name in keep or _is_unit_vector(node.name):
            return node
        plain = _plain(node.name)
        return node if plain == node.name or plain in keep else sym(plain)

    return rewrite(reference, change), rewrite(candidate, change)


def _all_names(node: Node) -> set[str]:
    return {here.name for here in walk(node) if here.head == "sym"}


def _plain(name: str) -> str:
    """The name without its type face."""
    while (match := _STYLED.match(name)) is not None:
        if match[1] == "bb":
            return name
        name = match[2] + match[3]
    return name


_UNIT_VECTOR = re.compile(
    r"^(?:(?:hat|bold|bar)\()+(?:[ieau]_)?([A-Za-z]+)\)+$|^(?:hat|bold|bar)\([ieau]\)_([A-Za-z0-9]+)$"
)
_CARTESIAN = {"i": "x", "j": "y", "k": "z", "imath": "x", "jmath": "y"}


def _is_unit_vector(name: str) -> bool:
    match = _UNIT_VECTOR.match(name)
    if match is None:
        return False
    if match[2] or name.startswith("hat("):
        return True
    return match[1] in ("i", "j", "k")


def _unit_vector(node: Node) -> Node:
    if node.head != "sym" or not _is_unit_vector(node.name):
        return node
    match = _UNIT_VECTOR.match(node.name)
    if match is None:
        return node
    direction = match[1] or match[2]
    return sym(f"unit({_CARTESIAN.get(direction, direction)})")


# ---------------------------------------------------------------- constants


def readings(reference: Node, candidate: Node) -> Iterator[Reading]:
    """Ways to understand e, i, j and log in this pair, the plainest first."""
    names = _all_names(reference) | _all_names(candidate)
    eulers: list[dict[str, str]] = [{}, {"e": "euler"}] if "e" in names else [{}]
    if _is_capital_euler(reference, candidate):
        eulers.append({"E": "euler", **({"e": "euler"} if "e" in names else {})})
    imaginary: list[str] = [name for name in ("i", "j") if name in names]
    if len(imaginary) == 2 and any({"i", "j"} <= _all_names(node) for node in (reference, candidate)):
        imaginary = ["i"]
    imaginary += _capital_unit(reference, candidate)
    units: list[dict[str, str]] = [{}]
    if imaginary:
        units.append(dict.fromkeys(imaginary, "imaginary"))
    has_log = any(here.head == "fn" and here.name == "log" for node in (reference, candidate) for here in walk(node))
    for base in (None, 10) if has_log else (None,):
        for unit in units:
            for euler in eulers:
                yield Reading({**unit, **euler}, base, _label(unit, euler, base))


def _capital_unit(reference: Node, candidate: Node) -> list[str]:
    """``I`` as computer algebra prints it: on one side only, and there inside an exponential; else it is a symbol."""
    for one, other in ((reference, candidate), (candidate, reference)):
        if "I" not in _all_names(one) or "I" in _all_names(other):
            continue
        if any(here.head == "fn" and here.name == "exp" and "I" in _all_names(here) for here in walk(one)):
            return ["I"]
    return []


def _is_capital_euler(reference: Node, candidate: Node) -> bool:
    """Whether ``E`` may be Euler's number as computer algebra prints it: on one side only, beside an exponential."""
    for one, other in ((reference, candidate), (candidate, reference)):
        printed, written = _all_names(one), _all_names(other)
        is_printed = "E" in printed and not {"e", "E"} & (printed - {"E"} | written - {"e"})
        if is_printed and _has_exponential(one) and ("e" in written or _has_exponential(other)):
            return True
    return False


def _has_exponential(node: Node) -> bool:
    return any(here.head == "fn" and here.name == "exp" for here in walk(node))


def _label(unit: dict[str, str], euler: dict[str, str], base: int | None) -> str:
    notes = [f"{name} the imaginary unit" for name in unit]
    notes += [f"{name} Euler's number" for name in euler]
    notes += ["log to base 10"] if base else []
    return f" (with {', '.join(notes)})" if notes else ""


def compare_any(reference: Node, candidate: Node) -> Outcome:
    """Compare two settled expressions under every way of understanding e, i, j and log."""
    return any_of(compare_expressions(reference, candidate, reading) for reading in readings(reference, candidate))
