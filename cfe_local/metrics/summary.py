"""From the exam's records to its figures: groups the graded samples, counts what happened, and warns.

Not here: reading a run folder, and how the figures are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import get_args

from cfe_local.metrics.accuracy import accuracy_of_type, mean_pass_at_k, question_accuracy, variable_accuracy
from cfe_local.metrics.effort import EngineTime, judge_effort, response_effort
from cfe_local.metrics.exam import Decider, ExamMetrics, Figures, TypeFigures
from cfe_local.metrics.kinds import kind_figures
from cfe_local.metrics.samples import GradedSample, TargetsOf, first_copies, join_samples
from cfe_local.metrics.scores import Share, count_names, share_of
from cfe_local.records import Key, Problem, Response, VariableType, Verdict

TRUNCATION_WARNING = 0.02
"""Above this share of truncated samples the score says more about the token limit than about the model."""

NO_TOPIC = "(no topic)"


@dataclass(frozen=True, slots=True)
class ExamRecords:
    """What an exam left behind.

    Attributes:
        problems: Every problem that the plan names, in file order.
        planned: Keys of the responses that were to be drawn: the denominator.
        responses: What the model under test answered.
        verdicts: What gradings said; may hold several gradings.
        judge_responses: The judge's calls, for their cost alone.
        targets: What each response was graded against; the problem's variables where left out.
        joined: Samples by grading, once they were asked for.
    """

    problems: Sequence[Problem]
    planned: Sequence[Key]
    responses: Sequence[Response]
    verdicts: Sequence[Verdict]
    judge_responses: Sequence[Response] = ()
    targets: TargetsOf | None = None
    joined: dict[str, list[GradedSample]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def samples(self, grading: str) -> list[GradedSample]:
        """One sample per planned key, with the verdicts of one grading.

        Raises:
            StoreError: If the plan names a row that the problems do not have.
        """
        if grading not in self.joined:
            self.joined[grading] = join_samples(
                self.problems, self.planned, self.responses, self.verdicts, grading=grading, targets=self.targets
            )
        return self.joined[grading]


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """What to sum up.

    Attributes:
        grading: Name of the grading whose verdicts count.
        k: pass@k is given for each of these.
        errata: (split, row) of problems with doubtful references; they get a second figure, never the headline.
        engine_times: How long engines ran, where that was recorded.
    """

    grading: str
    k: tuple[int, ...] = (1,)
    errata: frozenset[tuple[str, int]] = frozenset()
    engine_times: tuple[EngineTime, ...] = ()


def summarise(records: ExamRecords, options: SummaryOptions) -> ExamMetrics:
    """All figures of one exam under one grading.

    Raises:
        StoreError: If the plan names a row that the problems do not have.
    """
    planned = records.samples(options.grading)
    samples = [s for s in planned if s.targets]
    overall = figures("all", samples, options.k)
    copies = first_copies(samples)
    errata = [s for s in samples if (s.problem.split, s.problem.row) in options.errata]
    sound = [s for s in samples if (s.problem.split, s.problem.row) not in options.errata]
    answered = [s.response for s in planned if s.response is not None]
    truncation = share_of(sum(s.is_truncated for s in planned), len(planned))
    n_graded = sum(verdict is not None for s in samples for verdict in s.verdicts)
    undecided, incorrect = _reasons(samples, "undecided"), _reasons(samples, "incorrect")
    return ExamMetrics(
        experiment=planned[0].key.experiment if planned else "exam",
        grading=options.grading,
        n_planned=len(planned),
        n_missing=sum(s.response is None for s in planned),
        n_without_values=len(planned) - len(samples),
        n_not_graded=sum(s.response is not None and None in s.verdicts for s in samples),
        overall=overall,
        first_copies=figures("first copies", copies, options.k) if len(copies) < len(samples) else None,
        without_errata=figures("without errata", sound, options.k) if errata else None,
        n_errata_rows=len({(s.problem.split, s.problem.row) for s in errata}),
        by_split=tuple(_grouped(samples, lambda s: s.problem.split, options.k)),
        by_topic=tuple(
            sorted(
                _grouped(samples, lambda s: s.problem.topic or NO_TOPIC, options.k),
                key=lambda group: (group.name == NO_TOPIC, group.name),
            )
        ),
        by_type=_by_type(samples),
        by_kind=kind_figures(samples, lambda name, group: figures(name, group, options.k)),
        outcomes=count_names([s.response.outcome if s.response else "missing" for s in planned]),
        thinking_ends=count_names([r.thinking_end for r in answered]),
        truncation=truncation,
        finished=_part("finished", [s for s in samples if s.is_finished], options.k),
        truncated=_part("truncated", [s for s in samples if s.is_truncated], options.k),
        undecided_reasons=count_names(undecided),
        incorrect_reasons=count_names(incorrect),
        deciders=_deciders(samples),
        effort=response_effort(answered),
        judge=judge_effort(records.judge_responses, n_variables=n_graded),
        engine_times=options.engine_times,
        gpu_hours=sum(t.gpu_hours for t in options.engine_times) if options.engine_times else None,
        warnings=_warnings(planned, truncation),
        upstream=_upstream_names(overall),
    )


def figures(name: str, samples: Sequence[GradedSample], k: Sequence[int]) -> Figures:
    """The scores of one group of samples."""
    return Figures(
        name=name,
        n_problems=len({(s.problem.split, s.problem.row) for s in samples}),
        n_samples=len(samples),
        n_variables=sum(len(s.verdicts) for s in samples),
        question_accuracy=question_accuracy(samples),
        variable_accuracy=variable_accuracy(samples),
        pass_at_k=tuple(mean_pass_at_k(samples, size) for size in k),
    )


def _part(name: str, samples: Sequence[GradedSample], k: Sequence[int]) -> Figures | None:
    return figures(name, samples, k) if samples else None


def _grouped(
    samples: Sequence[GradedSample], name_of: Callable[[GradedSample], str], k: Sequence[int]
) -> list[Figures]:
    """Figures of each group, in the order in which the plan comes to them."""
    groups: dict[str, list[GradedSample]] = {}
    for sample in samples:
        groups.setdefault(name_of(sample), []).append(sample)
    return [figures(name, group, k) for name, group in groups.items()]


def _by_type(samples: Sequence[GradedSample]) -> tuple[TypeFigures, ...]:
    found = []
    types: tuple[VariableType, ...] = get_args(VariableType)
    for name in types:
        n_variables = sum(v.type == name for s in samples for v in s.targets)
        if n_variables:
            found.append(TypeFigures(type=name, n_variables=n_variables, accuracy=accuracy_of_type(samples, name)))
    return tuple(found)


def _reasons(samples: Sequence[GradedSample], mark: str) -> list[str]:
    reasons = []
    for sample in samples:
        for verdict, seen in zip(sample.verdicts, sample.marks, strict=True):
            if seen == mark:
                missing = "not graded" if sample.response else "no response"
                reasons.append(verdict.reason if verdict else missing)
    return reasons


def _deciders(samples: Sequence[GradedSample]) -> tuple[Decider, ...]:
    pairs = [(v.by if v else "nobody", mark) for s in samples for v, mark in zip(s.verdicts, s.marks, strict=True)]
    found = []
    for by in ("equivalence", "judge", "outcome", "nobody"):
        marks = [mark for decider, mark in pairs if decider == by]
        if marks:
            found.append(
                Decider(
                    by=by,
                    n=len(marks),
                    share=len(marks) / len(pairs),
                    n_correct=marks.count("correct"),
                    n_incorrect=marks.count("incorrect"),
                    n_undecided=marks.count("undecided"),
                )
            )
    return tuple(found)


def _warnings(samples: Sequence[GradedSample], truncation: Share) -> tuple[str, ...]:
    found = []
    if truncation.value is not None and truncation.value > TRUNCATION_WARNING:
        found.append(
            f"{truncation.numerator:.0f} of {truncation.denominator} samples ({truncation.value:.1%}) ran into a token "
            "limit; raise max_tokens or thinking_tokens, or read the score as a score under this limit."
        )
    outcomes = [s.response.outcome if s.response else "missing" for s in samples]
    for outcome, remedy in _REMEDIES.items():
        if n := outcomes.count(outcome):
            found.append(f"{n} of {len(samples)} samples: {remedy}")
    n_open = sum(s.response is not None and None in s.verdicts for s in samples)
    if n_open:
        found.append(f"{n_open} of {len(samples)} samples are not graded yet and count as not correct; run grade.")
    return tuple(found)


_REMEDIES = {
    "missing": "no response yet, counted as not correct; run the same command again to go on.",
    "failed": "the engine failed on them, counted as not correct; their details are in responses.jsonl.",
    "prompt_too_long": "the prompt did not fit into max_model_len; raise it to have them answered.",
    "bad_input": "could not be asked at all; their details are in responses.jsonl.",
}


def _upstream_names(overall: Figures) -> dict[str, float | None]:
    named = {
        "overall_question_accuracy": overall.question_accuracy.headline.value,
        "overall_avg_variable_accuracy": overall.variable_accuracy.headline.value,
    }
    return named | {f"pass@{entry.k}": entry.headline.value for entry in overall.pass_at_k}
