r"""What a response may look like, as Outlines types, and from those the parameters that vLLM's backends take.

JSON comes out with the spacing that models are used to, one blank after ``:`` and after ``,`` and no other, whatever
the backend: forbidding the usual blank ruins answers, and free whitespace lets a model write blanks until its budget
is gone. Inside strings a backslash may only stand before ``\`` or ``"``: JSON reads ``\frac`` and ``\bullet`` as
control characters, and a model that writes LaTeX means neither.

    outlines, xgrammar  Outlines turns the schema into a regular expression, in which we set the blanks
    guidance            takes the schema itself, with its own options for separators and escapes
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jsonschema import SchemaError

from cfe_local.config.model import StructuredBackend
from cfe_local.errors import UsageError
from cfe_local.records import Constraint, GrammarConstraint, JsonConstraint, RegexConstraint

if TYPE_CHECKING:
    from outlines.types.dsl import CFG, Regex

_BLANK = "@blank@"
"""Stands for optional whitespace while Outlines builds the expression; no schema of ours holds it."""
_ANY_ESCAPE = '\\\\["\\\\/bfnrt]'
_SAFE_ESCAPE = '\\\\["\\\\]'
_GUIDANCE = {
    "item_separator": ", ",
    "key_separator": ": ",
    "whitespace_flexible": False,
    "json_allowed_escapes": '\\"',
}


def outlines_type(constraint: Constraint) -> Regex | CFG:
    """The constraint as an Outlines type; JSON as the expression of its natural spacing."""
    from outlines.types.dsl import CFG, Regex

    if isinstance(constraint, RegexConstraint):
        return Regex(constraint.pattern)
    if isinstance(constraint, GrammarConstraint):
        return CFG(constraint.grammar)
    return Regex(json_expression(constraint.json_schema))


@lru_cache(maxsize=512)
def json_expression(json_schema: str) -> str:
    """A regular expression for exactly the JSON texts of a schema, naturally spaced.

    Raises:
        UsageError: If Outlines cannot express the schema.
    """
    from outlines.types.dsl import JsonSchema, to_regex

    _schema(json_schema)
    try:
        expression = str(to_regex(JsonSchema(json_schema, whitespace_pattern=_BLANK)))
    except (TypeError, ValueError, NotImplementedError, SchemaError) as error:
        raise UsageError(f"this JSON schema cannot be enforced: {error}\n{json_schema[:300]}") from error
    # A colon counts only behind a name's quote: "(?:" is the expression's own.
    expression = expression.replace(f'"{_BLANK}:{_BLANK}', '": ')
    expression = expression.replace(f"{_BLANK},)", ", )")  # the comma after an optional property belongs to it
    expression = expression.replace(f"{_BLANK},{_BLANK}", ", ").replace(f",{_BLANK}", ", ")
    return expression.replace(_BLANK, "").replace(_ANY_ESCAPE, _SAFE_ESCAPE)


def structured_parameters(constraint: Constraint, backend: StructuredBackend) -> dict[str, Any]:
    """Arguments for vLLM's ``StructuredOutputsParams``.

    Raises:
        UsageError: If this backend cannot enforce this kind of constraint.
    """
    if isinstance(constraint, JsonConstraint) and backend == "guidance":
        return {"json": _guided_schema(constraint.json_schema)}
    if isinstance(constraint, GrammarConstraint) and backend != "guidance":
        raise UsageError(
            f"grammar constraints need structured_backend: guidance, this engine has {backend}\n"
            "Fix: set structured_backend of this model (for a judge: judge.structured_backend)."
        )
    wanted = outlines_type(constraint)
    if isinstance(constraint, GrammarConstraint):
        return {"grammar": wanted.definition}
    return {"regex": wanted.pattern}


@lru_cache(maxsize=512)
def _guided_schema(json_schema: str) -> str:
    return json.dumps({**_schema(json_schema), "x-guidance": _GUIDANCE})


def _schema(json_schema: str) -> dict[str, Any]:
    try:
        schema = json.loads(json_schema)
    except json.JSONDecodeError as error:
        raise UsageError(f"this JSON schema is not JSON: {error}\n{json_schema[:300]}") from error
    if not isinstance(schema, dict):
        raise UsageError(f"this JSON schema is not an object: {json_schema[:300]}")
    return schema
