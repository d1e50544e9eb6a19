"""Finds what a response states for every variable: settled by its typography, else copied out by the judge.

The judge never sees a reference, may write only stretches of the response, and is asked once more, with the reason,
about values that do not stand there. Whether a value is right is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cfe_local.grading.addressing import answer_regions
from cfe_local.grading.asking import (
    TOKENS_PER_VALUE,
    JudgeSettings,
    attempted,
    judge_case,
    problem_text,
    quoted,
    variable_rows,
)
from cfe_local.grading.base import GradingTask, Judged, Pair
from cfe_local.grading.fence import neutralised
from cfe_local.grading.grounding import is_grounded, normalised
from cfe_local.grading.judge_grammar import extraction_grammar, field
from cfe_local.grading.judge_output import read_extraction
from cfe_local.grading.sentences import announced, concluded, told
from cfe_local.grading.settled import RETRACTION, Settled, settled
from cfe_local.grading.statements import announcement, closing, statements
from cfe_local.grading.titles import titled
from cfe_local.records import Case, Extraction, ValueContext


@dataclass(frozen=True, slots=True)
class Extracted:
    """Where the extraction of one response stands.

    Attributes:
        values: One per variable; None where something is still due.
        pairs: Comparisons between a response's own final statements that are still due.
        due: The next question to the judge, or None.
    """

    values: tuple[Extraction | None, ...]
    pairs: tuple[Pair, ...] = ()
    due: Case | None = None


def extracted(task: GradingTask, judged: Judged, settings: JudgeSettings) -> Extracted:
    """Derive the extraction of one response from what is known so far."""
    text = task.response.text
    if not text.strip():
        return Extracted(tuple(Extraction(status="absent") for _ in task.targets))
    regions = answer_regions(text)
    if not regions:
        return Extracted(tuple(Extraction(status="absent") for _ in task.targets))
    unread: tuple[Settled | None, ...] = (None,) * len(task.targets)
    plain = _plain(task, "".join(regions)) if settings.typography == "first" else unread
    values: list[Extraction | None] = []
    pairs: list[Pair] = []
    for position, one in enumerate(plain):
        due = [pair for pair in _rival_pairs(task, position, one) if pair.label not in judged.comparisons]
        pairs.extend(due)
        values.append(None if one is None or due else _settled_extraction(task, position, one, judged))
    asked = [position for position, one in enumerate(plain) if one is None]
    case = None
    if asked:
        found, case = _asked(task, asked, judged, settings)
        for position, value in zip(asked, found, strict=True):
            values[position] = value
    return Extracted(tuple(values), tuple(pairs), case)


def _plain(task: GradingTask, text: str) -> tuple[Settled | None, ...]:
    """What typography settles, and where it does not, what a plain sentence or a title says.

    A response that was cut has no closing yet: its sentences may still be on the way.
    """
    found = settled(text, task.targets)
    if all(found) or task.response.outcome == "truncated":
        return found
    others = [told(text, task.targets)]
    if len(found) == 1:
        others += [(announced(text, task.targets[0]),), (concluded(text, task.targets[0]),)]
    else:
        others.append(titled(text, task.targets))
    # Before a single answer is announced, sentences only lead to it.
    announced_at = announcement(text) if len(found) == 1 else 0
    merged: list[Settled | None] = list(found)
    for position, one in enumerate(found):
        said = next((other[position] for other in others if other[position] is not None), None)
        if one is not None or said is None or said.end <= announced_at or RETRACTION.search(text, said.end):
            continue
        if is_grounded(said.value, text):
            merged[position] = Settled(said.value, said.quote)
    return tuple(merged)


def _rival_pairs(task: GradingTask, position: int, one: Settled | None) -> list[Pair]:
    if one is None:
        return []
    target = task.targets[position]
    context = ValueContext(type=target.type, variable=target.name, description=target.description)
    return [Pair(rival, one.value, context) for rival in one.rivals if rival != one.value]


def _settled_extraction(task: GradingTask, position: int, one: Settled, judged: Judged) -> Extraction:
    for pair in _rival_pairs(task, position, one):
        if judged.comparisons[pair.label].verdict == "different":
            return Extraction(status="contradictory", quote=f"{pair.reference} | {one.quote}", by="typography")
    return Extraction(status="stated", value=one.value, unit=unit_of(one.value), quote=one.quote, by="typography")


def _asked(
    task: GradingTask, asked: Sequence[int], judged: Judged, settings: JudgeSettings
) -> tuple[list[Extraction | None], Case | None]:
    """Ask about some variables; ask again about those whose value does not stand in the response."""
    first = attempted(
        judged,
        lambda attempt, reason: _extraction_case(task, asked, attempt, reason, settings),
        lambda answer: read_extraction(answer.text, len(asked)),
    )
    if first.due is not None:
        return [None for _ in asked], first.due
    if first.value is None or first.answer is None:
        status = first.failure or "judge_invalid"
        return [Extraction(status=status, by="judge") for _ in asked], None
    found = [_judged_extraction(task, value) for value in first.value]
    if first.answer.key.attempt or all(one.status != "ungrounded" for one in found):
        return list(found), None
    return _again(task, asked, found, judged, settings)


def _again(
    task: GradingTask, asked: Sequence[int], found: Sequence[Extraction], judged: Judged, settings: JudgeSettings
) -> tuple[list[Extraction | None], Case | None]:
    again = [position for position, one in zip(asked, found, strict=True) if one.status == "ungrounded"]
    case = _extraction_case(task, again, 1, "held text that does not stand in the solution", settings)
    answer = judged.answers.get(case.key.label)
    if answer is None:
        waiting: list[Extraction | None] = [None if one.status == "ungrounded" else one for one in found]
        return waiting, case
    values = read_extraction(answer.text, len(again)) if answer.outcome == "answered" else None
    second = dict(zip(again, values, strict=True)) if values is not None else {}
    # A null after an invented value is no honest "absent": the judge has shown that it does not know.
    merged: list[Extraction | None] = []
    for position, one in zip(asked, found, strict=True):
        new = _judged_extraction(task, second.get(position)) if position in second else one
        merged.append(new if new.status == "stated" else one)
    return merged, None


def _judged_extraction(task: GradingTask, value: str | None) -> Extraction:
    if value is None:
        return Extraction(status="absent", by="judge")
    if not is_grounded(value, neutralised(task.response.text)):
        return Extraction(status="ungrounded", quote=value, by="judge")
    whole = _with_right_side(value, task.response.text)
    return Extraction(status="stated", value=whole, unit=unit_of(whole), quote=value, by="judge")


def _with_right_side(value: str, text: str) -> str:
    """The whole of the last formula of which only the side before the equals sign was copied; else the value."""
    copied = normalised(value)
    if not any(character.isalpha() for character in value):
        return value
    wholes = [one.whole for one in statements(text) if _begins_with_side(normalised(one.whole), copied)]
    return wholes[-1] if wholes else value


def _begins_with_side(formula: list[str], side: list[str]) -> bool:
    return formula[: len(side)] == side and formula[len(side) : len(side) + 1] in (["="], ["\\approx"], ["≈"])


def _copyable(text: str, task: GradingTask) -> list[str]:
    """Where values may be copied from: not from lines that speak to the grader, a single answer from the closing."""
    regions = answer_regions(text)
    if len(task.targets) > 1:
        return regions
    return answer_regions(closing("".join(regions))) or regions


def _extraction_case(
    task: GradingTask, asked: Sequence[int], attempt: int, reason: str, settings: JudgeSettings
) -> Case:
    quote = quoted(task, settings)
    fields = [field(index) for index in range(len(asked))]
    values = {
        "question": problem_text(task.question),
        "variables": variable_rows(task, asked, fields),
        "mark": quote.fenced.mark,
        "response": quote.fenced.text,
        "reason": reason,
    }
    return judge_case(
        task.key.model_copy(update={"call": "extract", "attempt": attempt}),
        "judge_extract",
        values,
        constraint=extraction_grammar(_copyable(quote.fenced.text, task), len(asked)),
        sampling=settings.sampling.model_copy(update={"max_tokens": TOKENS_PER_VALUE * len(asked), "n_logprobs": 0}),
    )


UNIT = re.compile(
    r"^[-−+]?[\d.,\s]*\d(?:\s*(?:\\times|\\cdot|[×·x])\s*10(?:\^\{?[-−]?\d+\}?|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)|[eE][-+]?\d+)?"
    r"(?:\\[,;: ]|~|\s)*(?P<unit>(?:\\(?:text|mathrm|rm|,|%|circ|Omega|mu)|\^\s*\\circ|[^\W\d_]|[°%‰Ωμ]).*)$",
    re.DOTALL,
)


def unit_of(value: str) -> str | None:
    """The unit that stands behind a plain number, as written; None for anything else than number and unit."""
    found = UNIT.match(value.strip().strip("$").strip())
    return found.group("unit").strip() if found else None
