"""A run in the file formats of the benchmark's own scripts: responses, judged answers, summary.

One entry per row, in file order. Ids repeat in the published files; rows do not, so nothing is merged or dropped.
Undecided is ``null`` in ``is_correct``; their two-valued figures count it as not correct, as our headline does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from cfe_local.metrics import ExamMetrics
from cfe_local.records import Problem, Response, Verdict

IS_CORRECT: Mapping[str, bool | None] = {"correct": True, "incorrect": False, "undecided": None}


def upstream_responses(problems: Sequence[Problem], responses: Sequence[Response]) -> dict[str, list[JsonValue]]:
    """The list of responses per split: ``{"id", "generated_answers": [...]}`` for every row that was planned."""
    answers = _by_row(responses)
    files: dict[str, list[JsonValue]] = {}
    for problem in problems:
        texts: list[JsonValue] = [response.text for response in answers.get((problem.split, problem.row), [])]
        files.setdefault(problem.split, []).append({"id": problem.problem_id, "generated_answers": texts})
    return files


def upstream_results(
    problems: Sequence[Problem], responses: Sequence[Response], verdicts: Sequence[Verdict]
) -> dict[str, list[JsonValue]]:
    """The list of judged answers per split."""
    answers = _by_row(responses)
    judged: dict[str, list[Verdict]] = {}
    for verdict in sorted(verdicts, key=lambda v: (v.key.label, v.variable)):
        judged.setdefault(verdict.key.label, []).append(verdict)
    files: dict[str, list[JsonValue]] = {}
    for problem in problems:
        entries: list[JsonValue] = [
            _judged_answer(problem, response, judged.get(response.key.label, []))
            for response in answers.get((problem.split, problem.row), [])
        ]
        files.setdefault(problem.split, []).append(
            {"id": problem.problem_id, "judgment_llm": {"generated_answers_with_judgments": entries}}
        )
    return files


def upstream_summary(metrics: ExamMetrics, *, model: str, judge: str) -> dict[str, JsonValue]:
    """Figures under the names of the benchmark's own summary file."""
    figures = {entry.k: entry.headline.value for entry in metrics.overall.pass_at_k}
    largest = max(figures, default=1)
    return {
        "metrics": {
            "pass@k": figures.get(largest),
            "k": largest,
            "total_samples": metrics.n_planned,
            "overall_avg_variable_accuracy": metrics.overall.variable_accuracy.headline.value,
            "overall_question_accuracy": metrics.overall.question_accuracy.headline.value,
        },
        "config": {"model": model, "judge": judge, "grading": metrics.grading, "undecided": "not correct"},
    }


def _by_row(responses: Sequence[Response]) -> dict[tuple[str, int], list[Response]]:
    rows: dict[tuple[str, int], list[Response]] = {}
    for response in sorted(responses, key=lambda r: (r.key.split, r.key.row, r.key.sample)):
        rows.setdefault((response.key.split, response.key.row), []).append(response)
    return rows


def _judged_answer(problem: Problem, response: Response, verdicts: Sequence[Verdict]) -> JsonValue:
    n_correct = sum(verdict.verdict == "correct" for verdict in verdicts)
    return {
        "generated_answer": response.text,
        "extracted_values": [v.extraction.value if v.extraction is not None else None for v in verdicts],
        "overall_correct": n_correct == len(problem.variables) if problem.variables else None,
        "variable_accuracy": n_correct / len(problem.variables) if problem.variables else None,
        "per_variable_results": [_variable_result(problem, verdict) for verdict in verdicts],
    }


def _variable_result(problem: Problem, verdict: Verdict) -> JsonValue:
    target = problem.variables[verdict.variable]
    return {
        "variable": target.name,
        "reference": target.value,
        "extracted": verdict.extraction.value if verdict.extraction is not None else None,
        "is_correct": IS_CORRECT[verdict.verdict],
        "decided_by": verdict.by,
        "reasoning": verdict.evidence or verdict.judge_reasoning or verdict.reason,
        "confidence": verdict.confidence,
    }
