"""The seam that every grading has: what to compare, what to ask the judge, and what follows. Runs nothing itself.

A grading is a plan and a conclusion, both pure. The pipeline alternates: comparisons that are due go to the workers,
calls that are due go to the judge's engine, until neither yields anything; then the verdicts are final. Calls have
deterministic keys and everything else is derived from stored answers, so a grading resumes after a crash and gives
the same bytes when it is repeated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cfe_local.errors import IncompleteError
from cfe_local.records import (
    Case,
    Comparison,
    Key,
    ProblemKind,
    Response,
    RubricItem,
    TargetVariable,
    ValueContext,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class GradingTask:
    """One response to be graded, with everything that a grading may look at.

    Attributes:
        question: The problem as text, images as ``<image>``; empty where the variables alone are asked for.
        targets: The variables with their references, in the problem's order; none for a proof.
        solution: The instructor's whole solution; only the whole-solution grading reads it.
        response: What the model under test gave back.
        kind: How the problem was asked.
        options: What a multiple-choice problem offers.
        rubric: How a person would share points over the solution, where somebody said so.
    """

    question: str
    targets: tuple[TargetVariable, ...]
    solution: str
    response: Response
    kind: ProblemKind = "variables"
    options: tuple[str, ...] = ()
    rubric: tuple[RubricItem, ...] = ()

    @property
    def key(self) -> Key:
        """The response's key."""
        return self.response.key


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values to compare. Equal pairs have equal labels and need to be compared only once."""

    reference: str
    candidate: str
    context: ValueContext

    @property
    def label(self) -> str:
        """A sha256 of the content: the same pair has the same label in every process and run."""
        # Without the rule where there is none: comparisons that are stored from before there were any keep their label.
        context = self.context.model_dump(exclude=None if self.context.rule else {"rule"})
        content = json.dumps([self.reference, self.candidate, context], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known so far.

    Attributes:
        answers: The judge's responses, by the label of their key.
        comparisons: What equivalence said, by the label of the pair.
    """

    answers: Mapping[str, Response] = field(default_factory=dict)
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)


class Grading(Protocol):
    """A way of turning responses into verdicts."""

    @property
    def name(self) -> str:
        """The grading's name in a run folder: s2s, l2s, l2l."""
        ...

    def pairs(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Pair]:
        """Comparisons that can be made now and are not in `judged`; each once."""
        ...

    def calls(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Case]:
        """Questions for the judge that can be asked now and have no answer in `judged`.

        Whatever waits for a comparison that `pairs` still lists is left for a later round.
        """
        ...

    def verdicts(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Verdict]:
        """One verdict per task and variable, in the order of both.

        Raises:
            IncompleteError: If something is still due.
        """
        ...


def not_finished(grading: str, task: GradingTask) -> IncompleteError:
    """The error for verdicts that are asked for while calls or comparisons are still due."""
    return IncompleteError(
        f"{grading}: {task.key.label} is not judged to the end\nFix: run the grading again; it resumes."
    )
