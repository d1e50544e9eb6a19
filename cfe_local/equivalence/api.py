"""The one question that this package answers: are these two values equal, different, or can that not be told?"""

from __future__ import annotations

import time
from collections.abc import Sequence

from cfe_local.equivalence.caveats import check_difference
from cfe_local.equivalence.chemistry import compare_species
from cfe_local.equivalence.cleaning import clean
from cfe_local.equivalence.comparing import compare_values
from cfe_local.equivalence.labels import compare_labels
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.measuring import measure
from cfe_local.equivalence.ordering import keep_order
from cfe_local.equivalence.outcome import Outcome, all_of, different, equal, undecided
from cfe_local.equivalence.ranges import ends
from cfe_local.equivalence.ratios import compare_clocks
from cfe_local.equivalence.reading import DECIMAL_COMMA, RATIO_IN_WORDS, known_names, looks_like_code, prepare, read
from cfe_local.equivalence.rules import by_rule
from cfe_local.equivalence.shaping import Value
from cfe_local.equivalence.showing import show
from cfe_local.equivalence.texts import compare_texts
from cfe_local.equivalence.tokens import ReadError
from cfe_local.equivalence.tree import Node, has_decimal, has_head, symbols
from cfe_local.records import Comparison, ValueContext


def equivalent(reference: str, candidate: str, context: ValueContext | None = None) -> Comparison:
    """Compare a candidate value with a reference value.

    Args:
        reference: The value that counts, as its author wrote it.
        candidate: The value that is judged.
        context: What else is known about the value; used to resolve ambiguous notation only.

    Returns:
        ``equal`` or ``different`` only where that is certain; else ``undecided``, with what was learnt.
    """
    start = time.perf_counter()
    context = context or ValueContext()
    try:
        outcome, left, right = _decide(reference, candidate, context)
    except (LimitError, ReadError) as error:
        outcome, left, right = undecided("unreadable", str(error)), "", ""
    except RecursionError:
        outcome, left, right = undecided("limit", "nested too deeply"), "", ""
    return Comparison(
        verdict=outcome.verdict,
        by=outcome.by,
        evidence=outcome.evidence[:400],
        reference_reading=left[:400],
        candidate_reading=right[:400],
        seconds=time.perf_counter() - start,
    )


def _decide(reference: str, candidate: str, context: ValueContext) -> tuple[Outcome, str, str]:
    if looks_like_code(candidate) and not looks_like_code(reference):
        return different("program code", "the candidate is program code, not a value"), reference, candidate
    lefts, rights = _readings(reference, candidate, context)
    ruled = by_rule(lefts, rights, context)
    if ruled is not None:
        return ruled, show(lefts[0]), show(rights[0])
    texts = clean(reference), clean(candidate)
    ranges = [ends(text) for text in texts]
    if ranges[0] is not None and ranges[1] is not None:
        parts = [_decide(left, right, context)[0] for left, right in zip(ranges[0], ranges[1], strict=True)]
        return _of_ends(parts), f"range: {texts[0]}", f"range: {texts[1]}"
    by_form = compare_labels(*texts, context) or compare_clocks(*texts) or compare_species(*texts)
    if by_form is not None:
        return by_form, f"text: {texts[0]}", f"text: {texts[1]}"
    outcome, left, right = _best(lefts, rights, context)
    if outcome.verdict == "undecided" and texts[0] == texts[1] and not _is_undefined(lefts):
        return equal("same text", "both texts are the same"), show(left), show(right)
    if outcome.verdict == "undecided" and lefts[0].kind == "text" and rights[0].kind == "text":
        outcome = compare_texts(lefts[0].node.name, rights[0].node.name, context)
    outcome = check_difference(outcome, *texts)
    return keep_order(outcome, reference, candidate, context), show(left), show(right)


def _of_ends(parts: Sequence[Outcome]) -> Outcome:
    """Ranges differ where the numbers of an end do; units in words may be on one end or both."""
    found = all_of("range", parts)
    certain = any(part.verdict == "different" and part.by in ("exact value", "quantity", "values") for part in parts)
    return found if found.verdict != "different" or certain else undecided("range", found.evidence)


def _readings(reference: str, candidate: str, context: ValueContext) -> tuple[list[Value], list[Value]]:
    """Readings of both texts, each with the symbol names that the other uses."""
    first = read(prepare(reference, context, frozenset()))
    second = read(prepare(candidate, context, known_names(first)))
    names = known_names(second)
    if names - known_names(first):
        first = read(prepare(reference, context, names))
    return first, second


def _best(lefts: Sequence[Value], rights: Sequence[Value], context: ValueContext) -> tuple[Outcome, Value, Value]:
    """The outcome of the plainest pair of readings, unless another pair makes the values equal."""
    plainest: tuple[Outcome, Value, Value] | None = None
    open_pair: tuple[Outcome, Value, Value] | None = None
    order = sorted((i + j, i, j) for i in range(len(lefts)) for j in range(len(rights)))
    for _, i, j in order:
        outcome = compare_values(lefts[i], rights[j], context)
        if outcome is None:
            continue
        outcome = _doubted(outcome, lefts[i], rights[j])
        found = outcome, lefts[i], rights[j]
        if outcome.verdict == "equal":
            return found
        plainest = plainest or found
        if outcome.verdict == "different" and (i, j) == (0, 0) and lefts[0].kind == rights[0].kind == "quantity":
            return found
        if outcome.verdict == "undecided":
            open_pair = open_pair or found
    if plainest is None:
        kinds = f"a {lefts[0].kind} against a {rights[0].kind}"
        return undecided("kinds", kinds), lefts[0], rights[0]
    return open_pair or plainest


def _doubted(outcome: Outcome, left: Value, right: Value) -> Outcome:
    """Values that are equal in an unusual reading only are left open."""
    doubt = left.doubt or right.doubt
    if outcome.verdict != "equal" or not doubt:
        return outcome
    if not left.doubt and doubt == DECIMAL_COMMA and left.node == right.node and has_decimal(left.node):
        return outcome  # The reference has the very digits, with a point.
    if {left.doubt, right.doubt} == {"", RATIO_IN_WORDS}:
        return outcome  # The other side is a ratio, so that this is no range.
    return undecided("unusual reading", f"equal if read with {doubt}; {outcome.evidence}")


def _is_undefined(values: Sequence[Value]) -> bool:
    """Whether a value is a constant that does not exist, such as 0/0."""
    node = values[0].node
    if values[0].kind != "expression" or symbols(node) or has_head(node, "const", "call", "apply", "int", "lim", "sum"):
        return False
    return measure(node) is None and not _is_positive_tower(node)


def _is_positive_tower(node: Node) -> bool:
    """Powers and products of positive numbers, which exist however large they are."""
    if node.head == "num":
        return node.value > 0
    return node.head in ("pow", "mul") and all(_is_positive_tower(arg) for arg in node.args)
