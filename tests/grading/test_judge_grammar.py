"""What the judge's grammars let through, tried on the grammar engine itself."""

import json

import pytest

from cfe_local.grading.judge_grammar import extraction_grammar, overall_grammar, verification_grammar
from cfe_local.records import GrammarConstraint

llguidance = pytest.importorskip("llguidance")

RESPONSE = 'We get $x = -\\frac{\\beta}{2}$, i.e. "about" 35.5 m.\nThe end — 十四分之十一.'


def accepts(constraint: GrammarConstraint, text: str) -> bool:
    """Whether a grammar derives a text, byte by byte."""
    tokenizer = llguidance.LLTokenizer("byte")
    matcher = llguidance.LLMatcher(tokenizer, llguidance.LLMatcher.grammar_from_lark(constraint.grammar))
    tokens = tokenizer.tokenize_bytes(text.encode())
    return bool(matcher.consume_tokens(tokens)) and matcher.is_accepting()


def as_json(*values: str | None) -> str:
    return json.dumps({f"v{i + 1}": value for i, value in enumerate(values)}, ensure_ascii=False)


@pytest.mark.parametrize(
    "value",
    [r"-\frac{\beta}{2}", "35.5 m", '"about"', "m.\nThe end", "十四分之十一", r"x = -\frac{\beta}{2}", None],
)
def test_any_stretch_of_the_response_passes(value: str | None) -> None:
    assert accepts(extraction_grammar([RESPONSE], 1), as_json(value))


@pytest.mark.parametrize("value", [r"\frac{\beta}{2}", "5.5 m", "35", r"frac{\beta}{2}", r"-\frac{\beta}{3}", "abou"])
def test_what_is_cut_or_changed_does_not_pass(value: str) -> None:
    assert not accepts(extraction_grammar([RESPONSE], 1), as_json(value))


def test_spacing_is_the_natural_one() -> None:
    grammar = extraction_grammar([RESPONSE], 2)
    assert accepts(grammar, '{"v1": "35.5", "v2": null}')
    assert not accepts(grammar, '{"v1":"35.5","v2":null}')
    assert not accepts(grammar, '{"v1":  "35.5", "v2": null}')
    assert not accepts(grammar, '{"v1": "35.5"}')


def test_a_backslash_is_always_escaped_so_that_latex_survives_json() -> None:
    grammar = verification_grammar(100)
    assert accepts(grammar, '{"reasoning": "so \\\\frac{1}{2}", "is_correct": true, "confidence": "low"}')
    assert not accepts(grammar, '{"reasoning": "so \\frac{1}{2}", "is_correct": true, "confidence": "low"}')
    assert not accepts(grammar, '{"reasoning": "\\beta", "is_correct": true, "confidence": "low"}')


def test_reasoning_is_bounded() -> None:
    tree = '{{"reasoning": "{}", "v1": true, "v2": false}}'
    assert accepts(overall_grammar(2, 20), tree.format("x" * 20))
    assert not accepts(overall_grammar(2, 20), tree.format("x" * 21))
