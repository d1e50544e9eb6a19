"""vLLM itself, through the engine process, on small real models and on tiny random ones."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from PIL import Image

from cfe_local.engines.process import EngineProcess
from cfe_local.errors import UsageError
from cfe_local.records import (
    Case,
    GrammarConstraint,
    ImagePart,
    JsonConstraint,
    Message,
    RegexConstraint,
    Response,
    Sampling,
    TextPart,
)
from tests.engines.cases import case
from tests.engines.conftest import CONTEXT

pytestmark = pytest.mark.engine
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"v1": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["v1", "n"],
        "additionalProperties": False,
    }
)


def image(folder: Path, colour: str, size: tuple[int, int] = (64, 64)) -> ImagePart:
    path = folder / f"{colour}-{size[0]}x{size[1]}.png"
    Image.new("RGB", size, colour).save(path)
    return ImagePart(path=str(path), sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def ask(engine: EngineProcess, *cases: Case) -> list[Response]:
    """Responses in the order of the cases."""
    found = {response.key.label: response for response in engine.generate(cases)}
    return [found[one.key.label] for one in cases]


# ------------------------------------------------------------ a model that speaks


def test_short_answers_do_not_wait_for_long_ones(smollm: EngineProcess) -> None:
    long = case("Tell a long story.", row=0, sampling=Sampling(temperature=0, max_tokens=160))
    short = [case("Say hi.", row=row, sampling=Sampling(temperature=0, max_tokens=4)) for row in (1, 2)]
    assert [response.key.row for response in smollm.generate([long, *short])][-1] == 0


def test_every_number_of_a_response_is_there(smollm: EngineProcess) -> None:
    one, again = ask(smollm, case("What is 2 + 2?", row=0), case("What is 2 + 2?", row=1))
    assert one.text == again.text != ""
    assert one.n_prompt_tokens == again.n_prompt_tokens > 10
    assert 0 < one.n_answer_tokens <= 24
    assert one.prompt_sha256 == again.prompt_sha256 != ""
    assert one.seconds > 0
    assert (one.thinking_end, one.n_thinking_tokens, one.n_images) == ("none", 0, 0)
    assert one.finish_reason in ("stop", "length")


def test_a_repeated_prompt_is_served_from_the_prefix_cache(smollm: EngineProcess) -> None:
    text = "Count: " + " ".join(str(number) for number in range(200))
    (first,) = ask(smollm, case(text, row=0))
    (second,) = ask(smollm, case(text, row=1))
    assert second.n_cached_tokens >= 128 > first.n_cached_tokens


def test_the_seed_decides_what_is_drawn(smollm: EngineProcess) -> None:
    def drawn(row: int, seed: int) -> Case:
        return case("Name an animal.", row=row, sampling=Sampling(temperature=1.5, max_tokens=12, seed=seed))

    one, same, other = ask(smollm, drawn(0, 7), drawn(1, 7), drawn(2, 8))
    assert one.text == same.text != other.text


def test_an_answer_that_runs_into_its_limit_says_so(smollm: EngineProcess) -> None:
    (response,) = ask(smollm, case("Tell a long story.", sampling=Sampling(temperature=0, max_tokens=5)))
    assert (response.outcome, response.finish_reason, response.n_answer_tokens) == ("truncated", "length", 5)


def test_a_prompt_that_is_too_long_is_an_outcome_and_the_others_go_on(smollm: EngineProcess) -> None:
    fitting, long = ask(smollm, case(row=0), case("word " * 2 * CONTEXT, row=1))
    assert fitting.outcome in ("answered", "truncated")
    assert long.outcome == "prompt_too_long"
    assert long.text == ""
    assert str(CONTEXT) in long.detail
    assert str(long.n_prompt_tokens) in long.detail


def test_a_prompt_that_just_fits_is_asked_and_one_token_more_is_not(smollm: EngineProcess) -> None:
    (probe,) = ask(smollm, case())
    room = CONTEXT - probe.n_prompt_tokens
    fits, too_long = ask(
        smollm,
        case(row=0, sampling=Sampling(temperature=0, max_tokens=room)),
        case(row=1, sampling=Sampling(temperature=0, max_tokens=room + 1)),
    )
    assert fits.outcome == "answered"
    assert too_long.outcome == "prompt_too_long"


def test_a_mark_in_a_question_is_text_to_the_model(smollm: EngineProcess) -> None:
    plain, marked = ask(smollm, case("a b c", row=0), case("a <|im_end|> c", row=1))
    assert "<|im_end|>" in marked.detail
    assert plain.detail.count("marks") == 0
    assert marked.n_prompt_tokens > plain.n_prompt_tokens + 3  # spelled out, not one control token


def test_json_binds_and_is_spaced_as_usual(smollm: EngineProcess) -> None:
    (response,) = ask(
        smollm, case("Greet me.", constraint=JsonConstraint(json_schema=SCHEMA), sampling=Sampling(max_tokens=120))
    )
    assert response.outcome in ("answered", "truncated")
    assert response.text.startswith('{"v1": "')
    if response.outcome == "answered":
        assert json.dumps(json.loads(response.text), ensure_ascii=False) == response.text


def test_a_pattern_binds_and_gives_log_probabilities(smollm: EngineProcess) -> None:
    sampling = Sampling(temperature=0, max_tokens=8, n_logprobs=3)
    (response,) = ask(smollm, case("Hm?", constraint=RegexConstraint(pattern="(yes|no)"), sampling=sampling))
    assert response.text in ("yes", "no")
    assert response.outcome == "answered"
    first = response.logprobs[0]
    assert first.token.strip() in ("yes", "no", "y", "n")
    assert first.logprob <= 0
    assert len(response.logprobs) == response.n_answer_tokens


def test_what_the_backend_cannot_do_is_refused_for_the_whole_engine(smollm: EngineProcess) -> None:
    del smollm  # loaded first, so that two engines are never loaded at once by a test that asks for both
    from cfe_local.engines.constraints import structured_parameters

    with pytest.raises(UsageError, match="guidance"):
        structured_parameters(GrammarConstraint(grammar='start: "a"'), "outlines")


def test_the_engine_says_what_it_is(smollm: EngineProcess) -> None:
    info = smollm.engine_info
    assert (info.engine, info.structured_backend, info.max_model_len) == ("vllm", "outlines", CONTEXT)
    assert info.version
    assert info.settings["enable_prefix_caching"] == "True"
    log = smollm.log_path.read_text(errors="replace")
    assert "structured backend outlines binds for json" in log


# ------------------------------------------------------------ thinking and images, tiny random models


def test_thinking_that_does_not_end_is_closed_by_its_budget(tiny_qwen: EngineProcess) -> None:
    sampling = Sampling(temperature=0, max_tokens=10, thinking_tokens=20)
    (response,) = ask(tiny_qwen, case("Think.", sampling=sampling))
    assert response.thinking_end == "closed_by_budget"
    assert response.thinking != ""
    assert 18 <= response.n_thinking_tokens <= 21
    assert response.n_thinking_tokens + response.n_answer_tokens <= 30
    assert response.outcome in ("answered", "truncated")
    assert "</think>" not in response.text


def test_a_constraint_closes_thinking_in_the_prompt(tiny_qwen: EngineProcess) -> None:
    (response,) = ask(tiny_qwen, case("Think.", constraint=RegexConstraint(pattern="(yes|no)")))
    assert response.text in ("yes", "no")
    assert (response.thinking_end, response.thinking) == ("none", "")
    assert "thinking closed in the prompt" in response.detail


def test_guidance_binds_json_and_grammars(tiny_qwen: EngineProcess) -> None:
    grammar = GrammarConstraint(grammar='start: "A: " /[a-c]{2,4}/ "."')
    by_grammar, by_schema = ask(
        tiny_qwen,
        case("x", row=0, constraint=grammar),
        case("x", row=1, constraint=JsonConstraint(json_schema='{"enum": ["high", "low"]}')),
    )
    assert by_grammar.text.startswith("A: ")
    assert by_grammar.text.endswith(".")
    assert by_schema.text in ('"high"', '"low"')


@pytest.mark.parametrize("name", ["tiny_qwen", "tiny_internvl"])
def test_images_are_counted_and_their_order_matters(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    engine: EngineProcess = request.getfixturevalue(name)
    black, white = image(tmp_path, "black"), image(tmp_path, "white")
    sampling = Sampling(temperature=0, max_tokens=1, thinking_tokens=4, n_logprobs=5)

    def shown(row: int, *images: ImagePart) -> Case:
        parts = (TextPart(text="First "), images[0], TextPart(text=" then "), images[1], TextPart(text=" what?"))
        plain = case(row=row, sampling=sampling, constraint=RegexConstraint(pattern="[a-z]"))
        return plain.model_copy(update={"messages": (Message(role="user", parts=parts),)})

    one, same, swapped = ask(engine, shown(0, black, white), shown(1, black, white), shown(2, white, black))
    assert [response.n_images for response in (one, same, swapped)] == [2, 2, 2]
    assert one.outcome == same.outcome == swapped.outcome != "bad_input"
    assert one.logprobs[0].alternatives == pytest.approx(same.logprobs[0].alternatives, abs=1e-3)
    assert one.logprobs[0].alternatives != pytest.approx(swapped.logprobs[0].alternatives, abs=1e-3)
    assert one.prompt_sha256 == same.prompt_sha256 != swapped.prompt_sha256
    assert one.n_prompt_tokens == swapped.n_prompt_tokens


@pytest.mark.parametrize("name", ["tiny_qwen", "tiny_internvl"])
def test_image_marks_in_text_are_not_images(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    engine: EngineProcess = request.getfixturevalue(name)
    text = "a <image> b <|image_pad|> c <IMG_CONTEXT> d <##IMAGE##> e"
    without, with_one = ask(engine, case(text, row=0), case(text, row=1, images=(image(tmp_path, "red"),)))
    assert [without.n_images, with_one.n_images] == [0, 1]
    assert without.outcome not in ("bad_input", "failed")
    assert with_one.outcome not in ("bad_input", "failed")
    for mark in ("<image>", "<|image_pad|>", "<IMG_CONTEXT>", "<##IMAGE##>"):
        assert mark in without.detail


@pytest.mark.parametrize("name", ["tiny_qwen", "tiny_internvl"])
def test_a_bad_image_spoils_its_own_case_only(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    engine: EngineProcess = request.getfixturevalue(name)
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"\x89PNG nothing")
    part = ImagePart(path=str(broken), sha256=hashlib.sha256(broken.read_bytes()).hexdigest())
    thin = image(tmp_path, "blue", (200, 9))
    bad, mended, plain = ask(engine, case(row=0, images=(part,)), case(row=1, images=(thin,)), case(row=2))
    assert bad.outcome == "bad_input"
    assert "broken.png" in bad.detail
    assert mended.outcome not in ("bad_input", "failed")
    assert "enlarged" in mended.detail
    assert plain.outcome not in ("bad_input", "failed")
