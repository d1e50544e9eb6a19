"""Problems that anyone can write down: the plain format's record, what can be wrong with one, the `Problem` it makes.

ARB's records are turned into this form first (arb.py), so that both formats obey the same rules.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, JsonValue, ValidationError

from cfe_local.benchmarks.cfe import image_part, interleave
from cfe_local.benchmarks.formulas import FormulaError, formula_value
from cfe_local.benchmarks.images import MissingImageError
from cfe_local.benchmarks.repair import Repairer
from cfe_local.errors import BenchmarkError
from cfe_local.records import (
    RUBRIC_POINTS,
    ImagePart,
    Perturbation,
    Problem,
    ProblemKind,
    Record,
    RubricItem,
    Step,
    TargetVariable,
    VariableType,
)

MAX_OPTIONS = 26
"""One letter each."""

ANSWER_TYPES: Mapping[ProblemKind, VariableType] = {
    "multiple_choice": "other",
    "numerical": "numeric",
    "symbolic": "formula",
}


class WrittenStep(Record):
    """One step of a reasoning flow."""

    question: str = Field(min_length=1)
    answer: str | float | bool


class WrittenProblem(Record):
    """One problem of the plain format: a line of ``problems.jsonl``."""

    id: str = Field(min_length=1, description="A label; rows are told apart by their position.")
    kind: ProblemKind
    question: str = Field(min_length=1, description="Text; <image> marks the place of each image.")
    images: tuple[str, ...] = Field(default=(), description="Paths relative to the file's folder.")
    options: tuple[str, ...] = Field(default=(), description="Of multiple_choice, at least two; the first one is A.")
    answer: str | float | tuple[str | float, ...] | None = Field(
        default=None,
        description="multiple_choice: a letter; numerical, symbolic: one or several values; proof, variables: none.",
    )
    variables: tuple[TargetVariable, ...] = Field(default=(), description="Of kind variables, at least one.")
    solution: str = Field(default="", description="The reference solution; proofs need one.")
    steps: tuple[WrittenStep, ...] = ()
    answer_format: str = Field(default="", description="Said to the model about the form of its answer.")
    rubric: tuple[RubricItem, ...] = Field(default=(), description="Items whose points sum to 10, or none.")
    perturb: Perturbation | None = None
    topic: str | None = None
    source: str | None = None
    licence: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that makes a record unusable; ``field`` is in the words of the record's own format."""

    code: str
    field: str
    message: str


def read_written(tree: Mapping[str, JsonValue], names: Mapping[str, str]) -> WrittenProblem | tuple[Fault, ...]:
    """Make a record of a plain tree.

    Args:
        tree: Fields under the plain format's names.
        names: What the record's own format calls a field, where that differs.

    Returns:
        The record, or every fault of it.
    """
    try:
        found = WrittenProblem.model_validate(dict(tree))
    except ValidationError as error:
        return tuple(_shape_fault(problem, names) for problem in error.errors())
    faults = tuple(
        Fault(fault.code, names.get(fault.field, fault.field), fault.message) for fault in written_faults(found)
    )
    return faults or found


def _shape_fault(problem: Any, names: Mapping[str, str]) -> Fault:
    first, *rest = problem["loc"] or ("record",)
    place = ".".join([names.get(str(first), str(first)), *map(str, rest)])
    code = {"extra_forbidden": "unknown_field", "missing": "field_missing"}.get(problem["type"], "wrong_shape")
    if first == "kind" and problem["type"] == "literal_error":
        code = "unknown_kind"
    got = "" if problem["type"] == "missing" else f" (got {ascii(problem['input'])[:60]})"
    return Fault(code, place, problem["msg"] + got)


def written_faults(record: WrittenProblem) -> Iterator[Fault]:
    """What the schema cannot say."""
    yield from _answer_faults(record)
    yield from _rubric_faults(record)
    if record.perturb is not None:
        yield from _perturb_faults(record, record.perturb)


def answers(record: WrittenProblem) -> tuple[str, ...]:
    """The record's answers as texts, numbers as they are written shortest."""
    if record.answer is None:
        return ()
    values = record.answer if isinstance(record.answer, tuple) else (record.answer,)
    return tuple(value if isinstance(value, str) else f"{value:.15g}" for value in values)


def _answer_faults(record: WrittenProblem) -> Iterator[Fault]:
    given = answers(record)
    if record.kind in ("proof", "variables"):
        if given:
            yield Fault("answer_unwanted", "answer", f"a problem of kind {record.kind} has none")
        if record.kind == "variables" and not record.variables:
            yield Fault("variables_missing", "variables", "a problem of kind variables has at least one")
        if record.kind == "proof" and not record.solution.strip():
            yield Fault("solution_missing", "solution", "a proof is graded against its reference solution")
    elif not given or not all(value.strip() for value in given):
        yield Fault("answer_missing", "answer", f"a problem of kind {record.kind} has an answer")
    if record.variables and record.kind != "variables":
        yield Fault("variables_unwanted", "variables", f"a problem of kind {record.kind} has none")
    if any(not math.isfinite(value) for value in _numbers(record)):
        yield Fault("wrong_shape", "answer", "must be finite")
    yield from _option_faults(record, given)


def _numbers(record: WrittenProblem) -> list[float]:
    values = record.answer if isinstance(record.answer, tuple) else (record.answer,)
    return [value for value in values if isinstance(value, float)]


def _option_faults(record: WrittenProblem, given: Sequence[str]) -> Iterator[Fault]:
    if record.kind != "multiple_choice":
        if record.options:
            yield Fault("options_unwanted", "options", f"a problem of kind {record.kind} has none")
        return
    n_options = len(record.options)
    if not 2 <= n_options <= MAX_OPTIONS:
        yield Fault("options_missing", "options", f"needs 2 to {MAX_OPTIONS} options, has {n_options}")
        return
    folded = [" ".join(option.split()).casefold() for option in record.options]
    if len(set(folded)) < n_options or "" in folded:
        yield Fault("options_alike", "options", "two options say the same, or one says nothing")
    letters = [chr(ord("A") + position) for position in range(n_options)]
    if given and (len(given) > 1 or given[0].strip() not in letters):
        yield Fault("answer_is_no_option", "answer", f"must be one of {', '.join(letters)}, got {ascii(given)[:60]}")


def _rubric_faults(record: WrittenProblem) -> Iterator[Fault]:
    total = sum(item.points for item in record.rubric)
    if record.rubric and total != RUBRIC_POINTS:
        yield Fault("rubric_sum", "rubric", f"the points sum to {total}, not to {RUBRIC_POINTS}")
    solution = _without_blanks(record.solution)
    for position, item in enumerate(record.rubric):
        if _without_blanks(item.solution_excerpt) not in solution:
            message = "these words do not stand in the reference solution"
            yield Fault("rubric_place", f"rubric[{position}].solution_excerpt", message)


def _perturb_faults(record: WrittenProblem, perturb: Perturbation) -> Iterator[Fault]:
    if record.kind != "numerical" or len(answers(record)) != 1:
        yield Fault("perturb_unwanted", "perturb", "only a numerical problem with one answer can be perturbed")
    named = set(PLACE.findall(perturb.template))
    if missing := sorted(perturb.givens.keys() - named):
        yield Fault("perturb_template", "perturb.template", f"has no place for {', '.join(missing)}")
    if not _is_filled(perturb, record.question):
        yield Fault("perturb_template", "perturb.template", "with the givens filled in, it is not the question")
    try:
        value = formula_value(perturb.formula, perturb.givens)
    except FormulaError as error:
        yield Fault("perturb_formula", "perturb.formula", str(error))
        return
    stated = _plain_number(answers(record)[0]) if len(answers(record)) == 1 else None
    if stated is not None and abs(value - stated) > PERTURB_TOLERANCE * abs(stated):
        yield Fault("perturb_formula", "perturb.formula", f"gives {value:.6g}, the answer is {stated:.6g}")


PERTURB_TOLERANCE = 0.01
"""As for answers: the formula at the problem's own givens must be right by the rule that grades it."""


def _plain_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")
NUMBER = r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"


def _is_filled(perturb: Perturbation, question: str) -> bool:
    """Whether the question is the template with each given at its place, however its number is written."""
    names: list[str] = []
    pattern = ""
    for position, piece in enumerate(PLACE.split(perturb.template)):
        # re.split with one group alternates: text, name, text, ...
        if position % 2 and piece in perturb.givens:
            names.append(piece)
            pattern += NUMBER
        else:
            pattern += re.escape(_without_blanks("{" + piece + "}" if position % 2 else piece))
    match = re.fullmatch(pattern, _without_blanks(question))
    if match is None:
        return False
    return all(float(text) == perturb.givens[name] for name, text in zip(names, match.groups(), strict=True))


def filled_template(template: str, values: Mapping[str, str]) -> str:
    """A template with its ``{name}`` places filled in; braces around anything else are LaTeX and stay."""
    return PLACE.sub(lambda match: values.get(match[1], match[0]), template)


def _without_blanks(text: str) -> str:
    return re.sub(r"\s+", "", text)


def find_images(folder: Path, record: WrittenProblem) -> tuple[list[ImagePart], tuple[Fault, ...]]:
    """The record's images, and a fault for each that cannot be used."""
    found: list[ImagePart] = []
    faults: list[Fault] = []
    for position, name in enumerate(record.images):
        try:
            found.append(image_part(folder, name))
        except BenchmarkError as error:
            code = "missing_image" if isinstance(error, MissingImageError) else "unusable_image"
            faults.append(Fault(code, f"images[{position}]", str(error).splitlines()[0]))
    return found, tuple(faults)


def build_written(record: WrittenProblem, split: str, row: int, images: Sequence[ImagePart]) -> Problem:
    """The problem that a record without faults describes; damaged LaTeX is repaired and the repairs are noted."""
    mend = Repairer()
    options = tuple(mend(f"options[{position}]", option) for position, option in enumerate(record.options))
    return Problem(
        split=split,
        row=row,
        problem_id=record.id,
        question=interleave(mend("question", record.question), images),
        solution=mend("solution", record.solution),
        variables=record.variables or _targets(record, mend),
        steps=tuple(
            Step(step_id=number, question=step.question, answer=step.answer)
            for number, step in enumerate(record.steps, start=1)
        ),
        topic=record.topic,
        source=record.source,
        licence=record.licence,
        kind=record.kind,
        options=options,
        answer_format=mend("answer_format", record.answer_format),
        rubric=record.rubric,
        perturb=record.perturb,
        repairs=tuple(mend.repairs),
    )


def _targets(record: WrittenProblem, mend: Repairer) -> tuple[TargetVariable, ...]:
    if record.kind not in ANSWER_TYPES:
        return ()
    given = answers(record)
    targets = []
    for position, value in enumerate(given):
        numbered = len(given) > 1
        name = f"answer_{position + 1}" if numbered else "answer"
        description = record.answer_format or (f"result {position + 1} of {len(given)}" if numbered else "the result")
        if record.kind == "multiple_choice":
            description = "the letter of the right option"
        text = mend(f"answer[{position}]", value.strip())
        targets.append(TargetVariable(name=name, description=description, value=text, type=ANSWER_TYPES[record.kind]))
    return tuple(targets)
