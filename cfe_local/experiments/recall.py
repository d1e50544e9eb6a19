"""Does a model know a problem by heart? Two probes: the problem with other givens, and the rest of its text.

*Perturbed*: a numerical problem with a ``perturb`` block is asked as it is and with other givens. Who solves it loses
nothing; who recalls the answer does. *Continuation*: the first half of the question is given, and what the model writes
is compared with the second half, and with the second halves of other problems as chance.

Source: ARB (arXiv:2307.13692) keeps its data behind an interface and looks for recalled answers; both probes are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

import numpy as np
from pydantic import Field

from cfe_local.benchmarks.formulas import FormulaError
from cfe_local.errors import UsageError
from cfe_local.experiments.analysis import Analysis, AnalysisSection, AnalysisTable, Cell, Column, MainFigure
from cfe_local.experiments.asking import exam_messages
from cfe_local.experiments.base import Earlier, ExperimentRecords, Options, PlanSettings, Traits
from cfe_local.experiments.perturbation import Perturbed, perturbed
from cfe_local.metrics.accuracy import question_accuracy
from cfe_local.metrics.overlap import common_run, rouge_l, words_of
from cfe_local.metrics.paired import PairedDifference, paired_difference
from cfe_local.metrics.samples import GradedSample
from cfe_local.prompts.render import render, text_message
from cfe_local.records import Case, Key, Problem, TargetVariable

ORIGINAL, CONTINUATION = "original", "continuation"
PERTURBED = "perturbed-"
MIN_WORDS = 12
"""Of a question whose halves are worth comparing."""

TOKENS_PER_WORD = 4

RULE = (
    "Small whole givens grow by 1, 2 or 3, others by 20, 40 or 60 per cent, so that the answer moves by at least 3 per "
    "cent; the reference is computed again. A drop from original to perturbed is what recall would show; other numbers "
    "may also be harder. What was not decided counts as not right."
)
OVERLAP = (
    "ROUGE-L in [0, 1] between what the model writes after the first half of a question and the second half, cut to "
    "its length. Chance is the mean overlap with the second halves of all other problems."
)


class RecallOptions(Options):
    """Settings of the recall probe."""

    variants: int = Field(default=1, ge=1, le=10, description="Perturbed versions per problem.")
    continuation: bool = Field(default=True, description="Whether the text probe is made.")


class Recall:
    """Plans originals, perturbed versions and continuations."""

    name = "recall"
    traits = Traits(templates=("exam_system", "exam_continue"), options=RecallOptions)

    def plan(self, problems: Sequence[Problem], settings: PlanSettings, earlier: Earlier) -> Iterator[Case]:
        """Plan every condition of a problem next to the others.

        Raises:
            UsageError: If there is nothing to probe.
        """
        del earlier  # one round
        options = settings.options_as(RecallOptions)
        if not options.continuation and all(problem.perturb is None for problem in problems):
            raise UsageError(
                "no selected problem has a perturb block, and continuation is off\n"
                "Fix: select others, or --set experiment.options.continuation=true."
            )
        for problem in problems:
            for condition in _conditions(problem, options):
                for sample in range(settings.samples if condition != CONTINUATION else 1):
                    key = Key(
                        experiment=self.name, condition=condition, split=problem.split, row=problem.row, sample=sample
                    )
                    yield _case(problem, key, settings)

    def question(self, problem: Problem, key: Key) -> str:
        """The question as it was asked in this condition."""
        found = _variant(problem, key.condition)
        if found is None:
            return problem.question_text
        return "".join(part.text if part.kind == "text" else "<image>" for part in found.question)

    def targets(self, problem: Problem, key: Key) -> tuple[TargetVariable, ...]:
        """The answer, computed again where givens were changed; none for a continuation."""
        if key.condition == CONTINUATION:
            return ()
        found = _variant(problem, key.condition)
        return problem.variables if found is None else (found.target,)

    def analyse(self, records: ExperimentRecords) -> Analysis:
        """The paired gap between originals and perturbed versions, and the overlap with the rest of the text."""
        samples = records.samples
        rng = np.random.default_rng(records.settings.run_seed)
        asked = [s for s in samples if s.key.condition != CONTINUATION]
        sections = []
        figures: tuple[MainFigure, ...] = ()
        if asked:
            figures, section = _perturbed_section(asked, rng)
            sections.append(section)
        if len(asked) < len(samples):
            written = [s for s in samples if s.key.condition == CONTINUATION]
            sections.append(_continuation_section(records.problems, written, rng))
        return Analysis(experiment=self.name, grading=records.grading, main_figures=figures, sections=tuple(sections))


def _conditions(problem: Problem, options: RecallOptions) -> Iterator[str]:
    if problem.perturb is not None:
        yield ORIGINAL
        for variant in range(1, options.variants + 1):
            if _has_value(problem, f"{PERTURBED}{variant}"):
                yield f"{PERTURBED}{variant}"
    if options.continuation and _halves(problem) is not None:
        yield CONTINUATION


def _has_value(problem: Problem, condition: str) -> bool:
    try:
        return _variant(problem, condition) is not None
    except FormulaError:
        return False


def _variant(problem: Problem, condition: str) -> Perturbed | None:
    if problem.perturb is None or not condition.startswith(PERTURBED):
        return None
    return perturbed(problem, problem.perturb, int(condition.removeprefix(PERTURBED)))


def _case(problem: Problem, key: Key, settings: PlanSettings) -> Case:
    sampling = settings.sampling_for(key)
    if key.condition != CONTINUATION:
        found = _variant(problem, key.condition)
        return Case(key=key, messages=exam_messages(problem, found.question if found else None), sampling=sampling)
    first, second = _halves(problem) or ("", "")
    room = min(sampling.max_tokens, TOKENS_PER_WORD * len(words_of(second)))
    messages = (text_message("system", render("exam_continue")), text_message("user", first))
    greedy = sampling.model_copy(update={"temperature": 0.0, "max_tokens": max(1, room)})
    return Case(key=key, messages=messages, sampling=greedy)


def _halves(problem: Problem) -> tuple[str, str] | None:
    """The question's text, cut between two words in the middle; None where it is too short to say anything."""
    text = " ".join(part.text for part in problem.question if part.kind == "text").strip()
    pieces = text.split()
    if len(pieces) < MIN_WORDS:
        return None
    middle = len(pieces) // 2
    return " ".join(pieces[:middle]), " ".join(pieces[middle:])


# ---------------------------------------------------------------- analysis


def _is_right(sample: GradedSample) -> float:
    return float(sample.mark == "correct")


def _by_problem(samples: Sequence[GradedSample]) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for sample in samples:
        groups.setdefault(sample.problem.label, []).append(_is_right(sample))
    return {label: fmean(values) for label, values in groups.items()}


def _perturbed_section(
    samples: Sequence[GradedSample], rng: np.random.Generator
) -> tuple[tuple[MainFigure, ...], AnalysisSection]:
    original = [s for s in samples if s.key.condition == ORIGINAL]
    changed = [s for s in samples if s.key.condition != ORIGINAL]
    figures, rows = [], list[tuple[Cell, ...]]()
    for name, group in ((ORIGINAL, original), ("perturbed", changed)):
        accuracy = question_accuracy(group)
        share = accuracy.headline
        figures.append(MainFigure(name=name, share=share, explanation="samples right"))
        interval = (share.interval.low, share.interval.high) if share.interval else None
        rows.append((name, share.value, interval, len(group), accuracy.coverage.value))
    columns = (
        Column(name="givens"),
        Column(name="right", kind="share"),
        Column(name="95 %", kind="interval"),
        Column(name="samples", kind="count"),
        Column(name="decided", kind="share"),
    )
    before, after = _by_problem(original), _by_problem(changed)
    both = before.keys() & after.keys()
    gap = paired_difference({k: before[k] for k in both}, {k: after[k] for k in both}, rng=rng)
    tables = (
        AnalysisTable(name="recall-accuracy", columns=columns, rows=tuple(rows)),
        _gap_table("recall-gap", "Perturbed minus original, by problem", gap),
        _pairs_table(before, after),
    )
    section = AnalysisSection(anchor="perturbed", title="Other givens", notes=(RULE,), tables=tables)
    return tuple(figures), section


def _gap_table(name: str, caption: str, gap: PairedDifference) -> AnalysisTable:
    interval = (gap.interval.low, gap.interval.high) if gap.interval else None
    columns = (
        Column(name=""),
        Column(name="points", kind="points"),
        Column(name="95 %", kind="points_interval"),
        Column(name="p", kind="number"),
        Column(name="problems", kind="count"),
    )
    row: tuple[Cell, ...] = ("difference", gap.difference, interval, gap.p_value, gap.n_problems)
    return AnalysisTable(name=name, caption=caption, columns=columns, rows=(row,))


def _pairs_table(before: Mapping[str, float], after: Mapping[str, float]) -> AnalysisTable:
    rows: list[tuple[Cell, ...]] = [(label, value, after.get(label)) for label, value in before.items()]
    columns = (Column(name="problem"), Column(name="original", kind="share"), Column(name="perturbed", kind="share"))
    return AnalysisTable(name="recall-problems", caption="Problem by problem", columns=columns, rows=tuple(rows))


def _continuation_section(
    problems: Sequence[Problem], samples: Sequence[GradedSample], rng: np.random.Generator
) -> AnalysisSection:
    endings = {p.label: words_of(halves[1]) for p in problems if (halves := _halves(p)) is not None}
    own: dict[str, float] = {}
    chance: dict[str, float] = {}
    rows: list[tuple[Cell, ...]] = []
    for sample in samples:
        label = sample.problem.label
        written = words_of(sample.response.text) if sample.response is not None else []
        if not written:
            continue
        ending = endings[label]
        own[label] = rouge_l(ending, written[: len(ending)])
        others = [rouge_l(other, written[: len(other)]) for name, other in endings.items() if name != label]
        chance[label] = fmean(others) if others else 0.0
        rows.append((label, own[label], chance[label], common_run(ending, written), len(ending)))
    gap = paired_difference(chance, own, rng=rng)
    columns = (
        Column(name="problem"),
        Column(name="overlap", kind="share"),
        Column(name="chance", kind="share"),
        Column(name="longest run", kind="count"),
        Column(name="words", kind="count"),
    )
    mean: tuple[Cell, ...] = ("mean", *(fmean(d.values()) if d else None for d in (own, chance)), None, None)
    unread = len(samples) - len(own)
    notes = (OVERLAP, f"{unread} continuations are missing or empty.") if unread else (OVERLAP,)
    return AnalysisSection(
        anchor="continuation",
        title="The rest of the text",
        notes=notes,
        tables=(
            AnalysisTable(name="continuation-overlap", columns=columns, rows=(*rows, mean)),
            _gap_table("continuation-gap", "Overlap minus chance, by problem", gap),
        ),
    )
