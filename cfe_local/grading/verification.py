"""Asks the judge about what equivalence left undecided, with its evidence; believes it only when it is sure.

A small judge says yes to most things and no to what it cannot read, so its word counts from a stated probability of
the verdict token; below that the value stays undecided. The judge sees one value, never the whole response.
"""

from __future__ import annotations

import re

from cfe_local.grading.asking import Attempted, JudgeSettings, attempted, judge_case
from cfe_local.grading.base import GradingTask, Judged
from cfe_local.grading.fence import fenced
from cfe_local.grading.judge_grammar import verification_grammar
from cfe_local.grading.judge_output import Verification, read_verification, truth_probabilities
from cfe_local.records import Case, Comparison, Extraction, Verdict

CHARS_PER_TOKEN = 1
"""Fewest characters of reasoning per token, for the room that a verification gets; formulas came to 1.4."""

SAMPLED = re.compile(r"\bat \S+=|random points|too close to call|symbols that are no free reals")
"""Evidence from values at random points; a small judge takes such values for the student's."""

REJECTED = {"verdict": "incorrect", "reason": "judge_incorrect"}

JSON_TOKENS = 60
"""Room for everything but the reasoning, tokens."""


def verification(
    task: GradingTask, position: int, value: str, comparison: Comparison, judged: Judged, settings: JudgeSettings
) -> Attempted[Verification]:
    """Follow the verification of one value through its attempts."""

    def make(attempt: int, reason: str) -> Case:
        target = task.targets[position]
        key = task.key.model_copy(update={"call": "verify", "variable": position, "attempt": attempt})
        quote = fenced(key.label, value)
        values = {
            "name": target.name,
            "description": target.description,
            "reference": target.value,
            "mark": quote.mark,
            "value": quote.text,
            "evidence": "" if SAMPLED.search(comparison.evidence) else comparison.evidence,
            "reason": reason,
        }
        room = settings.max_reasoning // CHARS_PER_TOKEN + JSON_TOKENS
        return judge_case(
            key,
            "judge_verify",
            values,
            constraint=verification_grammar(settings.max_reasoning),
            sampling=settings.sampling.model_copy(update={"max_tokens": room, "n_logprobs": 5}),
        )

    return attempted(judged, make, lambda answer: read_verification(answer.text))


def verified(base: Verdict, found: Attempted[Verification], settings: JudgeSettings, *, against: str | None) -> Verdict:
    """The verdict that follows from a finished verification.

    Args:
        base: The verdict as far as it is known: key, variable, extraction, comparison.
        found: A verification with an answer or a failure.
        settings: Says from which probability a "correct" is believed.
        against: What speaks against believing a "correct" (see `guards`), or None.
    """
    if found.value is None or found.answer is None:
        return base.model_copy(
            update={"verdict": "undecided", "by": "judge", "reason": found.failure or "judge_invalid"}
        )
    chances = truth_probabilities(found.answer)
    p_correct = chances[-1] if chances else None
    update: dict[str, object] = {
        "by": "judge",
        "judge_reasoning": found.value.reasoning,
        "confidence": found.value.confidence,
        "p_correct": p_correct,
    }
    if not found.value.is_correct:
        unsure = p_correct is not None and p_correct > 1 - settings.accept_from
        update |= {"verdict": "undecided", "reason": "judge_unsure"} if unsure else REJECTED
    elif against is not None:
        update |= {"verdict": "undecided", "reason": "judge_doubted", "evidence": against}
    elif p_correct is not None and p_correct < settings.accept_from:
        update |= {"verdict": "undecided", "reason": "judge_unsure"}
    else:
        update |= {"verdict": "correct", "reason": "judge_correct"}
    return base.model_copy(update=update)


def without_value(base: Verdict, extraction: Extraction, outcome: str) -> Verdict:
    """The verdict on a variable of which no value was extracted.

    Args:
        base: Key and variable.
        extraction: Any but a stated one.
        outcome: The response's outcome: what is absent from a truncated response may only be cut off.
    """
    if extraction.status == "absent" and outcome == "truncated":
        verdict, reason = "undecided", "truncated"
    elif extraction.status in {"absent", "contradictory"}:
        verdict, reason = "incorrect", extraction.status
    else:
        verdict, reason = "undecided", extraction.status
    by = "judge" if extraction.by == "judge" else "outcome"
    return base.model_copy(update={"verdict": verdict, "by": by, "reason": reason, "evidence": extraction.quote})
