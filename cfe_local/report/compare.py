"""A comparison of runs as a Report: who scored what on the common problems, which differences show, and where they are.

Not here: reading runs, and whether they may be compared (``pipeline.compare``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cfe_local.metrics.comparison import CommonRows, PairComparison
from cfe_local.metrics.effort import response_effort
from cfe_local.metrics.exam import Figures
from cfe_local.metrics.paired import smallest_difference_of_pairs
from cfe_local.metrics.samples import GradedSample
from cfe_local.metrics.summary import figures
from cfe_local.report.build import READING, SCORE_COLUMNS, interval_mark, score_row
from cfe_local.report.characters import shortened
from cfe_local.report.facts import HASH_LENGTH, RunFacts, judge_line
from cfe_local.report.model import (
    Headline,
    IntervalChart,
    Report,
    Row,
    Scatter,
    ScatterPoint,
    Section,
    Table,
)
from cfe_local.report.numbers import DASH, count, percent

NAME = 40
"""Characters of a run's name where there is little room."""

CHART_NAME = 34
"""Characters of a run's name in a chart."""

N_CARDS = 6
"""Runs whose figures stand at the top of the page; the table has all."""

DISCORDANT_SHARES = (0.05, 0.1, 0.2, 0.4)
"""Shares of problems on which two runs differ, for the table of what can be shown at all."""

SIGNS = {"correct": "✓", "incorrect": "✗", "undecided": "?"}

PAIR_COLUMNS = ("runs", "difference", "95 %", "p", "Holm", "shows from")


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run in a comparison.

    Attributes:
        name: Unique among the runs.
        folder: Where it lies, for the reader.
        grading: Name of the grading that counts.
        n_planned: Samples of the whole run, common or not.
        model_bytes: Size of the model's weight files; None where the run has none.
    """

    name: str
    folder: str
    grading: str
    facts: RunFacts
    n_planned: int
    model_bytes: int | None


def build_comparison(
    runs: Sequence[ComparedRun],
    common: CommonRows,
    pairs: Sequence[PairComparison],
    *,
    warnings: Sequence[str] = (),
) -> Report:
    """The report of a comparison.

    Args:
        runs: In the order in which they were named.
        common: Their samples on the rows that count, in the same order.
        pairs: From `compare_pairs`, positions in the same order.
        warnings: What a reader must know first; differences that were allowed, with their reason.
    """
    runs = [replace(run, name=f"{i}: {run.name}") for i, run in enumerate(runs, start=1)]
    scores = [figures(run.name, samples, ()) for run, samples in zip(runs, common.runs, strict=True)]
    best_first = sorted(range(len(runs)), key=lambda i: -(scores[i].question_accuracy.headline.value or 0.0))
    sections = [
        _scores_section([scores[i] for i in best_first], common),
        _splits_section(runs, common, best_first),
        _pairs_section(pairs, common),
        _cost_section(runs, common.runs),
        _where_section(runs, common),
        _runs_section(runs),
    ]
    benchmark = runs[0].facts.manifest.benchmark_name
    return Report(
        title=f"{len(runs)} runs on {benchmark}",
        subtitle=f"{len(common.rows)} common problems; grading: {', '.join(dict.fromkeys(r.grading for r in runs))}; "
        f"judge: {', '.join(dict.fromkeys(judge_line(r.facts) for r in runs))}",
        headlines=tuple(
            Headline(_brief(scores[i].name), scores[i].question_accuracy.headline, "question accuracy")
            for i in best_first[:N_CARDS]
        ),
        warnings=tuple(warnings),
        sections=tuple(section for section in sections if section is not None),
    )


def _scores_section(scores: Sequence[Figures], common: CommonRows) -> Section:
    n_copies = common.n_common - len(common.rows)
    notes = [READING, f"Over the {len(common.rows)} problems that every run planned."]
    if n_copies:
        notes.append(f"{n_copies} later copies of problems that the benchmark holds twice are left out.")
    if common.n_other_problem:
        notes.append(f"{common.n_other_problem} rows are left out: another problem stands there in another run.")
    marks = tuple(interval_mark(_brief(one.name, CHART_NAME), one.question_accuracy) for one in scores)
    return Section(
        anchor="scores",
        title="Scores",
        notes=tuple(notes),
        tables=(Table(columns=SCORE_COLUMNS, rows=tuple(score_row(one.name, one) for one in scores)),),
        charts=(IntervalChart("Question accuracy, per cent, with 95 % intervals", marks),),
    )


def _splits_section(runs: Sequence[ComparedRun], common: CommonRows, order: Sequence[int]) -> Section | None:
    splits = list(dict.fromkeys(split for split, _ in common.rows))
    if len(splits) < 2:
        return None
    tables = []
    for split in splits:
        parts = [figures(runs[i].name, [s for s in common.runs[i] if s.problem.split == split], ()) for i in order]
        rows = tuple(score_row(part.name, part) for part in parts)
        tables.append(Table(columns=SCORE_COLUMNS, rows=rows, caption=split))
    return Section(anchor="splits", title="By split", tables=tuple(tables), brief=False)


def _pairs_section(pairs: Sequence[PairComparison], common: CommonRows) -> Section:
    by_mcnemar = all(pair.mcnemar is not None for pair in pairs)
    question = [_question_row(pair) for pair in pairs]
    variable = [_variable_row(pair) for pair in pairs]
    notes = [
        "2 − 1 is run 2 minus run 1, numbered as above, in percentage points over the common problems; its interval is "
        "a BCa bootstrap over problems, all samples of a problem together.",
        "p of question accuracy is the exact McNemar test on the problems that only one of the two has right."
        if by_mcnemar
        else "p of question accuracy comes from random sign flips of the problems' differences: McNemar's test needs "
        "exactly one sample per problem.",
        "p of variable accuracy comes from random sign flips. Holm adjusts each of the two tables for all its pairs; "
        "the intervals are for one pair each. Where a test and its interval disagree, the test decides.",
        "Shows from: the smallest true difference that these problems would show at p < 0.05 in four of five repeats, "
        "given how often or how far the two runs differ; a dash where even a wholly one-sided disagreement would not "
        "show. A difference below it that is not significant is no evidence of equality.",
    ]
    columns = (*PAIR_COLUMNS, "only left", "only right") if by_mcnemar else PAIR_COLUMNS
    tables = [
        Table(columns=columns, rows=tuple(question), caption="Question accuracy"),
        Table(columns=PAIR_COLUMNS, rows=tuple(variable), caption="Variable accuracy"),
    ]
    if by_mcnemar:
        tables.append(_sensitivity_table(len(common.rows)))
    return Section(anchor="differences", title="Differences", notes=tuple(notes), tables=tuple(tables))


def _question_row(pair: PairComparison) -> Row:
    difference = pair.question
    cells = (
        _pair_name(pair),
        _points(difference.difference),
        _bounds(pair, "question"),
        _p(pair.question_p),
        _p(pair.question_p_holm),
        percent(pair.smallest_question),
    )
    found = pair.mcnemar
    return Row((*cells, str(found.only_second), str(found.only_first)) if found else cells)


def _variable_row(pair: PairComparison) -> Row:
    return Row(
        (
            _pair_name(pair),
            _points(pair.variable.difference),
            _bounds(pair, "variable"),
            _p(pair.variable.p_value),
            _p(pair.variable_p_holm),
            percent(pair.smallest_variable),
        )
    )


def _pair_name(pair: PairComparison) -> str:
    """Numbers, since two names do not fit into a cell."""
    return f"{pair.second + 1} − {pair.first + 1}"


def _bounds(pair: PairComparison, figure: str) -> str:
    found = pair.question.interval if figure == "question" else pair.variable.interval
    return DASH if found is None else f"{_points(found.low)} to {_points(found.high)}"


def _brief(name: str, limit: int = NAME) -> str:
    return name if len(name) <= limit else f"{name[: limit - 1]}…"


def _points(difference: float | None) -> str:
    """A signed difference in percentage points; an exact 0 has no sign."""
    if difference is None:
        return DASH
    text = f"{100 * difference:+.1f}".replace("-", "−")
    return "0.0" if text[1:] == "0.0" else text


def _p(value: float | None) -> str:
    if value is None:
        return DASH
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _sensitivity_table(n_problems: int) -> Table:
    rows = []
    for share in DISCORDANT_SHARES:
        found = smallest_difference_of_pairs(n_problems, discordant=share) if n_problems else None
        rows.append(Row((f"{100 * share:.0f} % of problems", percent(found))))
    return Table(
        columns=("if two runs differ on", "shows from, points"),
        rows=tuple(rows),
        caption=f"What {n_problems} problems can show in question accuracy",
    )


def _cost_section(runs: Sequence[ComparedRun], samples: Sequence[Sequence[GradedSample]]) -> Section:
    rows, by_tokens, by_size = [], [], []
    for run, own in zip(runs, samples, strict=True):
        scores = figures(run.name, own, ())
        effort = response_effort([s.response for s in own if s.response is not None])
        thinking, answer = effort.thinking_tokens.mean, effort.answer_tokens.mean
        tokens = None if thinking is None or answer is None else thinking + answer
        n_truncated = sum(sample.is_truncated for sample in own)
        size = DASH if run.model_bytes is None else f"{run.model_bytes / 1e9:.2f}"
        cells = (count(tokens), count(thinking), count(effort.prompt_tokens.mean), f"{n_truncated}/{len(own)}", size)
        rows.append(Row((_brief(run.name), percent(scores.question_accuracy.headline.value), *cells)))
        if tokens:
            by_tokens.append(_scatter_point(scores, tokens, series=_model(run)))
        if run.model_bytes:
            by_size.append(_scatter_point(scores, run.model_bytes / 1e9))
    charts = [
        Scatter(f"Question accuracy, per cent, against {what}", axis, tuple(points))
        for what, axis, points in (
            ("generated tokens", "tokens per response, mean", by_tokens),
            ("model size", "weight files, GB", by_size),
        )
        if len(points) > 1
    ]
    columns = ("", "QA", "tokens/response", "of them thinking", "prompt tokens", "truncated", "weights, GB")
    return Section(
        anchor="cost",
        title="Accuracy against cost",
        notes=(
            "Tokens are means over the responses that generated anything, thinking included. A line joins runs of one "
            "model.",
        ),
        tables=(Table(columns=columns, rows=tuple(rows)),),
        charts=tuple(charts),
    )


def _model(run: ComparedRun) -> str:
    """What tells models apart whatever they are called: their files, or where they lie."""
    files = run.facts.manifest.model_files
    return " ".join(sorted(file.sha256 for file in files)) or str(run.facts.config.model.path)


def _scatter_point(scores: Figures, x: float, *, series: str = "") -> ScatterPoint:
    share = scores.question_accuracy.headline
    low, high = (share.interval.low, share.interval.high) if share.interval else (None, None)
    mark, _, _ = scores.name.partition(":")
    return ScatterPoint(mark, _brief(scores.name, CHART_NAME), x, share.value or 0.0, low, high, series)


def _where_section(runs: Sequence[ComparedRun], common: CommonRows) -> Section:
    marks = [_marks_by_row(samples) for samples in common.runs]
    problems = {(s.problem.split, s.problem.row): s.problem for s in common.runs[0]}
    rows = []
    for row in common.rows:
        shown = [own[row] for own in marks]
        if len(set(shown)) > 1:
            problem = problems[row]
            name = f"{problem.label} ({problem.problem_id[:8]}) {shortened(problem.topic or '', NAME)}".rstrip()
            rows.append(Row((name, *shown)))
    columns = ("problem", *(str(i) for i in range(1, len(runs) + 1)))
    return Section(
        anchor="where",
        title="Where they differ",
        notes=(
            f"{len(rows)} of {len(common.rows)} problems. ✓ right, ✗ wrong, ? undecided; with several samples, how "
            "many are right. Runs are numbered as above; each run's own report has the responses.",
        ),
        tables=(Table(columns=columns, rows=tuple(rows)),) if rows else (),
        brief=False,
    )


def _marks_by_row(samples: Sequence[GradedSample]) -> dict[tuple[str, int], str]:
    groups: dict[tuple[str, int], list[GradedSample]] = {}
    for sample in samples:
        groups.setdefault((sample.problem.split, sample.problem.row), []).append(sample)
    return {row: _mark(group) for row, group in groups.items()}


def _mark(group: Sequence[GradedSample]) -> str:
    if len(group) == 1:
        return SIGNS[group[0].mark]
    return f"{sum(sample.mark == 'correct' for sample in group)}/{len(group)}"


def _runs_section(runs: Sequence[ComparedRun]) -> Section:
    tables = []
    for run in runs:
        config, manifest = run.facts.config, run.facts.manifest
        sampling = config.model.sampling
        lines = [
            ("folder", run.folder),
            ("model", config.model.display_name),
            ("engine", config.model.engine),
            ("judge", judge_line(run.facts)),
            ("grading", run.grading),
            ("samples", f"{config.experiment.samples} per problem, {run.n_planned} planned in all"),
            ("temperature", f"{sampling.temperature:g}"),
            ("answer, thinking tokens at most", f"{sampling.max_tokens:,}, {sampling.thinking_tokens:,}"),
            ("run seed", str(config.seed)),
            ("cfe_local", manifest.cfe_local_version),
            ("made", manifest.created),
            ("fingerprint", manifest.fingerprint[:HASH_LENGTH]),
        ]
        rows = tuple(Row((name, shortened(text, 200))) for name, text in lines)
        tables.append(Table(columns=("", ""), rows=rows, caption=_brief(run.name), kind="facts"))
    return Section(anchor="runs", title="What was compared", tables=tuple(tables), brief=False)
