"""What driver and engine process say to each other: one JSON line per message, over two pipes of their own.

The driver says ``start`` once, then for every round of cases ``case`` ... ``case``, ``end``. The engine answers
``ready`` once, then ``response`` per case and ``done`` after the last of a round, ``beat`` now and then in between;
``refused`` ends the conversation.
Standard output is not used, because the libraries inside an engine print to it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from cfe_local.config.model import ModelConfig
from cfe_local.records import Case, Record, Response


class EngineInfo(Record):
    """What a loaded engine says about itself; goes into the manifest."""

    engine: str
    version: str = ""
    device: str = Field(default="cpu", description="Where it computes: cpu, cuda, ...; cpu costs no GPU-hours.")
    model_path: str = ""
    structured_backend: str | None = Field(default=None, description="What really enforces constraints.")
    max_model_len: int | None = Field(default=None, description="Tokens of prompt and response together.")
    settings: dict[str, str] = Field(default_factory=dict, description="Effective engine settings, name to value.")


class Start(Record):
    """Driver: load this."""

    kind: Literal["start"] = "start"
    model: ModelConfig
    allow_network: bool = False


class Ask(Record):
    """Driver: answer this."""

    kind: Literal["case"] = "case"
    case: Case


class EndOfCases(Record):
    """Driver: this round has no more cases."""

    kind: Literal["end"] = "end"


class Ready(Record):
    """Engine: loaded."""

    kind: Literal["ready"] = "ready"
    info: EngineInfo


class Answer(Record):
    """Engine: one case is finished."""

    kind: Literal["response"] = "response"
    response: Response


class Beat(Record):
    """Engine: it works, although no case is finished; said only after a step since the last one."""

    kind: Literal["beat"] = "beat"
    n_steps: int = Field(ge=0, description="Steps so far; a step writes a token of every response under way.")


class Done(Record):
    """Engine: every case of this round is finished."""

    kind: Literal["done"] = "done"


class Refused(Record):
    """Engine: it cannot go on, for a reason that a user can repair."""

    kind: Literal["refused"] = "refused"
    error: str = Field(description="Name of the class in ``cfe_local.errors``.")
    message: str


FromDriver = Annotated[Start | Ask | EndOfCases, Field(discriminator="kind")]
FromEngine = Annotated[Ready | Answer | Beat | Done | Refused, Field(discriminator="kind")]

FROM_DRIVER: TypeAdapter[Start | Ask | EndOfCases] = TypeAdapter(FromDriver)
FROM_ENGINE: TypeAdapter[Ready | Answer | Beat | Done | Refused] = TypeAdapter(FromEngine)


def line(message: Record) -> bytes:
    """One message as it goes over the pipe."""
    return message.model_dump_json().encode() + b"\n"
