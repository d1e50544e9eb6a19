"""Turns the messages of a case into what a chat template is given. Text stays text: no mark in it can act as one.

Rule for marks: where a text holds, character for character, something that the tokenizer or the engine would read as a
control or image token (``<|im_start|>``, ``<image>``, ``</think>``), one blank goes after its first character
(``< image>``). That is visible to whoever reads the prompt, changes no other text, and is noted on the response.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cfe_local.records import Message, TextPart

ENGINE_MARKS = (
    "<image>",
    "<##IMAGE##>",
    "<##AUDIO##>",
    "<##VIDEO##>",
    "<##PROMPT_EMBEDS##>",
    "<prompt_embeds>",
)
"""What engines or templates replace by an image, in whatever model. The second to last ones are vLLM 0.32's own."""

MIN_MARK_LENGTH = 3
"""Shorter special tokens (a newline, say) are ordinary text in most models."""


@dataclass(frozen=True, slots=True)
class Neutralised:
    """A text without marks, and the marks that it held."""

    text: str
    found: tuple[str, ...]


def marks_pattern(added_tokens: Mapping[str, bool], others: Iterable[str] = ()) -> re.Pattern[str]:
    """One pattern for everything that must not act in text.

    Args:
        added_tokens: The tokenizer's added tokens, each with whether it is special. Those that are not special count
            only in angle brackets: some tokenizers add runs of blanks or plain words, and these are text.
        others: Further marks, such as the model's thinking marks.
    """
    marks = {
        token
        for token, special in added_tokens.items()
        if len(token) >= MIN_MARK_LENGTH and token.strip() and (special or (token[0] == "<" and token[-1] == ">"))
    }
    marks.update(ENGINE_MARKS, others)
    return re.compile("|".join(re.escape(mark) for mark in sorted(marks, key=len, reverse=True)))


def neutralise(text: str, marks: re.Pattern[str]) -> Neutralised:
    """Take every mark in a text its effect."""
    found: list[str] = []

    def open_up(match: re.Match[str]) -> str:
        found.append(match[0])
        return f"{match[0][0]} {match[0][1:]}"

    while True:
        changed = marks.sub(open_up, text)
        if changed == text:
            return Neutralised(text, tuple(dict.fromkeys(found)))
        text = changed


def merge_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Put system texts in front of the first user turn, for templates that know no system role."""
    system = [part for message in messages if message.role == "system" for part in message.parts]
    rest = [message for message in messages if message.role != "system"]
    if not system or not rest:
        return tuple(messages)
    first, *others = rest
    return (Message(role=first.role, parts=(*system, TextPart(text="\n\n"), *first.parts)), *others)


def conversation(messages: Sequence[Message], images: Sequence[object], marks: re.Pattern[str]) -> Conversation:
    """The messages as content for a chat template.

    Args:
        messages: Text and images in order.
        images: One ready image per image part, in the same order.
        marks: What must not act in text.
    """
    waiting = iter(images)
    turns: list[dict[str, Any]] = []
    found: list[str] = []
    for message in messages:
        content: list[dict[str, Any]] = []
        for part in message.parts:
            if part.kind == "image":
                content.append({"type": "image_pil", "image_pil": next(waiting)})
            elif content and content[-1]["type"] == "text":
                content[-1]["text"] += part.text
            else:
                content.append({"type": "text", "text": part.text})
        for item in content:
            if item["type"] == "text":
                safe = neutralise(item["text"], marks)
                item["text"] = safe.text
                found.extend(safe.found)
        only_text = len(content) == 1 and content[0]["type"] == "text"
        turns.append({"role": message.role, "content": content[0]["text"] if only_text else content})
    return Conversation(turns, tuple(dict.fromkeys(found)))


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns for a chat template, and the marks that were neutralised in their text."""

    turns: list[dict[str, Any]]
    neutralised: tuple[str, ...]
