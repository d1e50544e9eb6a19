"""What stages hand over: frozen records that refuse unknown fields, and the glossary of this project.

Glossary, one word per concept:

    benchmark   a folder of problems; ``split`` is one of its files, ``row`` a 0-based position in that file
    problem     one exam question with its solution, target variables and reasoning steps; ``kind`` says how it is asked
    option      one of the answers that a multiple-choice problem offers; its letter is its position
    rubric      how a person shares 10 points over the parts of a solution; an ``item`` is one such part
    variable    one named value that a problem asks for; its ``value`` is the reference
    step        one unit of the instructor's reasoning flow: a sub-question with a checkable answer
    case        one request to an engine: who it is (key), what it says (messages), how to sample, what may come back
    sample      the index of one of several responses to the same prompt, 0-based
    response    what an engine gave back for one case, always with an outcome
    thinking    the part of a response between the model's own thinking marks; never an answer
    extraction  the value of one variable as the response states it
    comparison  what equivalence says about two values: equal, different or undecided, with evidence
    verdict     what a grading says about one variable: correct, incorrect or undecided, who decided, and why
    grading     a named way of turning responses into verdicts (s2s, l2s, l2l, ...)
    judge       the local model that extracts values and decides what equivalence leaves undecided
    run         one folder with everything that was planned, answered, judged and measured

Not here: how any of these is made. Records know no stage.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Record(BaseModel):
    """Base of everything that is written to disk: frozen; unknown fields, NaN and infinity are errors.

    JSON knows no NaN and no infinity: written as null, they would make their line unreadable.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


# ---------------------------------------------------------------- problems


class TextPart(Record):
    """A stretch of text inside a message or question."""

    kind: Literal["text"] = "text"
    text: str


class ImagePart(Record):
    """An image at its place inside a message or question."""

    kind: Literal["image"] = "image"
    path: str = Field(description="Absolute path of the image file.")
    sha256: Sha256


Part = Annotated[TextPart | ImagePart, Field(discriminator="kind")]

VariableType = Literal["numeric", "formula", "other"]


class TargetVariable(Record):
    """One named value that a problem asks for."""

    name: str
    description: str
    value: str = Field(description="The reference, exactly as the benchmark states it.")
    type: VariableType


class Step(Record):
    """One unit of a reasoning flow: a sub-question and its checkable answer."""

    step_id: int
    question: str
    answer: str | float | bool


ProblemKind = Literal["variables", "multiple_choice", "numerical", "symbolic", "proof"]
"""How a problem is asked and graded.

    variables        named values, stated anywhere in the answer (CFE-Bench)
    multiple_choice  one of the options, by its letter, behind the delimiter
    numerical        one number (or several) behind the delimiter
    symbolic         one expression (or several) behind the delimiter
    proof            no value at all: points by rubric only
"""

RUBRIC_POINTS = 10  # what the items of every rubric sum to


class RubricItem(Record):
    """One part of a solution that earns points, and where the reference solution has it."""

    points: int = Field(ge=1, le=RUBRIC_POINTS)
    criterion: str = Field(min_length=1)
    solution_excerpt: str = Field(min_length=1, description="Words of the reference solution.")


class Perturbation(Record):
    """How a problem is asked with other givens, and what its answer is then."""

    template: str = Field(description="The question with ``{name}`` for each given.")
    givens: dict[str, int | float] = Field(min_length=1, description="The values that make the question.")
    formula: str = Field(description="The answer as an expression in the givens.")


class Repair(Record):
    """One change that the loader made to damaged text, so that no repair is silent."""

    field: str = Field(description="Where, for example ``question.text`` or ``short_answer_description[0]``.")
    kind: str
    count: int = Field(ge=1)


class Problem(Record):
    """One exam problem, as every stage after the loader sees it."""

    split: str
    row: int = Field(ge=0, description="0-based position in the split's file; the identity, since ids repeat.")
    problem_id: str = Field(description="The benchmark's own id: a label, not a key.")
    question: tuple[Part, ...] = Field(description="Text and images in the order in which the problem has them.")
    solution: str
    variables: tuple[TargetVariable, ...]
    steps: tuple[Step, ...] = ()
    topic: str | None = None
    source: str | None = None
    licence: str | None = None
    repairs: tuple[Repair, ...] = ()
    kind: ProblemKind = "variables"
    options: tuple[str, ...] = Field(default=(), description="Of a multiple-choice problem; the first one is A.")
    answer_format: str = Field(default="", description="What the problem says about the form of its answer.")
    rubric: tuple[RubricItem, ...] = ()
    perturb: Perturbation | None = None

    @property
    def label(self) -> str:
        """Short name for messages and logs: ``split:row``."""
        return f"{self.split}:{self.row}"

    @property
    def question_text(self) -> str:
        """The question as text, each image as ``<image>`` at its place."""
        return "".join(part.text if part.kind == "text" else "<image>" for part in self.question)


# ---------------------------------------------------------------- cases and responses


class Key(Record):
    """Identity of a case and of everything that follows from it.

    ``call`` is empty for the model under test; judge calls name what they ask ("extract", "verify"), about which
    ``variable`` (0-based position, None for all at once), and how often it was asked before (``attempt``).
    """

    experiment: str
    condition: str = "main"
    split: str
    row: int = Field(ge=0)
    step: int | None = None
    sample: int = Field(ge=0)
    call: str = ""
    variable: int | None = None
    attempt: int = Field(default=0, ge=0)

    @property
    def label(self) -> str:
        """One line that is unique per key, sorts sensibly, and stands in logs and as the store's key."""
        step = "-" if self.step is None else f"{self.step}"
        head = f"{self.experiment}/{self.condition}/{self.split}:{self.row}/{step}/{self.sample}"
        if not self.call:
            return head
        variable = "all" if self.variable is None else f"v{self.variable}"
        return f"{head}/{self.call}/{variable}/{self.attempt}"

    def response_key(self) -> Key:
        """The key of the response that a judge call is about."""
        return self.model_copy(update={"call": "", "variable": None, "attempt": 0})

    def seed(self, run_seed: int) -> int:
        """A sampling seed in [0, 2**31) that depends on this key and the run's seed alone.

        Two samples of one problem get different seeds, and order, batching, replica and restart change nothing.
        """
        digest = hashlib.sha256(f"{run_seed}|{self.label}".encode()).digest()
        return int.from_bytes(digest[:4], "big") & 0x7FFFFFFF


class Message(Record):
    """One turn of a chat prompt."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


class Sampling(Record):
    """How one case is sampled. Names are vLLM's; ``temperature`` 0 is greedy."""

    temperature: float = Field(default=0.7, ge=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    top_k: int = Field(default=0, ge=0, description="0 keeps every token.")
    min_p: float = Field(default=0.0, ge=0, le=1)
    presence_penalty: float = Field(default=0.0, ge=-2, le=2)
    repetition_penalty: float = Field(default=1.0, gt=0)
    max_tokens: int = Field(default=4096, ge=1, description="Answer tokens, thinking not counted.")
    thinking_tokens: int = Field(default=16384, ge=0, description="Cap on thinking tokens, where the model thinks.")
    seed: int = Field(default=0, ge=0)
    n_logprobs: int = Field(default=0, ge=0, le=20, description="Alternatives stored per generated token.")


class JsonConstraint(Record):
    """The response must be JSON that the schema allows."""

    kind: Literal["json"] = "json"
    json_schema: str = Field(description="A JSON schema, as text, so that equal constraints are equal values.")


class RegexConstraint(Record):
    """The whole response must match the pattern."""

    kind: Literal["regex"] = "regex"
    pattern: str


class GrammarConstraint(Record):
    """The whole response must be derived from a grammar in llguidance's Lark dialect."""

    kind: Literal["grammar"] = "grammar"
    grammar: str


Constraint = Annotated[JsonConstraint | RegexConstraint | GrammarConstraint, Field(discriminator="kind")]


class Case(Record):
    """One request to an engine."""

    key: Key
    messages: tuple[Message, ...]
    sampling: Sampling
    constraint: Constraint | None = None


Outcome = Literal["answered", "truncated", "truncated_thinking", "prompt_too_long", "bad_input", "failed"]
"""What became of a case.

    answered            the model stopped by itself (or a constraint was complete)
    truncated           the answer ran into ``max_tokens``; what there is of it is kept
    truncated_thinking  thinking never closed, so there is no answer
    prompt_too_long     the prompt leaves no room in the model's context; nothing was cut, nothing was generated
    bad_input           this case cannot be asked at all (an image that no encoder takes, say)
    failed              the engine raised for this case alone
"""

ThinkingEnd = Literal["none", "closed", "closed_by_budget", "unclosed"]


class TokenLogprob(Record):
    """One generated token with its log probability (natural log) and the most likely alternatives."""

    token: str
    logprob: float
    alternatives: dict[str, float] = Field(default_factory=dict)


class Response(Record):
    """What an engine gave back for one case."""

    key: Key
    outcome: Outcome
    text: str = Field(default="", description="The answer, thinking removed.")
    thinking: str = ""
    thinking_end: ThinkingEnd = "none"
    finish_reason: str | None = Field(default=None, description="The engine's own word: stop, length, ...")
    detail: str = Field(default="", description="Why, where the outcome is not ``answered``; notes on images.")
    n_prompt_tokens: int = Field(default=0, ge=0)
    n_cached_tokens: int = Field(default=0, ge=0, description="Prompt tokens served from the prefix cache.")
    n_thinking_tokens: int = Field(default=0, ge=0)
    n_answer_tokens: int = Field(default=0, ge=0)
    n_images: int = Field(default=0, ge=0)
    prompt_sha256: str = Field(default="", description="sha256 of the rendered prompt, as the engine saw it.")
    seconds: float = Field(default=0.0, ge=0, description="From hand-over to the engine until it finished.")
    logprobs: tuple[TokenLogprob, ...] = ()


# ---------------------------------------------------------------- values, comparisons, verdicts


ComparisonRule = Literal["", "one percent", "renamed"]
"""A convention that replaces the usual one.

    one percent  numbers are equal within 1 % of the reference (whole numbers only if they are the same), else different
    renamed      formulas are equal if some other naming of the candidate's symbols makes them so
"""


class ValueContext(Record):
    """What is known about a value besides its text; used to resolve ambiguous notation."""

    type: VariableType | None = None
    variable: str = ""
    description: str = ""
    question: str = ""
    rule: ComparisonRule = ""


ComparisonVerdict = Literal["equal", "different", "undecided"]


class Comparison(Record):
    """What equivalence says about a reference and a candidate."""

    verdict: ComparisonVerdict
    by: str = Field(description="Name of the rule that decided, or of what stopped it.")
    evidence: str = Field(description="One line a person can check.")
    reference_reading: str = ""
    candidate_reading: str = ""
    seconds: float = Field(default=0.0, ge=0)


class ComparedPair(Record):
    """A comparison as it is stored: under the label of the pair that was compared."""

    label: Sha256
    comparison: Comparison


ExtractionStatus = Literal[
    "stated", "absent", "contradictory", "ungrounded", "judge_invalid", "judge_truncated", "too_long", "no_answer"
]


class Extraction(Record):
    """The value of one variable as the response states it."""

    status: ExtractionStatus
    value: str | None = Field(default=None, description="The response's own words; None unless ``stated``.")
    unit: str | None = None
    quote: str = Field(default="", description="Where it stands in the response.")
    by: Literal["typography", "judge", "outcome"] = Field(
        default="outcome", description="Who found it: the response's own marks (a box, say), the judge, nobody."
    )


VerdictValue = Literal["correct", "incorrect", "undecided"]
Confidence = Literal["high", "medium", "low"]


UNPARSABLE, RENAMED = "unparsable", "renamed_symbols"
"""Reasons of verdicts that figures count: no statement that can be read; right if symbols may be renamed."""


class Verdict(Record):
    """What a grading says about one variable of one response."""

    key: Key = Field(description="The response's key.")
    grading: str
    variable: int = Field(ge=0, description="0-based position among the problem's variables.")
    verdict: VerdictValue
    by: Literal["equivalence", "judge", "outcome"] = Field(description="Who decided.")
    reason: str = Field(description="Name of the rule, the judge's outcome, or the response's outcome.")
    evidence: str = ""
    extraction: Extraction | None = None
    comparison: Comparison | None = None
    judge_reasoning: str = ""
    confidence: Confidence | None = None
    p_correct: float | None = Field(default=None, ge=0, le=1, description="Probability of the judge's verdict token.")
    score: float | None = Field(default=None, ge=0, le=1, description="Partial credit, where a grading gives any.")


# ---------------------------------------------------------------- the run


class FileDigest(Record):
    """One input file, so that a run can say exactly what it was made from."""

    path: str
    sha256: Sha256
    n_bytes: int = Field(ge=0)


class Manifest(Record):
    """What a run was made from. Written before the first case, never changed afterwards."""

    format_version: int = 1
    created: str = Field(description="UTC, ISO 8601.")
    cfe_local_version: str
    fingerprint: Sha256 = Field(description="sha256 over everything below that would change an answer.")
    settings: dict[str, str] = Field(description="What goes into the fingerprint, name to value, for messages.")
    shard: str = Field(default="", description="`i/n` where the run has only that part of its problems.")
    benchmark_files: tuple[FileDigest, ...]
    benchmark_name: str
    model_files: tuple[FileDigest, ...] = ()
    templates: dict[str, str] = Field(default_factory=dict, description="Prompt template name to sha256.")
    packages: dict[str, str] = Field(default_factory=dict)
    git_commit: str | None = None
    python: str = ""
    platform: str = ""
