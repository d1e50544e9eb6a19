"""Small exams made of real records, for the tests of metrics."""

from __future__ import annotations

from collections.abc import Sequence

from cfe_local.metrics.summary import ExamRecords
from cfe_local.records import Key, Outcome, Problem, Response, TargetVariable, TextPart, VariableType, Verdict

WORD = {"c": "correct", "i": "incorrect", "u": "undecided"}


def problem(
    row: int, types: Sequence[VariableType], *, split: str = "text", topic: str | None = None, problem_id: str = ""
) -> Problem:
    variables = tuple(TargetVariable(name=f"v{i}", description="d", value="1", type=t) for i, t in enumerate(types))
    return Problem(
        split=split,
        row=row,
        problem_id=problem_id or f"{split}-{row}",
        question=(TextPart(text="How much?"),),
        solution="",
        variables=variables,
        topic=topic,
    )


def key_of(of: Problem, sample: int = 0) -> Key:
    return Key(experiment="exam", split=of.split, row=of.row, sample=sample)


def response(of: Problem, sample: int = 0, outcome: Outcome = "answered", *, n_answer_tokens: int = 100) -> Response:
    return Response(
        key=key_of(of, sample), outcome=outcome, text="x", n_prompt_tokens=50, n_answer_tokens=n_answer_tokens
    )


def verdicts(of: Problem, marks: str, sample: int = 0, *, grading: str = "s2s") -> list[Verdict]:
    """One verdict per letter: c, i, u; a dot leaves that variable ungraded."""
    return [
        Verdict.model_validate(
            {
                "key": key_of(of, sample),
                "grading": grading,
                "variable": i,
                "verdict": WORD[mark],
                "by": "outcome" if mark == "u" else "equivalence",
                "reason": {"c": "exact", "i": "absent", "u": "ungrounded"}[mark],
            }
        )
        for i, mark in enumerate(marks)
        if mark != "."
    ]


def exam(rows: Sequence[tuple[Problem, Sequence[str]]]) -> ExamRecords:
    """An exam from problems, each with one text of marks per sample."""
    planned, responses, found = [], [], []
    for one, samples in rows:
        for i, marks in enumerate(samples):
            planned.append(key_of(one, i))
            responses.append(response(one, i))
            found += verdicts(one, marks, i)
    return ExamRecords(problems=[p for p, _ in rows], planned=planned, responses=responses, verdicts=found)
