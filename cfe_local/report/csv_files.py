"""A run as two CSV files for a spreadsheet: one line per response, one line per variable."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from cfe_local.records import Problem, Response, Verdict

RESPONSE_COLUMNS = (
    "split", "row", "id", "topic", "sample", "outcome", "finish_reason", "thinking_end",
    "prompt_tokens", "thinking_tokens", "answer_tokens", "seconds", "text",
)  # fmt: skip
VERDICT_COLUMNS = (
    "split", "row", "id", "topic", "sample", "variable", "type", "reference", "extraction", "value", "unit",
    "verdict", "by", "reason", "evidence", "confidence",
)  # fmt: skip


def responses_csv(problems: Sequence[Problem], responses: Sequence[Response]) -> str:
    """One line per response, in the order of the benchmark."""
    known = {(problem.split, problem.row): problem for problem in problems}
    ordered = sorted(responses, key=lambda r: (r.key.split, r.key.row, r.key.sample))
    return _csv(RESPONSE_COLUMNS, [_response_line(known[r.key.split, r.key.row], r) for r in ordered])


def verdicts_csv(problems: Sequence[Problem], verdicts: Sequence[Verdict]) -> str:
    """One line per variable and response, in the order of the benchmark."""
    known = {(problem.split, problem.row): problem for problem in problems}
    ordered = sorted(verdicts, key=lambda v: (v.key.split, v.key.row, v.key.sample, v.variable))
    return _csv(VERDICT_COLUMNS, [_verdict_line(known[v.key.split, v.key.row], v) for v in ordered])


def _response_line(problem: Problem, response: Response) -> dict[str, object]:
    return _problem_cells(problem) | {
        "sample": response.key.sample,
        "outcome": response.outcome,
        "finish_reason": response.finish_reason,
        "thinking_end": response.thinking_end,
        "prompt_tokens": response.n_prompt_tokens,
        "thinking_tokens": response.n_thinking_tokens,
        "answer_tokens": response.n_answer_tokens,
        "seconds": f"{response.seconds:.3f}",
        "text": response.text,
    }


def _verdict_line(problem: Problem, verdict: Verdict) -> dict[str, object]:
    target, found = problem.variables[verdict.variable], verdict.extraction
    return _problem_cells(problem) | {
        "sample": verdict.key.sample,
        "variable": target.name,
        "type": target.type,
        "reference": target.value,
        "extraction": found.status if found is not None else None,
        "value": found.value if found is not None else None,
        "unit": found.unit if found is not None else None,
        "verdict": verdict.verdict,
        "by": verdict.by,
        "reason": verdict.reason,
        "evidence": verdict.evidence,
        "confidence": verdict.confidence,
    }


def _problem_cells(problem: Problem) -> dict[str, object]:
    return {"split": problem.split, "row": problem.row, "id": problem.problem_id, "topic": problem.topic}


def _csv(columns: Sequence[str], lines: Sequence[dict[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: spreadsheet_safe(cell) for name, cell in line.items()} for line in lines)
    return text.getvalue()


def spreadsheet_safe(cell: object) -> str:
    """Text that a spreadsheet will not run as a formula: model output is hostile."""
    text = "" if cell is None else str(cell)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
