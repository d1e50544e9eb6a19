"""Keeps a response from speaking to the judge: a fence that it cannot guess, and no token that a template knows.

The fence's mark is a hash of the case's key and the response, so it is the same on every run and cannot be written
into the response that it encloses. What text inside the fence *asks for* is the prompt's concern, not this module's.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

SPECIAL = re.compile(
    r"<(?=\||｜|/?(?:s|bos|eos|pad|unk|think|image|img|video|audio|IMG_CONTEXT|tool_call|tool_response|start_of_turn"
    r"|end_of_turn|start_of_image|end_of_image|quad|ref|box)>|<SYS>)|\[(?=/?INST\])",
)
"""Where a token that some chat template or vision model gives a meaning begins."""

STAND_IN = {"<": "‹", "[": "⁅"}


@dataclass(frozen=True, slots=True)
class Fenced:
    """A response made safe to quote.

    Attributes:
        mark: What the fence's two lines carry; it does not occur in `text`.
        text: The response with special tokens disarmed.
    """

    mark: str
    text: str


def neutralised(text: str) -> str:
    """The text with the first character of every special token replaced, so that no tokenizer sees the token."""
    return SPECIAL.sub(lambda match: STAND_IN[match.group()], text)


def fenced(label: str, text: str) -> Fenced:
    """Make a response safe to quote.

    Args:
        label: The label of the case's key.
        text: The response, reduced to what the judge can read.
    """
    safe = neutralised(text)
    counter = 0
    while True:
        mark = hashlib.sha256(f"{counter}|{label}|{text}".encode()).hexdigest()[:8]
        if mark not in safe:
            return Fenced(mark, safe)
        counter += 1
