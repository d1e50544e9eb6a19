"""How far a derivation goes along the instructor's: which of the instructor's results it states, in order.

A result that is not stated says little by itself: another way to the same end has other intermediate results. So the
place where a derivation leaves the track is behind the last of the instructor's results that it states in order;
whatever it leaves out before that, it came back. Booleans are not compared: any yes equals any yes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cfe_local.experiments.steps import result_text, step_target
from cfe_local.grading.base import Pair
from cfe_local.grading.candidates import candidates
from cfe_local.records import Step, ValueContext

NUMBER_AND_UNIT = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(?:[A-Za-z°%Ωµ]|\\(?:mathrm|text|,|;))")
"""The instructor's numbers have no unit; a derivation's often do, and are compared without it as well."""


@dataclass(frozen=True, slots=True)
class Track:
    """A derivation along the instructor's flow.

    Attributes:
        n_steps: Of the instructor.
        stated: Positions of the instructor's results that the derivation states, in order, from 1.
    """

    n_steps: int
    stated: tuple[int, ...]

    @property
    def reach(self) -> float:
        """How far the derivation is known to be on the track, as a share of the flow: 0 where it states nothing."""
        return self.stated[-1] / self.n_steps if self.stated else 0.0

    @property
    def diverges_at(self) -> int | None:
        """Position of the first of the instructor's steps after which nothing is stated; None at the very end."""
        last = self.stated[-1] if self.stated else 0
        return None if last == self.n_steps else last + 1


def step_pairs(reference: Step, candidate: Step) -> list[Pair]:
    """Comparisons that tell whether a derivation's step has the result of an instructor's."""
    if isinstance(reference.answer, bool) or isinstance(candidate.answer, bool):
        return []
    ours, theirs = result_text(reference), result_text(candidate)
    if not ours or not theirs:
        return []
    target = step_target(reference)
    context = ValueContext(type=target.type, description=target.description)
    forms = [*candidates(theirs, ours)]
    if isinstance(reference.answer, float) and (number := NUMBER_AND_UNIT.match(theirs)):
        forms.append(number.group(1))
    return [Pair(ours, form, context) for form in dict.fromkeys(forms)]


def track(reference: Sequence[Step], derivation: Sequence[Step], is_equal: Callable[[Sequence[Pair]], bool]) -> Track:
    """The longest run of the instructor's results that the derivation states in order.

    Of equally long ones the one that ends earliest counts, so that a chance match near the end adds nothing to it.
    """
    equal = [[is_equal(step_pairs(ours, theirs)) for theirs in derivation] for ours in reference]
    n, m = len(reference), len(derivation)
    longest = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            both = longest[i - 1][j - 1] + 1 if equal[i - 1][j - 1] else 0
            longest[i][j] = max(both, longest[i - 1][j], longest[i][j - 1])
    stated = []
    i, j = n, m
    while i and j and longest[i][j]:
        if longest[i - 1][j] == longest[i][j]:
            i -= 1
        elif longest[i][j - 1] == longest[i][j]:
            j -= 1
        else:
            stated.append(i)
            i, j = i - 1, j - 1
    return Track(n, tuple(reversed(stated)))
