"""The transformers engine, in this process, on a small real model and on tiny random ones that see images."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from PIL import Image

from cfe_local.config import ModelConfig
from cfe_local.engines.models import resolve_model
from cfe_local.engines.worker import LoadedEngine, load_engine
from cfe_local.errors import ModelError, UsageError
from cfe_local.records import (
    Case,
    Constraint,
    GrammarConstraint,
    ImagePart,
    JsonConstraint,
    Message,
    RegexConstraint,
    Response,
    Sampling,
    TextPart,
)
from tests import tiny_models
from tests.engines.cases import case

pytestmark = pytest.mark.engine
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"sum": {"type": "integer"}, "unit": {"enum": ["m", "s"]}},
        "required": ["sum", "unit"],
        "additionalProperties": False,
    }
)
GRAMMAR = 'start: "value: " DIGIT+ "."\nDIGIT: /[0-9]/\n'


def load(path: Path | str, **changes: object) -> LoadedEngine:
    settings: dict[str, object] = {"engine_args": {"dtype": "float32", "max_model_len": 1024, "max_num_seqs": 4}}
    return load_engine(ModelConfig.model_validate({"path": str(path), "engine": "transformers", **settings, **changes}))


def ask(engine: LoadedEngine, *cases: Case) -> list[Response]:
    """Responses in the order of the cases."""
    found = {response.key.label: response for response in engine.generate(cases)}
    assert len(found) == len(cases)
    return [found[one.key.label] for one in cases]


def smollm_path() -> Path:
    pytest.importorskip("transformers")
    try:
        return resolve_model("smollm2-135m-instruct")
    except ModelError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def smollm() -> LoadedEngine:
    return load(smollm_path())


@pytest.fixture(scope="module")
def thinker(tmp_path_factory: pytest.TempPathFactory) -> LoadedEngine:
    """The same model under a template that opens thinking, as reasoning models have it."""
    template = tmp_path_factory.mktemp("template") / "thinking.jinja"
    template.write_text(tiny_models.THINKING_TEMPLATE)
    return load(smollm_path(), chat_template=template)


@pytest.fixture(scope="module", params=["tiny_internvl_folder", "tiny_qwen_folder"])
def seer(request: pytest.FixtureRequest) -> LoadedEngine:
    """A tiny random model that sees images."""
    return load(request.getfixturevalue(request.param))


def picture(folder: Path, colour: str, size: tuple[int, int] = (60, 40)) -> ImagePart:
    path = folder / f"{colour}-{size[0]}x{size[1]}.png"
    Image.new("RGB", size, colour).save(path)
    return ImagePart(path=str(path), sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def compare(row: int, *images: ImagePart) -> Case:
    """Text and images by turns."""
    words = ("Left: ", " right: ", " below: ", " above: ")
    parts = [part for pair in zip((TextPart(text=word) for word in words), images, strict=False) for part in pair]
    message = Message(role="user", parts=(*parts, TextPart(text=" Compare.")))
    plain = case(row=row, sampling=Sampling(temperature=0.0, max_tokens=12))
    return plain.model_copy(update={"messages": (message,)})


# ---------------------------------------------------------------- a model that speaks


def test_a_greedy_answer_is_what_transformers_itself_generates(smollm: LoadedEngine) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    text = "What is the capital of France?"
    (response,) = ask(smollm, case(text))
    tokenizer = AutoTokenizer.from_pretrained(smollm.info.model_path)
    model = AutoModelForCausalLM.from_pretrained(smollm.info.model_path, dtype="float32")
    turns = [{"role": "user", "content": text}]
    inputs = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    tokens = model.generate(**inputs, max_new_tokens=24, do_sample=False)[0, inputs["input_ids"].shape[1] :]
    assert response.text == tokenizer.decode(tokens, skip_special_tokens=True)
    assert "Paris" in response.text
    assert response.n_prompt_tokens == inputs["input_ids"].shape[1]


def test_a_batch_of_unequal_prompts_answers_as_each_alone(smollm: LoadedEngine) -> None:
    texts = ["Name three colours.", "Hi.", "Explain in one sentence why the sky is blue, as if to a child of five."]
    together = ask(smollm, *(case(text, row=row) for row, text in enumerate(texts)))
    alone = [ask(smollm, case(text, row=row))[0] for row, text in enumerate(texts)]
    assert [one.text for one in together] == [one.text for one in alone]
    assert [one.n_prompt_tokens for one in together] == [one.n_prompt_tokens for one in alone]


def test_the_seed_alone_decides_what_is_drawn(smollm: LoadedEngine) -> None:
    def drawn(row: int, seed: int) -> Case:
        sampling = Sampling(temperature=1.0, top_p=0.95, max_tokens=16, seed=seed)
        return case("Tell me something.", row=row, sampling=sampling)

    one, two, three = ask(smollm, drawn(0, 1), drawn(1, 2), drawn(2, 1))
    assert one.text == three.text != two.text
    (again,) = ask(smollm, drawn(3, 2))
    assert again.text == two.text


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_a_json_constraint_binds(smollm: LoadedEngine, temperature: float) -> None:
    sampling = Sampling(temperature=temperature, max_tokens=48, seed=3)
    (response,) = ask(smollm, case("Write a poem.", constraint=JsonConstraint(json_schema=SCHEMA), sampling=sampling))
    if response.outcome == "answered":
        value = json.loads(response.text)
        assert isinstance(value["sum"], int)
        assert value["unit"] in ("m", "s")
    else:
        assert response.outcome == "truncated"
    assert response.text.startswith('{"sum": ')


@pytest.mark.parametrize(
    ("constraint", "wanted"),
    [
        (RegexConstraint(pattern="(yes|no)"), r"yes|no"),
        (RegexConstraint(pattern="[0-9]{2} apples"), r"\d\d apples"),
        (JsonConstraint(json_schema='{"type": "string", "const": "zq"}'), '"zq"'),
        (GrammarConstraint(grammar=GRAMMAR), r"value: \d+\."),
    ],
    ids=["choice", "regex", "json", "grammar"],
)
@pytest.mark.parametrize("backend", ["outlines", "guidance"])
def test_every_kind_of_constraint_binds_in_a_batch_with_free_text(
    smollm: LoadedEngine, constraint: Constraint, wanted: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import re

    monkeypatch.setattr(smollm._guides, "_backend", backend)  # type: ignore[attr-defined]
    monkeypatch.setattr(smollm._guides, "_compiled", type(smollm._guides._compiled)())  # type: ignore[attr-defined]
    sampling = Sampling(temperature=0.7, max_tokens=60, seed=5)
    bound, free = ask(
        smollm,
        case("How many stars are there?", row=0, constraint=constraint, sampling=sampling),
        case("How many stars are there?", row=1),
    )
    assert re.fullmatch(wanted, bound.text) or bound.outcome == "truncated"
    assert not re.fullmatch(wanted, free.text)


def test_logprobs_of_a_choice_are_probabilities_of_its_options(smollm: LoadedEngine) -> None:
    import math

    sampling = Sampling(temperature=0.0, max_tokens=8, n_logprobs=5)
    constraint = RegexConstraint(pattern="(yes|no)")
    (response,) = ask(smollm, case("Is 2 even?", constraint=constraint, sampling=sampling))
    first = response.logprobs[0].alternatives
    assert {token.strip() for token in first} <= {"yes", "no", "y", "n", "ye"}
    assert sum(math.exp(value) for value in first.values()) == pytest.approx(1.0, abs=1e-3)
    assert "".join(one.token for one in response.logprobs) == response.text


def test_thinking_is_closed_by_its_budget_and_is_no_answer(thinker: LoadedEngine) -> None:
    sampling = Sampling(temperature=0.0, max_tokens=12, thinking_tokens=3)
    (response,) = ask(thinker, case("What is 2 + 2?", sampling=sampling))
    assert response.thinking_end == "closed_by_budget"
    assert response.thinking
    assert "</think>" not in response.text + response.thinking
    assert response.n_answer_tokens <= 12
    assert response.outcome in ("answered", "truncated")


def test_a_model_that_stops_inside_its_thinking_has_no_answer(thinker: LoadedEngine) -> None:
    sampling = Sampling(temperature=0.0, max_tokens=12, thinking_tokens=400)
    (response,) = ask(thinker, case("Say hi.", sampling=sampling))
    assert (response.outcome, response.thinking_end, response.text) == ("truncated_thinking", "unclosed", "")
    assert response.n_answer_tokens == 0
    assert response.n_thinking_tokens > 0


def test_a_constraint_closes_thinking_before_the_answer(thinker: LoadedEngine) -> None:
    (response,) = ask(thinker, case("Is 2 even?", constraint=RegexConstraint(pattern="(yes|no)")))
    assert response.text in ("yes", "no")
    assert "thinking closed in the prompt" in response.detail


def test_an_answer_cut_at_its_limit_is_truncated_and_kept(smollm: LoadedEngine) -> None:
    (response,) = ask(smollm, case("Tell a long story.", sampling=Sampling(temperature=0.0, max_tokens=4)))
    assert (response.outcome, response.finish_reason, response.n_answer_tokens) == ("truncated", "length", 4)
    assert response.text


def test_a_prompt_that_leaves_no_room_is_an_outcome_and_ends_nothing(smollm: LoadedEngine) -> None:
    long, short = ask(smollm, case("word " * 1100, row=0), case(row=1))
    assert long.outcome == "prompt_too_long"
    assert "max_model_len 1024" in long.detail
    assert long.n_prompt_tokens > 1100
    assert long.text == ""
    assert short.outcome in ("answered", "truncated")


def test_control_marks_in_a_question_are_text(smollm: LoadedEngine) -> None:
    marked, plain = ask(smollm, case("Say <|im_end|> now.", row=0), case("Say < |im_end|> now.", row=1))
    assert marked.n_prompt_tokens == plain.n_prompt_tokens
    assert "marks made plain text: <|im_end|>" in marked.detail


def test_a_model_without_images_refuses_them_for_their_case_alone(smollm: LoadedEngine, tmp_path: Path) -> None:
    seen, unseen = ask(smollm, case(row=0, images=(picture(tmp_path, "red"),)), case(row=1))
    assert (seen.outcome, seen.n_images) == ("bad_input", 1)
    assert unseen.outcome in ("answered", "truncated")


def test_a_misspelt_option_is_refused_and_one_of_vllm_is_listed_as_idle(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean max_model_len"):
        load(tmp_path, engine_args={"max_modle_len": 5})
    engine = load(smollm_path(), engine_args={"tensor_parallel_size": 2, "dtype": "bfloat16"})
    assert engine.info.settings["without_effect"] == "tensor_parallel_size"
    assert engine.info.settings["dtype"] == "bfloat16"


# ---------------------------------------------------------------- models that see


def test_images_stand_where_the_question_has_them(seer: LoadedEngine, tmp_path: Path) -> None:
    red, blue = picture(tmp_path, "red"), picture(tmp_path, "blue", (90, 90))
    one, other, again = ask(seer, compare(0, red, blue), compare(1, blue, red), compare(2, red, blue))
    assert [response.n_images for response in (one, other, again)] == [2, 2, 2]
    assert one.text == again.text
    assert one.text != other.text
    assert one.prompt_sha256 == again.prompt_sha256 != other.prompt_sha256


def test_images_of_neighbours_do_not_mix(seer: LoadedEngine, tmp_path: Path) -> None:
    red, blue, green = (picture(tmp_path, colour, (70, 50)) for colour in ("red", "blue", "green"))
    cases = [compare(0, red), compare(1), compare(2, blue, green, red), compare(3, green, blue)]
    together = ask(seer, *cases)
    alone = [ask(seer, one)[0] for one in cases]
    assert [one.text for one in together] == [one.text for one in alone]
    assert [one.n_images for one in together] == [1, 0, 3, 2]


def test_an_image_that_no_encoder_takes_is_bad_input_for_its_case_alone(seer: LoadedEngine, tmp_path: Path) -> None:
    torn = tmp_path / "torn.png"
    torn.write_bytes(b"\x89PNG\r\n")
    part = ImagePart(path=str(torn), sha256=hashlib.sha256(torn.read_bytes()).hexdigest())
    thin = picture(tmp_path, "black", (418, 30))
    bad, mended = ask(seer, compare(0, part), compare(1, thin))
    assert bad.outcome == "bad_input"
    assert "torn.png" in bad.detail
    assert mended.outcome in ("answered", "truncated")
    assert "enlarged 418x30 to 446x32" in mended.detail
