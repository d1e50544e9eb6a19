"""From an exam's figures to a Report: which tables and charts there are, in which order, and what they say."""

from __future__ import annotations

from collections.abc import Sequence

from cfe_local.metrics.accuracy import Accuracy
from cfe_local.metrics.exam import ExamMetrics, Figures
from cfe_local.metrics.samples import GradedSample
from cfe_local.metrics.scores import Share
from cfe_local.metrics.summary import ExamRecords
from cfe_local.report.characters import shortened
from cfe_local.report.effort import effort_section
from cfe_local.report.facts import RunFacts, facts_section, judge_line, judge_warnings
from cfe_local.report.kinds import kinds_section, scored_section
from cfe_local.report.model import Headline, IntervalChart, IntervalMark, ProblemPage, Report, Row, Section, Table
from cfe_local.report.numbers import fraction, interval, percent
from cfe_local.report.outcomes import deciders_section, outcomes_section
from cfe_local.report.published import PublishedScore, published_for

SCORE_COLUMNS = ("per cent", "QA", "95 %", "right/planned", "QA decided", "decided", "VA", "95 %")
READING = (
    "QA: question accuracy, every variable right. VA: variable accuracy, the mean share of right variables. Both are "
    "over all planned samples; undecided, failed and missing ones count as not correct. QA decided is over the decided "
    "samples alone. Intervals are clustered by problem."
)
NAME_LIMIT = 80
"""Characters of a name from a file; a table with longer ones could not be read."""

MANY_PROBLEMS = 8
"""A topic with fewer problems has an interval too wide for a chart."""


def build_report(
    facts: RunFacts, metrics: ExamMetrics, records: ExamRecords, *, extra_sections: Sequence[Section] = ()
) -> Report:
    """The report of one exam under one grading.

    Args:
        facts: What was run.
        metrics: The exam's figures.
        records: What the figures were made from; shown problem by problem.
        extra_sections: Of other experiments; they stand after the exam's own tables.
    """
    samples = records.samples(metrics.grading)
    published = facts.benchmark_version is not None
    sections = [
        _scores_section(metrics, with_published=published),
        _pass_section(metrics),
        _topics_section(metrics),
        kinds_section(metrics),
        scored_section(samples),
        _types_section(metrics),
        outcomes_section(metrics, [sample for sample in samples if sample.targets]),
        deciders_section(metrics),
        effort_section(metrics, samples),
        *extra_sections,
        facts_section(facts, grading=metrics.grading),
    ]
    return Report(
        title=f"{facts.config.model.display_name} on {facts.manifest.benchmark_name}",
        subtitle=f"judge: {judge_line(facts)}; grading: {metrics.grading}; {facts.manifest.created}",
        headlines=_headlines(metrics),
        quote=_quote(facts, metrics),
        warnings=(*judge_warnings(facts), *metrics.warnings),
        sections=tuple(section for section in sections if section is not None),
        problems=_pages(samples),
    )


def _headlines(metrics: ExamMetrics) -> tuple[Headline, ...]:
    overall = metrics.overall
    found = [
        Headline("Question accuracy", overall.question_accuracy.headline, "samples with every variable right"),
        Headline("Variable accuracy", overall.variable_accuracy.headline, "mean share of right variables"),
    ]
    found += [
        Headline(f"pass@{entry.k}", entry.headline, f"at least one of {entry.k} samples right")
        for entry in overall.pass_at_k
        if entry.k > 1
    ]
    found.append(Headline("Decided", overall.question_accuracy.coverage, "samples with a verdict either way"))
    found.append(Headline("Truncated", metrics.truncation, "samples that ran into a token limit"))
    return tuple(found)


def _quote(facts: RunFacts, metrics: ExamMetrics) -> str:
    """What may be quoted: the score with its denominator and interval, and what it must not be quoted without."""
    overall = metrics.overall
    question = overall.question_accuracy
    share, decided = question.headline, question.coverage
    if not share.denominator:
        return "No response was planned, so there is no score."
    name = shortened(facts.config.model.display_name, NAME_LIMIT)
    bounds = f" (95 % interval {interval(share.interval)}, clustered by problem)" if share.interval else ""
    exam = f", {facts.judge_exam or 'not qualified by an exam'}" if facts.config.judge else ""
    return (
        f"{name} gets every variable right in {_of(share)} planned samples of {overall.n_problems} problems: "
        f"question accuracy {percent(share.value)} %{bounds}. {_of(decided)} samples were decided, "
        f"{percent(question.decided_only.value)} % of these right; {_of(metrics.truncation)} ran into a token "
        f"limit. Undecided, failed and missing samples count as not correct. Grading {metrics.grading}, "
        f"{'judge ' if exam else ''}{judge_line(facts)}{exam}."
    )


def _of(share: Share) -> str:
    return fraction(share).replace("/", " of ")


def score_row(name: str, figures: Figures) -> Row:
    """One line of a score table."""
    question, variable = figures.question_accuracy, figures.variable_accuracy
    return Row(
        (
            shortened(name, NAME_LIMIT),
            percent(question.headline.value),
            interval(question.headline.interval),
            fraction(question.headline),
            percent(question.decided_only.value),
            fraction(question.coverage),
            percent(variable.headline.value),
            interval(variable.headline.interval),
        )
    )


def _scores_section(metrics: ExamMetrics, *, with_published: bool) -> Section:
    rows: list[Row] = []
    marks: list[IntervalMark] = []
    for figures, group in [*((f, f.name) for f in metrics.by_split), (metrics.overall, "combined")]:
        name = group if group != "combined" or len(metrics.by_split) > 1 else "all"
        if name == "all":
            rows.clear()
            marks.clear()
        row = score_row(name, figures)
        rows.append(Row(row.cells, kind="total") if figures is metrics.overall else row)
        marks.append(interval_mark(name, figures.question_accuracy))
        if with_published:
            rows += [_published_row(score) for score in published_for(group)]
            marks += [
                IntervalMark(f"{score.model} ({group})", score.question_accuracy, kind="published")
                for score in published_for(group)
            ]
    if metrics.first_copies is not None:
        rows.append(score_row(f"first copies ({metrics.first_copies.n_problems})", metrics.first_copies))
    if metrics.without_errata is not None:
        rows.append(score_row(f"without {metrics.n_errata_rows} errata", metrics.without_errata))
    notes = [READING]
    if with_published:
        notes.append("Published rows come from the benchmark's paper: whole runs, other judge, no interval given.")
    return Section(
        anchor="scores",
        title="Scores",
        notes=tuple(notes),
        tables=(Table(columns=SCORE_COLUMNS, rows=tuple(rows)),),
        charts=(IntervalChart("Question accuracy, per cent, with 95 % intervals", tuple(marks)),) if marks[1:] else (),
    )


def _published_row(score: PublishedScore) -> Row:
    cells = (f"{score.model} (published)", percent(score.question_accuracy), *[""] * (len(SCORE_COLUMNS) - 2))
    return Row(cells, kind="published")


def interval_mark(name: str, accuracy: Accuracy) -> IntervalMark:
    """An accuracy's headline as a line of a chart."""
    share = accuracy.headline
    found = share.interval
    return IntervalMark(name, share.value or 0.0, low=found.low if found else None, high=found.high if found else None)


def _pass_section(metrics: ExamMetrics) -> Section | None:
    if all(entry.k == 1 for entry in metrics.overall.pass_at_k):
        return None
    rows = []
    for figures in (*metrics.by_split, metrics.overall):
        for entry in figures.pass_at_k:
            share = entry.headline
            cells = (f"{figures.name}, pass@{entry.k}", percent(share.value), interval(share.interval))
            rows.append(Row((*cells, fraction(share), percent(entry.decided_only.value))))
    return Section(
        anchor="pass",
        title="pass@k",
        notes=("Unbiased estimate per problem from its samples, averaged over problems with at least k of them.",),
        tables=(Table(columns=("per cent", "pass@k", "95 %", "sum/problems", "decided only"), rows=tuple(rows)),),
    )


def _topics_section(metrics: ExamMetrics) -> Section | None:
    if len(metrics.by_topic) < 2:
        return None
    large = [f for f in metrics.by_topic if f.n_problems >= MANY_PROBLEMS]
    chart = IntervalChart(
        f"Question accuracy, per cent, topics with at least {MANY_PROBLEMS} problems",
        tuple(interval_mark(f"{shortened(f.name, 40)} ({f.n_problems})", f.question_accuracy) for f in large),
    )
    return Section(
        anchor="topics",
        title="By topic",
        tables=(Table(columns=SCORE_COLUMNS, rows=tuple(score_row(f.name, f) for f in metrics.by_topic)),),
        charts=(chart,) if len(large) > 1 else (),
        brief=False,
    )


def _types_section(metrics: ExamMetrics) -> Section | None:
    if not metrics.by_type:
        return None
    rows = []
    for entry in metrics.by_type:
        headline = entry.accuracy.headline
        cells = (entry.type, percent(headline.value), interval(headline.interval), fraction(headline))
        rows.append(Row((*cells, percent(entry.accuracy.decided_only.value), fraction(entry.accuracy.coverage))))
    return Section(
        anchor="types",
        title="By type of variable",
        notes=("Each variable weighs the same here.",),
        tables=(
            Table(
                columns=("per cent", "right", "95 %", "right/planned", "right of decided", "decided"), rows=tuple(rows)
            ),
        ),
    )


def _pages(samples: Sequence[GradedSample]) -> tuple[ProblemPage, ...]:
    pages: dict[tuple[str, int], list[GradedSample]] = {}
    for sample in samples:
        pages.setdefault((sample.problem.split, sample.problem.row), []).append(sample)
    return tuple(ProblemPage(group[0].problem, tuple(group)) for group in pages.values())
