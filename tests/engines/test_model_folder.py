import json
import struct
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from cfe_local.engines.model_folder import N_PROBES, PROBE_BYTES, check_model_folder, digest_model, require_usable
from cfe_local.errors import ModelError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole model folder in two shards."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}')
    shards = {"a": "model-1.safetensors", "b": "model-2.safetensors"}
    for name, file in shards.items():
        save_file({name: np.arange(64, dtype=np.float32)}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    return folder


def kinds(folder: Path) -> list[str]:
    return [finding.kind for finding in check_model_folder(folder)]


def test_a_whole_folder_has_no_findings(folder: Path) -> None:
    assert kinds(folder) == []
    require_usable(folder)


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    assert kinds(tmp_path / "nowhere") == ["no_folder"]


@pytest.mark.parametrize(
    ("removed", "expected"),
    [
        (["config.json"], ["no_config"]),
        (["model-2.safetensors"], ["missing_weights"]),
        (["model-1.safetensors", "model-2.safetensors"], ["missing_weights"]),
        (["model-1.safetensors", "model-2.safetensors", "model.safetensors.index.json"], ["no_weights"]),
        (["tokenizer.json"], ["no_tokenizer"]),
        (["tokenizer_config.json"], ["no_template"]),
        (["tokenizer.json", "model-1.safetensors"], ["missing_weights", "no_tokenizer"]),
    ],
)
def test_what_is_missing_is_named(folder: Path, removed: list[str], expected: list[str]) -> None:
    for name in removed:
        (folder / name).unlink()
    assert kinds(folder) == expected


@pytest.mark.parametrize("n_bytes", [0, 4, 60, 200])
def test_a_weight_file_that_was_not_copied_to_its_end_is_found(folder: Path, n_bytes: int) -> None:
    shard = folder / "model-2.safetensors"
    shard.write_bytes(shard.read_bytes()[:n_bytes])
    (finding,) = check_model_folder(folder)
    assert finding.kind == "short_weights"
    assert "model-2.safetensors" in finding.message


def test_one_byte_less_than_the_header_promises_is_too_short(folder: Path) -> None:
    shard = folder / "model-1.safetensors"
    shard.write_bytes(shard.read_bytes()[:-1])
    assert kinds(folder) == ["short_weights"]


def test_a_header_that_claims_more_than_any_file_has_is_refused_without_reading_it(folder: Path) -> None:
    (folder / "model-1.safetensors").write_bytes(struct.pack("<Q", 1 << 60) + b"{}")
    assert kinds(folder) == ["short_weights"]


def test_a_pointer_file_of_a_large_file_store_is_no_weight_file(folder: Path) -> None:
    (folder / "model-1.safetensors").write_text("version https://example.invalid/spec/v1\noid sha256:00\nsize 999\n")
    assert kinds(folder) == ["short_weights"]


def test_broken_json_is_found_with_its_file(folder: Path) -> None:
    (folder / "generation_config.json").write_text('{"eos_token_id": ')
    (finding,) = check_model_folder(folder)
    assert finding.kind == "bad_json"
    assert "generation_config.json" in finding.message


@pytest.mark.parametrize("name", ["chat_template.jinja", "chat_template.json"])
def test_a_template_in_a_file_of_its_own_counts(folder: Path, name: str) -> None:
    (folder / "tokenizer_config.json").write_text("{}")
    assert kinds(folder) == ["no_template"]
    (folder / name).write_text("{}")
    assert kinds(folder) == []


def test_a_template_from_the_configuration_stands_in_for_a_missing_one(folder: Path, tmp_path: Path) -> None:
    (folder / "tokenizer_config.json").write_text("{}")
    assert check_model_folder(folder, chat_template=tmp_path / "own.jinja") == ()


def test_the_error_names_everything_that_is_wrong_and_how_to_mend_it(folder: Path) -> None:
    (folder / "tokenizer_config.json").unlink()
    (folder / "model-2.safetensors").unlink()
    with pytest.raises(ModelError) as caught:
        require_usable(folder)
    message = str(caught.value)
    assert "model-2.safetensors" in message
    assert "chat template" in message
    assert message.count("Fix:") == 2


class TestDigests:
    def test_the_same_folder_has_the_same_digests(self, folder: Path) -> None:
        assert digest_model(folder) == digest_model(folder)
        assert [one.path for one in digest_model(folder)] == sorted(p.name for p in folder.iterdir())

    @pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json", "model-1.safetensors"])
    def test_a_change_of_any_small_file_shows(self, folder: Path, name: str) -> None:
        before = digest_model(folder)
        content = bytearray((folder / name).read_bytes())
        content[-1] ^= 1
        (folder / name).write_bytes(bytes(content))
        changed = [a.path for a, b in zip(before, digest_model(folder), strict=True) if a != b]
        assert changed == [name]

    def test_a_large_weight_file_is_sampled_and_other_weights_of_its_shape_differ(self, folder: Path) -> None:
        n = N_PROBES * PROBE_BYTES
        path = folder / "model-1.safetensors"
        digests = set()
        for seed in (0, 1):
            values = np.random.default_rng(seed).integers(0, 255, 2 * n).astype(np.uint8)
            save_file({"a": values}, path)
            digests.add(next(one.sha256 for one in digest_model(folder) if one.path == path.name))
        assert len(digests) == 2

    def test_a_large_weight_file_that_ends_early_differs(self, folder: Path) -> None:
        path = folder / "model-1.safetensors"
        save_file({"a": np.zeros(2 * N_PROBES * PROBE_BYTES, dtype=np.uint8)}, path)
        before = digest_model(folder)
        with path.open("r+b") as handle:
            handle.truncate(path.stat().st_size - 1)
        assert digest_model(folder) != before

    def test_hidden_files_and_folders_are_no_part_of_a_model(self, folder: Path) -> None:
        before = digest_model(folder)
        (folder / ".cache").mkdir()
        (folder / ".cache" / "x").write_text("x")
        (folder / ".DS_Store").write_text("x")
        assert digest_model(folder) == before

    def test_a_missing_folder_is_an_error_for_the_user(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="no such folder"):
            digest_model(tmp_path / "nowhere")
