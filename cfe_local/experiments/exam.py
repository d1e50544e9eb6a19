"""The exam: every problem asked as it is, ``samples`` times; final answers graded against the target variables.

How a problem is put depends on its kind (`asking`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cfe_local.experiments.asking import exam_messages
from cfe_local.experiments.base import Earlier, PlanSettings, Traits
from cfe_local.records import Case, Key, Problem, TargetVariable


class Exam:
    """Plans one case per problem and sample."""

    name = "exam"
    traits = Traits(templates=("exam_system",))

    def plan(self, problems: Sequence[Problem], settings: PlanSettings, earlier: Earlier) -> Iterator[Case]:
        """Plan all samples of a problem next to each other, so that they share its prompt in the prefix cache."""
        del earlier  # one round
        for problem in problems:
            messages = exam_messages(problem)
            for sample in range(settings.samples):
                key = Key(experiment=self.name, split=problem.split, row=problem.row, sample=sample)
                yield Case(key=key, messages=messages, sampling=settings.sampling_for(key))

    def question(self, problem: Problem, key: Key) -> str:
        """The problem's own question."""
        del key
        return problem.question_text

    def targets(self, problem: Problem, key: Key) -> tuple[TargetVariable, ...]:
        """The problem's own target variables."""
        del key
        return problem.variables
