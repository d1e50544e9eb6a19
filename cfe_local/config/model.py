"""How one local model is loaded and sampled; the model under test and the judge are both described this way."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue, field_validator, model_validator

from cfe_local.records import Record, Sampling


def _finite(value: JsonValue) -> JsonValue:
    """Refuse numbers that JSON does not have; the engine process would be handed null in their place."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("has to be a finite number")
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _finite(below)
    return value


Option = Annotated[JsonValue, AfterValidator(_finite)]
EngineName = Literal["vllm", "transformers", "replay"]
StructuredBackend = Literal["outlines", "guidance", "xgrammar"]


class ImageConfig(Record):
    """What is done to an image before a model sees it. Every change is noted on the response."""

    min_side: int = Field(default=32, ge=1, description="Smaller images are enlarged until both sides reach this, px.")
    max_aspect: float = Field(default=100.0, ge=1, description="Longer images are padded to this width:height ratio.")
    max_pixels: int | None = Field(default=None, ge=1, description="Larger images are shrunk to this; None keeps them.")


class ModelConfig(Record):
    """One model: which folder, which engine, how it samples."""

    path: str = Field(
        description="A local model folder, an embedded model's name, or the file that replay answers from."
    )
    name: str = Field(default="", description="Display name in reports; the folder's name where empty.")
    engine: EngineName = "vllm"
    engine_args: dict[str, Option] = Field(
        default_factory=dict,
        description="Options under vLLM's own names: max_model_len, tensor_parallel_size, dtype, ...",
    )
    structured_backend: StructuredBackend = Field(
        default="outlines", description="What enforces schemas and grammars inside vLLM; one per engine."
    )
    chat_template: Path | None = Field(default=None, description="A template file in place of the model's own.")
    chat_template_kwargs: dict[str, Option] = Field(
        default_factory=dict, description="For example enable_thinking: false."
    )
    thinking_start: str = Field(default="<think>", min_length=1)
    thinking_end: str = Field(default="</think>", min_length=1)
    system_role: Literal["auto", "keep", "merge"] = Field(
        default="auto", description="merge puts the system text before the first user turn; auto tries and sees."
    )
    trust_remote_code: bool = Field(default=False, description="Runs Python code from the model folder. Off.")
    sampling: Sampling = Field(default_factory=Sampling)
    images: ImageConfig = Field(default_factory=ImageConfig)
    max_in_flight: int = Field(default=256, ge=1, description="Requests handed to the engine at once.")
    env: dict[str, str] = Field(default_factory=dict, description="Environment of the engine process only.")

    @field_validator("sampling")
    @classmethod
    def _seed_is_not_a_setting(cls, sampling: Sampling) -> Sampling:
        if sampling.seed:
            raise ValueError("sampling.seed is derived per sample from the run's seed; set `seed` of the run instead")
        return sampling

    @property
    def display_name(self) -> str:
        """Name for reports and folders."""
        return self.name or Path(self.path).name

    def same_weights(self, other: ModelConfig) -> bool:
        """Whether one loaded engine can serve both: everything that is fixed at load time agrees."""
        loaded = {"name", "sampling", "structured_backend"}
        return self.model_dump(exclude=loaded) == other.model_dump(exclude=loaded)


class JudgeConfig(ModelConfig):
    """The judge: as any model, but greedy, and bound by the backend that knows grammars."""

    structured_backend: StructuredBackend = Field(
        default="guidance", description="Verbatim extraction is a grammar; `outlines` and `xgrammar` do not take it."
    )

    sampling: Sampling = Field(default_factory=lambda: Sampling(temperature=0.0))

    @model_validator(mode="before")
    @classmethod
    def _greedy_by_default(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("sampling"), dict):
            return {**data, "sampling": {"temperature": 0.0, **data["sampling"]}}
        return data
