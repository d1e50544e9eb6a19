"""Compares short texts and labels by their normal form.

What does not count: the case of words, articles, punctuation, LaTeX dress, spelling variants, and a few words that
always mean the same. Meaning is not judged: texts in other words are undecided.
"""

from __future__ import annotations

import re
from collections import Counter

from cfe_local.equivalence.outcome import Outcome, different, equal, undecided
from cfe_local.equivalence.wording import leading_boolean, stem, vocabulary
from cfe_local.records import ValueContext

_ARTICLES = re.compile(r"\b(?:the|a|an)\b")
_SHORT_WORDS = frozenset(
    ["is", "it", "of", "on", "in", "to", "at", "by", "no", "or", "an", "as", "be", "if", "so", "we"]
)
# Genotypes, formulas and short codes: doubled letters, a capital inside, capitals only.
_CODED = re.compile(r"(?:([A-Za-z])(?i:\1))+|[A-Za-z]*[a-z][A-Z][A-Za-z]*|[A-Z]{2,}[a-z]+|[A-Z]{3,5}")
_LABEL = re.compile(r"^(?:option|choice|answer|curve|case|part|figure|point)?\s*\(?([A-Za-z0-9]{1,3})\)?$")
_DRESS = re.compile(r"\\(?:text|mathrm|mathbf|textbf|textit|mathit|operatorname|emph|mbox|textrm|mathsf)\s*")
_MAX_LABEL_WORDS = 8
# Words that cannot be dropped from a text without changing what it says.
_TURNING = frozenset(
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
        "but",
        "less",
        "more",
        "than",
        "least",
        "most",
        "only",
        "all",
        "some",
        "any",
        "both",
        "either",
        "if",
        "unless",
        "false",
        "true",
        "yes",
        "half",
        "double",
        "partly",
        "possibly",
        "maybe",
    ]
)
_SUBJECTS = frozenset(
    [
        "it",
        "this",
        "that",
        "system",
        "series",
        "sequence",
        "function",
        "process",
        "answer",
        "result",
        "circuit",
        "graph",
    ]
)
_FILLERS = frozenset(
    ["about", "approximately", "roughly", "and", "of", "is", "are", "it", "which", "that", "there", "approx"]
)
# Words of three letters or more, the fillers, and whole or decimal numbers, in brackets at most: no formula.
_PLAIN_LABEL = re.compile(r"(?:\(?\d+(?:\.\d+)?\)?|[A-Za-z]{3,}|of|is|it|[,:; ])+")
_FORMULA = re.compile(r"\\[a-zA-Z]|[\^_=<>+*/|{}]")
_ALIKE = (
    (r"\bgrey\b", "gray"), (r"\b(?:every|each)\b", "all"), (r"\b(?:are|be)\b", "is"), (r"\bupright\b", "erect"),
    (r"\bupside down\b", "inverted"), (r"\b(?:dne|DNE)\b", "does not exist"), (r"^there is no\b", "no"),
    (r"\b(?:is )?divergent\b", "diverges"), (r"\b(?:is )?convergent\b", "converges"),
    (r"\b(even|odd|prime) (?:number|integer)s?\b", r"\1"), (r"\b(?:on|at)\b", "of"),
    (r"^-(?=[a-z]{3})", "negative "), (r"^\+(?=[a-z]{3})", "positive "), (r"^anti-?clockwise$", "counterclockwise"),
)  # fmt: skip


def normal_form(text: str) -> str:
    """A text without what does not count."""
    text = _DRESS.sub("", text)
    text = text.replace("{", "").replace("}", "").replace("$", "").replace("\\", " ")
    text = re.sub(r"[A-Za-z]+", _case, text)
    text = re.sub(r"(?<=[a-z])-(?=[a-z])", "", text)
    text = re.sub(r"[\s,;:.!?\"'`]+", " ", text)
    text = re.sub(r"\s+", " ", _ARTICLES.sub(" ", text)).strip()
    for pattern, replacement in _ALIKE:
        text = re.sub(pattern, replacement, text)
    return text


def _case(match: re.Match[str]) -> str:
    """Case counts in short codes (``Aa``, ``m``), not in words."""
    word = match.group()
    if _CODED.fullmatch(word):
        return word
    return word.lower() if len(word) > 2 or word.lower() in _SHORT_WORDS else word


def label(text: str) -> str | None:
    """The letter or short code of an option: ``(B)``, ``Option B``, ``b``."""
    match = _LABEL.match(normal_form(text))
    if match is None:
        return None
    return match[1].lower() if len(match[1]) == 1 or not match[1].isalpha() else match[1]


def _one_word(reference: str, candidate: str) -> bool:
    """Whether two labels do not say different things that they name: ``curve A`` is not ``point A``."""
    words = {match[0] for text in (reference, candidate) if (match := re.match(r"[a-z]{4,}", normal_form(text)))}
    return len(words - {"option", "choice", "answer"}) < 2


def compare_texts(reference: str, candidate: str, context: ValueContext) -> Outcome:
    """Equal if one of the rules for texts says so; else undecided."""
    if any(_FORMULA.search(_DRESS.sub("", text)) for text in (reference, candidate)):
        return _compare_exactly(reference, candidate, context)
    left, right = normal_form(reference), normal_form(candidate)
    if left and left in (right, _without_variable(right, context)):
        return equal("same text", f"both say {left[:80]!r}")
    if "-" in reference + candidate and left and left.replace(" ", "") == right.replace(" ", ""):
        return equal("same text", "the same words but for hyphens")
    if label(reference) is not None and label(reference) == label(candidate) and _one_word(reference, candidate):
        return equal("same label", f"both name {label(reference)!r}")
    truths = leading_boolean(reference), leading_boolean(candidate)
    if None not in truths and truths[0] != truths[1]:
        return different("boolean", "one begins with yes, the other with no")
    for rule in (_same_predicate, _same_without_noun, _same_abbreviation, _same_words, _same_chain):
        reason = rule(reference, candidate, context)
        if reason:
            return equal("same text", reason)
    return undecided("texts", "texts in different words are left to a reader")


def _compare_exactly(reference: str, candidate: str, context: ValueContext) -> Outcome:
    """Texts with formulas in them: nothing but blanks and dress may differ."""
    left, right = ("".join(_DRESS.sub("", text).split()) for text in (reference, candidate))
    if left == right and left:
        return equal("same text", "the same text but for blanks")
    reason = _same_chain(reference, candidate, context)
    return equal("same text", reason) if reason else undecided("texts", "texts in different words are left to a reader")


def _without_variable(text: str, context: ValueContext) -> str:
    """``alpha is an even integer`` as ``even integer``, where alpha is the variable."""
    name = normal_form(context.variable.replace("_", " "))
    for lead in (name, "it", "answer"):
        for verb in (" is ", " = ", " must is "):
            if lead and text.startswith(lead + verb):
                return text[len(lead + verb) :].strip()
    return ""


def _same_predicate(reference: str, candidate: str, context: ValueContext) -> str:
    """``stable`` and ``The system is stable``."""
    left, right = normal_form(reference), normal_form(candidate)
    known = vocabulary(context)
    for short, long in ((left, right), (right, left)):
        subject, verb, predicate = long.partition(" is ")
        named = all(word in _SUBJECTS or stem(word) in known for word in subject.split())
        if verb and predicate == short and named and not _TURNING & set(short.split()):
            return f"both say {short!r}"
    return ""


def _same_without_noun(reference: str, candidate: str, context: ValueContext) -> str:
    """``Poisson`` and ``Poisson distribution``, where the description speaks of a distribution."""
    known = vocabulary(ValueContext(description=context.description))
    for short, long in ((reference, candidate), (candidate, reference)):
        start, _, noun = normal_form(long).rpartition(" ")
        named = len(noun) > 3 and stem(noun) in known and not _is_offered(noun, context.description)
        if named and start == normal_form(short) and len(start) > 3 and noun not in _TURNING:
            return f"both say {start!r}, which describes the {noun}"
    return ""


def _same_abbreviation(reference: str, candidate: str, context: ValueContext) -> str:
    """``RHS`` for ``right-handed screw``, where the problem writes the phrase out."""
    for short, long in ((reference, candidate), (candidate, reference)):
        letters = short.strip(" .$")
        words = re.findall(r"[a-z]+", long.lower().replace("the ", ""))
        if not re.fullmatch(r"[A-Z]{2,5}", letters) or len(words) != len(letters):
            continue
        known = " ".join(re.findall(r"[a-z]+", f"{context.description} {context.question}".lower()))
        if "".join(word[0] for word in words).upper() == letters and " ".join(words) in known:
            return f"{letters} stands for {' '.join(words)}"
    return ""


def _same_words(reference: str, candidate: str, context: ValueContext) -> str:
    """Short labels with the same words and numbers in another order, and nouns that the description uses beside.

    ``Aggressive, grey: 80`` and ``80 aggressive grey flies``. A noun is not dropped if the description offers it as an
    alternative, nor any word that can turn the meaning.
    """
    if not all(_PLAIN_LABEL.fullmatch(text.strip()) for text in (reference, candidate)):
        return ""
    ours, theirs = (_words(text) for text in (reference, candidate))
    if not 2 <= len(ours) <= _MAX_LABEL_WORDS or not any(word[0].isdigit() for word in ours) or ours - theirs:
        return ""
    known = vocabulary(ValueContext(description=context.description))
    for word in theirs - ours:
        if word in _TURNING or word[0].isdigit() or stem(word) not in known or _is_offered(word, context.description):
            return ""
    return f"the same words and numbers: {', '.join(sorted(ours))}"


def _words(text: str) -> Counter[str]:
    found = Counter(re.findall(r"[a-z]+|\d+(?:\.\d+)?", normal_form(text).lower()))
    return Counter({word: n for word, n in found.items() if word not in _FILLERS})


def _is_offered(word: str, description: str) -> bool:
    """Whether the description lists the word among choices: ``real or virtual``, ``(top, bottom)``."""
    plain = re.escape(word)
    return bool(re.search(rf"\b{plain}\w*\s*(?:/|,|or\b)|(?:/|,|\bor)\s*{plain}", description, re.IGNORECASE))


def _same_chain(reference: str, candidate: str, context: ValueContext) -> str:
    """Rankings ``a < b < c`` and ``c > b > a``; a word that every part of one side has does not count."""
    chains = [_chain(text) for text in (reference, candidate)]
    if not chains[0] or len(chains[0]) < 3 or chains[0] != chains[1]:
        return ""
    return f"the same order: {' < '.join(chains[0])}"


def _chain(text: str) -> list[str]:
    parts = re.split(r"([<>])", text)
    signs = set(parts[1::2])
    if len(signs) != 1:
        return []
    words = [normal_form(part).split() for part in parts[0::2]]
    common = set(words[0]).intersection(*words[1:])
    kept = [" ".join(word for word in part if word not in common) for part in words]
    return kept if signs == {"<"} else kept[::-1]
