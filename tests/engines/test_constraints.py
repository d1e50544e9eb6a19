"""Constraints: natural spacing, safe escapes, and which backend can do what."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

pytest.importorskip("outlines")

from cfe_local.engines.constraints import json_expression, outlines_type, structured_parameters
from cfe_local.errors import UsageError
from cfe_local.records import GrammarConstraint, JsonConstraint, RegexConstraint

EXTRACTION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "v1": {"type": ["string", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "inner": {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "ok": {"type": "boolean"}},
            "required": ["n", "ok"],
            "additionalProperties": False,
        },
        "confidence": {"enum": ["high", "low"]},
    },
    "required": ["v1", "tags", "inner", "confidence"],
    "additionalProperties": False,
}
VALUE: dict[str, Any] = {
    "v1": 'a "b" \\frac',
    "tags": ["x", "y: z,w"],
    "inner": {"n": 3, "ok": True},
    "confidence": "low",
}
OPTIONAL: dict[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "integer"} for name in "abc"},
    "required": ["b"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (EXTRACTION, VALUE),
        (EXTRACTION, {**VALUE, "v1": None, "tags": []}),
        (OPTIONAL, {"b": 1}),
        (OPTIONAL, {"a": 1, "b": 2}),
        (OPTIONAL, {"b": 2, "c": 3}),
        (OPTIONAL, {"a": 1, "b": 2, "c": 3}),
        ({"type": "string", "const": "zq"}, "zq"),
        ({"type": "array", "items": {"type": "number"}}, [1, 2.5, -3]),
    ],
)
def test_the_usual_spacing_is_the_only_one(schema: dict[str, Any], value: object) -> None:
    expression = json_expression(json.dumps(schema))
    usual = json.dumps(value)
    assert re.fullmatch(expression, usual)
    for other in (json.dumps(value, separators=(",", ":")), json.dumps(value, indent=1), f" {usual}", f"{usual} "):
        if other != usual:
            assert not re.fullmatch(expression, other)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        (r'{"v": "\\frac{1}{2}"}', True),
        (r'{"v": "say \"x\""}', True),
        (r'{"v": "\frac{1}{2}"}', False),  # a form feed to JSON
        (r'{"v": "E^{\bullet}"}', False),  # a backspace to JSON
        (r'{"v": "\nu"}', False),
        (r'{"v": "\u00e9"}', False),
        ('{"v": "é √2 ≤ 3"}', True),
    ],
)
def test_a_backslash_in_a_string_can_only_mean_itself_or_quote(text: str, allowed: bool) -> None:
    schema = {
        "type": "object",
        "properties": {"v": {"type": "string"}},
        "required": ["v"],
        "additionalProperties": False,
    }
    assert bool(re.fullmatch(json_expression(json.dumps(schema)), text)) is allowed
    assert accepted_by_guidance(schema, text) is allowed


@pytest.mark.parametrize("value", [VALUE, {**VALUE, "v1": None, "tags": []}])
def test_guidance_allows_the_same_texts(value: object) -> None:
    usual = json.dumps(value)
    assert accepted_by_guidance(EXTRACTION, usual)
    for other in (json.dumps(value, separators=(",", ":")), json.dumps(value, indent=1), f" {usual}"):
        assert not accepted_by_guidance(EXTRACTION, other)


def accepted_by_guidance(schema: dict[str, Any], text: str) -> bool:
    """What the backend ``guidance`` says, asked as vLLM asks it, with single bytes as tokens."""
    llguidance = pytest.importorskip("llguidance")
    given = structured_parameters(JsonConstraint(json_schema=json.dumps(schema)), "guidance")["json"]
    grammar = llguidance.LLMatcher.grammar_from_json_schema(given, defaults={"whitespace_flexible": True})
    tokenizer = llguidance.LLTokenizer("byte")
    assert not llguidance.LLMatcher.validate_grammar(grammar, tokenizer)
    matcher = llguidance.LLMatcher(tokenizer, grammar)
    tokens = tokenizer.tokenize_str(text)
    n_taken = matcher.validate_tokens(tokens)
    matcher.consume_tokens(tokens[:n_taken])
    return bool(n_taken == len(tokens) and matcher.is_accepting())


def test_a_pattern_stays_as_it_is() -> None:
    for backend in ("outlines", "guidance", "xgrammar"):
        assert structured_parameters(RegexConstraint(pattern="(yes|no)"), backend) == {"regex": "(yes|no)"}


def test_grammars_need_guidance_and_the_message_says_where_to_set_it() -> None:
    grammar = GrammarConstraint(grammar='start: "a"')
    assert structured_parameters(grammar, "guidance") == {"grammar": 'start: "a"'}
    for backend in ("outlines", "xgrammar"):
        with pytest.raises(UsageError, match="structured_backend: guidance"):
            structured_parameters(grammar, backend)


@pytest.mark.parametrize("backend", ["outlines", "guidance"])
@pytest.mark.parametrize("schema", ["{not json", "[]"])
def test_what_is_no_schema_is_refused(schema: str, backend: Any) -> None:
    with pytest.raises(UsageError):
        structured_parameters(JsonConstraint(json_schema=schema), backend)


def test_constraints_are_outlines_types() -> None:
    from outlines.types.dsl import CFG, Regex

    assert isinstance(outlines_type(JsonConstraint(json_schema=json.dumps(EXTRACTION))), Regex)
    assert isinstance(outlines_type(RegexConstraint(pattern="a")), Regex)
    assert isinstance(outlines_type(GrammarConstraint(grammar="start: /a/")), CFG)
