"""Reasoning flows as models write them: the JSON that they must give, and the steps in it."""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cfe_local.records import JsonConstraint, Step

MAX_STEPS = 60
"""The longest published flow has 39 steps; without a bound a model that repeats itself fills its whole limit."""

FLOW_SCHEMA = {
    "type": "object",
    "properties": {
        "sub_steps": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_STEPS,
            "items": {
                "type": "object",
                "properties": {
                    "step_id": {"type": "integer", "minimum": 1, "maximum": 99},
                    "step": {"type": "string"},
                    "verifiable_answer": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]},
                },
                "required": ["step_id", "step", "verifiable_answer"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sub_steps"],
    "additionalProperties": False,
}
FLOW_CONSTRAINT = JsonConstraint(json_schema=json.dumps(FLOW_SCHEMA))


class WrittenStep(BaseModel):
    """One step as a model writes it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    step_id: int
    step: str
    verifiable_answer: str | bool | float


class WrittenFlow(BaseModel):
    """A flow as a model writes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    sub_steps: tuple[WrittenStep, ...] = Field(min_length=1)


def read_flow(text: str) -> tuple[Step, ...] | str:
    """The steps of a flow, or in a few words why it is none."""
    try:
        found = WrittenFlow.model_validate_json(text.strip())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        return "not JSON to the end" if first["type"] == "json_invalid" else "not a flow"
    return tuple(
        Step(step_id=step.step_id, question=step.step, answer=step.verifiable_answer) for step in found.sub_steps
    )
