"""Points that a judge gives with a quotation each: what it may write, and what of it counts.

A claim says that a stretch of the response earns points (an item of a rubric) or shows something (a kind of error). A
point without a quotation, or with one that does not stand in the response, counts for nothing, whatever was written.
Both the grammar and the check use the same pieces as extraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from jsonschema import Draft202012Validator

from cfe_local.grading.addressing import answer_regions
from cfe_local.grading.asking import Quoted
from cfe_local.grading.fence import neutralised
from cfe_local.grading.grounding import is_grounded, normalised
from cfe_local.grading.judge_grammar import field
from cfe_local.grading.judge_output import CONTROL, read_object

MIN_PIECES = 3
"""Pieces (words, numbers, signs) that a quotation has at least: one letter stands in every response."""

CLAIM_TOKENS = 180
"""Room for one claim: a sentence as quotation, a short reason, points."""

ClaimStatus = Literal["earned", "none", "no_evidence", "ungrounded"]


@dataclass(frozen=True, slots=True)
class Claim:
    """What counts of one claim: ``points`` is 0 unless ``status`` is earned; then `quote` stands in the response."""

    points: int
    status: ClaimStatus
    quote: str = ""
    reason: str = ""


def quotable(quote: Quoted) -> list[str]:
    """The stretches of a quoted response that may be copied: lines that speak to the grader are none."""
    return answer_regions(quote.fenced.text)


def read_claims(text: str, response: str, maxima: Sequence[int]) -> tuple[Claim, ...] | None:
    """Read what the judge wrote about every field.

    Args:
        text: What the judge wrote.
        response: The response, as the model gave it.
        maxima: Most points per field.

    Returns:
        One claim per field; None if the text is not of the expected shape (points beyond the maximum included).
    """
    tree = read_object(text, _schema(tuple(maxima)))
    if tree is None:
        return None
    safe = neutralised(response)
    regions = answer_regions(safe)
    found = []
    for position in range(len(maxima)):
        entry = tree[field(position)]
        if not isinstance(entry, dict) or CONTROL & set(str(entry["quote"] or "")):
            return None
        found.append(_counted(int(entry["points"]), entry["quote"], str(entry["reason"]), regions))
    return tuple(found)


def _counted(points: int, quote: object, reason: str, regions: Sequence[str]) -> Claim:
    said = str(quote).strip() if quote is not None else ""
    if points == 0:
        return Claim(0, "none", reason=reason)
    if len(normalised(said)) < MIN_PIECES:
        return Claim(0, "no_evidence", said, reason)
    if not any(is_grounded(said, region) for region in regions):
        return Claim(0, "ungrounded", said, reason)
    return Claim(points, "earned", said, reason)


@cache
def _schema(maxima: tuple[int, ...]) -> Draft202012Validator:
    properties = {
        field(position): {
            "type": "object",
            "properties": {
                "quote": {"type": ["string", "null"]},
                "reason": {"type": "string"},
                "points": {"type": "integer", "minimum": 0, "maximum": maximum},
            },
            "required": ["quote", "reason", "points"],
            "additionalProperties": False,
        }
        for position, maximum in enumerate(maxima)
    }
    return Draft202012Validator(
        {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    )
