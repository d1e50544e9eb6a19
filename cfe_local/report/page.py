"""One problem as values for the page's template: texts cut to size, formulas typeset; plain ones the template escapes.

Not here: the page around it (``html``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cfe_local.experiments.asking import letter_of
from cfe_local.metrics.samples import GradedSample
from cfe_local.records import Outcome, Problem, Response, Verdict, VerdictValue
from cfe_local.report.characters import shortened, visible
from cfe_local.report.formulas import Formula, split_formulas
from cfe_local.report.images import ImageSource
from cfe_local.report.mathml import Typesetter
from cfe_local.report.model import ProblemPage
from cfe_local.report.numbers import count, seconds
from cfe_local.report.prose import cut, formula, prose, prose_with_tables, value

NAME, LINE, VALUE = 120, 1_000, 4_000
"""Characters of a name, of a line of evidence, and of a value or a judge's reasoning."""

EXCERPT = 110
"""Characters of the question in the closed line of a problem."""

_BARE_LATEX = re.compile(r"\\[A-Za-z]{2,}")

OUTCOME_WORDS: dict[Outcome, str] = {
    "answered": "answered",
    "truncated": "truncated: the answer ran into its token limit",
    "truncated_thinking": "truncated: thinking never closed, so there is no answer",
    "prompt_too_long": "not asked: the prompt does not fit into the model's context",
    "bad_input": "not asked: this case cannot be asked",
    "failed": "failed: the engine raised",
}


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How much of long texts a page shows; the run folder has all of it.

    Attributes:
        response_chars: Of one answer.
        thinking_chars: Of one response's thinking; 0 leaves thinking out.
        samples: Responses shown per problem.
        answer_mathml: Characters of typeset formulas in all answers together; later ones stand as they were written.
    """

    response_chars: int = 20_000
    thinking_chars: int = 6_000
    samples: int = 4
    answer_mathml: int = 6_000_000


@dataclass(frozen=True, slots=True)
class Typesetters:
    """Two, so that long answers cannot use up what the questions need."""

    benchmark: Typesetter
    answers: Typesetter


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A stretch of the question: a text, or an image with its address."""

    text: Markup | None = None
    image: str | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class ShownVerdict:
    """One variable of one sample, ready for the page."""

    name: str
    type: str
    mark: VerdictValue
    decided: str
    reference: Markup
    answer: Markup
    quote: str
    evidence: str
    readings: str
    judge: Markup
    confidence: str


@dataclass(frozen=True, slots=True)
class ShownSample:
    """One sample, ready for the page."""

    index: int
    mark: VerdictValue
    outcome: str
    facts: str
    detail: str
    response: Markup
    response_left_out: int
    thinking: str
    thinking_left_out: int
    n_thinking_tokens: str
    verdicts: tuple[ShownVerdict, ...]


@dataclass(frozen=True, slots=True)
class ShownProblem:
    """One problem, ready for the page."""

    anchor: str
    label: str
    id8: str
    topic: str
    mark: VerdictValue
    marks: tuple[VerdictValue, ...]
    excerpt: Markup
    question: tuple[ShownPart, ...]
    descriptions: tuple[tuple[str, str, Markup], ...]
    repairs: str
    samples: tuple[ShownSample, ...]
    n_samples_left_out: int


def show_problem(page: ProblemPage, typesetters: Typesetters, images: ImageSource, limits: PageLimits) -> ShownProblem:
    """Everything that the page says about one problem."""
    problem = page.problem
    typesetter = typesetters.benchmark
    marks = tuple(sample.mark for sample in page.samples)
    return ShownProblem(
        anchor=f"p-{_anchor(problem.split)}-{problem.row}",
        label=shortened(problem.label, NAME),
        id8=problem.problem_id[:8],
        topic=shortened(problem.topic or "", NAME),
        mark=problem_mark(marks),
        marks=marks,
        excerpt=_excerpt(" ".join(part.text for part in problem.question if part.kind == "text"), typesetter),
        question=_question(problem, typesetter, images),
        descriptions=tuple(
            (shortened(v.name, NAME), v.type, prose(shortened(v.description, LINE), typesetter))
            for v in problem.variables
        ),
        repairs=", ".join(f"{repair.kind} in {repair.field} ({repair.count})" for repair in problem.repairs),
        samples=tuple(_sample(sample, typesetters, limits) for sample in page.samples[: limits.samples]),
        n_samples_left_out=max(0, len(page.samples) - limits.samples),
    )


def problem_mark(marks: Sequence[VerdictValue]) -> VerdictValue:
    """A problem's mark in the overview: right or wrong by the majority of its decided samples, ties wrong."""
    n_right, n_wrong = marks.count("correct"), marks.count("incorrect")
    if not n_right and not n_wrong:
        return "undecided"
    return "correct" if n_right > n_wrong else "incorrect"


def _anchor(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in name)


def _excerpt(text: str, typesetter: Typesetter) -> Markup:
    pieces: list[str | Markup] = []
    left = EXCERPT
    for piece in split_formulas(" ".join(text[:2000].split())):
        if isinstance(piece, Formula):
            pieces.append(Markup(formula(Formula(piece.latex, piece.written, display=False), typesetter)))
            left -= len(piece.written) // 2
        else:
            pieces.append(visible(piece.text[:left]))
            left -= len(piece.text)
        if left <= 0:
            pieces.append("…")
            break
    return Markup("").join(pieces)


def _question(problem: Problem, typesetter: Typesetter, images: ImageSource) -> tuple[ShownPart, ...]:
    parts = []
    for part in problem.question:
        if part.kind == "text":
            parts.append(ShownPart(text=prose_with_tables(part.text, typesetter)))
        else:
            parts.append(ShownPart(image=images(part), name=part.path.rpartition("/")[2]))
    for position, option in enumerate(problem.options):
        parts.append(ShownPart(text=prose(f"\n({letter_of(position)}) {option}", typesetter)))
    return tuple(parts)


def _sample(sample: GradedSample, typesetters: Typesetters, limits: PageLimits) -> ShownSample:
    response = sample.response
    text, text_left_out = cut(response.text if response else "", limits.response_chars)
    thinking, thinking_left_out = cut(response.thinking if response else "", limits.thinking_chars)
    return ShownSample(
        index=sample.key.sample,
        mark=sample.mark,
        outcome=OUTCOME_WORDS[response.outcome] if response else "no response yet",
        facts=_facts(response) if response else "",
        detail=shortened(response.detail, LINE) if response else "",
        response=prose(text, typesetters.answers),
        response_left_out=text_left_out,
        thinking=thinking,
        thinking_left_out=thinking_left_out,
        n_thinking_tokens=count(response.n_thinking_tokens) if response else "",
        verdicts=tuple(_verdict(sample, i, verdict, typesetters) for i, verdict in enumerate(sample.verdicts)),
    )


def _facts(response: Response) -> str:
    parts = []
    if response.n_prompt_tokens or response.n_answer_tokens:  # Where nobody counted (answers from a file), none is 0.
        parts.append(f"{count(response.n_prompt_tokens)} prompt")
        if response.n_thinking_tokens:
            parts.append(f"{count(response.n_thinking_tokens)} thinking")
        parts.append(f"{count(response.n_answer_tokens)} answer tokens")
    if response.seconds:
        parts.append(seconds(response.seconds))
    if response.thinking_end == "closed_by_budget":
        parts.append("thinking closed by its budget")
    return ", ".join(parts)


def _verdict(sample: GradedSample, i: int, verdict: Verdict | None, typesetters: Typesetters) -> ShownVerdict:
    variable = sample.problem.variables[i]
    return ShownVerdict(
        name=shortened(variable.name, NAME),
        type=variable.type,
        mark=sample.marks[i],
        decided=f"{verdict.by}: {shortened(verdict.reason, NAME).replace('_', ' ')}" if verdict else "not graded",
        reference=value(shortened(variable.value, VALUE), typesetters.benchmark),
        answer=_answer(verdict, typesetters.answers),
        # As it was written: half a formula would be typeset as something else.
        quote=shortened(verdict.extraction.quote, LINE) if verdict and verdict.extraction else "",
        evidence=shortened(verdict.evidence, LINE) if verdict else "",
        readings=_readings(verdict),
        judge=prose(shortened(verdict.judge_reasoning, VALUE), typesetters.answers) if verdict else Markup(""),
        confidence=_confidence(verdict),
    )


def _answer(verdict: Verdict | None, typesetter: Typesetter) -> Markup:
    extraction = verdict.extraction if verdict else None
    if extraction is None:
        return Markup('<span class="none">none</span>')
    if extraction.value is None:
        return Markup('<span class="none">{}</span>').format(extraction.status.replace("_", " "))
    # Where the value was taken with its unit, saying the unit again would look like a product.
    repeats = extraction.unit is None or extraction.value.rstrip(" $}").endswith(extraction.unit.rstrip(" $}"))
    unit = Markup("") if repeats else Markup(" {}").format(visible(shortened(extraction.unit or "", NAME)))
    return _value(shortened(extraction.value, VALUE), typesetter) + unit


def _value(text: str, typesetter: Typesetter) -> Markup:
    """An extracted value, which is often LaTeX without dollar signs; prose with a command in it stays prose."""
    if "$" not in text and _BARE_LATEX.search(text):
        typeset = prose(f"${text}$", typesetter)
        if "<math" in typeset:
            return typeset + Markup('<code class="source">{}</code>').format(visible(text))
    return value(text, typesetter)


def _readings(verdict: Verdict | None) -> str:
    found = verdict.comparison if verdict else None
    if found is None or not (found.reference_reading or found.candidate_reading):
        return ""
    ours, theirs = (shortened(text or "–", LINE) for text in (found.reference_reading, found.candidate_reading))
    return f"reference read as {ours}; answer read as {theirs}"


def _confidence(verdict: Verdict | None) -> str:
    if verdict is None or verdict.confidence is None:
        return ""
    chance = f", p(correct) {verdict.p_correct:.2f}" if verdict.p_correct is not None else ""
    return f"confidence {verdict.confidence}{chance}"
