"""SQL over a run folder: its streams as tables of an in-memory DuckDB that can reach no file and no network.

    responses   what the model under test answered; one line per response
    verdicts    one line per variable, response and grading
    cases       what was planned, prompts included
    judge       the judge's calls of every grading

Records are read as every other stage reads them: of repeated lines the last counts, torn ones are passed over. Log
probabilities stay in the files. Needs duckdb and pyarrow, which the extra ``data`` installs.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfe_local.errors import UsageError
from cfe_local.records import Case, Key, Response, Verdict
from cfe_local.store import RunStore

TEXT, NUMBER, REAL = "string", "int64", "float64"
Row = dict[str, object]

KEY_COLUMNS = {
    "experiment": TEXT, "condition": TEXT, "split": TEXT, "row": NUMBER, "step": NUMBER, "sample": NUMBER,
}  # fmt: skip
RESPONSE_COLUMNS = {
    "outcome": TEXT, "text": TEXT, "thinking": TEXT, "thinking_end": TEXT, "finish_reason": TEXT, "detail": TEXT,
    "n_prompt_tokens": NUMBER, "n_cached_tokens": NUMBER, "n_thinking_tokens": NUMBER, "n_answer_tokens": NUMBER,
    "n_images": NUMBER, "prompt_sha256": TEXT, "seconds": REAL,
}  # fmt: skip
CALL_COLUMNS = {"grading": TEXT, **KEY_COLUMNS, "call": TEXT, "variable": NUMBER, "attempt": NUMBER}
TABLES: Mapping[str, Mapping[str, str]] = {
    "responses": {**KEY_COLUMNS, **RESPONSE_COLUMNS},
    "verdicts": {
        "grading": TEXT, **KEY_COLUMNS, "variable": NUMBER, "verdict": TEXT, "decided_by": TEXT, "reason": TEXT,
        "evidence": TEXT, "extraction": TEXT, "value": TEXT, "unit": TEXT, "quote": TEXT, "extracted_by": TEXT,
        "comparison": TEXT, "reference_reading": TEXT, "candidate_reading": TEXT, "judge_reasoning": TEXT,
        "confidence": TEXT, "p_correct": REAL,
    },
    "cases": {**KEY_COLUMNS, "prompt": TEXT, "n_images": NUMBER, "temperature": REAL, "max_tokens": NUMBER,
              "thinking_tokens": NUMBER, "seed": NUMBER},
    "judge": {**CALL_COLUMNS, **RESPONSE_COLUMNS},
}  # fmt: skip
"""Columns of each table, in order."""

SETTINGS = (
    "SET python_enable_replacements = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET memory_limit = '2GB'",
    "SET temp_directory = ''",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
"""Given once the tables are there, in this order: afterwards SQL reaches these tables alone, and cannot change that."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query gave: names of columns, made unique, and rows of plain values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


def query(path: Path, sql: str) -> Answer:
    """Ask one SELECT of a run folder; nothing in the folder can change.

    Args:
        path: A run folder.
        sql: One statement in DuckDB's dialect.

    Raises:
        UsageError: If DuckDB or pyarrow is missing, or refuses the statement.
        StoreError: If the folder is no run.
    """
    duckdb = _module("duckdb")
    with RunStore.open(path) as store, duckdb.connect(":memory:") as connection:
        for name, rows in _tables(store).items():
            _create(connection, name, rows)
        for setting in SETTINGS:
            connection.execute(setting)
        try:
            _require_one_select(connection, sql)
            found = connection.execute(sql)
            columns = tuple(column[0] for column in found.description)
            return Answer(_unique(columns), tuple(map(tuple, found.fetchall())))
        except duckdb.Error as error:
            raise UsageError(f"the query failed: {error}\nFix: the tables are {describe_tables()}.") from error


def describe_tables() -> str:
    """Every table with its columns, in one line."""
    return "; ".join(f"{name}({', '.join(columns)})" for name, columns in TABLES.items())


def _require_one_select(connection: Any, sql: str) -> None:
    statements = connection.extract_statements(sql)
    kinds = [str(statement.type).rpartition(".")[2] for statement in statements]
    if kinds not in (["SELECT"], ["EXPLAIN"]):
        raise UsageError(
            f"a query is one SELECT, this is {', '.join(kinds) or 'nothing'}\nFix: ask for what you want to see, for "
            'example "select outcome, count(*) from responses group by all".'
        )


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return tuple(unique)


def _create(connection: Any, name: str, rows: Sequence[Row]) -> None:
    arrow = _module("pyarrow")
    types = {TEXT: arrow.string(), NUMBER: arrow.int64(), REAL: arrow.float64()}
    schema = arrow.schema([(column, types[kind]) for column, kind in TABLES[name].items()])
    connection.register("incoming", arrow.Table.from_pylist(list(rows), schema=schema))
    connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM incoming')
    connection.unregister("incoming")


def _tables(store: RunStore) -> dict[str, list[Row]]:
    gradings = [store.grading(name) for name in store.grading_names()]
    verdicts = [v for folder in gradings for v in folder.stream("verdicts", Verdict).load().records.values()]
    calls = [
        {"grading": folder.path.name, **_call_cells(call.key), **_response_cells(call)}
        for folder in gradings
        for call in folder.stream("judge", Response).load().records.values()
    ]
    responses = store.stream("responses", Response).load().records.values()
    return {
        "responses": [{**_key_cells(r.key), **_response_cells(r)} for r in responses],
        "verdicts": [_verdict_row(verdict) for verdict in verdicts],
        "cases": [_case_row(case) for case in store.stream("cases", Case).load().records.values()],
        "judge": calls,
    }


def _key_cells(key: Key) -> Row:
    return {name: getattr(key, name) for name in KEY_COLUMNS}


def _call_cells(key: Key) -> Row:
    return {**_key_cells(key), "call": key.call, "variable": key.variable, "attempt": key.attempt}


def _response_cells(response: Response) -> Row:
    return {name: getattr(response, name) for name in RESPONSE_COLUMNS}


def _verdict_row(verdict: Verdict) -> Row:
    found, compared = verdict.extraction, verdict.comparison
    return {
        "grading": verdict.grading,
        **_key_cells(verdict.key),
        "variable": verdict.variable,
        "verdict": verdict.verdict,
        "decided_by": verdict.by,
        "reason": verdict.reason,
        "evidence": verdict.evidence,
        "extraction": found.status if found else None,
        "value": found.value if found else None,
        "unit": found.unit if found else None,
        "quote": found.quote if found else None,
        "extracted_by": found.by if found else None,
        "comparison": compared.verdict if compared else None,
        "reference_reading": compared.reference_reading if compared else None,
        "candidate_reading": compared.candidate_reading if compared else None,
        "judge_reasoning": verdict.judge_reasoning,
        "confidence": verdict.confidence,
        "p_correct": verdict.p_correct,
    }


def _case_row(case: Case) -> Row:
    turns = [
        {"role": m.role, "content": "".join(part.text if part.kind == "text" else "<image>" for part in m.parts)}
        for m in case.messages
    ]
    return {
        **_key_cells(case.key),
        "prompt": json.dumps(turns, ensure_ascii=False),
        "n_images": sum(part.kind == "image" for message in case.messages for part in message.parts),
        "temperature": case.sampling.temperature,
        "max_tokens": case.sampling.max_tokens,
        "thinking_tokens": case.sampling.thinking_tokens,
        "seed": case.sampling.seed,
    }


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(
            f"SQL over a run needs {name}, which is not installed\nFix: pip install 'cfe-local[data]'."
        ) from error
