"""Short to short, the main protocol: extract what the response states, compare, and ask the judge about the rest.

For every variable: extraction (`extraction`), equivalence on the extracted value in its comparable forms
(`candidates`), and only where that is undecided a verification by the judge (`verification`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cfe_local.grading.asking import JudgeSettings
from cfe_local.grading.base import GradingTask, Judged, Pair, not_finished
from cfe_local.grading.candidates import candidates, coefficients, references
from cfe_local.grading.extraction import extracted
from cfe_local.grading.guards import doubt
from cfe_local.grading.outcomes import verdict_without_grading
from cfe_local.grading.verification import verification, verified, without_value
from cfe_local.records import Case, Comparison, Extraction, ValueContext, Verdict

UNLIKE = frozenset({"kinds", "other symbols", "missing unit"})
"""Rules by which equivalence leaves undecided what is written in terms that cannot be compared."""


@dataclass(frozen=True, slots=True)
class State:
    """Where one response stands: what is due, and verdicts where nothing is (None elsewhere)."""

    pairs: tuple[Pair, ...]
    cases: tuple[Case, ...]
    verdicts: tuple[Verdict | None, ...]


@dataclass(frozen=True, slots=True)
class ShortToShort:
    """The S2S grading."""

    settings: JudgeSettings = field(default_factory=JudgeSettings)
    name: str = "s2s"

    def pairs(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Pair]:
        """Comparisons that are due; see `Grading`."""
        found = {pair.label: pair for task in tasks for pair in self.state(task, judged).pairs}
        return list(found.values())

    def calls(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Case]:
        """Judge calls that are due; see `Grading`."""
        return [case for task in tasks for case in self.state(task, judged).cases]

    def verdicts(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Verdict]:
        """Final verdicts; see `Grading`."""
        found: list[Verdict] = []
        for task in tasks:
            for verdict in self.state(task, judged).verdicts:
                if verdict is None:
                    raise not_finished(self.name, task)
                found.append(verdict)
        return found

    def state(self, task: GradingTask, judged: Judged) -> State:
        """Derive everything about one response from what is known so far."""
        outright = verdict_without_grading(task, self.name)
        if outright is not None:
            return State((), (), outright)
        found = extracted(task, judged, self.settings)
        pairs, cases = list(found.pairs), [found.due] if found.due is not None else []
        verdicts: list[Verdict | None] = []
        for position, value in enumerate(found.values):
            if value is None:
                verdicts.append(None)
                continue
            verdict, more_pairs, case = self._value(task, position, value, judged)
            verdicts.append(verdict if verdict is None else not_wrong_for_being_cut(task, verdict))
            pairs.extend(more_pairs)
            cases.extend([case] if case is not None else [])
        return State(tuple(pairs), tuple(cases), tuple(verdicts))

    def _value(
        self, task: GradingTask, position: int, value: Extraction, judged: Judged
    ) -> tuple[Verdict | None, list[Pair], Case | None]:
        base = Verdict(
            key=task.key, grading=self.name, variable=position, verdict="undecided", by="outcome", reason="",
            extraction=value,
        )  # fmt: skip
        if value.value is None:
            return without_value(base, value, task.response.outcome), [], None
        pairs = value_pairs(task, position, value.value)
        due = [pair for pair in pairs if pair.label not in judged.comparisons]
        if due:
            return None, due, None
        comparison = combined([judged.comparisons[pair.label] for pair in pairs])
        base = base.model_copy(update={"comparison": comparison, "evidence": comparison.evidence})
        if comparison.verdict != "undecided":
            verdict = "correct" if comparison.verdict == "equal" else "incorrect"
            update = {"verdict": verdict, "by": "equivalence", "reason": comparison.by}
            return base.model_copy(update=update), [], None
        asked = verification(task, position, value.value, comparison, judged, self.settings)
        if asked.due is not None:
            return None, [], asked.due
        target = task.targets[position]
        against = doubt(target.value, value.value, target.type)
        return verified(base, asked, self.settings, against=against), [], None


def not_wrong_for_being_cut(task: GradingTask, verdict: Verdict) -> Verdict:
    """Leave a value undecided that the judge copied out of a response which was cut before it ended.

    It may be an intermediate one: such a value can prove right, never wrong. A value in a box or a final line stands.
    """
    if task.response.outcome != "truncated" or verdict.verdict != "incorrect":
        return verdict
    if verdict.extraction is None or verdict.extraction.by != "judge":
        return verdict
    return verdict.model_copy(update={"verdict": "undecided", "by": "outcome", "reason": "truncated"})


def value_pairs(task: GradingTask, position: int, value: str) -> list[Pair]:
    """All forms of an extracted value beside its reference."""
    target = task.targets[position]
    context = ValueContext(
        type=target.type, variable=target.name, description=target.description, question=task.question
    )
    forms = [
        (reference, form) for reference in references(task.targets, position) for form in candidates(value, reference)
    ]
    numbers = (coefficients(reference, form) for reference, form in forms if target.type == "formula")
    return [Pair(*pair, context) for pair in dict.fromkeys([*forms, *filter(None, numbers)])]


def combined(comparisons: Sequence[Comparison]) -> Comparison:
    """What the comparisons of one value's forms say together.

    Equal if any form is. Different if all are, leaving out forms of another kind or in other symbols than the
    reference where there are better ones: those were made to be compared instead of them.
    """
    for comparison in comparisons:
        if comparison.verdict == "equal":
            return comparison
    alike = [comparison for comparison in comparisons if comparison.by not in UNLIKE] or list(comparisons)
    for comparison in alike:
        if comparison.verdict == "undecided":
            return comparison
    return alike[0]
