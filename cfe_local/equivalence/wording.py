"""What words say about values: numbers in words, yes and no, introductions, and nouns that only name what is counted.

Words are dropped from around a value only where the problem itself uses them (its description, variable or question),
and never where they could change the value: negations, comparisons and alternatives always stay.

Not here: mathematics, units, or the meaning of sentences.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from cfe_local.equivalence.units import is_unit_name
from cfe_local.records import ValueContext

_UNITS = dict(
    zip(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ],
        range(20),
        strict=True,
    )
)
_TENS = dict(
    zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True)
)
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_FRACTIONS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
_TRUE = frozenset({"true", "yes", "y", "correct"})
_FALSE = frozenset({"false", "no", "n", "incorrect"})
_KEPT = frozenset(
    [
        "not",
        "no",
        "non",
        "none",
        "nor",
        "never",
        "neither",
        "without",
        "except",
        "or",
        "and",
        "less",
        "more",
        "greater",
        "smaller",
        "than",
        "least",
        "most",
        "at",
        "over",
        "under",
        "between",
        "about",
        "per",
        "times",
        "half",
        "double",
        "twice",
        "minus",
        "plus",
        "negative",
        "inverse",
        "reciprocal",
        "square",
        "squared",
        "root",
        "if",
        "when",
        "unless",
        "only",
        "all",
        "every",
        "any",
        "both",
        "either",
        "each",
    ]
)
_LEAD = re.compile(
    r"^(?:(?:the|so|thus|hence|therefore|we|get|final|answer|result|value|is|are|be|equals?|equal to|gives?|of|:|\s)+\s)",  # noqa: E501
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^(?:about|approximately|approx\.?|roughly|around|nearly|circa|ca\.|exactly|precisely|simply|just)\s+",
    re.IGNORECASE,
)


def word_number(text: str) -> Fraction | None:
    """The number that words such as ``two thirds`` or ``three hundred sixty-four thousand`` state."""
    if re.search(r"\band\b", text.lower()) and not re.search(
        r"(?:hundred|thousand|million|billion) and\b", text.lower()
    ):
        return None  # ``two and three`` are two numbers.
    words = [word for word in re.split(r"[\s-]+", text.lower().replace(" and ", " ")) if word]
    if not words or len(words) > 12:
        return None
    sign = 1
    if words[0] in ("minus", "negative"):
        sign, words = -1, words[1:]
    if len(words) >= 2 and words[-1].rstrip("s") in _FRACTIONS | {"halve": 2}:
        top = 1 if words[:-1] in (["a"], ["an"]) else _cardinal(words[:-1])
        bottom = _FRACTIONS.get(words[-1].rstrip("s"), 2)
        return None if top is None else sign * Fraction(top, bottom)
    value = _cardinal(words)
    return None if value is None else Fraction(sign * value)


def _cardinal(words: list[str]) -> int | None:
    total, current = 0, 0
    if not words:
        return None
    for word in words:
        if word in _UNITS:
            current += _UNITS[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total += max(current, 1) * _SCALES[word]
            current = 0
        else:
            return None
    return total + current


def scaled_number(text: str) -> str:
    """``1.5 million`` as ``1.5e6``; other texts unchanged."""
    match = re.fullmatch(r"(.*\d)\s*(thousand|million|billion|trillion)", text.strip(), re.IGNORECASE)
    if match is None:
        return text
    power = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}[match[2].lower()]
    return f"{match[1]} \\times 10^{{{power}}}"


_STATED = re.compile(
    r"(?:the |this |that )?(?:statement|claim|assertion|proposition|hypothesis|answer|it|this|that) is (\w+)"
)


def boolean(text: str, *, initial: bool) -> bool | None:
    """Yes or no, where the text says nothing else; the initials Y, N only where ``initial`` allows them."""
    word = plain_words(text)
    stated = _STATED.fullmatch(word)
    word = stated[1] if stated else word
    if len(word) == 1 and not initial:
        return None
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


_LIMITED = re.compile(
    r"\b(?:but|unless|except|however|provided|only (?:if|when|for|in)|not always|partly)\b", re.IGNORECASE
)


def leading_boolean(text: str) -> bool | None:
    """Yes or no with an explanation: ``Yes, the variance is different``, ``false (because ...)``."""
    if _LIMITED.search(text):
        return None
    match = re.match(r"^\W*(true|yes|false|no)\b\s*(?:[,.;:(]|\\text|-+\s|-\s|$)", _undress(text), re.IGNORECASE)
    return None if match is None else match[1].lower() in _TRUE


def _undress(text: str) -> str:
    text = re.sub(r"\\(?:text|mathrm|textbf|mathbf|textrm|emph)\s*\{([^{}]*)\}", r" \1 ", text)
    return re.sub(r"\s+", " ", text).strip()


def plain_words(text: str) -> str:
    """Lower case, without dress and punctuation at the ends."""
    return _undress(text).strip(" .,;:!?\"'()[]*").lower()


@lru_cache(maxsize=256)
def vocabulary(context: ValueContext) -> frozenset[str]:
    """Stems of the words that the problem uses for its variable."""
    text = f"{context.variable.replace('_', ' ')} {context.description} {context.question}"
    return frozenset(stem(word) for word in re.findall(r"[A-Za-z][A-Za-z0-9]+|\d+", text))


def stem(word: str) -> str:
    """A word without the endings of number and tense; crude, used for matching only."""
    word = word.lower()
    for ending in ("ies", "es", "s", "ed", "ing", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def without_introduction(text: str) -> str:
    """A value without ``the answer is``, ``about`` and the like before it."""
    before = None
    while before != text:
        before = text
        text = _ABOUT.sub("", _LEAD.sub("", text)).strip()
    return text


_EXTREME = re.compile(
    r"(?:the )?(?:(?P<min>smaller|lesser|minimum)|larger|greater|maximum) of ((?:(?! and ).)+) and ((?:(?! and ).)+)",
    re.IGNORECASE,
)


def bound_words(text: str) -> str:
    """``at least 11`` as a relation, ``the smaller of a and b`` as a function; other texts unchanged."""
    extreme = _EXTREME.fullmatch(text)
    if extreme is not None:
        return f"{'min' if extreme['min'] else 'max'}({extreme[2]}, {extreme[3]})"
    for words, sign in (
        (r"at least|no less than|not less than|a minimum of", r"\\ge "),
        (r"at most|no more than|not more than|a maximum of", r"\\le "),
        (r"(?:strictly )?(?:more|greater|larger) than", "> "),
        (r"(?:strictly )?(?:less|smaller|fewer) than", "< "),
    ):
        text = re.sub(rf"^(?:{words})\s+(?=[\d\\$.-])", sign, text, flags=re.IGNORECASE)
    return text


_SPACED = re.compile(r"\[\s*((?:[-+]?\d[\d.]*(?:[eE][-+]?\d+)?[\s;]+)+[-+]?\d[\d.]*(?:[eE][-+]?\d+)?)\s*\]")


def spaced_vectors(text: str) -> list[str]:
    """``[1 0 1]`` and ``[1 2; 3 4]``, as numerical software prints them, with commas: as a list and as a tuple."""
    match = _SPACED.fullmatch(text)
    if match is None:
        return []
    rows = [row.split() for row in match[1].split(";") if row.strip()]
    if all(len(number) == 3 and number.isdigit() for row in rows for number in row[1:]):
        return []  # ``[1 000 000]`` may be one number.
    lists = [", ".join(row) for row in rows]
    if len(rows) > 1:
        return [f"[{', '.join(f'[{row}]' for row in lists)}]"]
    return [f"[{lists[0]}]", f"({lists[0]})"]


_PIECE_END = re.compile(r"\s*(?:;|,)\s*(?:and\s+)?|\s+and\s+(?=\S+(?:\s\S+)*?\s+(?:for|if|when|otherwise|elsewhere)\b)")
_PIECE = re.compile(r"(?P<value>.+?)\s+(?:for|if|when)\s+(?P<condition>.+)|(?P<rest>.+?)\s+(?:otherwise|elsewhere)")


def pieces(text: str) -> str | None:
    """``E = a for r < R; b for r > R`` as cases; None if the text is not made of at least two such pieces."""
    text = re.sub(r"\\(?:text|mathrm|quad)\s*\{\s*([a-z, ]+?)\s*\}", r" \1 ", text)
    name, sign, body = text.rpartition("=") if re.match(r"[^=<>]*=[^=]*$", text) else ("", "", text)
    found = [_PIECE.fullmatch(part.strip()) for part in _PIECE_END.split(body)]
    if len(found) < 2 or any(match is None for match in found):
        return None
    rows = [
        f"{match['value']} & {match['condition']}" if match["value"] else f"{match['rest']} & \\text{{otherwise}}"
        for match in found
        if match is not None
    ]
    return name + sign + r" \begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def without_nouns(text: str, words: frozenset[str]) -> str | None:
    """``2 linearly independent solutions`` as ``2``, where the problem uses all of these words; else None."""
    parts = text.split(" ")
    n_nouns = 0
    while n_nouns < len(parts) and re.fullmatch(r"[A-Za-z][A-Za-z'-]+", parts[len(parts) - 1 - n_nouns]):
        n_nouns += 1
    nouns = parts[len(parts) - n_nouns :]
    if not nouns or nouns[0] == "per" or any(not _names_what_is_counted(noun, words) for noun in nouns):
        return None
    kept = " ".join(parts[: len(parts) - n_nouns]).strip()
    return kept if re.search(r"[\d=+*/^]", kept) and not re.match(r"[A-Za-z]{2}", kept) else None


def _names_what_is_counted(noun: str, words: frozenset[str]) -> bool:
    if noun == "per":
        return True
    if len(noun) > 3 and is_unit_name(noun):
        return True
    return noun.lower() not in _KEPT and stem(noun) in words


def without_lead(text: str, words: frozenset[str]) -> str | None:
    """``Family 1 gets 0`` as ``0``, where the problem uses the words before the verb; else None."""
    match = re.fullmatch(
        r"([A-Za-z][\w\s'()-]*?)\s*(?:\b(?:is|are|gets?|equals|receives?|has|will be|is equal to|equal to)\s|[=:])\s*(.+)",  # noqa: E501
        text,
    )
    if match is None:
        return None
    lead = re.findall(r"[A-Za-z]+|\d+", match[1])
    if any(word.lower() in _KEPT for word in lead):
        return None
    known = all(stem(word) in words or word.lower() in ("the", "its", "it") for word in lead)
    return match[2] if known else None
