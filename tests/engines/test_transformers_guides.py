"""Guides against random scores: what comes out must fit, whatever a model would have preferred."""

import json
import re
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from cfe_local.config.model import StructuredBackend  # noqa: E402 - needs torch
from cfe_local.engines.transformers_decoding import Row  # noqa: E402
from cfe_local.engines.transformers_guides import GuideMaker  # noqa: E402
from cfe_local.errors import UsageError  # noqa: E402
from cfe_local.records import Constraint, GrammarConstraint, JsonConstraint, RegexConstraint, Sampling  # noqa: E402
from tests.tiny_models import INTERNVL_TEMPLATE, N_VOCABULARY, byte_tokenizer  # noqa: E402

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "unit": {"enum": ["m", "s"]}, "note": {"type": "string"}},
        "required": ["n", "unit", "note"],
        "additionalProperties": False,
    }
)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return byte_tokenizer(INTERNVL_TEMPLATE)


def write(tokenizer: Any, guides: GuideMaker, constraint: Constraint, seed: int) -> tuple[str, str | None]:
    """Draw from random scores under a guide; the text, and how it ended."""
    generator = torch.Generator().manual_seed(seed)
    row = Row(
        sampling=Sampling(temperature=1.0, max_tokens=400),
        prompt_ids=torch.tensor([1]),
        stop_ids=frozenset({tokenizer.eos_token_id}),
        start_ids=(),
        end_ids=(),
        phase="answer",
        budget=0,
        generator=generator,
        guide=guides.guide(constraint),
    )
    while row.finish is None:
        scores = torch.randn(N_VOCABULARY, generator=generator)
        scores[tokenizer.convert_tokens_to_ids('"')] += 4  # so that random strings come to an end
        row.choose(scores)
    return tokenizer.decode(row.token_ids), row.finish


@pytest.mark.parametrize("backend", ["outlines", "guidance"])
@pytest.mark.parametrize("seed", range(5))
def test_json_fits_its_schema_in_natural_spacing(tokenizer: Any, backend: StructuredBackend, seed: int) -> None:
    guides = GuideMaker(tokenizer, backend)
    text, finish = write(tokenizer, guides, JsonConstraint(json_schema=SCHEMA), seed)
    assert finish == "stop"
    value = json.loads(text)
    assert list(value) == ["n", "unit", "note"]
    assert isinstance(value["n"], int)
    assert value["unit"] in ("m", "s")
    assert re.match(r'\{"n": -?\d+, "unit": "[ms]", "note": "', text)
    assert not set(re.findall(r"\\(.)", text)) - {"\\", '"'}


@pytest.mark.parametrize("backend", ["outlines", "guidance"])
@pytest.mark.parametrize(
    ("constraint", "wanted"),
    [
        (RegexConstraint(pattern="(yes|no)"), r"yes|no"),
        (RegexConstraint(pattern="[0-9]{2} (m|km)"), r"[0-9]{2} k?m"),
        (RegexConstraint(pattern="é+x"), r"é+x"),
        (GrammarConstraint(grammar='start: "v1: " /[a-c]{2,4}/ "."'), r"v1: [a-c]{2,4}\."),
    ],
    ids=["choice", "digits", "two-byte-letter", "grammar"],
)
def test_patterns_and_grammars_bind(
    tokenizer: Any, backend: StructuredBackend, constraint: Constraint, wanted: str
) -> None:
    guides = GuideMaker(tokenizer, backend)
    for seed in range(6):
        text, finish = write(tokenizer, guides, constraint, seed)
        assert re.fullmatch(wanted, text), text
        assert finish == "stop"


@pytest.mark.parametrize("backend", ["outlines", "guidance"])
def test_a_guide_is_made_anew_for_every_response(tokenizer: Any, backend: StructuredBackend) -> None:
    guides = GuideMaker(tokenizer, backend)
    texts = {write(tokenizer, guides, RegexConstraint(pattern="(a|b|c)"), seed)[0] for seed in range(12)}
    assert texts == {"a", "b", "c"}


@pytest.mark.parametrize("backend", ["outlines", "guidance"])
def test_control_tokens_cannot_slip_into_free_text(tokenizer: Any, backend: StructuredBackend) -> None:
    guide = GuideMaker(tokenizer, backend).guide(RegexConstraint(pattern=r"[a-z<>|_/A-Z]{1,40}"))
    scores = guide(torch.tensor([[0]]), torch.zeros(1, N_VOCABULARY))[0]
    allowed = {number for number, score in enumerate(scores.tolist()) if score == 0}
    letters = {tokenizer.convert_tokens_to_ids(letter) for letter in "az<>|_/AZ"}
    assert letters <= allowed
    special = {number for number, token in tokenizer.added_tokens_decoder.items() if token.special}
    assert not allowed & special
    assert not [number for number in allowed if number >= len(tokenizer)]


def test_a_constraint_that_cannot_be_compiled_is_an_error_for_the_user(tokenizer: Any) -> None:
    with pytest.raises(UsageError, match="regex constraint cannot be enforced"):
        GuideMaker(tokenizer, "outlines").guide(RegexConstraint(pattern="(unclosed"))
