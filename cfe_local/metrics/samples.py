"""Joins what was planned with what came of it: one GradedSample per planned response, whatever happened to it.

The plan is the denominator. A response that is missing, failed or not graded is a sample all the same.

Not here: any share or mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from cfe_local.errors import StoreError
from cfe_local.records import Key, Problem, Response, TargetVariable, Verdict, VerdictValue

TargetsOf = Callable[[Problem, Key], tuple[TargetVariable, ...]]


@dataclass(frozen=True, slots=True)
class GradedSample:
    """One planned sample of one problem, with its response and one verdict per variable where there are any.

    Attributes:
        targets: What it was graded against: in an exam the problem's variables.
        marks: One verdict value per variable; a variable that no grading has seen is undecided.
        mark: The sample as a whole: right only if every variable is; one wrong variable makes it wrong.
    """

    key: Key
    problem: Problem
    response: Response | None
    verdicts: tuple[Verdict | None, ...]
    targets: tuple[TargetVariable, ...]
    marks: tuple[VerdictValue, ...] = field(init=False, repr=False, compare=False)
    mark: VerdictValue = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Work the marks out once: every figure of a report asks for them again."""
        marks: tuple[VerdictValue, ...] = tuple([v.verdict if v else "undecided" for v in self.verdicts])
        object.__setattr__(self, "marks", marks)
        object.__setattr__(self, "mark", _mark(marks))

    @property
    def cluster(self) -> str:
        """What makes samples dependent: the problem's own id, which two copies of one problem share."""
        return self.problem.problem_id

    @property
    def is_truncated(self) -> bool:
        """Whether the answer or the thinking ran into its token limit."""
        return self.response is not None and self.response.outcome in ("truncated", "truncated_thinking")

    @property
    def is_finished(self) -> bool:
        """Whether the model stopped by itself."""
        return self.response is not None and self.response.outcome == "answered"


def _mark(marks: tuple[VerdictValue, ...]) -> VerdictValue:
    if "incorrect" in marks:
        return "incorrect"
    return "undecided" if not marks or "undecided" in marks else "correct"


def join_samples(
    problems: Sequence[Problem],
    planned: Iterable[Key],
    responses: Iterable[Response],
    verdicts: Iterable[Verdict],
    *,
    grading: str,
    targets: TargetsOf | None = None,
) -> list[GradedSample]:
    """One sample per planned key, in the plan's order. Records that nobody planned are left out.

    Args:
        problems: Every problem that the plan names.
        planned: Keys of the responses that were to be drawn, each once.
        responses: Of one key the last counts.
        verdicts: Of one key, grading and variable the last counts; other gradings are left out.
        grading: Name of the grading to read.
        targets: What each key's response is graded against; the problem's variables where left out.

    Raises:
        StoreError: If the plan names a row that the problems do not have.
    """
    by_row = {(problem.split, problem.row): problem for problem in problems}
    # By label: hashing and comparing keys themselves takes several times as long.
    answered = {response.key.label: response for response in responses}
    graded = {(verdict.key.label, verdict.variable): verdict for verdict in verdicts if verdict.grading == grading}
    samples = []
    for label, key in {key.label: key for key in planned}.items():
        problem = by_row.get((key.split, key.row))
        if problem is None:
            raise StoreError(
                f"the run planned {key.split}:{key.row}, which the benchmark does not have\n"
                "Fix: report on the benchmark that the run was made from; its files are listed in the manifest."
            )
        asked = problem.variables if targets is None else targets(problem, key)
        found = tuple([graded.get((label, i)) for i in range(len(asked))])
        samples.append(
            GradedSample(key=key, problem=problem, response=answered.get(label), verdicts=found, targets=asked)
        )
    return samples


def first_copies(samples: Sequence[GradedSample]) -> list[GradedSample]:
    """The samples of the first row of every problem id; later rows with the same id are copies."""
    first: dict[str, tuple[str, int]] = {}
    for sample in samples:
        first.setdefault(sample.problem.problem_id, (sample.problem.split, sample.problem.row))
    return [s for s in samples if first[s.problem.problem_id] == (s.problem.split, s.problem.row)]
