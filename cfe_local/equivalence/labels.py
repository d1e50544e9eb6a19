"""Names of options: ``(B)``, ``Option B``, ``B``, ``B: the field vanishes``. Case does not count in them.

Only where at least one of the texts says that it is a label: by a word for it, or by brackets around a letter where
the problem is not about a formula. A bare letter on both sides may be a symbol, in which case counts.

Not here: other texts (``texts``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cfe_local.equivalence.outcome import Outcome, different, equal
from cfe_local.records import ValueContext

_DRESS = re.compile(r"\\(?:text|mathrm|mathbf|textbf|textit|mathit)\s*|[{}$*]")
_LABEL = re.compile(
    r"(?P<word>option|choice|answer|alternative|statement|curve|case|figure|graph|plot|diagram|part)?\s*:?\s*"
    r"(?P<open>[(\[]?)(?P<name>[A-Za-z]|\d{1,2}|[ivx]{2,4})(?P<close>[)\]]?)\.?(?P<rest>\s*:\s.*)?",
    re.IGNORECASE,
)
_GENERAL = frozenset({"", "option", "choice", "answer", "alternative"})
_CHOOSING = re.compile(r"\b(?:options?|choices?|choose|select|multiple[- ]choice|letter)\b", re.IGNORECASE)
_TURNING = re.compile(
    r"\b(?:not?|nor|or|and|none|neither|wrong|false|incorrect|also|except|but)\b|[(\[]\w[)\]]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Label:
    """A label: the word for it (lower case, maybe empty), its name in lower case, and how it is written."""

    word: str
    name: str
    bracketed: bool
    bare_capital: bool


def read_label(text: str) -> Label | None:
    """The label that a text is; None if it is none, or says more than a label and what it stands for."""
    match = _LABEL.fullmatch(re.sub(r"\s+", " ", _DRESS.sub("", text)).strip())
    if match is None or (match["open"] and not match["close"]):
        return None
    word = (match["word"] or "").lower()
    bracketed = bool(match["close"])
    if match["rest"] and (_TURNING.search(match["rest"]) or re.search(r"\d", match["rest"])):
        return None
    if match["rest"] and not (word or bracketed):
        return None
    return Label(word, match["name"].lower(), bracketed, not word and not bracketed and match["name"].isupper())


def compare_labels(reference: str, candidate: str, context: ValueContext) -> Outcome | None:
    """Compare two labels; None where the texts are not certainly labels."""
    left, right = read_label(reference), read_label(candidate)
    if left is None or right is None or not _are_labels(left, right, context):
        return None
    if left.word != right.word and not {left.word, right.word} & {""} and not {left.word, right.word} <= _GENERAL:
        return None
    if left.name == right.name:
        return equal("same label", f"both name {left.name.upper()}")
    if left.name.isdigit() != right.name.isdigit():
        return None
    return different("label", f"{left.name.upper()} against {right.name.upper()}")


def _are_labels(left: Label, right: Label, context: ValueContext) -> bool:
    if left.word or right.word:
        other = right if left.word else left
        return bool(
            other.word or other.bracketed or other.bare_capital or other.name.isdigit() or context.type == "other"
        )
    letters = left.name.isalpha() and right.name.isalpha()
    brackets = left.bracketed or right.bracketed
    return letters and brackets and bool(_CHOOSING.search(f"{context.description} {context.question}"))
