"""A run as two Parquet files for data frames: one row per response, one row per variable and response.

Needs pyarrow, which the extra ``data`` installs; it is imported when a file is written.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping, Sequence
from typing import Any

from cfe_local.errors import UsageError
from cfe_local.records import Problem, Response, Verdict

TEXT, NUMBER, REAL = "string", "int64", "float64"
RESPONSE_COLUMNS: Mapping[str, str] = {
    "split": TEXT, "row": NUMBER, "id": TEXT, "topic": TEXT, "experiment": TEXT, "condition": TEXT, "step": NUMBER,
    "sample": NUMBER, "outcome": TEXT, "finish_reason": TEXT, "thinking_end": TEXT, "detail": TEXT,
    "prompt_tokens": NUMBER, "cached_tokens": NUMBER, "thinking_tokens": NUMBER, "answer_tokens": NUMBER,
    "images": NUMBER, "seconds": REAL, "prompt_sha256": TEXT, "thinking": TEXT, "text": TEXT,
}  # fmt: skip
VERDICT_COLUMNS: Mapping[str, str] = {
    "split": TEXT, "row": NUMBER, "id": TEXT, "topic": TEXT, "experiment": TEXT, "condition": TEXT, "step": NUMBER,
    "sample": NUMBER, "grading": TEXT, "variable": NUMBER, "name": TEXT, "type": TEXT, "reference": TEXT,
    "verdict": TEXT, "by": TEXT, "reason": TEXT, "evidence": TEXT, "extraction": TEXT, "value": TEXT, "unit": TEXT,
    "quote": TEXT, "judge_reasoning": TEXT, "confidence": TEXT, "p_correct": REAL,
}  # fmt: skip


def responses_parquet(problems: Sequence[Problem], responses: Sequence[Response]) -> bytes:
    """One row per response, in the order of the benchmark.

    Raises:
        UsageError: If pyarrow is not installed.
    """
    known = {(problem.split, problem.row): problem for problem in problems}
    ordered = sorted(responses, key=lambda r: (r.key.split, r.key.row, r.key.sample))
    return _parquet(RESPONSE_COLUMNS, [_response_row(known[r.key.split, r.key.row], r) for r in ordered])


def verdicts_parquet(problems: Sequence[Problem], verdicts: Sequence[Verdict]) -> bytes:
    """One row per variable and response, in the order of the benchmark.

    Raises:
        UsageError: If pyarrow is not installed.
    """
    known = {(problem.split, problem.row): problem for problem in problems}
    ordered = sorted(verdicts, key=lambda v: (v.key.split, v.key.row, v.key.sample, v.variable))
    return _parquet(VERDICT_COLUMNS, [_verdict_row(known[v.key.split, v.key.row], v) for v in ordered])


def _response_row(problem: Problem, response: Response) -> dict[str, object]:
    return _key_cells(problem, response) | {
        "outcome": response.outcome,
        "finish_reason": response.finish_reason,
        "thinking_end": response.thinking_end,
        "detail": response.detail,
        "prompt_tokens": response.n_prompt_tokens,
        "cached_tokens": response.n_cached_tokens,
        "thinking_tokens": response.n_thinking_tokens,
        "answer_tokens": response.n_answer_tokens,
        "images": response.n_images,
        "seconds": response.seconds,
        "prompt_sha256": response.prompt_sha256,
        "thinking": response.thinking,
        "text": response.text,
    }


def _verdict_row(problem: Problem, verdict: Verdict) -> dict[str, object]:
    target, found = problem.variables[verdict.variable], verdict.extraction
    return _key_cells(problem, verdict) | {
        "grading": verdict.grading,
        "variable": verdict.variable,
        "name": target.name,
        "type": target.type,
        "reference": target.value,
        "verdict": verdict.verdict,
        "by": verdict.by,
        "reason": verdict.reason,
        "evidence": verdict.evidence,
        "extraction": found.status if found is not None else None,
        "value": found.value if found is not None else None,
        "unit": found.unit if found is not None else None,
        "quote": found.quote if found is not None else None,
        "judge_reasoning": verdict.judge_reasoning,
        "confidence": verdict.confidence,
        "p_correct": verdict.p_correct,
    }


def _key_cells(problem: Problem, record: Response | Verdict) -> dict[str, object]:
    key = record.key
    return {
        "split": problem.split,
        "row": problem.row,
        "id": problem.problem_id,
        "topic": problem.topic,
        "experiment": key.experiment,
        "condition": key.condition,
        "step": key.step,
        "sample": key.sample,
    }


def _parquet(columns: Mapping[str, str], rows: Sequence[dict[str, object]]) -> bytes:
    arrow, parquet = _module("pyarrow"), _module("pyarrow.parquet")
    types = {TEXT: arrow.string(), NUMBER: arrow.int64(), REAL: arrow.float64()}
    schema = arrow.schema([(name, types[kind]) for name, kind in columns.items()])
    buffer = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(list(rows), schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(
            "writing Parquet needs pyarrow, which is not installed\nFix: pip install 'cfe-local[data]'."
        ) from error
