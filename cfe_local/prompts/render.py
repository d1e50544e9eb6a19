"""Fills prompt templates strictly, and keeps images where the text has them. What the templates say is theirs.

A template that misses a value is an error, never an empty hole in a prompt; nothing is escaped, since prompts are not
HTML. The manifest records every template's sha256: an answer can be traced to the exact words that asked for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal

import jinja2

from cfe_local.errors import UsageError
from cfe_local.records import ImagePart, Message, Part, TextPart

Role = Literal["system", "user", "assistant"]

SLOT_OPEN, SLOT_CLOSE = "\ue000", "\ue001"
"""Private-use characters around the name of a slot: they stand for parts while the template is filled in."""

SLOT = re.compile(f"{SLOT_OPEN}([a-z_]+){SLOT_CLOSE}")


@cache
def template_names() -> tuple[str, ...]:
    """Names of all templates, without the suffix, sorted."""
    folder = resources.files("cfe_local.prompts")
    return tuple(sorted(item.name.removesuffix(".jinja") for item in folder.iterdir() if item.name.endswith(".jinja")))


def render(name: str, /, **values: object) -> str:
    """Fill in one template.

    Args:
        name: The template's name without ``.jinja``.
        **values: Everything that the template uses.

    Raises:
        UsageError: If there is no such template, or a value that it uses was not given.
    """
    if name not in template_names():
        raise UsageError(f"no prompt template {name!r}\nFix: one of {', '.join(template_names())}.")
    try:
        return _environment().get_template(f"{name}.jinja").render(**values).strip()
    except jinja2.UndefinedError as error:
        raise UsageError(f"prompt template {name!r}: {error.message}\nFix: pass every value that it uses.") from error


def render_message(role: Role, name: str, /, *, parts: Mapping[str, tuple[Part, ...]], **values: object) -> Message:
    """Fill in a template of which some values are text mixed with images.

    Args:
        role: Who says it.
        name: The template's name without ``.jinja``.
        parts: Values whose images must stay in place; the template uses their names like any other.
        **values: All other values.

    Returns:
        One message; neighbouring texts are joined, images stand where the template put them.

    Raises:
        UsageError: As `render`; also if a plain value holds one of the private characters that mark slots.
    """
    for key, value in values.items():
        if isinstance(value, str) and (SLOT_OPEN in value or SLOT_CLOSE in value):
            raise UsageError(f"prompt value {key!r} holds the private characters U+E000 or U+E001\nFix: remove them.")
    slots = {key: f"{SLOT_OPEN}{key}{SLOT_CLOSE}" for key in parts}
    pieces = SLOT.split(render(name, **{**values, **slots}))
    found: list[Part] = []
    for position, piece in enumerate(pieces):
        # re.split with one group alternates: text, slot name, text, slot name, ..., text.
        found.extend(parts[piece] if position % 2 else (TextPart(text=piece),))
    return Message(role=role, parts=_joined(found))


def text_message(role: Role, text: str) -> Message:
    """A message of text alone."""
    return Message(role=role, parts=(TextPart(text=text),))


def template_digests() -> dict[str, str]:
    """The sha256 of every template's file, by name."""
    folder = resources.files("cfe_local.prompts")
    return {
        name: hashlib.sha256(folder.joinpath(f"{name}.jinja").read_bytes()).hexdigest() for name in template_names()
    }


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("cfe_local", "prompts"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    joined: list[Part] = []
    for part in parts:
        if isinstance(part, ImagePart):
            joined.append(part)
        elif part.text:
            last = joined[-1] if joined else None
            if isinstance(last, TextPart):
                joined[-1] = TextPart(text=last.text + part.text)
            else:
                joined.append(part)
    return tuple(joined)
