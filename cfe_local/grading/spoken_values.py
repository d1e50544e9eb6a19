"""Takes the value that stands at a place of a clause: a formula, a number and its unit, a number in words, a truth."""

from __future__ import annotations

import re

from cfe_local.equivalence.units import parse_unit
from cfe_local.grading.clauses import HIDDEN, Clause
from cfe_local.grading.spoken import CHINESE_NUMBER, in_digits, is_number_word, truth_word

NUMBER = re.compile(
    r"[-−+]?\d+(?:[ \u202f]\d{3})*(?:[.,]\d+)*(?:\s?[×x·]\s?10(?:\^[-−+]?\d+|[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹]+)|[eE][-+]?\d+)?(?:/\d+)?"
)
UNIT = re.compile(r"\s?(?:[°%‰ΩµμÅ]|\\?[^\W\d_])[^\s,;()]*")
MAX_UNIT_WORDS = 3
NO_UNIT = (
    "in at a as of for and or on to the when which that if so with after before because since is are from by each"
    " y e et und en de o para bei nach also"
)
"""Words that may follow a number and are no unit."""

CALCULATION = re.compile(r"\s*(?:times|mal|fois|por|divided|plus|minus|[*×·/+−-]\s*[\d(]|\w*\s*=)", re.IGNORECASE)
"""What makes of a number the beginning of a calculation: ``0.643 times 0.100 L``, ``600/2400 = 0.25``."""

CHINESE = re.compile(rf"(?:百分之{CHINESE_NUMBER}|{CHINESE_NUMBER}分之{CHINESE_NUMBER}|{CHINESE_NUMBER}(?![^\W\d_]))")
JOINS = frozenset({"in", "of", "and", "und", "et", "y", "e", "von", "out"})


def value_at(clause: Clause, start: int) -> str | None:
    """The value that begins at a position of a clause, in the response's own words; None if none clearly does."""
    masked, rest = clause.masked[start:], clause.text[start:]
    if masked.startswith(HIDDEN):
        return _formula(masked, rest)
    number = NUMBER.match(masked)
    if number is not None:
        return _quantity(number.group(), masked[number.end() :])
    chinese = CHINESE.match(rest)
    if chinese is not None:
        return chinese.group()
    spelt = _number_words(rest)
    if spelt:
        return spelt
    label = bare(rest)
    return label if truth_word(label) or label.lower() in {"true", "false"} else None


def bare(text: str) -> str:
    """A few words without emphasis, quotes and the full stop."""
    return text.strip().strip("*_`\"'").rstrip(".!*").strip("*_`\"' ")


def without_marks(formula: str) -> str:
    """A formula without dollars or brackets around it, nor a box, nor a full stop."""
    inner = re.sub(r"^(?:\$\$?|\\\[|\\\()\s*|\s*(?:\$\$?|\\\]|\\\))$", "", formula.strip())
    boxed = re.fullmatch(r"\\boxed\s*\{(.*)\}", inner.rstrip(". "), re.DOTALL)
    return (boxed.group(1) if boxed is not None else inner).strip().rstrip(".,; ")


def _formula(masked: str, rest: str) -> str | None:
    length = len(masked) - len(masked.lstrip(HIDDEN))
    following = re.split(r",\s(?:and|so|with)\b|\bi\.e\.", masked[length:])[0]
    # Two formulas behind one verb are two answers, or a chain of them.
    if HIDDEN in following:
        return None
    unit = _unit_behind(masked[length:])
    return None if CALCULATION.match(masked[length + len(unit) :]) else without_marks(rest[:length]) + unit


def _quantity(number: str, following: str) -> str | None:
    if CALCULATION.match(following):
        return None
    unit = _unit_behind(following)
    return None if CALCULATION.match(following[len(unit) :]) else (number + unit).strip()


def _unit_behind(rest: str) -> str:
    """The longest run of words behind a number that is a unit; else the one word that counts something unknown."""
    best = end = 0
    for _ in range(MAX_UNIT_WORDS):
        word = UNIT.match(rest, end)
        if word is None or CALCULATION.match(word.group()) or word.group().strip() in NO_UNIT.split():
            break
        end = word.end()
        if parse_unit(rest[:end].strip().rstrip(".*")) or not best:
            best = end
    return rest[:best].rstrip(".*")


def _number_words(rest: str) -> str:
    """The run of number words at the beginning, with ``in`` or ``and`` between them, and a unit behind."""
    words = [word.rstrip(".,*") for word in rest.lstrip("*").split()]
    if not words or not is_number_word(words[0]):
        return ""
    length = 1
    for position, word in enumerate(words[1:], start=1):
        ended = rest.lstrip("*").split()[position - 1] != words[position - 1]
        if ended or not (word.lower() in JOINS or _counts(word)):
            break
        length += 1
    while words[length - 1].lower() in JOINS:
        length -= 1
    found = " ".join(words[:length])
    behind = " ".join(words[length : length + MAX_UNIT_WORDS])
    return f"{found} {behind}" if behind and _is_quantity(in_digits(f"{found} {behind}") or "") else found


def _counts(word: str) -> bool:
    """Whether a word goes on with a number: another number, or a denominator such as *thirds*."""
    return is_number_word(word) or in_digits(f"two {word}") not in {None, f"2 {word}"}


def _is_quantity(text: str) -> bool:
    number = NUMBER.match(text)
    return number is not None and bool(parse_unit(text[number.end() :].strip()))
