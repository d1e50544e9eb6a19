"""The plain format: ``problems.jsonl``, one problem per line, for problems that anyone writes (docs/arb.md).

Its JSON schema is docs/problems.schema.json.
"""

from __future__ import annotations

from typing import Any, cast

from pydantic import JsonValue

from cfe_local.benchmarks.entries import JsonObject
from cfe_local.benchmarks.record_files import RawRecord
from cfe_local.benchmarks.written import Fault, WrittenProblem, read_written

PLAIN_NAME = "problems.jsonl"


def read_plain(raw: RawRecord) -> WrittenProblem | tuple[Fault, ...]:
    """The record of one line, or everything that is wrong with it."""
    if not isinstance(raw.value, dict):
        return (Fault("wrong_shape", "", "the record is not a JSON object"),)
    return read_written(cast("JsonObject", raw.value), {})


def looks_plain(value: JsonValue) -> bool:
    """Whether a record is meant to be one of this format."""
    return isinstance(value, dict) and {"kind", "question"} <= value.keys()


def problems_json_schema() -> dict[str, Any]:
    """JSON schema of one line of ``problems.jsonl`` (draft 2020-12)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **WrittenProblem.model_json_schema()}
