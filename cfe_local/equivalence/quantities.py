"""Numbers with units: splits ``9.8 m/s^2`` into number and unit, and compares such quantities.

Not here: the unit table (``unit_table``) and its reading (``units``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from cfe_local.equivalence.compound import compound_quantity, is_compound
from cfe_local.equivalence.cursor import Choices
from cfe_local.equivalence.grammar import parse_text
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.measuring import measure
from cfe_local.equivalence.outcome import Outcome, all_of, any_of, different, equal, undecided
from cfe_local.equivalence.shaping import Value, shape
from cfe_local.equivalence.tokens import ReadError
from cfe_local.equivalence.tolerance import Measured, known_to_last_place, nearness
from cfe_local.equivalence.tree import Node, has_head, symbols
from cfe_local.equivalence.units import Unit, is_unit_name, parse_unit
from cfe_local.equivalence.wording import stem

_NUMBER_HEADS = frozenset({"num", "add", "mul", "pow", "pm", "percent"})
_CURRENCY = re.compile(
    r"^(?P<lead>.*?=\s*|\W*)(?P<sign>-?)\s*\\(?P<money>dollar|pounds|euro)\s*(?P<number>-?[\d.,]+)\s*(?P<scale>M|k|K|B|million|billion|thousand)?(?P<rest>.*)$"
)
_MONEY = {"dollar": "USD", "pounds": "GBP", "euro": "EUR"}
_SCALES = {"M": 6, "million": 6, "k": 3, "K": 3, "thousand": 3, "B": 9, "billion": 9}
_MAX_UNIT_CHARS = 240  # Longer than any unit: such a text costs time and is none.
_UNIT_START = re.compile(
    r"(?<=[\d)}\]^.! ])\s*(?=\\(?:text|mathrm|textrm|operatorname|mbox|rm|mu|Omega|AA|frac|dfrac|permille)(?![a-z])"
    r"|\^\s*\{?\s*\\circ|[A-Za-zµ%*]|1\s*/\s*\\?[A-Za-z]|\\cdot|\\%)"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """Readings of a text as number and unit; ``likely`` where the unit cannot well be a symbol."""

    values: tuple[Value, ...]
    likely: bool


def quantity(body: str, words: frozenset[str] = frozenset()) -> Quantity | None:
    """Read ``[name =] number unit``.

    Args:
        body: A cleaned text.
        words: Stems of words of the problem: a substance among them may stand in the unit (``kg O2 / d``).

    Returns:
        The readings, or None if some part is neither a number nor a unit.
    """
    body = re.sub(r"^\\(?:approx|sim)(?![a-zA-Z])\s*", "", body)
    name, _, rest = body.rpartition("=")
    chain = compound_quantity(rest.strip())
    if chain is not None:
        named = _numbers(f"{name}= 1", "m") if name else (Value("quantity", chain),)
        return Quantity(tuple(replace(value, node=chain) for value in named), likely=True)
    money = _money(body)
    if money is not None:
        return money
    for match in _UNIT_START.finditer(body):
        unit_text = body[match.end() :].strip()
        number_text = body[: match.start()].strip()
        if not unit_text or not number_text or (unit_text[0] in "*" and len(unit_text) < 2):
            continue
        if len(unit_text) > _MAX_UNIT_CHARS or len(number_text) > 2 * _MAX_UNIT_CHARS:
            continue
        if re.match(r"^[eE][-+\d^]", unit_text) or number_text[-1] in "^_\\/":
            continue
        unit_text = unit_text.lstrip("* ")
        if not parse_unit(unit_text):
            unit_text = _without_substances(unit_text, words)
        if unit_text and parse_unit(unit_text):
            values = _numbers(number_text, unit_text)
            if values:
                return Quantity(
                    values,
                    _likely(unit_text)
                    or body[match.start() : match.end()].strip() != body[match.start() : match.end()],
                )
    return None


def _without_substances(unit: str, words: frozenset[str]) -> str:
    """``kg O2 / d`` as ``kg / d``, ``dollars per share`` as ``dollars``: words of the problem that are no units go."""
    if len(unit) > 80 or "\\" in unit:
        return ""
    if re.search(r"[^\w\s/*().^{}-]", unit):
        return ""
    kept: list[str] = []
    for part in re.findall(r"[A-Za-z][\w-]*(?:\^\{?-?\d+\}?)?|/|[*().-]|\d+", unit):
        if re.match(r"[A-Za-z]", part) and part != "per" and not parse_unit(part):
            if stem(part) not in words and part.lower() not in words:
                return ""
            if kept and kept[-1] in ("/", "per"):
                kept.pop()
            continue
        kept.append(part)
    return " ".join(kept)


def _likely(unit: str) -> bool:
    """A unit that is a lone letter in italics may as well be a symbol; any other is hardly one."""
    plain = unit.strip("*{} ")
    return not re.fullmatch(r"[A-Za-z]", plain)


def _money(body: str) -> Quantity | None:
    match = _CURRENCY.match(body)
    if match is None:
        return None
    rest = match["rest"].strip(" .,")
    if rest and not re.fullmatch(r"(?:per|a|/)?\s*[a-z ]*", rest):
        return None
    scale = f"\\times 10^{{{_SCALES[match['scale']]}}}" if match["scale"] else ""
    values = _numbers(f"{match['lead']}{match['sign']}{match['number'].rstrip('.,')}{scale}", _MONEY[match["money"]])
    return Quantity(values, likely=True) if values else None


def _numbers(number_text: str, unit_text: str) -> tuple[Value, ...]:
    """The number in front of the unit, with the name and the other forms that it may have."""
    try:
        tree, _ = parse_text(number_text, Choices())
    except (ReadError, LimitError):
        return ()
    value = shape(tree)
    nodes = (value.node, *value.others)
    if any(node.head not in _NUMBER_HEADS or symbols(node) - {"e", "j"} for node in nodes):
        return ()
    if any(
        has_head(node, "fn") or ("circ" in unit_text and (node.head == "add" or has_head(node, "phase")))
        for node in nodes
    ):
        return ()
    made = [Node("quantity", (node,), name=unit_text) for node in nodes]
    return (replace(value, kind="quantity", node=made[0], others=tuple(made[1:])),)


def is_unit(text: str) -> bool:
    """Whether a text is nothing but a unit."""
    return is_unit_name(text) or bool(parse_unit(text))


# ---------------------------------------------------------------- comparing


def compare_quantities(reference: Node, candidate: Node) -> Outcome:
    """Compare two quantities in SI, each in every meaning of its unit."""
    if "pm" in (reference.args[0].head, candidate.args[0].head):
        return _compare_uncertain(reference, candidate)
    outcomes = [
        _compare_meanings(reference, candidate, left, right)
        for left in parse_unit(reference.name)
        for right in parse_unit(candidate.name)
    ]
    comparable = [outcome for outcome in outcomes if outcome is not None]
    if not comparable and all(_is_money(node.name) for node in (reference, candidate)):
        return undecided("currency", "an amount of money, and one per something")
    if not comparable:
        return different(
            "dimensions", f"{_plain(reference.name)} and {_plain(candidate.name)} measure different things"
        )
    found = any_of(comparable)
    if found.verdict != "undecided" and _cycles_against_radians(reference.name, candidate.name):
        return undecided("angular frequency", "cycles per second against radians per second")
    return found


def _is_money(unit: str) -> bool:
    return any(name in _MONEY.values() for meaning in parse_unit(unit) for name, _ in meaning.dimensions)


def _compare_uncertain(reference: Node, candidate: Node) -> Outcome:
    """``(a +- b) unit``: the centre and the uncertainty must both agree."""
    if reference.args[0].head != candidate.args[0].head:
        return undecided("uncertainty", "an uncertainty on one side only")
    parts = [
        compare_quantities(replace(reference, args=(left,)), replace(candidate, args=(right,)))
        for left, right in zip(reference.args[0].args, candidate.args[0].args, strict=True)
    ]
    return all_of("quantity", parts)


def _compare_meanings(reference: Node, candidate: Node, left: Unit, right: Unit) -> Outcome | None:
    if left.dimensions != right.dimensions:
        return None
    same_unit = left == right
    ours, theirs = (measure(node.args[0], has_unit=True) for node in (reference, candidate))
    if ours is None or theirs is None:
        return undecided("no number", "the number of a quantity cannot be evaluated")
    first, second = in_si(ours, left), in_si(theirs, right)
    what = f"{_say(reference)} and {_say(candidate)}"
    if reference.args[0] == candidate.args[0] and same_unit:
        return equal("quantity", f"{what}: the same number and unit")
    near = nearness(first, second)
    if near == "same" and same_unit and ours.whole and theirs.whole and ours.value != theirs.value:
        near = "near"  # Whole numbers of one unit have no tolerance, but may have been converted or rounded.
    if near == "same" and (is_compound(reference) or is_compound(candidate)):
        # Known to the last part: 30°15' is not 30.15°, though that is within a percent.
        near = "same" if known_to_last_place(first, second) else "near"
    share = abs(first.value - second.value) / abs(first.value) if first.value else float("inf")
    evidence = f"{what}: {abs(share):.3%} apart in the same dimension"
    if near == "same":
        return equal("quantity", evidence)
    return different("quantity", evidence) if near == "apart" else undecided("nearly equal", evidence)


def in_si(number: Measured, unit: Unit) -> Measured:
    """The number in the SI unit of the same dimension."""
    factor, offset = float(unit.factor), float(unit.offset)
    if unit.dimensions and not offset:
        return replace(number, value=number.value * factor, half_unit=number.half_unit * factor)
    return replace(number, value=(number.value + offset) * factor, half_unit=number.half_unit * factor)


def _cycles_against_radians(left: str, right: str) -> bool:
    """``1.9 Hz`` is not ``1.9 rad/s``, though both have the dimension 1/s."""
    return _counts_cycles(left) != _counts_cycles(right) and (_has_angle(left) or _has_angle(right))


def _counts_cycles(unit: str) -> bool:
    return bool(re.search(r"Hz\b|hertz|\bbaud\b", unit))


def _has_angle(unit: str) -> bool:
    return bool(re.search(r"\brad|\bdeg|circ|\brev|rpm", unit))


def _say(quantity_node: Node) -> str:
    number = measure(quantity_node.args[0], has_unit=True)
    shown = "?" if number is None else f"{number.value.real:.6g}"
    return f"{shown} {_plain(quantity_node.name)}"


def _plain(unit: str) -> str:
    return re.sub(r"\\(?:text|mathrm|operatorname|mbox|textrm)\s*\{([^{}]*)\}", r"\1", unit).strip()
