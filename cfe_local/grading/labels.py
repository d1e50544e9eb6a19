"""Reads responses that people have graded, and turns them into grading tasks. Figures are in `qualification`.

One JSON object per line: ``key``, ``split``, ``row``, ``id``, ``response``, ``finish_reason``, and per variable
``gold_extraction`` (the final value as the response states it, or null) and ``gold_correct``; ``kind`` says what the
response tests, ``style`` and ``note`` are for people.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import Field, ValidationError

from cfe_local.errors import BenchmarkError
from cfe_local.grading.base import GradingTask
from cfe_local.records import Key, Outcome, Problem, Record, Response

EXPERIMENT = "judge_exam"
HINT = "Fix: see docs/judge.md for the format of labelled responses."


class LabelledResponse(Record):
    """One response with its labels, as the file has them."""

    key: str = Field(min_length=1, description="Unique in the file; also names the response in messages.")
    split: str
    row: int = Field(ge=0)
    id: str = Field(description="The benchmark's id of the problem, as a check that the row is meant.")
    response: str = Field(description="Everything the model wrote, its thinking included.")
    finish_reason: str = "stop"
    gold_extraction: tuple[str | None, ...]
    gold_correct: tuple[bool, ...] = Field(min_length=1)
    gold_question_correct: bool
    kind: str = ""
    style: tuple[str, ...] = ()
    note: str = ""


def read_labels(text: str, *, source: str) -> tuple[LabelledResponse, ...]:
    """Read a file of labelled responses.

    Args:
        text: The file's text, one JSON object per line; blank lines are skipped.
        source: The file's name, for messages.

    Raises:
        BenchmarkError: For a line of the wrong shape, labels that contradict each other, a repeated key, or no line.
    """
    found: list[LabelledResponse] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            found.append(_read_line(line, f"{source}:{number}"))
    if not found:
        raise BenchmarkError(f"{source}: no labelled responses\n{HINT}")
    key, count = Counter(one.key for one in found).most_common(1)[0]
    if count > 1:
        raise BenchmarkError(f"{source}: key {key!r} stands {count} times\nFix: give every response its own key.")
    return tuple(found)


def labelled_tasks(labels: Sequence[LabelledResponse], problems: Sequence[Problem]) -> tuple[GradingTask, ...]:
    """One grading task per labelled response, in the file's order.

    Raises:
        BenchmarkError: If a label names a problem that the benchmark lacks, another id than that row has, or another
            number of variables.
    """
    by_row = {(problem.split, problem.row): problem for problem in problems}
    seen: Counter[tuple[str, int]] = Counter()
    tasks = []
    for label in labels:
        problem = _problem_of(label, by_row)
        sample = seen[label.split, label.row]
        seen[label.split, label.row] += 1
        key = Key(experiment=EXPERIMENT, split=label.split, row=label.row, sample=sample)
        tasks.append(GradingTask(problem.question_text, problem.variables, problem.solution, _response(label, key)))
    return tuple(tasks)


def _read_line(line: str, where: str) -> LabelledResponse:
    try:
        json.loads(line)
        # Strict: "yes" or 1 is no label.
        label = LabelledResponse.model_validate_json(line, strict=True)
    except json.JSONDecodeError as error:
        raise BenchmarkError(f"{where}: not JSON: {error.msg} at column {error.colno}\n{HINT}") from error
    except ValidationError as error:
        problem = error.errors()[0]
        name = ".".join(str(part) for part in problem["loc"]) or "line"
        raise BenchmarkError(f"{where}: {name}: {problem['msg']}\n{HINT}") from error
    if len(label.gold_extraction) != len(label.gold_correct):
        raise BenchmarkError(
            f"{where}: {len(label.gold_extraction)} gold_extraction but {len(label.gold_correct)} gold_correct\n{HINT}"
        )
    if label.gold_question_correct != all(label.gold_correct):
        raise BenchmarkError(f"{where}: gold_question_correct does not follow from gold_correct\n{HINT}")
    return label


def _problem_of(label: LabelledResponse, by_row: Mapping[tuple[str, int], Problem]) -> Problem:
    problem = by_row.get((label.split, label.row))
    if problem is None:
        splits = ", ".join(sorted({split for split, _ in by_row}))
        raise BenchmarkError(
            f"label {label.key!r}: the benchmark has no problem {label.split}:{label.row} (splits: {splits})\n"
            "Fix: use the benchmark that the labels were made for."
        )
    if problem.problem_id != label.id:
        raise BenchmarkError(
            f"label {label.key!r}: {problem.label} has the id {problem.problem_id!r}, the label says {label.id!r}\n"
            "Fix: use the benchmark that the labels were made for."
        )
    if len(label.gold_correct) != len(problem.variables):
        raise BenchmarkError(
            f"label {label.key!r}: {len(label.gold_correct)} labels for the {len(problem.variables)} variables of "
            f"{problem.label}\nFix: one gold_extraction and one gold_correct per variable, in the problem's order."
        )
    return problem


def _response(label: LabelledResponse, key: Key) -> Response:
    """The response as an engine would have handed it over: thinking apart, outcome from the finish reason."""
    thinking, closed, answer = label.response.rpartition("</think>")
    opened = "<think>" in label.response
    cut = label.finish_reason == "length"
    outcome: Outcome = "truncated" if cut else "answered"
    if opened and not closed:
        return Response(
            key=key,
            outcome="truncated_thinking",
            thinking=label.response,
            thinking_end="unclosed",
            finish_reason=label.finish_reason,
        )
    return Response(
        key=key,
        outcome=outcome,
        text=answer.strip(),
        thinking=thinking.replace("<think>", "", 1).strip(),
        thinking_end="closed" if closed else "none",
        finish_reason=label.finish_reason,
    )
