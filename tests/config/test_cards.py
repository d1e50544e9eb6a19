"""Every model and judge card loads, and is checked against the installed vLLM where there is one."""

import re
from pathlib import Path

import pytest
import yaml

from cfe_local.config import load_run_config
from cfe_local.config.model import JudgeConfig, ModelConfig
from cfe_local.errors import UsageError

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
CARDS = sorted(CONFIGS.glob("models/*.yaml"))
JUDGES = sorted(CONFIGS.glob("judges/*.yaml"))

every_card = pytest.mark.parametrize("path", [*CARDS, *JUDGES], ids=lambda path: f"{path.parent.name}/{path.stem}")


def load(path: Path) -> ModelConfig:
    kind = JudgeConfig if path.parent.name == "judges" else ModelConfig
    return kind.model_validate(yaml.safe_load(path.read_text()))


def architecture(path: Path) -> str:
    found = re.findall(r"^# architecture: (\w+)$", path.read_text(), flags=re.MULTILINE)
    assert len(found) == 1, f"{path.name} names {len(found)} architectures"
    return str(found[0])


def test_both_families_are_there_with_several_sizes_and_both_modes_of_thinking() -> None:
    names = {path.stem for path in CARDS}
    assert len([name for name in names if name.startswith("internvl3.5-")]) >= 4
    thinking = {path.stem: load(path).chat_template_kwargs.get("enable_thinking") for path in CARDS}
    assert thinking["qwen3.5-27b"] is True
    assert thinking["qwen3.5-27b-no-thinking"] is False
    assert {architecture(path) for path in CARDS if path.stem.startswith("qwen3.5")} == {
        "Qwen3_5ForConditionalGeneration",
        "Qwen3_5MoeForConditionalGeneration",
    }


@every_card
def test_a_card_is_a_model_configuration(path: Path) -> None:
    card = load(path)
    assert card.engine == "vllm"
    assert not card.trust_remote_code
    assert "max_model_len" in card.engine_args
    assert architecture(path)


@every_card
def test_thinking_and_answer_leave_at_least_a_third_of_the_context_to_the_prompt(path: Path) -> None:
    card = load(path)
    thinks = card.chat_template_kwargs.get("enable_thinking") is True
    most = int(str(card.engine_args["max_model_len"]))
    generated = card.sampling.max_tokens + (card.sampling.thinking_tokens if thinks else 0)
    assert most - generated >= most // 3


@pytest.mark.parametrize("path", JUDGES, ids=lambda path: path.stem)
def test_a_judge_is_greedy_and_does_not_think(path: Path) -> None:
    card = load(path)
    assert card.sampling.temperature == 0
    assert card.chat_template_kwargs.get("enable_thinking") is not True


@pytest.fixture(scope="module")
def registered() -> frozenset[str]:
    """Architectures that the installed vLLM knows."""
    registry = pytest.importorskip("vllm.model_executor.models.registry", reason="vLLM is not installed")
    return frozenset(registry.ModelRegistry.get_supported_archs())


@pytest.mark.engine
@every_card
def test_the_installed_vllm_knows_the_architecture(path: Path, registered: frozenset[str]) -> None:
    assert architecture(path) in registered


@pytest.mark.engine
@every_card
def test_the_installed_vllm_knows_every_option(path: Path) -> None:
    options = pytest.importorskip("cfe_local.engines.vllm_options")
    pytest.importorskip("vllm", reason="vLLM is not installed")
    options.check_options(load(path).engine_args, options.known_options())


@every_card
def test_no_option_says_what_has_its_own_place_in_the_configuration(path: Path) -> None:
    written = yaml.safe_load(path.read_text())
    assert set(written) <= set(ModelConfig.model_fields)
    assert not {"model", "seed", "trust_remote_code"} & set(written.get("engine_args", {}))


def test_a_run_takes_a_card_and_what_stands_beside_it_wins(tmp_path: Path) -> None:
    config = load_run_config(
        None,
        overrides=[
            "benchmark.path=sample",
            f"model.card={CONFIGS / 'models' / 'qwen3.5-27b.yaml'}",
            "model.path=/data/qwen",
            "model.engine_args.tensor_parallel_size=4",
            "model.sampling.max_tokens=512",
            f"judge.card={CONFIGS / 'judges' / 'qwen2.5-coder-1.5b-instruct.yaml'}",
        ],
    )
    assert config.model.path == "/data/qwen"
    assert config.model.engine_args["tensor_parallel_size"] == 4
    assert config.model.engine_args["max_model_len"] == 32768
    assert (config.model.sampling.max_tokens, config.model.sampling.temperature) == (512, 1.0)
    assert config.judge is not None
    assert config.judge.structured_backend == "guidance"


def test_a_card_that_is_not_there_or_has_an_unknown_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not found"):
        load_run_config(None, overrides=["benchmark.path=sample", f"model.card={tmp_path / 'no.yaml'}"])
    (tmp_path / "card.yaml").write_text("path: x\nsamplng: {}\n")
    with pytest.raises(UsageError, match="did you mean sampling"):
        load_run_config(None, overrides=["benchmark.path=sample", f"model.card={tmp_path / 'card.yaml'}"])
