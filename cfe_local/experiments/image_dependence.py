"""Are the images needed? The problems with images are asked again without them.

With ``--from`` an exam, that exam is the other side of the pair; without, the problems are asked with images here too.

Source: CFE-Bench (arXiv:2602.19517) drops problems that can be solved without their image; the experiment is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cfe_local.errors import UsageError
from cfe_local.experiments.analysis import Analysis, AnalysisSection, AnalysisTable, Cell, Column, MainFigure
from cfe_local.experiments.base import Earlier, ExperimentRecords, Options, PlanSettings, Traits
from cfe_local.experiments.baseline import selection_section
from cfe_local.experiments.pairing import METHOD, paired_columns, paired_row
from cfe_local.experiments.progress import DIAGNOSTIC_SAMPLES
from cfe_local.experiments.selection import Chosen, Row, Which, baselines, choose, exam_behind
from cfe_local.metrics.accuracy import question_accuracy
from cfe_local.metrics.samples import GradedSample
from cfe_local.prompts.render import render, text_message
from cfe_local.records import Case, Key, Message, Problem, TargetVariable

WITH_IMAGES, WITHOUT_IMAGES = "with-images", "without-images"
SOLVED = 0.5
"""From this share of right samples on a problem counts as answered."""


class ImageOptions(Options):
    """Settings of image dependence."""

    problems: Which = "all"


class ImageDependence:
    """Plans each problem that has images without them, and with them where no exam says how it goes."""

    name = "image_dependence"
    traits = Traits(templates=("exam_system",), options=ImageOptions, samples=DIAGNOSTIC_SAMPLES, source="optional")

    def plan(self, problems: Sequence[Problem], settings: PlanSettings, earlier: Earlier) -> Iterator[Case]:
        """All samples of a problem next to each other, so that they share its prompt in the prefix cache."""
        del earlier  # one round
        asked_there = baselines(settings.source)
        for problem in _chosen(problems, settings).problems:
            for condition in (WITH_IMAGES, WITHOUT_IMAGES):
                if condition == WITH_IMAGES and (problem.split, problem.row) in asked_there:
                    continue
                messages = _messages(problem, condition)
                for sample in range(settings.samples):
                    key = Key(
                        experiment=self.name, condition=condition, split=problem.split, row=problem.row, sample=sample
                    )
                    yield Case(key=key, messages=messages, sampling=settings.sampling_for(key))

    def question(self, problem: Problem, key: Key) -> str:
        """The problem's own question."""
        del key
        return problem.question_text

    def targets(self, problem: Problem, key: Key) -> tuple[TargetVariable, ...]:
        """The problem's own target variables."""
        del key
        return problem.variables

    def analyse(self, records: ExperimentRecords) -> Analysis:
        """Both sides paired by problem, and the problems that are answered without their images."""
        settings, chosen = records.settings, _chosen(records.problems, records.settings)
        sides = {c: [s for s in records.samples if s.key.condition == c] for c in (WITH_IMAGES, WITHOUT_IMAGES)}
        before = {row: found.share for row, found in baselines(settings.source).items()}
        seen = {**before, **_shares(sides[WITH_IMAGES])}
        blind = _shares(sides[WITHOUT_IMAGES])
        by_row = {(problem.split, problem.row): problem for problem in chosen.problems}
        figure = MainFigure(
            name="right without images",
            share=question_accuracy(sides[WITHOUT_IMAGES]).headline,
            explanation="samples with every variable right",
        )
        return Analysis(
            experiment=self.name,
            grading=records.grading,
            main_figures=(figure,),
            sections=(
                _pair_section(seen, blind, by_row, settings),
                _problems_section(seen, blind, by_row),
                selection_section(chosen, settings.source),
            ),
        )


def _chosen(problems: Sequence[Problem], settings: PlanSettings) -> Chosen:
    with_images = [p for p in problems if any(part.kind == "image" for part in p.question)]
    if not with_images:
        raise UsageError(
            f"none of the {len(problems)} selected problems has an image\nFix: select others, for example --split mm."
        )
    return choose(with_images, settings.source, settings.options_as(ImageOptions).problems)


def _messages(problem: Problem, condition: str) -> tuple[Message, ...]:
    parts = tuple(part for part in problem.question if condition == WITH_IMAGES or part.kind == "text")
    return (text_message("system", render("exam_system")), Message(role="user", parts=parts))


def _shares(samples: Sequence[GradedSample]) -> dict[Row, float]:
    marks: dict[Row, list[bool]] = {}
    for sample in samples:
        marks.setdefault((sample.key.split, sample.key.row), []).append(sample.mark == "correct")
    return {row: sum(found) / len(found) for row, found in marks.items()}


def _pair_section(
    seen: Mapping[Row, float], blind: Mapping[Row, float], by_row: Mapping[Row, Problem], settings: PlanSettings
) -> AnalysisSection:
    ids = {row: problem.problem_id for row, problem in by_row.items()}
    groups: dict[str, dict[Row, float]] = {"all": dict(blind)}
    for row, share in blind.items():
        groups.setdefault(by_row[row].topic or "(no topic)", {})[row] = share
    found = [
        paired_row(name, seen, shares, ids, seed=(settings.run_seed, number))
        for number, (name, shares) in enumerate(groups.items())
        if name == "all" or len(groups) > 2
    ]
    exam = exam_behind(settings.source)
    origin = f"With images: the exam of {exam.model}, grading {exam.grading}. " if exam is not None else ""
    table = AnalysisTable(
        name="with-and-without",
        caption="With and without images",
        columns=paired_columns("with images", "without"),
        rows=tuple(row for row in found if row is not None),
    )
    return AnalysisSection(anchor="pairs", title="With and without images", notes=(origin + METHOD,), tables=(table,))


def _problems_section(
    seen: Mapping[Row, float], blind: Mapping[Row, float], by_row: Mapping[Row, Problem]
) -> AnalysisSection:
    cells = {(a, b): 0 for a in (True, False) for b in (True, False)}
    rows: list[tuple[Cell, ...]] = []
    for row, share in blind.items():
        cells[seen.get(row, 0.0) >= SOLVED, share >= SOLVED] += 1
        if share >= SOLVED:
            rows.append((by_row[row].label, by_row[row].topic, seen.get(row), share))
    counts = AnalysisTable(
        name="counts",
        caption="Problems answered (half of the samples or more)",
        columns=(
            Column(name=""),
            Column(name="without images", kind="count"),
            Column(name="not without", kind="count"),
        ),
        rows=(
            ("answered with images", cells[True, True], cells[True, False]),
            ("not answered with images", cells[False, True], cells[False, False]),
        ),
    )
    each = AnalysisTable(
        name="answered-anyway",
        caption="Answered without their images",
        columns=(
            Column(name="problem"),
            Column(name="topic"),
            Column(name="with images", kind="share"),
            Column(name="without", kind="share"),
        ),
        rows=tuple(rows),
    )
    note = (
        "An answer without the image can come from the text, from options that it offers, from luck, or from having "
        "seen the problem before."
    )
    return AnalysisSection(
        anchor="anyway", title="Answered anyway", notes=(note,), tables=(counts, each) if rows else (counts,)
    )
