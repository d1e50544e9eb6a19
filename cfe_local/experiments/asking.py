"""How a problem of each kind is put to the model under test: a system message and the question with what belongs to it.

Source: the kinds and the delimiter are ARB's (arXiv:2307.13692) and, for named variables, CFE-Bench's
(arXiv:2602.19517); the wording is ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cfe_local.prompts.render import render, render_message
from cfe_local.records import Message, Part, Problem, ProblemKind, TextPart

SYSTEM_TEMPLATES: Mapping[ProblemKind, str] = {
    "variables": "exam_system",
    "multiple_choice": "exam_multiple_choice",
    "numerical": "exam_numerical",
    "symbolic": "exam_symbolic",
    "proof": "exam_proof",
}
QUESTION_TEMPLATE = "exam_question"


def letter_of(position: int) -> str:
    """The letter of an option by its 0-based position."""
    return chr(ord("A") + position)


def exam_messages(problem: Problem, question: tuple[Part, ...] | None = None) -> tuple[Message, ...]:
    """The messages that ask a problem.

    Args:
        problem: What is asked.
        question: In place of the problem's own question, with other givens for example.
    """
    parts = question if question is not None else problem.question
    system = Message(role="system", parts=(TextPart(text=render(SYSTEM_TEMPLATES[problem.kind])),))
    if problem.kind == "variables" and not problem.answer_format:
        return system, Message(role="user", parts=parts)
    options = [(letter_of(position), option) for position, option in enumerate(problem.options)]
    user = render_message(
        "user", QUESTION_TEMPLATE, parts={"question": parts}, options=options, answer_format=problem.answer_format
    )
    return system, user


def kind_templates(problems: Iterable[Problem]) -> tuple[str, ...]:
    """Templates that asking these problems takes beside `exam_system`, sorted."""
    found = set()
    for problem in problems:
        if problem.kind != "variables" or problem.answer_format:
            found |= {SYSTEM_TEMPLATES[problem.kind], QUESTION_TEMPLATE}
    return tuple(sorted(found - {"exam_system"}))
