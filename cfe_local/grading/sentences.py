"""Reads a variable's value out of a plain sentence: ``The speed of the train is therefore 20 metres per second``.

A sentence counts if it has a verb of equality, one value behind it, and words that tell its variable from the others.
Suppositions, negations, hedges and claims of others give nothing, nor does a value that a later sentence may change:
all that is left to the judge. No reference is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cfe_local.grading.clauses import HIDDEN, Clause, clauses
from cfe_local.grading.equations import parts, same_name
from cfe_local.grading.grounding import normalised
from cfe_local.grading.settled import last_member
from cfe_local.grading.spoken import is_number_word
from cfe_local.grading.spoken_values import NUMBER, bare, value_at, without_marks
from cfe_local.grading.statements import final_blocks
from cfe_local.grading.telling import COMMON, MATH, STEM, WORDS, stems, telling_words
from cfe_local.records import TargetVariable

EQUALS = re.compile(
    r"(?:\b(?:is|are|equals?|be|becomes?|reads?|amounts to|comes to|comes out (?:as|at)|makes(?: up)?|holds|contains?"
    r"|consists? of|acts?|points?|occurs? (?:for|if)|takes place (?:for|if)|i\.e\.|gives?|yields?"
    r"|ist|sind|beträgt|lautet|von|est|vaut|sont|es|son|vale|è|são|é|leads? to|must be|pairs with)\b"
    r"|为|是|等于|[:=]|равн[аоы]?|—)[ \t]*",
    re.IGNORECASE,
)
FILLER = re.compile(
    r"(?:\s|\*\*|therefore|thus|then|hence|again|also|now|given by|equal to|exactly|simply|just|about|approximately"
    r"|i\.e\.|that is|so|the|numbers?|set|value|:|,|=|daher|also|somit|donc|alors|quindi|circa|environ|ungefähr|logo"
    r"|portanto|por tanto)*(?:\s|\*\*|(?=[\ue000\d\"'`]))",
    re.IGNORECASE,
)
PREPOSITION = re.compile(
    r"\b(?:of|in|through|at|for|after|with|that|which|from|to|by|on|needed|required to|when|du|de|der|des|del|di)\b"
)
SUBJECT_BORDER = re.compile(r"[,:;]\s|\bso\b|\band\b|\bsee that\b|\bfind that\b|\bmeans that\b")
ALLOWED_STEMS = "our thus hence there final requi const resul desir corre wante neede answe value also then part"
ALLOWED = frozenset(ALLOWED_STEMS.split())
"""Stems that may stand before a subject's noun without making it another quantity."""

BOLD = re.compile(r"\*\*([^*\n]+)\*\*[\s.]*$")
MAX_SYMBOL = 2
"""Letters of a name before its index, up to which it is a symbol and no word."""


MAX_LABEL_WORDS = 5
NO_LABEL = re.compile(
    r"\b(?:than|as|because|since|so|what|this|these|it|we|also|very|too|from|the same)\b", re.IGNORECASE
)
CONCLUSION = re.compile(
    r"\s*(?:so|thus|therefore|hence|in total|altogether|finally|consequently|also|daher|somit|folglich|insgesamt|donc"
    r"|ainsi|por lo tanto|portanto|quindi|dunque|logo|итак)\b|\s*(?:因此|所以|故|最终)",
    re.IGNORECASE,
)
"""How the last sentence of a derivation begins."""

ANSWER = re.compile(r"\b(?:answer|result|solution)\b", re.IGNORECASE)
MIN_STRENGTH = 2
"""Telling words by which a sentence is about a variable without an announcement such as *therefore*."""


@dataclass(frozen=True, slots=True)
class Told:
    """A value that a sentence gives to a variable.

    Attributes:
        value: The response's own text.
        quote: The clause that it stands in.
        end: Where the clause ends in the response.
    """

    value: str
    quote: str
    end: int


@dataclass(frozen=True, slots=True)
class Owner:
    """The variable that a clause speaks of: which, by how many telling words it is known, and these words."""

    target: TargetVariable
    position: int
    strength: int
    words: frozenset[str]
    is_only: bool = False

    def is_subject(self, subject: str, predicate: str) -> bool:
        """Whether what stands before the verb is this variable, and nothing else about it such as its square.

        Args:
            subject: The words before the verb.
            predicate: The words behind it; ``1101 in binary is 13 in decimal`` tells there what is meant.
        """
        head = PREPOSITION.split(subject.strip())[0]
        if self.is_only and ANSWER.search(head):
            return True
        if HIDDEN in head or re.search(rf"(?<![\w\\]){re.escape(self.target.name)}(?!\w)", head):
            return True
        spoken = {word.lower()[:STEM] for word in WORDS.findall(head) if word.lower() not in COMMON} - ALLOWED
        asked = {
            word.lower()[:STEM]
            for word in WORDS.findall(f"{self.target.name} {self.target.description}".replace("_", " "))
        }
        if not spoken <= asked:
            return False
        return bool(stems(subject) & self.words) or bool(stems(predicate) & self.words)


def told(text: str, targets: Sequence[TargetVariable]) -> tuple[Told | None, ...]:
    """Find the sentence that gives every variable its value; None where none does so clearly.

    Args:
        text: The response, thinking removed.
        targets: The problem's variables; their references are not used.
    """
    found = clauses(text)
    words = telling_words(targets)
    owners = [_owner(clause, targets, words) for clause in found]
    return tuple(_value_of(position, found, owners, targets) for position in range(len(targets)))


def announced(text: str, target: TargetVariable) -> Told | None:
    """The value in the first sentence of a response's last "final answer" block, in whatever language it is.

    There the subject needs not be understood, for a single variable at least.
    """
    blocks = final_blocks(text)
    if not blocks:
        return None
    start, end = blocks[-1]
    for clause in clauses(text[start:end]):
        if not clause.commits:
            return None
        values = dict.fromkeys(
            filter(None, (_behind(clause, verb.end(), target) for verb in EQUALS.finditer(clause.masked)))
        )
        if len(values) == 1:
            return Told(next(iter(values)), clause.text.strip(), start + clause.end)
        if clause.has_number:
            return None
    return None


def concluded(text: str, target: TargetVariable) -> Told | None:
    """The one formula of the last sentence with a formula or number in it, as in ``Hence $P = 3/4$``."""
    last = next((clause for clause in reversed(clauses(text)) if clause.has_number), None)
    if last is None or not last.commits or CONCLUSION.match(last.masked) is None:
        return None
    formulas = list(MATH.finditer(last.text))
    rest = MATH.sub(" ", last.text)
    if len(formulas) != 1 or any(character.isdigit() for character in rest):
        return None
    value = without_marks(formulas[0].group())
    return Told(value, last.text.strip(), last.end) if fits(value, target, (target,)) else None


def _behind(clause: Clause, start: int, target: TargetVariable) -> str | None:
    """The value behind a verb; for a text, words in bold at the end of the clause too."""
    filler = FILLER.match(clause.masked, start)
    value = value_at(clause, filler.end() if filler is not None else start)
    bold = BOLD.search(clause.text, start) if target.type == "other" else None
    if value is None and bold is not None and len(bold.group(1).split()) <= MAX_LABEL_WORDS:
        return bold.group(1).strip()
    return value


def fits(formula: str, target: TargetVariable, targets: Sequence[TargetVariable]) -> bool:
    """Whether a formula may be a variable's value.

    It is not where it stands under another variable's name or another symbol, is an equation that nobody asked for, or
    is no number where a text is asked for.
    """
    (first, *more) = parts(formula)
    if more or any(first.name and other is not target and same_name(first.name, other.name) for other in targets):
        return False
    is_symbol = len(re.split(r"[_({^]", target.name)[0]) <= MAX_SYMBOL
    asked = f"{target.name} {target.description}".lower()
    if is_symbol and first.name and "equation" not in asked and not same_name(first.name, target.name):
        return False
    if target.type == "other" and not NUMBER.match(last_member(first.value)):
        return False
    return not re.search(r"=\s*0$", formula) or "equation" in asked or "polynomial" in asked


def _value_of(
    position: int, found: Sequence[Clause], owners: Sequence[Owner | None], targets: Sequence[TargetVariable]
) -> Told | None:
    last: Told | None = None
    for clause, owner in zip(found, owners, strict=True):
        if owner is None or owner.position != position:
            continue
        value = _stated(clause, owner, targets)
        if value is not None and (clause.concludes or owner.strength >= MIN_STRENGTH):
            if last is not None and not _same(last.value, value) and not clause.concludes:
                return None
            last = Told(value, clause.text.strip(), clause.end)
        elif clause.has_number and owner.strength >= MIN_STRENGTH:
            # Another number about the same thing, in a sentence that is not understood.
            last = None
    return last


def _same(one: str, other: str) -> bool:
    return normalised(one) == normalised(other)


def _stated(clause: Clause, owner: Owner, targets: Sequence[TargetVariable]) -> str | None:
    target = owner.target
    if not clause.commits:
        return None
    verbs = list(EQUALS.finditer(clause.masked))
    for number, verb in reversed(list(enumerate(verbs))):
        # What stands before an earlier verb is that one's subject.
        since = verbs[number - 1].end() if number else 0
        subject = SUBJECT_BORDER.split(clause.masked[since : verb.start()])[-1]
        if subject.strip().lower() in {"there", "it", "which", "this", "that"}:
            continue
        filler = FILLER.match(clause.masked, verb.end())
        start = filler.end() if filler is not None else verb.end()
        value = value_at(clause, start)
        if value is not None and not owner.is_subject(subject, clause.masked[start:]):
            value = None
        if value is not None and clause.masked.startswith(HIDDEN, start) and not fits(value, target, targets):
            value = None
        if value is None and target.type == "other" and owner.is_subject(subject, ""):
            value = _label(clause, start, owner)
        if value is not None:
            return value
    return None


def _label(clause: Clause, start: int, owner: Owner) -> str | None:
    """A few words behind the verb that do not repeat what is asked."""
    label = bare(clause.text[start:])
    emphasized = clause.text[start - 2 : start] == "**" or clause.concludes
    if not (emphasized or owner.strength >= 3) or NUMBER.match(label) or is_number_word(label):
        return None
    if stems(label) & owner.words or HIDDEN in clause.masked[start:]:
        return None
    return label if 0 < len(label.split()) <= MAX_LABEL_WORDS and not NO_LABEL.search(label) else None


def _owner(clause: Clause, targets: Sequence[TargetVariable], words: Sequence[frozenset[str]]) -> Owner | None:
    """The one variable that a clause speaks of: by its symbol, else by the most telling words."""
    if clause.masked.lstrip().startswith("|"):
        return None
    named = [position for position, target in enumerate(targets) if _is_named(clause, target.name)]
    spoken = stems(clause.masked.replace(HIDDEN, " "))
    scores = [len(spoken & own) for own in words]
    if len(named) == 1:
        (position,) = named
        return Owner(targets[position], position, max(scores[position], MIN_STRENGTH), words[position])
    if len(targets) == 1 and ANSWER.search(clause.masked):
        return Owner(targets[0], 0, max(scores[0], MIN_STRENGTH), words[0], is_only=True)
    best = max(scores)
    if not best or scores.count(best) > 1 or named:
        return None
    position = scores.index(best)
    return Owner(targets[position], position, best, words[position])


def _is_named(clause: Clause, name: str) -> bool:
    formulas = (found.group().strip("$\\()[] ") for found in MATH.finditer(clause.text))
    heads = (re.split(r"=|\\approx|≈|\\le|\\ge|<|>", formula, maxsplit=1)[0] for formula in formulas)
    if any(same_name(head, name) for head in heads if head.strip()):
        return True
    plain = re.escape(name)
    return re.search(rf"(?<![\w\\]){plain}(?![\w])", clause.masked) is not None
