"""Reads what the judge wrote: the whole text must be JSON of the expected shape, or it is invalid. Nothing is guessed.

No searching for braces, no tolerant parsing: mathematics is full of braces, and a response may hold a verdict itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from jsonschema import Draft202012Validator

from cfe_local.grading.judge_grammar import field
from cfe_local.records import Confidence, Response

CONTROL = frozenset(map(chr, range(32))) - {"\n", "\t"}
"""In a value these can only come from LaTeX that JSON took for an escape, as \\f in \\frac."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The judge's word on one value."""

    is_correct: bool
    reasoning: str
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Overall:
    """The judge's word on every variable of a response at once."""

    reasoning: str
    is_correct: tuple[bool, ...]


def read_extraction(text: str, n_values: int) -> tuple[str | None, ...] | None:
    """The extracted values in order, None for null; None for the whole if the text is not what was asked for."""
    tree = read_object(text, _extraction_schema(n_values))
    if tree is None:
        return None
    values = [tree[field(position)] for position in range(n_values)]
    if any(isinstance(value, str) and CONTROL & set(value) for value in values):
        return None
    # A blank string says no more than null.
    return tuple(str(value).strip() or None if value is not None else None for value in values)


def read_verification(text: str) -> Verification | None:
    """The judge's verdict on one value; None if the text is not what was asked for."""
    tree = read_object(text, _verification_schema())
    if tree is None:
        return None
    return Verification(tree["is_correct"] is True, str(tree["reasoning"]), _degree(tree["confidence"]))


def read_overall(text: str, n_values: int) -> Overall | None:
    """The judge's verdicts on a whole response; None if the text is not what was asked for."""
    tree = read_object(text, _overall_schema(n_values))
    if tree is None:
        return None
    return Overall(str(tree["reasoning"]), tuple(tree[field(position)] is True for position in range(n_values)))


def truth_probabilities(answer: Response) -> tuple[float, ...]:
    """For every ``true`` or ``false`` that the judge wrote as a value, the probability that it gave to ``true``.

    Both words' probabilities are rescaled to sum to 1, since the grammar allows nothing else there.

    Args:
        answer: A judge response with `logprobs`; without them the result is empty.
    """
    found = []
    for token in answer.logprobs:
        if token.token.strip() not in {"true", "false"}:
            continue
        weights = {"true": 0.0, "false": 0.0}
        for word, logprob in {**token.alternatives, token.token: token.logprob}.items():
            if word.strip() in weights:
                weights[word.strip()] += math.exp(logprob)
        total = sum(weights.values())
        if total > 0:
            found.append(weights["true"] / total)
    return tuple(found)


def _degree(word: object) -> Confidence:
    if word == "high":
        return "high"
    return "medium" if word == "medium" else "low"


def read_object(text: str, validator: Draft202012Validator) -> Mapping[str, object] | None:
    """The JSON object that a text is, where the schema allows it; else None."""
    try:
        tree = json.loads(text)
    except json.JSONDecodeError:
        return None
    return tree if isinstance(tree, dict) and validator.is_valid(tree) else None


def _schema(properties: Mapping[str, object]) -> Draft202012Validator:
    return Draft202012Validator(
        {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    )


@cache
def _extraction_schema(n_values: int) -> Draft202012Validator:
    return _schema({field(position): {"type": ["string", "null"]} for position in range(n_values)})


@cache
def _verification_schema() -> Draft202012Validator:
    return _schema(
        {
            "reasoning": {"type": "string"},
            "is_correct": {"type": "boolean"},
            "confidence": {"enum": ["high", "medium", "low"]},
        }
    )


@cache
def _overall_schema(n_values: int) -> Draft202012Validator:
    truths = {field(position): {"type": "boolean"} for position in range(n_values)}
    return _schema({"reasoning": {"type": "string"}, **truths})
