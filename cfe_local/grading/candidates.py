"""The forms in which an extracted value is compared: as it stands, without a name before it, with symbols filled in.

All forms say the same thing, so a value is right if any of them equals the reference. Used after extraction only; the
reference tells which forms make sense (an equation is compared as an equation).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cfe_local.equivalence.units import parse_unit
from cfe_local.grading.chunks import chunks
from cfe_local.grading.equations import CLOSING, COMPARISONS, OPENING, RELATIONS, Part, is_plain_name, parts, symbols
from cfe_local.grading.settled import last_member
from cfe_local.grading.spoken import in_digits, truth_word
from cfe_local.records import TargetVariable

NAME = re.compile(r"\\[A-Za-z]+(?:_\{[^{}]*\}|_\w)?|[A-Za-z]+(?:_[A-Za-z0-9]+)*(?:_\{[^{}]*\})?")

REMARK = re.compile(r"\s*\((?![^()]*\bor\b)[^\W\d_]{2,}(?:[ -][^\W\d_]{2,})*\)(\}?)\s*$")
"""``0 V (ground potential)``: words in parentheses behind a value, without a digit or an alternative in them."""

MIN_NAME = 3
"""Shorter names are not filled in: a letter or two may as well be a unit or another quantity."""

MATH_MARKS = re.compile(r"^(?:\$\$?|\\\[|\\\()\s*|\s*(?:\$\$?|\\\]|\\\))$")

BARE_NUMBER = re.compile(r"[-−+]?[\d.,]+(?:\s*(?:[×·]|\\times|\\cdot)\s*10\^\{?[-−]?\d+\}?)?")
UNIT_ASKED = re.compile(r"\b(?:in|unit:?)\s+\(?([^\W\d_][^\s,;()]*?)(?=[.,;)]*(?:\s|$))")
APPROXIMATED = re.compile(
    r"(?P<exact>.*[^\d\s.].*?)\s*(?:\\approx|\\simeq|≈|≃)\s*(?P<decimal>[-−+]?(?P<digits>\d+\.\d+)(?P<unit>.*))$",
    re.DOTALL,
)
COEFFICIENT = re.compile(
    r"(?P<number>[-−+]?.*\d.*?)(?:\\[,;! ]|\s|\*|·|\\cdot(?![A-Za-z]))*(?P<symbol>\\[A-Za-z]+|[A-Za-z])$", re.DOTALL
)
MIN_DIGITS = 3
"""Significant digits that a decimal needs to stand for a formula in other symbols."""

COMPUTER_NOTATION = re.compile(r"(\d)\s*\\(?:mathrm|text|rm)\s*\{?\s*[eE]\s*\}?\s*([-+]?\d+)")
"""``2.8\\mathrm{e}16``, a typeset floating-point number."""


def candidates(value: str, reference: str) -> tuple[str, ...]:
    """Forms of a value to compare with a reference, the value as it stands first, without repeats."""
    bare = COMPUTER_NOTATION.sub(r"\1\\times10^{\2}", MATH_MARKS.sub("", value.strip()).strip())
    forms = [value.strip()]
    if COMPUTER_NOTATION.search(value):
        forms.append(bare)
    if not _has_relation(reference):
        forms.extend(_without_relation(bare))
    forms.extend(_filled_in(bare))
    forms.extend(_approximation(form, reference) for form in list(forms))
    forms.extend(REMARK.sub(r"\1", form).strip() for form in list(forms) if REMARK.search(form))
    for form in list(forms):
        forms.extend(_renamed(form, reference))
    forms.extend(in_digits(form) or truth_word(form) or "" for form in list(forms))
    return tuple(dict.fromkeys(form for form in forms if form))


def references(targets: Sequence[TargetVariable], position: int) -> tuple[str, ...]:
    """Forms of a reference to compare with: as it stands, and with the problem's other values filled in.

    ``R - delta_r`` beside a variable ``delta_r`` says the same as ``R`` minus that variable's reference.
    """
    reference = targets[position].value
    if targets[position].type == "numeric":
        unit = _described_unit(targets[position].description)
        return (
            (reference, f"{reference} {unit}")
            if unit and BARE_NUMBER.fullmatch(reference.strip("$ "))
            else (reference,)
        )
    if targets[position].type != "formula":
        return (reference,)
    filled = MATH_MARKS.sub("", reference.strip()).strip()
    for other, target in enumerate(targets):
        if other == position or not is_plain_name(target.name):
            continue
        (value, *more) = parts(MATH_MARKS.sub("", target.value.strip()).strip())
        for name in dict.fromkeys([target.name, value.name]):
            if len(name) >= MIN_NAME and not more and name in _names(filled):
                filled = filled.replace(name, "{(" + value.value + ")}")
    return (reference,) if filled in reference else (reference, filled)


def coefficients(reference: str, value: str) -> tuple[str, str] | None:
    r"""The numbers before one and the same symbol: ``-0.649\\delta`` and ``-\\frac{3\\sqrt3}{8}\\,\\delta``.

    As numbers they are compared by the rules for decimals, which formulas do not have. None for any other pair, and for
    a reference without a decimal.
    """
    (ours, theirs) = (COEFFICIENT.match(MATH_MARKS.sub("", text.strip()).strip()) for text in (reference, value))
    if ours is None or theirs is None or ours.group("symbol") != theirs.group("symbol"):
        return None
    if "." not in ours.group("number"):
        return None
    numbers = (ours.group("number").strip(), theirs.group("number").strip())
    return None if any(symbols(number) or _is_sum(number) for number in numbers) else numbers


def _is_sum(text: str) -> bool:
    depth = 0
    for position, piece in enumerate(chunks(text)):
        depth += (piece in OPENING) - (piece in CLOSING)
        if position and depth == 0 and piece.startswith(("+", "-", "−")):
            return True
    return False


def _described_unit(description: str) -> str | None:
    """The unit that a description asks for: ``speed in km/h``; None if it names none or several."""
    found = {unit for unit in UNIT_ASKED.findall(description) if parse_unit(unit)}
    return found.pop() if len(found) == 1 else None


def _approximation(value: str, reference: str) -> str:
    """The decimal of ``exact = decimal``, where the exact part is written in terms that the reference does not have.

    A decimal with three digits then says more than symbols of which nobody knows what they stand for; a decimal with
    a unit says what its exact part leaves out. Empty where the exact part can be compared.
    """
    found = APPROXIMATED.match(value)
    if found is None or len(re.sub(r"\D", "", found.group("digits")).lstrip("0")) < MIN_DIGITS:
        return ""
    foreign = symbols(found.group("exact")) - symbols(reference)
    return found.group("decimal").strip() if foreign or found.group("unit").strip() else ""


def _names(text: str) -> frozenset[str]:
    """The symbols of a formula as they are spelt, indices included."""
    return frozenset(NAME.findall(text))


def _renamed(value: str, reference: str) -> list[str]:
    """A formula in one letter, written in the reference's one letter: ``X^2-X`` for a reference in ``x``."""
    ours, theirs = symbols(value), symbols(reference)
    if len(ours) == len(theirs) == 1 and ours != theirs:
        (one,), (other,) = ours, theirs
        if one.lower() == other.lower() and len(one) == 1:
            return [value.replace(one, other)]
    return []


def _without_relation(bare: str) -> list[str]:
    read = parts(bare)
    if len(read) != 1:
        return []
    pieces = chunks(read[0].value)
    if pieces and pieces[0] in COMPARISONS:
        return ["".join(pieces[1:]).strip()]
    if pieces[-2:] == ["=", "0"] or pieces[-3:] == ["=", " ", "0"]:
        # A polynomial asked for by itself, stated as "p(x) = 0".
        return [read[0].value.rpartition("=")[0].strip()]
    return [last_member(read[0].value)] if read[0].value != bare or "=" in bare else []


def _filled_in(bare: str) -> list[str]:
    r"""``g\tau^2/32, \tau=2\pi\sqrt{M/k}``: the value alone, and the value with its symbols replaced."""
    head, *definitions = _value_and_definitions(bare)
    if not definitions:
        return []
    filled = head.value
    for definition in definitions:
        if symbols(definition.name) & symbols(filled):
            filled = filled.replace(definition.name, "{(" + definition.value + ")}")
    return [last_member(head.value), last_member(filled)]


def _value_and_definitions(bare: str) -> list[Part]:
    """The value and the symbols defined beside it; only the value if anything but definitions stands there."""
    first, *rest = re.split(
        r"\s*[,;]?\s*(?:\\q?quad\b|,\s*\\text\{(?:with|where)\}|,\s*(?:with|where)\s|[,;]\s)\s*", bare, maxsplit=1
    )
    defined = parts(rest[0]) if rest else []
    head = parts(first)
    names = [part.name for part in (*head, *defined)]
    if len(head) != 1 or not defined or not all(part.name for part in defined) or len(set(names)) < len(names):
        return head
    return [*head, *defined]


def _has_relation(text: str) -> bool:
    marks = RELATIONS | COMPARISONS | {"\\neq", "\\ne"}
    return any(piece in marks - {"\\approx", "≈", "\\simeq", "≃", ":", "\\in", "∈"} for piece in chunks(text))
