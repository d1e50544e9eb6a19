"""From a text to the typed values that it may state, the most likely first.

The whole text is read or it is not read at all: what no grammar covers stays a text, which is compared as such.

Not here: the grammars, and which of the readings of a pair belong together (``comparing``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from cfe_local.equivalence import wording
from cfe_local.equivalence.caveats import decimal_comma
from cfe_local.equivalence.cleaning import clean, has_control_characters, is_latex
from cfe_local.equivalence.cursor import Choices
from cfe_local.equivalence.directions import split_direction
from cfe_local.equivalence.grammar import parse_text
from cfe_local.equivalence.limits import MAX_CHARS, MAX_READINGS, MAX_WORDED_CHARS, LimitError
from cfe_local.equivalence.names import FUNCTIONS, GREEK
from cfe_local.equivalence.quantities import quantity
from cfe_local.equivalence.ratios import ratio_in_words
from cfe_local.equivalence.shaping import Value, shape, with_definitions
from cfe_local.equivalence.tokens import ReadError
from cfe_local.equivalence.tree import Node, num, symbols
from cfe_local.records import ValueContext

DECIMAL_COMMA = "a decimal comma"
RATIO_IN_WORDS = "'to' between the parts of a ratio"
_CODE = re.compile(
    r"__\w+__|\blambda\b[^,]*:|\b(?:import|exec|eval|os\.system|subprocess|open)\s*\(|\)\s*\.\s*\w+\s*\("
)
_WHERE = re.compile(r"^(.*?\S)[\s,;]*(\(?)\s*(?:\\text\{\s*)?\b(?:with|where)\b\s*:?\s*\}?\s*(.+)$")
_CONSTANT = re.compile(r"\s*(?:=|\()\s*(?:\\text\s*\{\s*)?const(?:ant)?\.?\s*\}?\s*\)?$")
_NOTE = re.compile(r"^(.*\S)\s*\((?:\\text\{)?\s*((?=[^()]*[a-z]{3})[^()\\=<>$]*)\}?\s*\)$")
_FOR_WHERE = re.compile(r"^(.*?\S)[\s,]*(?:\\text\{\s*)?\b(for|as|if|when)\b\s*\}?\s+(.+)$")
_CONNECTIVES = re.compile(r"(?<![\\A-Za-z_{])(?:where|with|which|such|that|when|then|the|for|not|are)(?![A-Za-z}])")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # Writing that is prose wherever it stands.
_SHORT_WORDS = re.compile(r"(?:^|\s)(?:is|it|its|of|to|by|we|if|an|no|yes|all)(?=\s|$)", re.IGNORECASE)
_KNOWN_WORDS = frozenset(FUNCTIONS) | frozenset(GREEK) | {"hbar", "infty", "infinity", "or", "and", "mod", "oo", "xor"}

# What the grammar itself knows to be words or a name, wherever it stands: it refuses a text that is neither.
_SET_APART = re.compile(r"\\(?:text|textrm|mathrm|operatorname|begin|end)\s*\{[^{}]*\}")

# Short codes and lists of them, such as genotypes: no products of letters, unless a formula is asked for.
_CODES = re.compile(r"[A-Za-z]{2,3}(?:(?: ?, ?| )(?:(?:and|or) )?[A-Za-z]{2,3})*")
# ``Mcos``, ``mgsin``: a few symbols run together with a function or Greek letter.
_FUNCTION_RUN = re.compile(
    rf"[A-Za-z]{{0,3}}(?:{'|'.join(name for name in sorted(_KNOWN_WORDS) if len(name) >= 3)})[A-Za-z]{{0,1}}"
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text prepared for reading."""

    raw: str
    cleaned: str
    latex: bool
    known: frozenset[str]
    context: ValueContext


def looks_like_code(text: str) -> bool:
    """Whether a text is program code: no value is written like that."""
    return bool(_CODE.search(text))


def prepare(text: str, context: ValueContext, known: frozenset[str]) -> Text:
    """Check the bounds and clean.

    Raises:
        LimitError: If the text is too long or holds control characters.
        ReadError: If nothing is left.
    """
    if len(text) > MAX_CHARS:
        raise LimitError(f"longer than {MAX_CHARS} characters")
    if has_control_characters(text):
        raise LimitError("control characters")
    cleaned = clean(text)
    if not cleaned:
        raise ReadError("empty")
    return Text(text, cleaned, is_latex(text), known, context)


def read(text: Text) -> list[Value]:
    """All values that a text may state, the most likely first; the text itself is always the last."""
    found: list[Value] = []
    for value in _attempts(text):
        if value not in found:
            found.append(value)
        if len(found) >= MAX_READINGS:
            break
    found.append(Value("text", Node("text", name=text.cleaned)))
    return found


def _attempts(text: Text) -> Iterator[Value]:
    yield from _words(text)
    yield from _mathematics(text, text.cleaned)
    yield from _rewritten(text)


def _rewritten(text: Text) -> Iterator[Value]:
    """Readings of notations that have another, more usual meaning too."""
    for other, doubt in (
        (decimal_comma(text.cleaned), DECIMAL_COMMA),
        (ratio_in_words(text.cleaned), RATIO_IN_WORDS),
        *((vector, "") for vector in wording.spaced_vectors(text.cleaned)),
    ):
        if other is not None:
            for value in _plain(text, other):
                yield replace(value, doubt=doubt)


def _words(text: Text) -> Iterator[Value]:
    """Booleans and numbers in words."""
    truth = wording.boolean(text.cleaned, initial=text.context.type == "other")
    if truth is not None:
        yield Value("boolean", Node("boolean", name=str(truth).lower()))
    number = wording.word_number(wording.plain_words(text.cleaned))
    if number is not None:
        yield Value("expression", num(number))


def _mathematics(text: Text, body: str) -> Iterator[Value]:
    """Readings of a text as mathematics, after taking off definitions, notes and words around it."""
    body = wording.bound_words(wording.without_introduction(body))
    body = wording.scaled_number(body)
    yield from _plain(text, body)
    if len(body) > MAX_WORDED_CHARS:
        return
    stripped = _CONSTANT.sub("", body)
    if stripped != body:
        yield from _plain(text, stripped)
    yield from _with_definitions(text, body)
    pieces = wording.pieces(body)
    if pieces is not None:
        yield from _plain(text, pieces)
    yield from _with_note(text, body)
    words = wording.vocabulary(text.context)
    for shorter in (wording.without_lead(body, words), wording.without_nouns(body, words)):
        if shorter is not None:
            yield from _plain(text, wording.without_introduction(shorter))


def _with_definitions(text: Text, body: str) -> Iterator[Value]:
    match = _WHERE.match(body)
    if match is None:
        return
    definitions = _definitions(text, match[3].removesuffix(")") if match[2] else match[3])
    if definitions:
        for value in _plain(text, match[1].rstrip(" ,;")):
            yield replace(value, given=(*value.given, *definitions))


def _definitions(text: Text, body: str) -> tuple[Node, ...]:
    body = re.sub(r"\\text\{\s*and\s*\}|\band\b", ",", body)
    found: list[Node] = []
    for tree in _trees(text, body):
        parts = tree.args if tree.head == "seq" else (tree,)
        if all(part.head == "rel" and set(part.name.split()) == {"="} for part in parts):
            found.extend(parts)
            break
    return tuple(found)


def _with_note(text: Text, body: str) -> Iterator[Value]:
    directed = split_direction(body)
    if directed is not None:
        for value in _plain(text, directed[0]):
            yield replace(value, note=directed[1])
    note = _NOTE.match(body)
    if note is not None:
        for value in _plain(text, note[1]):
            yield replace(value, note=note[2].strip())
    condition = _FOR_WHERE.match(body)
    if condition is not None:
        remark = re.search(r"\(([^()]*[a-z]{3}[^()]*)\)$", condition[3])
        stated = condition[3][: remark.start()] if remark else condition[3]
        conditions = tuple(_trees(text, stated))[:1]
        for value in _plain(text, condition[1].rstrip(" ,;")) if conditions else ():
            words = remark[1].strip() if remark else value.note
            yield replace(value, conditions=(*value.conditions, *conditions), note=words)


def _plain(text: Text, body: str) -> Iterator[Value]:
    measured = quantity(body, wording.vocabulary(text.context))
    if measured is not None and measured.likely:
        yield from measured.values
    yield from _rounded_with_unit(text, body)
    for tree, doubt in _doubted_trees(text, body):
        yield replace(shape(tree), doubt=doubt)
        defined = with_definitions(tree)
        if defined is not None:
            yield replace(defined, doubt=doubt)
    if measured is not None and not measured.likely:
        yield from measured.values


def _rounded_with_unit(text: Text, body: str) -> Iterator[Value]:
    r"""``\arccos(1/3) \approx 1.231 rad``: a constant, and a rounded form of it that has a unit."""
    exact, sign, rounded = body.rpartition("\\approx")
    measured = quantity(rounded.strip()) if sign and exact.strip() else None
    if measured is None or measured.values[0].name is not None:
        return
    for tree in _trees(text, exact.strip()):
        value = shape(tree)
        if value.kind == "expression" and not symbols(value.node):
            yield replace(value, others=(*value.others, measured.values[0].node))


def _trees(text: Text, body: str) -> Iterator[Node]:
    """Usual ways to read a text as one tree."""
    return (tree for tree, doubt in _doubted_trees(text, body) if not doubt)


def _doubted_trees(text: Text, body: str) -> Iterator[tuple[Node, str]]:
    """Ways to read a text as one tree: each way of resolving the grammar's own ambiguities, and its doubt."""
    if _is_prose(text, body):
        return
    ways = [Choices(latex=text.latex, known=text.known)]
    done: set[Choices] = set()
    while ways and len(done) < 4:
        way = ways.pop(0)
        done.add(way)
        try:
            tree, ambiguous = parse_text(body, way)
        except (ReadError, LimitError):
            continue
        yield tree, "a product after a slash with blanks" if way.loose_slash else ""
        if "loose slash" in ambiguous and not way.loose_slash:
            ways.append(replace(way, tight_slash=True, loose_slash=True))
        if "slash" in ambiguous and not way.tight_slash:
            ways.append(replace(way, tight_slash=True))
        if "argument" in ambiguous and not way.short_argument:
            ways.append(replace(way, short_argument=True))


def _is_prose(text: Text, body: str) -> bool:
    """Whether plain letters are words rather than products: long runs outside LaTeX that are no known names."""
    if _IDEOGRAPHS.search(body):
        return True
    bare = _SET_APART.sub(" ", body)
    if _CONNECTIVES.search(bare) or (not text.latex and _SHORT_WORDS.search(bare)):
        return True
    if text.latex and "\\text" not in body:
        return False
    if _CODES.fullmatch(body) and text.context.type != "formula" and body not in _KNOWN_WORDS:
        return body not in text.known
    outside = re.sub(r"\\[a-zA-Z]+|_\{?[A-Za-z0-9]+\}?", " ", bare)
    for run in re.findall(r"[A-Za-z]+", outside):
        if len(run) < 4 or run in _KNOWN_WORDS or run in text.known:
            continue
        if not _FUNCTION_RUN.fullmatch(run):
            return True
    return False


def known_names(values: list[Value]) -> frozenset[str]:
    """Symbols with more than one character in the readings as mathematics."""
    names: set[str] = set()
    for value in values:
        if value.kind != "text":
            for node in (value.node, *value.given, *([value.name] if value.name else [])):
                names |= {name for name in symbols(node) if len(name) > 1}
    return frozenset(names)
