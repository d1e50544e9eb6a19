"""One configuration out of file, environment and command line, and errors that say where."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfe_local.config import load_run_config
from cfe_local.errors import UsageError

MINIMAL = "benchmark: {path: sample}\nmodel: {path: some/folder}\n"


@pytest.fixture
def config_path(tmp_path: Path) -> Path:
    path = tmp_path / "run.yaml"
    path.write_text(MINIMAL, encoding="utf-8")
    return path


def test_command_line_wins_over_environment_and_environment_over_file(config_path: Path) -> None:
    config_path.write_text(MINIMAL + "seed: 1\nexperiment: {samples: 2}\nselection: {limit: 3}\n", encoding="utf-8")
    config = load_run_config(
        config_path,
        overrides=["selection.limit=30"],
        values={"seed": 100},
        environ={"CFE_LOCAL_SEED": "10", "CFE_LOCAL_EXPERIMENT__SAMPLES": "20", "HOME": "/nowhere"},
    )
    assert (config.seed, config.experiment.samples, config.selection.limit) == (100, 20, 30)


def test_a_run_needs_no_file() -> None:
    config = load_run_config(None, values={"benchmark.path": "sample", "model.path": "m", "judge.path": "j"})
    assert config.judge is not None
    assert (config.model.path, config.judge.path, config.self_judged) == ("m", "j", False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modell: {path: x}\n", "modell: unknown key; did you mean model?"),
        ("experiment: {sample: 3}\n", "experiment.sample: unknown key; did you mean samples?"),
        ("model: {path: x, sampling: {temprature: 1}}\n", "model.sampling.temprature: unknown key; did you mean temp"),
        ("seed: -1\n", "seed: Input should be greater than or equal to 0 (got -1)"),
        ("seed: .nan\n", "seed: "),
        ("model: {path: x, sampling: {seed: 4}}\n", "set `seed` of the run instead"),
        ("selection: {rows: ['text']}\n", "not written as split:row"),
        ("- a list\n", "not a mapping"),
        ("a: [1\n", "not readable as YAML"),
        ("", "is empty"),
        ("seed: 1\nseed: 2\n", "'seed' stands twice"),
        ("seed: " + "9" * 5000 + "\n", "not readable as YAML"),
        ("out: 2020-99-99\n", "not readable as YAML"),
        ("a: " + "[" * 3000 + "]" * 3000 + "\n", "nested too deeply"),
        ('out: "a\\0b"\n', "out: holds a NUL character"),
        ('model: {path: x, env: {A: "\\uD800"}}\n', "model.env.A: holds text that is not valid Unicode"),
        ('model: {card: "a\\0b"}\n', "model.card: holds a NUL character"),
        ("model: {path: x, engine_args: {a: [.nan]}}\n", "model.engine_args"),
        ("model: {path: x, sampling: {temperature: .inf}}\n", "model.sampling.temperature"),
        ("experiment: {k: []}\n", "experiment.k"),
        ("experiment: {k: [0]}\n", "experiment.k.0: Input should be greater than or equal to 1 (got 0)"),
        ("grading: {protocols: []}\n", "grading.protocols"),
        ("grading: {protocols: [s2s, s2s]}\n", "s2s is named twice"),
        ("grading: {name: ../x}\n", "grading.name"),
        ("equivalence: {timeout_s: .inf}\n", "equivalence.timeout_s"),
        ("equivalence: {workers: 100000}\n", "equivalence.workers"),
        ("selection: {rows: ['text:²']}\n", "not written as split:row"),
        ("selection: {rows: ['text:5-']}\n", "not written as split:row"),
        ("selection: {rows: ['text:" + "9" * 5000 + "']}\n", "not written as split:row"),
    ],
)
def test_a_bad_file_is_named_with_key_and_remedy(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        load_run_config(path)
    assert str(path) in str(error.value)
    assert said in str(error.value)


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="configuration file not found"):
        load_run_config(tmp_path / "absent.yaml")


@pytest.mark.parametrize("item", ["seed", "=3", "seed.deeper=1"])
def test_a_malformed_override_is_a_usage_error(config_path: Path, item: str) -> None:
    config_path.write_text(MINIMAL + "seed: 1\n", encoding="utf-8")
    with pytest.raises(UsageError):
        load_run_config(config_path, overrides=[item])


def test_engines_are_shared_only_where_everything_fixed_at_load_agrees() -> None:
    config = load_run_config(None, values={"benchmark.path": "sample", "model.path": "m", "judge.path": "m"})
    assert config.judge is not None
    assert config.model.same_weights(config.judge.model_copy(update={"name": "other name"}))
    assert not config.model.same_weights(config.judge.model_copy(update={"engine_args": {"max_model_len": 8}}))


@pytest.mark.parametrize("sampling", [None, {"max_tokens": 300}])
def test_a_judge_is_greedy_unless_told_otherwise(sampling: dict[str, object] | None) -> None:
    values: dict[str, object] = {"benchmark.path": "sample", "model.path": "m", "judge.path": "j"}
    if sampling is not None:
        values["judge.sampling"] = sampling
    config = load_run_config(None, values=values)
    assert config.judge is not None
    assert (config.model.sampling.temperature, config.judge.sampling.temperature) == (0.7, 0.0)
