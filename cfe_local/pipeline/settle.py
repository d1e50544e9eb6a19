"""Carries one grading out: alternates value comparisons and judge calls, stores each, and concludes the verdicts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from cfe_local.equivalence import ComparisonPool
from cfe_local.grading import Grading, GradingTask, Judged, Pair
from cfe_local.grading.assessment import Inquiry
from cfe_local.grading.settling import Settled, made_from
from cfe_local.pipeline.generate import note_damage, writing
from cfe_local.pipeline.watch import Watcher
from cfe_local.records import Case, ComparedPair, Comparison, Response, Verdict
from cfe_local.store import GradingFolder

SETTLED_NAME = "settled.json"
"""Says that a grading is finished, and what its verdicts were made from."""
Ask = Callable[[Sequence[Case]], Generator[Response, None, None]]
"""Puts calls to the judge and gives each answer as it arrives."""


def is_settled(folder: GradingFolder, tasks: Sequence[GradingTask]) -> bool:
    """Whether the folder holds the verdicts of a finished grading of just these responses."""
    stored = folder.read_json(SETTLED_NAME, Settled)
    if stored is None or stored.made_from != made_from(tasks):
        return False
    path = folder.path / "verdicts.jsonl"
    if not path.is_file():
        return False
    with path.open("rb") as lines:
        return sum(line.endswith(b"}\n") for line in lines) == stored.n_verdicts


class GradingWork:
    """What one grading has found out so far, in memory and on disk."""

    def __init__(self, folder: GradingFolder, watch: Watcher) -> None:
        """Load what an earlier attempt left in the grading's folder."""
        self._folder = folder
        self._watch = watch
        self._answer_stream = folder.stream("judge", Response)
        self._pair_stream = folder.stream("comparisons", ComparedPair, label=lambda record: record.label)
        answers, compared = self._answer_stream.load(), self._pair_stream.load()
        for report in (answers.report, compared.report):
            note_damage(report, watch)
        self._answers = dict(answers.records)
        self._comparisons = {label: untimed(record.comparison) for label, record in compared.records.items()}
        self._judged = Judged(answers=self._answers, comparisons=self._comparisons)

    def settle(
        self,
        grading: Grading,
        tasks: Sequence[GradingTask],
        pool: ComparisonPool,
        ask: Ask,
    ) -> list[Verdict]:
        """Go on until the grading has nothing left to compare or ask, and write its verdicts.

        Args:
            grading: What to compare and ask.
            tasks: The responses.
            pool: Where values are compared.
            ask: Puts calls to the judge; called only if there is something to ask.

        Raises:
            EngineError: If the engine ends; what it had answered is stored.
        """
        self.carry_out(grading, tasks, pool, ask)
        name = self._folder.path.name
        verdicts = [v.model_copy(update={"grading": name}) for v in grading.verdicts(tasks, self._judged)]
        self._folder.write_records("verdicts", verdicts)
        self._folder.write_json(SETTLED_NAME, Settled(made_from=made_from(tasks), n_verdicts=len(verdicts)))
        return verdicts

    def carry_out(
        self,
        inquiry: Inquiry,
        tasks: Sequence[GradingTask],
        pool: ComparisonPool,
        ask: Ask,
    ) -> Judged:
        """Go on until there is nothing left to compare or ask.

        Returns:
            Everything that is known then.

        Raises:
            EngineError: If the engine ends; what it had answered is stored.
        """
        unsettled = list(tasks)
        while unsettled:
            pairs = [inquiry.pairs([task], self._judged) for task in unsettled]
            if due := {pair.label: pair for found in pairs for pair in found}:
                self._compare(list(due.values()), pool)
            calls = [inquiry.calls([task], self._judged) for task in unsettled]
            if asked := [case for found in calls for case in found]:
                self.ask(asked, ask)
            unsettled = [task for task, *open_ in zip(unsettled, pairs, calls, strict=True) if any(open_)]
        return self._judged

    def ask(self, calls: Sequence[Case], ask: Ask) -> Judged:
        """Ask the judge, store what it says, and give everything that is known then."""
        self._watch.stage(f"judge {self._folder.path.name}", total=len(calls), done=0)
        self._ask(calls, ask)
        return self._judged

    @property
    def judged(self) -> Judged:
        """Everything that is known so far."""
        return self._judged

    @property
    def answers(self) -> tuple[Response, ...]:
        """Everything that the judge said."""
        return tuple(self._answers.values())

    def _compare(self, pairs: Sequence[Pair], pool: ComparisonPool) -> None:
        self._watch.stage("compare values", total=len(pairs), done=0)
        triples = [(pair.reference, pair.candidate, pair.context) for pair in pairs]
        for index, comparison in pool.compare_all(triples):
            with writing():
                self._pair_stream.append(ComparedPair(label=pairs[index].label, comparison=comparison))
            self._comparisons[pairs[index].label] = untimed(comparison)
            self._watch.advance()

    def _ask(self, calls: Sequence[Case], ask: Ask) -> None:
        with closing(ask(calls)) as answers:
            for answer in answers:
                with writing():
                    self._answer_stream.append(answer)
                self._answers[answer.key.label] = answer
                self._watch.response(answer)


def untimed(comparison: Comparison) -> Comparison:
    """A comparison without its seconds: they stay in the comparisons' own file, so verdicts repeat byte by byte."""
    return comparison.model_copy(update={"seconds": 0.0})
