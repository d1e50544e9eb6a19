"""What assessments of a run add up to: points by rubric and errors by kind, against people's marks where there are any.

Not here: how points and marks come about (`grading`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from cfe_local.experiments.analysis import Analysis, AnalysisSection, AnalysisTable, Cell, Column
from cfe_local.grading.errors import OF_RIGHT, OF_WRONG, ErrorKind, ErrorReport
from cfe_local.grading.rubric import RubricScore
from cfe_local.metrics.accuracy import clustered
from cfe_local.metrics.agreement import cohen_kappa
from cfe_local.metrics.correlation import Correlation, point_agreement
from cfe_local.metrics.scores import Interval, Share
from cfe_local.records import RUBRIC_POINTS, Problem

Problems = Mapping[tuple[str, int], Problem]

POINTS_NOTE = (
    "Points of 10. An item earns points only with a quotation that stands in the response, at most its own points, and "
    "the total is the sum of the items. Responses without an answer or a readable mark are left out and counted."
)
ERRORS_NOTE = (
    "Kinds are not exclusive. A mark counts only with a quotation that stands in the answer; dropped ones had none. "
    "verified arithmetic: answers with a calculation that equivalence refutes, whatever the judge says."
)


def rubric_analysis(
    scores: Sequence[RubricScore], problems: Problems, human: Mapping[str, float], *, seed: int
) -> Analysis:
    """Points by kind of problem and response by response, and their agreement with people's.

    Args:
        scores: One per response to a problem with a rubric.
        problems: By split and row.
        human: A person's points by the label of the response's key.
        seed: Of the bootstrap.
    """
    tables = [_points_table(scores, problems), _responses_table(scores, human)]
    sections = [AnalysisSection(anchor="rubric", title="Points by rubric", notes=(POINTS_NOTE,), tables=tuple(tables))]
    pairs = [(human[s.key.label], s.total, s) for s in scores if s.key.label in human and s.total is not None]
    if human:
        found = point_agreement(
            [person for person, _, _ in pairs],
            [judge for _, judge, _ in pairs],
            clusters=[problems[s.key.split, s.key.row].problem_id for _, _, s in pairs],
            rng=np.random.default_rng(seed),
        )
        rows: list[tuple[Cell, ...]] = [
            _correlation_row("Pearson correlation", found.pearson),
            _correlation_row("Spearman correlation", found.spearman),
            ("mean difference, points", found.mean_difference, *_limits(found.mean_difference_interval), found.n),
        ]
        shares: list[tuple[Cell, ...]] = [
            _share_row("at most 2 points apart", found.near),
            _share_row("judge gives more (extra credit)", found.extra),
            _share_row("judge gives less (reduced credit)", found.reduced),
        ]
        sections.append(
            AnalysisSection(
                anchor="rubric-people",
                title="Points by rubric: judge and people",
                notes=(
                    f"{len(human)} responses were marked by people, {found.n} of them have the judge's points too.",
                ),
                tables=(
                    AnalysisTable(name="rubric-correlation", columns=_FIGURES, rows=tuple(rows)),
                    AnalysisTable(name="rubric-agreement", columns=_SHARES, rows=tuple(shares)),
                ),
            )
        )
    return Analysis(experiment="rubric", grading="rubric", sections=tuple(sections))


_FIGURES = (
    Column(name=""),
    Column(name="value", kind="number"),
    Column(name="95 % from", kind="number"),
    Column(name="to", kind="number"),
    Column(name="responses", kind="count"),
)
_SHARES = (
    Column(name="responses"),
    Column(name="per cent", kind="share"),
    Column(name="95 %", kind="interval"),
    Column(name="n", kind="count"),
    Column(name="of", kind="count"),
)


def _correlation_row(name: str, found: Correlation) -> tuple[Cell, ...]:
    return (name, found.value, *_limits(found.interval), found.n)


def _limits(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def _share_row(name: str, share: Share) -> tuple[Cell, ...]:
    interval = (share.interval.low, share.interval.high) if share.interval else None
    return (name, share.value, interval, round(share.numerator), share.denominator)


def _points_table(scores: Sequence[RubricScore], problems: Problems) -> AnalysisTable:
    """Mean share of the points by kind of problem and author of the rubric."""
    groups: dict[str, list[RubricScore]] = {}
    for score in scores:
        kind = problems[score.key.split, score.key.row].kind.replace("_", " ")
        groups.setdefault(f"{kind}, rubric by a {score.author}", []).append(score)
    rows: list[tuple[Cell, ...]] = []
    for name, group in sorted(groups.items()):
        marked = [(problems[s.key.split, s.key.row].problem_id, s.total) for s in group if s.total is not None]
        share = clustered([(cluster, total / RUBRIC_POINTS, 1) for cluster, total in marked])
        interval = (share.interval.low, share.interval.high) if share.interval else None
        dropped = sum(item.status in ("no_evidence", "ungrounded") for s in group for item in s.items)
        rows.append((name, share.value, interval, len(marked), len(group) - len(marked), dropped))
    columns = (
        Column(name="problems"),
        Column(name="% of points", kind="share"),
        Column(name="95 %", kind="interval"),
        Column(name="graded", kind="count"),
        Column(name="not graded", kind="count"),
        Column(name="points dropped", kind="count"),
    )
    return AnalysisTable(name="rubric-kinds", columns=columns, rows=tuple(rows))


def _responses_table(scores: Sequence[RubricScore], human: Mapping[str, float]) -> AnalysisTable:
    rows: list[tuple[Cell, ...]] = [
        (
            f"{score.key.split}:{score.key.row}, sample {score.key.sample}",
            score.total,
            " + ".join(f"{item.points}/{item.maximum}" for item in score.items) or score.outcome.replace("_", " "),
            human.get(score.key.label),
        )
        for score in scores
    ]
    columns = (
        Column(name="response"),
        Column(name="points", kind="count"),
        Column(name="items"),
        Column(name="person", kind="number"),
    )
    return AnalysisTable(name="rubric-responses", caption="Response by response", columns=columns, rows=tuple(rows))


# ---------------------------------------------------------------- errors


def errors_analysis(
    reports: Sequence[ErrorReport], problems: Problems, human: Mapping[str, frozenset[ErrorKind]], *, grading: str
) -> Analysis:
    """Errors by kind of problem and by topic, and agreement with people's marks.

    Args:
        reports: One per answer that is right or wrong under the grading.
        problems: By split and row.
        human: The kinds that a person marked, by the label of the response's key; an empty set is "none of them".
        grading: Whose verdicts said what is wrong.
    """

    def problem(report: ErrorReport) -> Problem:
        return problems[report.key.split, report.key.row]

    wrong = [report for report in reports if report.answer == "wrong"]
    tables = [
        _errors_table("errors-kinds", "By kind of problem", wrong, lambda r: problem(r).kind.replace("_", " ")),
        _errors_table("errors-topics", "By topic", wrong, lambda r: problem(r).topic or "(no topic)"),
        _right_table([report for report in reports if report.answer == "right"]),
    ]
    found = [entry for entry in (_quotes_table(reports), _kappa_table(reports, human)) if entry is not None]
    section = AnalysisSection(
        anchor="errors",
        title="Errors in answers",
        notes=(ERRORS_NOTE, f"Right and wrong are those of the grading {grading}; unparsable answers are neither."),
        tables=(*tables, *found),
    )
    return Analysis(experiment="errors", grading=grading, sections=(section,))


def _errors_table(
    name: str, caption: str, reports: Sequence[ErrorReport], group_of: Callable[[ErrorReport], str]
) -> AnalysisTable:
    groups: dict[str, list[ErrorReport]] = {"all": list(reports)}
    for report in reports:
        groups.setdefault(group_of(report), []).append(report)
    rows: list[tuple[Cell, ...]] = []
    for group, mine in sorted(groups.items(), key=lambda item: (item[0] == "all", item[0])):
        marked = [report for report in mine if report.outcome == "marked"]
        rows.append(
            (
                group,
                len(mine),
                *(sum(report.has(kind) for report in marked) for kind in OF_WRONG),
                sum(bool(report.wrong_arithmetic) for report in mine),
                sum(not report.errors for report in marked),
                sum(report.n_dropped for report in marked),
                len(mine) - len(marked),
            )
        )
    names = ("wrong answers", *OF_WRONG, "verified arithmetic", "no mark", "dropped", "not marked")
    columns = (Column(name=""), *(Column(name=one, kind="count") for one in names))
    return AnalysisTable(name=name, caption=caption, columns=columns, rows=tuple(rows))


def _right_table(reports: Sequence[ErrorReport]) -> AnalysisTable:
    marked = [report for report in reports if report.outcome == "marked"]
    row: tuple[Cell, ...] = (
        len(reports),
        sum(report.has("reasoning") for report in marked),
        sum(bool(report.wrong_arithmetic) for report in reports),
        len(reports) - len(marked),
    )
    names = ("right answers", "with wrong reasoning", "verified arithmetic", "not marked")
    columns = tuple(Column(name=name, kind="count") for name in names)
    return AnalysisTable(name="errors-right", caption="Right answers", columns=columns, rows=(row,))


N_QUOTES = 12
"""Quotations in the report; all stand in the assessment's folder."""


def _quotes_table(reports: Sequence[ErrorReport]) -> AnalysisTable | None:
    rows: list[tuple[Cell, ...]] = []
    for report in reports:
        place = f"{report.key.split}:{report.key.row}, sample {report.key.sample}"
        rows += [(place, "verified arithmetic", one.quote, one.evidence) for one in report.wrong_arithmetic]
        rows += [(place, error.kind, error.quote, error.reason) for error in report.errors]
    if not rows:
        return None
    columns = (Column(name="answer"), Column(name="error"), Column(name="quotation"), Column(name="why"))
    caption = f"Quotations, {min(N_QUOTES, len(rows))} of {len(rows)}"
    return AnalysisTable(name="errors-quotes", caption=caption, columns=columns, rows=tuple(rows[:N_QUOTES]))


def _kappa_table(reports: Sequence[ErrorReport], human: Mapping[str, frozenset[ErrorKind]]) -> AnalysisTable | None:
    """Cohen's kappa per category over the answers that a person and the judge marked."""
    if not human:
        return None
    rows: list[tuple[Cell, ...]] = []
    for kinds, answer in ((OF_WRONG, "wrong"), (OF_RIGHT, "right")):
        both = [r for r in reports if r.answer == answer and r.outcome == "marked" and r.key.label in human]
        for kind in kinds:
            people = [str(kind in human[report.key.label]) for report in both]
            judge = [str(report.has(kind)) for report in both]
            found = cohen_kappa(people, judge)
            rows.append((kind, found.value, people.count("True"), judge.count("True"), found.n_units))
    columns = (
        Column(name="kind"),
        Column(name="kappa", kind="number"),
        Column(name="by people", kind="count"),
        Column(name="by the judge", kind="count"),
        Column(name="answers", kind="count"),
    )
    return AnalysisTable(name="errors-kappa", caption="Agreement with people", columns=columns, rows=tuple(rows))
