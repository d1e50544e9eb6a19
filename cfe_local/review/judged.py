"""Holds the judge against settled labels, and writes these in the format that the exam of a judge reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from cfe_local.grading.labels import LabelledResponse
from cfe_local.metrics.agreement import BinaryAgreement, binary_agreement
from cfe_local.metrics.samples import GradedSample
from cfe_local.records import Record, Response, VerdictValue
from cfe_local.review.agreement import Adjudicated
from cfe_local.review.items import QUESTION
from cfe_local.review.labels import variable_position

_TRUTH = {"correct": True, "incorrect": False}


class JudgeAgainstLabels(Record):
    """A grading's verdicts against settled labels of one kind. An undecided verdict counts as not correct."""

    group: str
    n: int = Field(ge=0, description="Verdicts with a settled label.")
    n_undecided: int = Field(ge=0, description="Of them, undecided ones.")
    agreement: BinaryAgreement = Field(description="Intervals are clustered by problem.")


def judge_against_labels(
    places: Sequence[Adjudicated], samples: Sequence[GradedSample]
) -> tuple[JudgeAgainstLabels, ...]:
    """False positives and negatives of a grading, per type of variable, for all variables, and per question.

    Args:
        places: From ``adjudicate``.
        samples: The run's samples with the grading's verdicts; a variable without a verdict is left out.
    """
    by_unit = {sample.key.label: sample for sample in samples}
    rows: dict[str, list[tuple[bool, VerdictValue, str]]] = {}
    for place in places:
        sample = by_unit.get(place.unit)
        truth = _TRUTH.get(place.label or "")
        if sample is None or truth is None or all(verdict is None for verdict in sample.verdicts):
            continue
        said = _verdict(place.aspect, sample)
        if said is None:
            continue
        groups = (QUESTION,) if place.aspect == QUESTION else (place.group, "all variables")
        for group in groups:
            rows.setdefault(group, []).append((truth, said, sample.cluster))
    return tuple(_against(group, found) for group, found in sorted(rows.items()))


def _verdict(aspect: str, sample: GradedSample) -> VerdictValue | None:
    if aspect == QUESTION:
        return sample.mark
    position = variable_position(aspect)
    verdict = sample.verdicts[position] if position is not None and position < len(sample.verdicts) else None
    return verdict.verdict if verdict else None


def _against(group: str, rows: Sequence[tuple[bool, VerdictValue, str]]) -> JudgeAgainstLabels:
    return JudgeAgainstLabels(
        group=group,
        n=len(rows),
        n_undecided=sum(said == "undecided" for _, said, _ in rows),
        agreement=binary_agreement(
            [truth for truth, _, _ in rows],
            [said == "correct" for _, said, _ in rows],
            clusters=[cluster for _, _, cluster in rows],
        ),
    )


def labelled_responses(places: Sequence[Adjudicated], samples: Sequence[GradedSample]) -> tuple[LabelledResponse, ...]:
    """Responses whose variables are all settled, ready for ``judge-exam``.

    The stated value is a reviewer's where one wrote it down, else what the grading extracted; the note says which, as
    only the former is a label.
    """
    settled = {(place.unit, place.aspect): place for place in places}
    found = []
    for sample in samples:
        if sample.response is None or not sample.verdicts:
            continue
        answers = [settled.get((sample.key.label, f"v{i}")) for i in range(len(sample.verdicts))]
        truths = [_TRUTH.get(answer.label or "") if answer else None for answer in answers]
        known = [truth for truth in truths if truth is not None]
        if len(known) == len(truths):
            found.append(_labelled(sample, sample.response, answers, known))
    return tuple(found)


def _labelled(
    sample: GradedSample, response: Response, answers: Sequence[Adjudicated | None], truths: Sequence[bool]
) -> LabelledResponse:
    told = [answer.value if answer else None for answer in answers]
    extracted = [v.extraction.value if v and v.extraction else None for v in sample.verdicts]
    key, problem = sample.key, sample.problem
    copied = [str(i) for i, value in enumerate(told) if value is None]
    return LabelledResponse(
        key=f"{key.split}:{key.row}:{problem.problem_id[:8]}:{key.condition}:{key.sample}",
        split=key.split,
        row=key.row,
        id=problem.problem_id,
        response=_whole(response),
        finish_reason="length" if response.outcome in ("truncated", "truncated_thinking") else "stop",
        gold_extraction=tuple(
            mine if mine is not None else theirs for mine, theirs in zip(told, extracted, strict=True)
        ),
        gold_correct=tuple(truths),
        gold_question_correct=all(truths),
        kind="reviewed",
        note=f"stated values as the grading extracted them: variables {', '.join(copied)}" if copied else "",
    )


def _whole(response: Response) -> str:
    """Everything the model wrote, its thinking in the marks that the reader of labels knows."""
    if response.outcome == "truncated_thinking":
        return f"<think>{response.thinking}"
    return f"<think>{response.thinking}</think>{response.text}" if response.thinking else response.text


def variable_counts(samples: Sequence[GradedSample]) -> Mapping[str, int]:
    """How many variables each response has, by its key."""
    return {sample.key.label: len(sample.problem.variables) for sample in samples}
