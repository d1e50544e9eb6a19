"""Model-graded expressions: the judge scores what stands behind the delimiter, beside what equivalence says of it.

1/2 is for expressions that are right up to a constant factor or a sign; it is no right answer. Everything but
expressions is graded by delimiter. What the judge never sees is the rest of the response.

Source: ARB (arXiv:2307.13692), model-graded symbolic answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from jsonschema import Draft202012Validator

from cfe_local.grading.asking import Attempted, JudgeSettings, attempted, judge_case, problem_text
from cfe_local.grading.base import GradingTask, Judged, Pair, not_finished
from cfe_local.grading.delimiter import DelimiterGrading, stated
from cfe_local.grading.fence import fenced
from cfe_local.grading.judge_grammar import score_grammar
from cfe_local.grading.judge_output import read_object
from cfe_local.grading.verification import CHARS_PER_TOKEN, JSON_TOKENS
from cfe_local.records import Case, Verdict


@dataclass(frozen=True, slots=True)
class Score:
    """The judge's word on one expression."""

    score: float
    reasoning: str


@dataclass(frozen=True, slots=True)
class SymbolicGrading:
    """Delimiter grading with the judge's score on every expression that could be read."""

    settings: JudgeSettings = field(default_factory=JudgeSettings)
    name: str = "symbolic"

    def pairs(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Pair]:
        """Comparisons that are due; see `Grading`."""
        return self._delimiter().pairs(tasks, judged)

    def calls(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Case]:
        """Judge calls that are due; see `Grading`."""
        found = self._delimiter().calls(tasks, judged)
        for task in tasks:
            for verdict in stated(task, judged).verdicts if task.kind == "symbolic" else ():
                due = self._scored(task, verdict, judged)
                found += [due.due] if due is not None and due.due is not None else []
        return found

    def verdicts(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Verdict]:
        """Final verdicts; see `Grading`."""
        found = []
        for task in tasks:
            for verdict in self._delimiter().verdicts([task], judged):
                found.append(self._final(task, verdict, judged) if task.kind == "symbolic" else verdict)
        return found

    def _delimiter(self) -> DelimiterGrading:
        return DelimiterGrading(self.settings, name=self.name)

    def _scored(self, task: GradingTask, verdict: Verdict, judged: Judged) -> Attempted[Score] | None:
        """Follow the question about one expression; None where there is none to ask about."""
        value = verdict.extraction.value if verdict.extraction is not None else None
        if value is None:
            return None
        target = task.targets[verdict.variable]

        def make(attempt: int, reason: str) -> Case:
            key = task.key.model_copy(update={"call": self.name, "variable": verdict.variable, "attempt": attempt})
            quote = fenced(key.label, value)
            values = {
                "question": problem_text(task.question),
                "reference": target.value,
                "mark": quote.mark,
                "value": quote.text,
                "reason": reason,
            }
            room = self.settings.max_reasoning // CHARS_PER_TOKEN + JSON_TOKENS
            return judge_case(
                key,
                "assess_symbolic",
                values,
                constraint=score_grammar(self.settings.max_reasoning),
                sampling=self.settings.sampling.model_copy(update={"max_tokens": room, "n_logprobs": 0}),
            )

        return attempted(judged, make, lambda answer: read_score(answer.text))

    def _final(self, task: GradingTask, verdict: Verdict, judged: Judged) -> Verdict:
        asked = self._scored(task, verdict, judged)
        if asked is None:
            return verdict
        if asked.due is not None:
            raise not_finished(self.name, task)
        if asked.value is None:
            failure = asked.failure or "judge_invalid"
            return verdict.model_copy(update={"verdict": "undecided", "by": "judge", "reason": failure})
        names = {0.0: "judge_wrong", 0.5: "judge_constant_or_sign", 1.0: "judge_right"}
        return verdict.model_copy(
            update={
                "verdict": "correct" if asked.value.score == 1 else "incorrect",
                "by": "judge",
                "reason": names[asked.value.score],
                "judge_reasoning": asked.value.reasoning,
                "score": asked.value.score,
            }
        )


def read_score(text: str) -> Score | None:
    """The judge's score; None if the text is not what was asked for."""
    tree = read_object(text, _schema())
    return Score(float(str(tree["score"])), str(tree["reasoning"])) if tree is not None else None


@cache
def _schema() -> Draft202012Validator:
    properties = {"reasoning": {"type": "string"}, "score": {"enum": [0, 0.5, 1]}}
    return Draft202012Validator(
        {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    )
