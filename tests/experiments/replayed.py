"""Diagnostics over the sample benchmark with answers made by a rule, so that every figure is known.

``records`` and ``analysis`` make what an analysis is given without any engine; ``settings`` makes a run by replay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from cfe_local import equivalent
from cfe_local.benchmarks.cfe import SAMPLE_PATH, load_cfe, select
from cfe_local.config import RunConfig, SelectionConfig, load_run_config
from cfe_local.experiments.analysis import Analysis, AnalysisTable, Cell
from cfe_local.experiments.base import Comparing, Earlier, ExperimentRecords, PlanSettings
from cfe_local.experiments.source import SourceRun, SourceSample
from cfe_local.metrics.samples import GradedSample, join_samples
from cfe_local.pipeline.tables import EXPERIMENTS
from cfe_local.records import Key, Problem, Response, Sampling, Verdict, VerdictValue

ROWS = ("text:0", "text:2", "text:6")
"""Flows of 4, 3 and 4 steps; the answers are 72, Na and uracil."""

Rule = Callable[[Key], bool | None]
"""Whether the answer under a key is right; None for undecided."""


def problems(rows: Sequence[str] = ROWS) -> tuple[Problem, ...]:
    """Problems of the sample benchmark."""
    return select(load_cfe(SAMPLE_PATH).problems, SelectionConfig(rows=tuple(rows)))


def records(  # noqa: PLR0913 - a test says what it changes
    experiment: str,
    rule: Rule,
    *,
    rows: Sequence[str] = ROWS,
    samples: int = 2,
    options: Mapping[str, object] | None = None,
    source: SourceRun | None = None,
    said: Callable[[Key], str] = lambda key: "",
) -> ExperimentRecords:
    """What the analysis of an experiment is given when its answers are as the rules say."""
    planned, chosen = EXPERIMENTS[experiment], problems(rows)
    settings = PlanSettings(
        sampling=Sampling(),
        samples=samples,
        run_seed=0,
        options=planned.traits.options.model_validate(options or {}),
        source=source,
    )
    graded = _graded(experiment, rule, said, settings, chosen)
    found = ExperimentRecords(chosen, graded, settings, "s2s")
    if not isinstance(planned, Comparing):
        return found
    pairs = planned.pairs(found)
    compared = {pair.label: equivalent(pair.reference, pair.candidate, pair.context) for pair in pairs}
    return ExperimentRecords(chosen, graded, settings, "s2s", compared)


def analysis(experiment: str, rule: Rule, **arguments: object) -> Analysis:
    """The experiment's analysis of `records`."""
    planned = EXPERIMENTS[experiment]
    found: Analysis = planned.analyse(records(experiment, rule, **arguments))  # type: ignore[attr-defined, arg-type]
    return found


def source_of(made: ExperimentRecords, *, origin: SourceRun | None = None) -> SourceRun:
    """Records of one experiment as the run that another one starts from."""
    samples = tuple(
        SourceSample(
            key=sample.key,
            mark=sample.mark,
            outcome=sample.response.outcome if sample.response else None,
            text=sample.response.text if sample.response else "",
        )
        for sample in made.samples
    )
    name = made.samples[0].key.experiment
    return SourceRun(experiment=name, fingerprint="0" * 64, grading="s2s", model="m", samples=samples, origin=origin)


def _graded(
    experiment: str, rule: Rule, said: Callable[[Key], str], settings: PlanSettings, chosen: Sequence[Problem]
) -> Sequence[GradedSample]:
    planned = EXPERIMENTS[experiment]
    keys = [case.key for case in planned.plan(chosen, settings, Earlier())]
    by_row = {(problem.split, problem.row): problem for problem in chosen}
    responses, verdicts = [], []
    for key in keys:
        right = rule(key)
        mark: VerdictValue = "undecided" if right is None else "correct" if right else "incorrect"
        responses.append(Response(key=key, outcome="answered", text=said(key) or mark))
        for variable in range(len(planned.targets(by_row[key.split, key.row], key))):
            verdicts.append(
                Verdict(key=key, grading="s2s", variable=variable, verdict=mark, by="judge", reason="made by rule")
            )
    return join_samples(chosen, keys, responses, verdicts, grading="s2s", targets=planned.targets)


def table(found: Analysis, name: str) -> AnalysisTable:
    """One table by its name."""
    return next(one for one in found.tables if one.name == name)


def cells(row: tuple[Cell, ...], start: int, stop: int) -> list[object]:
    """Some cells of a row."""
    return list(row[start:stop])


def near(*expected: object) -> list[object]:
    """What cells are to be, numbers to within rounding."""
    return [pytest.approx(cell) if isinstance(cell, float | tuple) else cell for cell in expected]


def heights(found: Analysis, plot: str) -> dict[str, list[tuple[float, float]]]:
    """Curves of one plot: name to (x, y)."""
    wanted = next(one for one in found.plots if one.name == plot)
    return {curve.name: [(point.x, point.y) for point in curve.points] for curve in wanted.curves}


def notes(found: Analysis) -> str:
    """All notes of an analysis."""
    return "\n".join(note for section in found.sections for note in section.notes)


# ---------------------------------------------------------------- whole runs by replay

SAID = {0: ("72", "55"), 1: ("$3x^2 - 4$", "$3x^2 + 4$"), 7: ("$(5, 1, 5)$", "$(5, 1, 6)$")}
"""Right and wrong final answers that equivalence decides, by row of the sample's text split."""


def settings(
    folder: Path, experiment: str, rule: Rule, changes: Mapping[str, object] | None = None, *, samples: int = 2
) -> RunConfig:
    """Write answers to everything that the experiment may plan, and give the configuration that replays them."""
    rows = tuple(f"text:{row}" for row in SAID)
    planned = EXPERIMENTS[experiment]
    plan = PlanSettings(sampling=Sampling(), samples=samples, run_seed=0, options=planned.traits.options())
    keys = [case.key for case in planned.plan(problems(rows), plan, Earlier())]
    lines = [
        Response(key=key, outcome="answered", text=f"Answer: {SAID[key.row][not rule(key)]}").model_dump_json() + "\n"
        for key in keys
    ]
    answers, judge = folder / f"{experiment}-answers.jsonl", folder / "judge.jsonl"
    answers.write_text("".join(lines), encoding="utf-8")
    judge.write_text('{"split": "text", "row": 0, "text": "unused"}\n', encoding="utf-8")
    values: dict[str, object] = {
        "benchmark.path": "sample",
        "model.path": str(answers),
        "model.engine": "replay",
        "model.name": "replayed",
        "judge.path": str(judge),
        "judge.engine": "replay",
        "selection.rows": rows,
        "experiment.name": experiment,
        "experiment.samples": samples,
        "out": folder / experiment,
    }
    return load_run_config(None, values=values | dict(changes or {}))
