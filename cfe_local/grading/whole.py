"""Gradings that show the judge the whole response at once, kept for comparison with S2S.

Long to short compares it with the references, long to long with the instructor's solution; everything else is shared.
Equivalence has no part in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cfe_local.grading.asking import (
    Attempted,
    JudgeSettings,
    attempted,
    judge_case,
    problem_text,
    quoted,
    variable_rows,
)
from cfe_local.grading.base import GradingTask, Judged, Pair, not_finished
from cfe_local.grading.judge_grammar import field as field_name
from cfe_local.grading.judge_grammar import overall_grammar
from cfe_local.grading.judge_output import Overall, read_overall, truth_probabilities
from cfe_local.grading.outcomes import verdict_without_grading
from cfe_local.grading.verification import CHARS_PER_TOKEN, JSON_TOKENS
from cfe_local.records import Case, Verdict

TOKENS_PER_TRUTH = 8
"""Room for ``, "v12": false``, tokens."""


@dataclass(frozen=True, slots=True)
class WholeResponse:
    """A grading by one judge call per response.

    Attributes:
        name: The grading's name, ``l2s`` or ``l2l``; also names the call and the template ``judge_<name>``.
    """

    name: str
    settings: JudgeSettings = field(default_factory=JudgeSettings)

    def pairs(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Pair]:
        """Nothing: these gradings leave all to the judge."""
        return []

    def calls(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Case]:
        """Judge calls that are due; see `Grading`."""
        found = (self._asked(task, judged) for task in tasks if verdict_without_grading(task, self.name) is None)
        return [one.due for one in found if one.due is not None]

    def verdicts(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Verdict]:
        """Final verdicts; see `Grading`."""
        return [verdict for task in tasks for verdict in self._verdicts(task, judged)]

    def _asked(self, task: GradingTask, judged: Judged) -> Attempted[Overall]:
        n_values = len(task.targets)

        def make(attempt: int, reason: str) -> Case:
            quote = quoted(task, self.settings)
            fields = [field_name(position) for position in range(n_values)]
            room = self.settings.max_reasoning // CHARS_PER_TOKEN + JSON_TOKENS + TOKENS_PER_TRUTH * n_values
            return judge_case(
                task.key.model_copy(update={"call": self.name, "attempt": attempt}),
                f"judge_{self.name}",
                {
                    "question": problem_text(task.question),
                    "variables": variable_rows(task, range(n_values), fields),
                    "solution": task.solution,
                    "mark": quote.fenced.mark,
                    "response": quote.fenced.text,
                    "reason": reason,
                },
                constraint=overall_grammar(n_values, self.settings.max_reasoning),
                sampling=self.settings.sampling.model_copy(update={"max_tokens": room, "n_logprobs": 5}),
            )

        return attempted(judged, make, lambda answer: read_overall(answer.text, n_values))

    def _verdicts(self, task: GradingTask, judged: Judged) -> tuple[Verdict, ...]:
        outright = verdict_without_grading(task, self.name)
        if outright is not None:
            return outright
        asked = self._asked(task, judged)
        if asked.due is not None:
            raise not_finished(self.name, task)
        n_values = len(task.targets)
        if asked.value is None or asked.answer is None:
            reason = asked.failure or "judge_invalid"
            return tuple(self._verdict(task, position, "undecided", reason) for position in range(n_values))
        chances = truth_probabilities(asked.answer)
        # The reasoning may hold the words too; the verdicts are the last ones.
        chances = chances[-n_values:] if len(chances) >= n_values else ()
        return tuple(
            self._verdict(task, position, "correct" if right else "incorrect", "judge").model_copy(
                update={
                    "judge_reasoning": asked.value.reasoning,
                    "p_correct": chances[position] if chances else None,
                }
            )
            for position, right in enumerate(asked.value.is_correct)
        )

    def _verdict(self, task: GradingTask, position: int, verdict: str, reason: str) -> Verdict:
        return Verdict.model_validate(
            {
                "key": task.key,
                "grading": self.name,
                "variable": position,
                "verdict": verdict,
                "by": "judge",
                "reason": reason,
            }
        )
