"""``cfe-local review`` and ``agreement``: people look and label; what their labels say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from cfe_local.errors import StoreError, UsageError

if TYPE_CHECKING:
    from cfe_local.metrics.samples import GradedSample
    from cfe_local.metrics.scores import Share
    from cfe_local.pipeline.people import HumanPoints
    from cfe_local.records import Verdict
    from cfe_local.review.agreement import Adjudicated, GroupAgreement, Reviewer
    from cfe_local.review.desk import DeskSettings
    from cfe_local.review.items import FilterName, Item
    from cfe_local.review.judged import JudgeAgainstLabels
    from cfe_local.review.summary import AgreementSummary

FILTER_NAMES = ("all", "undecided", "disagreement", "low-confidence", "random")
N_SHOWN = 20
"""Disagreements that the terminal lists; the file has all of them."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A run as it is reviewed: samples with one grading's verdicts, and the other gradings' verdicts."""

    samples: tuple[GradedSample, ...]
    others: tuple[Verdict, ...]
    grading: str


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """The options of ``review``."""

    reviewer: str
    port: int
    grading: str | None
    blind: bool
    filter_name: FilterName
    seed: int
    of_benchmark: bool
    labels: Path | None


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--reviewer", required=True, help="Your name; labels go to RUN/labels/NAME.jsonl.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port on 127.0.0.1; any free one where left out."
)
@click.option("--grading", help="Whose verdicts to show; the only one where left out.")
@click.option("--blind", is_flag=True, help="Hide verdicts, extracted values and the judge's words.")
@click.option("--filter", "filter_name", type=click.Choice(FILTER_NAMES), default="all", show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the random order.")
@click.option("--benchmark", "of_benchmark", is_flag=True, help="RUN is a benchmark (folder or `sample`): review it.")
@click.option("--labels", type=click.Path(path_type=Path, file_okay=False), help="Folder of the labels.")
def review(run: str, **given: Any) -> int:
    """Look at the responses of RUN and label them, on a page that only this machine can open."""
    from cfe_local.review.desk import DeskSettings
    from cfe_local.review.files import check_reviewer
    from cfe_local.review.server import require_web_packages

    options = ReviewOptions(**given)
    require_web_packages()
    check_reviewer(options.reviewer)
    settings = DeskSettings(
        title=Path(run).name or run,
        start_filter=options.filter_name,
        seed=options.seed,
        is_blind=options.blind,
    )
    items, folder = _benchmark_items(run, options) if options.of_benchmark else _run_items(Path(run), options)
    _serve(items, folder, settings, options)
    return 0


def _serve(items: Sequence[Item], folder: Path, settings: DeskSettings, options: ReviewOptions) -> None:
    from cfe_local.review.desk import Desk
    from cfe_local.review.files import LabelBook
    from cfe_local.review.server import listen, serve

    listener = listen(options.port)
    with listener, LabelBook.open(folder, options.reviewer) as book:
        if not book.found.is_clean:
            click.echo(f"note: {book.found.describe()}", err=True)
        desk = Desk(items, book, settings)
        serve(desk, listener, announce=lambda address: _announce(address, book.path))


def _announce(address: str, path: Path) -> None:
    click.echo(f"review page: {address}")
    click.echo(f"labels:      {path}")
    click.echo("Ctrl-C ends it; every label is on the disk already.")


def _benchmark_items(path: str, options: ReviewOptions) -> tuple[tuple[Item, ...], Path]:
    from cfe_local.benchmarks.formats import load_benchmark
    from cfe_local.review.items import benchmark_items

    if options.labels is None:
        raise UsageError("a benchmark has no place for labels\nFix: --labels FOLDER, outside the benchmark.")
    if options.filter_name not in ("all", "random"):
        raise UsageError(f"--filter {options.filter_name} is about verdicts, a benchmark has none\nFix: all or random.")
    return benchmark_items(load_benchmark(Path(path)).problems), options.labels


def _run_items(run: Path, options: ReviewOptions) -> tuple[tuple[Item, ...], Path]:
    from cfe_local.review.items import exam_items

    seen = _read_run(run, options.grading)
    return exam_items(seen.samples, seen.others), options.labels or run / "labels"


def _read_run(run: Path, grading: str | None) -> Seen:
    """Samples of a run with one grading's verdicts; a run without any grading can be reviewed too.

    Raises:
        StoreError: If this is no run, or has no such grading.
        UsageError: If it has several gradings and none is named.
    """
    from cfe_local import pipeline
    from cfe_local.metrics.samples import join_samples
    from cfe_local.records import Response, Verdict
    from cfe_local.store import RunStore

    if not run.is_dir():
        raise StoreError(f"{run}: no such run folder\nFix: give the folder that a run wrote (out).")
    with RunStore.open(run) as store:
        names = store.grading_names()
        if grading is None and len(names) > 1:
            raise UsageError(f"{run}: has several gradings\nFix: --grading with one of {', '.join(names)}.")
        chosen = grading if grading is not None else next(iter(names), None)
        plan = pipeline.reopen(store, pipeline.Regrading())
        pipeline.require_exam(plan, "review")
        keys = [case.key for case in plan.cases()]
        responses = store.stream("responses", Response).load({key.label for key in keys}).records.values()
        verdicts: dict[str, list[Verdict]] = {
            name: list(store.grading(name).stream("verdicts", Verdict).load().records.values())
            for name in dict.fromkeys((*names, *((chosen,) if chosen is not None else ())))
        }
    mine = verdicts.pop(chosen, []) if chosen is not None else []
    samples = join_samples(plan.problems, keys, responses, mine, grading=chosen or "")
    return Seen(tuple(samples), tuple(v for found in verdicts.values() for v in found), chosen or "")


@dataclass(frozen=True, slots=True)
class AgreementOptions:
    """The options of ``agreement``."""

    run_path: Path | None
    grading: str | None
    adjudicator: str | None
    out: Path | None


@click.command()
@click.argument("labels", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--run", "run_path", type=click.Path(path_type=Path, file_okay=False), help="The run that was labelled.")
@click.option("--grading", help="Whose verdicts to hold against the labels; the only one where left out.")
@click.option("--adjudicator", help="Reviewer whose label settles a place; else more than half do.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for results.")
def agreement(labels: tuple[Path, ...], **given: Any) -> int:
    """How far reviewers agree, from their files of LABELS; with --run also how the judge compares.

    Writes agreement.json, adjudicated.jsonl and, with --run, labelled.jsonl, which judge-exam reads, and points.jsonl,
    which rubric grade reads.
    """
    from cfe_local.review.agreement import adjudicate, count_variables, group_agreements
    from cfe_local.review.judged import judge_against_labels, labelled_responses, variable_counts
    from cfe_local.review.points import rubric_points
    from cfe_local.review.summary import AgreementSummary, write_summary

    options = AgreementOptions(**given)
    reviewers = _read_reviewers(labels)
    names = [one.name for one in reviewers]
    if options.adjudicator is not None and options.adjudicator not in names:
        raise UsageError(f"no labels of adjudicator {options.adjudicator!r}\nFix: one of {', '.join(names)}.")
    samples = _read_run(options.run_path, options.grading).samples if options.run_path is not None else ()
    counts = count_variables(reviewers) | dict(variable_counts(samples))
    places = adjudicate(reviewers, counts, adjudicator=options.adjudicator)
    if not places:
        raise StoreError(f"{', '.join(map(str, labels))}: no label stands in these files\nFix: label something first.")
    summary = AgreementSummary(
        reviewers=tuple(names),
        adjudicator=options.adjudicator,
        groups=group_agreements(places, names),
        judge=judge_against_labels(places, samples),
        points=rubric_points(places, samples),
        disputed=tuple(place for place in places if place.is_disputed),
        n_settled=sum(place.label is not None for place in places),
        n_open=sum(place.label is None for place in places),
    )
    folder = options.out or labels[0].parent / "agreement"
    files = write_summary(folder, summary, places, labelled_responses(places, samples), _settled_points(summary))
    _print_summary(summary.groups, summary.judge, summary.disputed)
    if summary.points is not None:
        n_all = len(summary.points.responses)
        n_settled = summary.points.mean.denominator
        click.echo(f"points by rubric: {_share(summary.points.mean)}; {n_settled} of {n_all} responses settled")
    click.echo(f"settled: {summary.n_settled}, open: {summary.n_open}")
    for path in files:
        click.echo(str(path))
    return 0


def _settled_points(summary: AgreementSummary) -> list[HumanPoints]:
    """Points as `rubric grade --human` reads them."""
    from cfe_local.pipeline.people import HumanPoints

    return [
        HumanPoints(split=one.split, row=one.row, sample=one.sample, points=one.settled)
        for one in (summary.points.responses if summary.points else ())
        if one.settled is not None
    ]


def _read_reviewers(paths: Sequence[Path]) -> list[Reviewer]:
    from cfe_local.review.agreement import Reviewer
    from cfe_local.review.files import read_labels_file

    found: list[Reviewer] = []
    for path in paths:
        standing, report = read_labels_file(path)
        if not report.is_clean:
            click.echo(f"note: {report.describe()}", err=True)
        name = standing.history[0].reviewer if standing.history else path.stem
        if name in [one.name for one in found]:
            raise UsageError(f"{path}: a second file of reviewer {name}\nFix: give each reviewer's file once.")
        found.append(Reviewer(name, standing))
    return found


def _print_summary(
    groups: Sequence[GroupAgreement], judge: Sequence[JudgeAgainstLabels], disputed: Sequence[Adjudicated]
) -> None:
    console = Console()
    table = Table("question", "labelled", "by two", "unsure", "differ", "alpha [95 %]", "kappa", title="Agreement")
    for one in groups:
        alpha = _number(one.alpha.value)
        if one.alpha.interval:
            alpha += f" [{one.alpha.interval.low:.2f}, {one.alpha.interval.high:.2f}]"
        kappas = "\n".join(f"{k.first}/{k.second} {_number(k.kappa.value)}" for k in one.kappas)
        counts = (one.n_labelled, one.alpha.n_units, one.n_unsure, one.n_disagreements)
        table.add_row(one.group, *map(str, counts), alpha, kappas)
    console.print(table)
    if judge:
        table = Table("verdicts", "n", "undecided", "FP", "FN", "FP rate [95 %]", "FN rate [95 %]", title="Judge")
        for row in judge:
            found = row.agreement
            counts = (row.n, row.n_undecided, found.false_positives, found.false_negatives)
            rates = (_share(found.false_positive_rate), _share(found.false_negative_rate))
            table.add_row(row.group, *map(str, counts), *rates)
        console.print(table)
    for place in disputed[:N_SHOWN]:
        said = ", ".join(f"{name}: {label}" for name, label in place.labels.items())
        click.echo(f"differ: {place.unit} {place.aspect}: {said}; settled: {place.label or 'no'}")
    if len(disputed) > N_SHOWN:
        click.echo(f"... and {len(disputed) - N_SHOWN} more in agreement.json")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(share: Share) -> str:
    if share.value is None:
        return "–"
    text = f"{share.value:.1%} of {share.denominator}"
    return text + (f" [{share.interval.low:.1%}, {share.interval.high:.1%}]" if share.interval else "")
