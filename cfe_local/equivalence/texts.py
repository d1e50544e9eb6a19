"""Compares short texts and labels by their normal form: case, articles, punctuation and LaTeX dress do not count.

Meaning is not judged: texts in different words are undecided.
"""

from __future__ import annotations

import re

from cfe_local.equivalence.outcome import Outcome, equal, undecided
from cfe_local.records import ValueContext

_ARTICLES = re.compile(r"\b(?:the|a|an)\b")
_SHORT_WORDS = frozenset("is it of on in to at by no or an as be if so we".split())
_LABEL = re.compile(r"^(?:option|choice|answer|curve|case|part|figure|point)?\s*\(?([a-z0-9]{1,3})\)?$")
_DRESS = re.compile(r"\\(?:text|mathrm|mathbf|textbf|textit|mathit|operatorname|emph|mbox|textrm|mathsf)\s*")


def normal_form(text: str) -> str:
    """A text without what does not count."""
    text = _DRESS.sub("", text)
    text = text.replace("{", "").replace("}", "").replace("$", "").replace("\\", " ")
    text = re.sub(r"[A-Za-z]+", _case, text)
    text = text.replace("grey", "gray")
    text = re.sub(r"(?<=[a-z])-(?=[a-z])", "", text)
    text = re.sub(r"[\s,;:.!?\"'`]+", " ", text)
    text = _ARTICLES.sub(" ", text)
    return re.sub(r"\s+", " ", text).strip()


def _case(match: re.Match[str]) -> str:
    """Case counts in short codes (``Aa``, ``m``), not in words."""
    word = match.group()
    return word.lower() if len(word) > 2 or word.lower() in _SHORT_WORDS else word


def label(text: str) -> str | None:
    """The letter or short code of an option: ``(B)``, ``Option B``, ``b``."""
    match = _LABEL.match(normal_form(text).lower())
    return match[1] if match else None


def compare_texts(reference: str, candidate: str, context: ValueContext) -> Outcome:
    """Equal if the normal forms are; else undecided."""
    left, right = normal_form(reference), normal_form(candidate)
    if left == right and left:
        return equal("same text", f"both say {left[:80]!r}")
    if label(reference) is not None and label(reference) == label(candidate):
        return equal("same label", f"both name {label(reference)!r}")
    stripped = _without_variable(right, context)
    if stripped and stripped == left:
        return equal("same text", f"both say {left[:80]!r}")
    return undecided("texts", "texts in different words are left to a reader")


def _without_variable(text: str, context: ValueContext) -> str:
    """``alpha is an even integer`` as ``even integer``, where alpha is the variable."""
    name = normal_form(context.variable.replace("_", " "))
    for lead in (name, "it", "answer"):
        for verb in (" is ", " are ", " = ", " must be "):
            if lead and text.startswith(lead + verb):
                return text[len(lead + verb) :].strip()
    return ""
