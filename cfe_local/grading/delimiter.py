"""Delimiter grading: what stands behind the last ``ANSWER:`` is compared, without a judge.

Multiple choice goes by letter, numbers by the 1 % rule, expressions by equivalence; an expression that is equal only
when its symbols are renamed has a reason of its own. A response without a delimiter, or one whose statement cannot be
read, is unparsable: not correct, and counted apart from wrong. Thinking is no part of a response's text, so nothing in
it counts. Problems that ask for named variables have no delimiter; they go to the grading that they are made for.

Source: ARB, arXiv:2307.13692; docs/arb.md says where this differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cfe_local.grading.asking import JudgeSettings
from cfe_local.grading.base import GradingTask, Judged, Pair, not_finished
from cfe_local.grading.extraction import unit_of
from cfe_local.grading.final_line import FinalLine, chosen_option, final_line, sub_answers
from cfe_local.grading.outcomes import verdict_without_grading
from cfe_local.grading.s2s import ShortToShort, combined, value_pairs
from cfe_local.records import (
    RENAMED,
    UNPARSABLE,
    Case,
    Comparison,
    ComparisonRule,
    Extraction,
    ExtractionStatus,
    Verdict,
    VerdictValue,
)


@dataclass(frozen=True, slots=True)
class DelimiterGrading:
    """The grading by delimiter."""

    settings: JudgeSettings = field(default_factory=JudgeSettings)
    name: str = "delimiter"

    def pairs(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Pair]:
        """Comparisons that are due; see `Grading`."""
        named, marked = _sorted_out(tasks)
        found = {pair.label: pair for task in marked for pair in stated(task, judged).due}
        found |= {pair.label: pair for pair in self._named().pairs(named, judged)}
        return list(found.values())

    def calls(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Case]:
        """Judge calls that are due: for problems with named variables alone."""
        return self._named().calls(_sorted_out(tasks)[0], judged)

    def verdicts(self, tasks: Sequence[GradingTask], judged: Judged) -> list[Verdict]:
        """Final verdicts; see `Grading`."""
        found: list[Verdict] = []
        for task in tasks:
            if task.kind == "variables":
                found += self._named().verdicts([task], judged)
                continue
            state = stated(task, judged)
            if state.due:
                raise not_finished(self.name, task)
            found += [verdict.model_copy(update={"grading": self.name}) for verdict in state.verdicts]
        return found

    def _named(self) -> ShortToShort:
        return ShortToShort(self.settings, name=self.name)


def _sorted_out(tasks: Sequence[GradingTask]) -> tuple[list[GradingTask], list[GradingTask]]:
    named = [task for task in tasks if task.kind == "variables"]
    return named, [task for task in tasks if task.kind != "variables"]


@dataclass(frozen=True, slots=True)
class Stated:
    """Where one response stands: comparisons that are due, or its verdicts where none is."""

    due: tuple[Pair, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


def stated(task: GradingTask, judged: Judged) -> Stated:
    """Derive the verdicts of one response from what is known so far; a proof has none."""
    if not task.targets:
        return Stated()
    outright = verdict_without_grading(task, "")
    if outright is not None:
        return Stated(verdicts=outright)
    line = final_line(task.response.text)
    if line is None:
        return _unread(task, "no ANSWER: line")
    if task.kind == "multiple_choice":
        return _by_letter(task, line)
    if line.at_end and task.response.outcome == "truncated":
        return _cut(task, line)
    parts = sub_answers(line.value, len(task.targets))
    if parts is None:
        return _unread(task, f"not {len(task.targets)} answers behind the delimiter", line)
    found = [_by_value(task, position, part, line, judged) for position, part in enumerate(parts)]
    due = tuple(pair for one in found for pair in one.due)
    return Stated(due) if due else Stated(verdicts=tuple(verdict for one in found for verdict in one.verdicts))


def _unread(task: GradingTask, why: str, line: FinalLine | None = None) -> Stated:
    """Unparsable, unless the response was cut off: then the delimiter may only be missing."""
    if line is None and task.response.outcome == "truncated":
        return _cut(task, None)
    status: ExtractionStatus = "absent" if line is None else "contradictory"
    return _for_all(task, "incorrect", UNPARSABLE, why, Extraction(status=status, quote=line.quote if line else ""))


def _cut(task: GradingTask, line: FinalLine | None) -> Stated:
    """The response ran into its limit before its statement was complete."""
    extraction = Extraction(status="no_answer", quote=line.quote if line else "")
    return _for_all(task, "undecided", "truncated", task.response.detail, extraction)


def _for_all(task: GradingTask, verdict: VerdictValue, reason: str, evidence: str, extraction: Extraction) -> Stated:
    """The same verdict on every answer that the problem asks for."""
    one = Verdict(
        key=task.key,
        grading="",
        variable=0,
        verdict=verdict,
        by="outcome",
        reason=reason,
        evidence=evidence,
        extraction=extraction,
    )
    return Stated(verdicts=tuple(one.model_copy(update={"variable": i}) for i in range(len(task.targets))))


def _by_letter(task: GradingTask, line: FinalLine) -> Stated:
    choice = chosen_option(line.value, task.options)
    if choice.position is None:
        return _unread(task, choice.why, line)
    letter = chr(ord("A") + choice.position)
    right = letter == task.targets[0].value
    verdict = _verdict(task, 0, line, letter).model_copy(
        update={
            "verdict": "correct" if right else "incorrect",
            "reason": "letter",
            "evidence": f"{letter} {'is' if right else 'is not'} {task.targets[0].value}",
        }
    )
    return Stated(verdicts=(verdict,))


def _by_value(task: GradingTask, position: int, value: str, line: FinalLine, judged: Judged) -> Stated:
    pairs = _number_pairs(task, position, value) if task.kind == "numerical" else value_pairs(task, position, value)
    missing = tuple(pair for pair in pairs if pair.label not in judged.comparisons)
    if missing:
        return Stated(due=missing)
    comparison = combined([judged.comparisons[pair.label] for pair in pairs])
    base = _verdict(task, position, line, value).model_copy(
        update={"comparison": comparison, "evidence": comparison.evidence}
    )
    if comparison.verdict != "equal" and task.kind == "symbolic":
        again = _ruled(pairs, "renamed")
        missing = tuple(pair for pair in again if pair.label not in judged.comparisons)
        if missing:
            return Stated(due=missing)
        renamed = combined([judged.comparisons[pair.label] for pair in again])
        if renamed.verdict == "equal":
            update = {"verdict": "incorrect", "reason": RENAMED, "evidence": renamed.evidence, "comparison": renamed}
            return Stated(verdicts=(base.model_copy(update=update),))
    return Stated(verdicts=(_compared(base, comparison),))


def _number_pairs(task: GradingTask, position: int, value: str) -> list[Pair]:
    """All forms of a number under the 1 % rule; where the reference has no unit, also without what stands behind it."""
    pairs = value_pairs(task, position, value)
    unit = unit_of(value)
    if unit is not None and unit_of(task.targets[position].value) is None:
        pairs += value_pairs(task, position, value.strip().strip("$").strip().removesuffix(unit).strip("\\ ~,;"))
    return _ruled(pairs, "one percent")


def _compared(base: Verdict, comparison: Comparison) -> Verdict:
    words: dict[str, VerdictValue] = {"equal": "correct", "different": "incorrect", "undecided": "undecided"}
    return base.model_copy(update={"verdict": words[comparison.verdict], "reason": comparison.by})


def _ruled(pairs: Sequence[Pair], rule: ComparisonRule) -> list[Pair]:
    """The same pairs under a rule of comparison."""
    return [Pair(pair.reference, pair.candidate, pair.context.model_copy(update={"rule": rule})) for pair in pairs]


def _verdict(task: GradingTask, position: int, line: FinalLine, value: str) -> Verdict:
    extraction = Extraction(status="stated", value=value, quote=line.quote, by="typography")
    return Verdict(
        key=task.key,
        grading="",
        variable=position,
        verdict="undecided",
        by="equivalence",
        reason="",
        extraction=extraction,
    )
