"""A judge writes a rubric: items whose points sum to 10, each tied to words of the reference solution.

Hand-written rubrics of other problems stand in the prompt as examples. The grammar knows only sums of 10 and excerpts
of the solution; what is written is checked all the same, asked for once more where it is wrong, and then failed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from jsonschema import Draft202012Validator
from pydantic import Field

from cfe_local.grading.asking import Attempted, JudgeSettings, attempted, judge_case, problem_text
from cfe_local.grading.base import Judged
from cfe_local.grading.grounding import is_grounded
from cfe_local.grading.judge_grammar import rubric_grammar
from cfe_local.grading.judge_output import CONTROL, read_object
from cfe_local.grading.rubric import RubricAuthor
from cfe_local.records import RUBRIC_POINTS, Case, Key, Problem, Record, RubricItem

N_EXAMPLES = 2
MAX_CRITERION = 160
DESIGN_TOKENS = 1200
"""Room for a rubric, tokens: seven items of a sentence and an excerpt each."""

CALL = "rubric_design"


class DesignedRubric(Record):
    """A line of ``rubrics.jsonl``: one problem's rubric, or why there is none."""

    split: str
    row: int = Field(ge=0)
    problem_id: str
    author: RubricAuthor = "judge"
    outcome: str = Field(default="designed", description="``designed``, or how the judge failed.")
    items: tuple[RubricItem, ...] = ()


@dataclass(frozen=True, slots=True)
class RubricDesign:
    """Plans one call per problem.

    Attributes:
        examples: Problems with hand-written rubrics; the problem itself is never its own example.
    """

    examples: Sequence[Problem]
    settings: JudgeSettings = field(default_factory=JudgeSettings)

    def calls(self, problems: Sequence[Problem], judged: Judged) -> list[Case]:
        """Calls that are due."""
        found = (self._asked(problem, judged).due for problem in problems)
        return [case for case in found if case is not None]

    def records(self, problems: Sequence[Problem], judged: Judged) -> list[DesignedRubric]:
        """One rubric per problem; calls that are still due count as failed."""
        found = []
        for problem in problems:
            asked = self._asked(problem, judged)
            base = DesignedRubric(split=problem.split, row=problem.row, problem_id=problem.problem_id)
            update: dict[str, object] = {"items": asked.value}
            if asked.value is None:
                update = {"outcome": asked.failure or "not asked"}
            found.append(base.model_copy(update=update))
        return found

    def _asked(self, problem: Problem, judged: Judged) -> Attempted[tuple[RubricItem, ...]]:
        examples = [one for one in self.examples if one.rubric and one.label != problem.label][:N_EXAMPLES]

        def make(attempt: int, reason: str) -> Case:
            key = Key(experiment="rubric", split=problem.split, row=problem.row, sample=0, call=CALL, attempt=attempt)
            values = {
                "question": problem_text(problem.question_text),
                "solution": problem.solution,
                "examples": [(problem_text(one.question_text), one.solution, _shown(one.rubric)) for one in examples],
                "reason": reason,
            }
            return judge_case(
                key,
                f"assess_{CALL}",
                values,
                constraint=rubric_grammar([problem.solution], RUBRIC_POINTS, MAX_CRITERION),
                sampling=self.settings.sampling.model_copy(update={"max_tokens": DESIGN_TOKENS, "n_logprobs": 0}),
            )

        return attempted(judged, make, lambda answer: read_rubric(answer.text, problem.solution))


def read_rubric(text: str, solution: str) -> tuple[RubricItem, ...] | None:
    """The rubric that a judge wrote; None if it has another shape, does not sum to 10 or quotes what is not there."""
    tree = read_object(text, _schema())
    if tree is None:
        return None
    rows = tree["items"]
    if not isinstance(rows, list) or any(CONTROL & set(str(value)) for row in rows for value in row.values()):
        return None
    items = tuple(RubricItem.model_validate(row) for row in rows)
    if sum(item.points for item in items) != RUBRIC_POINTS:
        return None
    return items if all(is_grounded(item.solution_excerpt, solution) for item in items) else None


def _shown(rubric: Sequence[RubricItem]) -> str:
    rows = [
        {"criterion": item.criterion, "solution_excerpt": item.solution_excerpt, "points": item.points}
        for item in rubric
    ]
    return json.dumps({"items": rows}, ensure_ascii=False)


@cache
def _schema() -> Draft202012Validator:
    text = {"type": "string", "minLength": 1}
    item = {
        "type": "object",
        "properties": {
            "criterion": text,
            "solution_excerpt": text,
            "points": {"type": "integer", "minimum": 1, "maximum": RUBRIC_POINTS},
        },
        "required": ["criterion", "solution_excerpt", "points"],
        "additionalProperties": False,
    }
    properties = {"items": {"type": "array", "items": item, "minItems": 2, "maxItems": RUBRIC_POINTS}}
    return Draft202012Validator(
        {"type": "object", "properties": properties, "required": ["items"], "additionalProperties": False}
    )
