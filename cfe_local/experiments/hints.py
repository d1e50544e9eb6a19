"""Prompts that carry steps of the instructor's flow. What they say stands in the templates.

The problem comes first and steps follow in order, so that prompts of one problem share a prefix in the engine's cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Literal

from cfe_local.experiments.steps import result_text
from cfe_local.prompts.render import render, render_message, text_message
from cfe_local.records import Message, Problem

TEMPLATES = ("hint_steps", "hint_prefix", "hint_single", "exam_system")
STEP_TEMPLATES = ("hint_steps", "step_question", "step_system")


def hinted(
    problem: Problem, positions: Iterable[int], template: Literal["hint_prefix", "hint_single"], *, answers: bool
) -> tuple[Message, ...]:
    """The exam's prompt with steps as a hint.

    Args:
        problem: The problem, with its flow.
        positions: Which steps, from 1.
        template: How the hint is introduced.
        answers: Whether their results are given too.
    """
    steps = steps_text(problem, positions, answers=answers)
    user = render_message("user", template, parts={"question": problem.question}, steps=steps, answers=answers)
    return (system_message("exam_system"), user)


def step_prompt(problem: Problem, position: int, *, earlier: bool) -> tuple[Message, ...]:
    """The prompt for one step alone.

    Args:
        problem: The problem, with its flow.
        position: Which step, from 1.
        earlier: Whether all steps before it are given with their results.
    """
    steps = steps_text(problem, range(1, position) if earlier else (), answers=True)
    asked = problem.steps[position - 1].question.strip()
    user = render_message("user", "step_question", parts={"question": problem.question}, steps=steps, asked=asked)
    return (system_message("step_system"), user)


@cache
def system_message(template: str) -> Message:
    """A system message without values: one object for all cases."""
    return text_message("system", render(template))


def steps_text(problem: Problem, positions: Iterable[int], *, answers: bool) -> str:
    """Steps as numbered lines, in the order given."""
    shown = []
    for position in positions:
        step = problem.steps[position - 1]
        shown.append((position, step.question.strip(), result_text(step) if answers else None))
    return render("hint_steps", steps=shown)
