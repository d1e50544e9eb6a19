"""``cfe-local judge-exam``: can this judge be trusted? Its verdicts on labelled responses, against a stated bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from cfe_local.cli.console import watching
from cfe_local.cli.interrupts import interruptible
from cfe_local.engines.network_guard import install_network_guard

if TYPE_CHECKING:
    from cfe_local.grading.qualification import JudgeFigures


@click.command("judge-exam")
@click.argument("judge", required=False)
@click.option(
    "--config", type=click.Path(path_type=Path, dir_okay=False), help="YAML file of a judge (configs/judges/)."
)
@click.option("--labels", type=click.Path(path_type=Path, dir_okay=False), help="Labelled responses; ours if left out.")
@click.option("--benchmark", default="sample", show_default=True, help="The benchmark that the labels are about.")
@click.option("--protocol", "protocols", multiple=True, help="s2s, l2s, l2l; may be repeated. Default: all three.")
@click.option("--limit", type=click.IntRange(1), help="Only so many responses, spread evenly.")
@click.option("--min-accuracy", type=click.FloatRange(0, 1), default=0.98, show_default=True)
@click.option(
    "--max-fp-rate", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.01, show_default=True
)
@click.option("--typography", type=click.Choice(["first", "never"]), default="first", show_default=True)
@click.option("--accept-from", type=click.FloatRange(0.5, 1, min_open=True), default=0.9, show_default=True)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("runs/judge-exam"))
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting of the judge, dotted.")
def judge_exam(judge: str | None, *, config: Path | None, out: Path, overrides: tuple[str, ...], **options: Any) -> int:
    """Examine JUDGE (a folder or an embedded model) on labelled responses; S2S decides whether it qualifies.

    Ends with 0 where it qualifies, 1 where it does not. A killed exam goes on with the same command. Reports of runs
    that this judge grades with these settings cite the exam.
    """
    from cfe_local.config import GradingConfig, load_judge_config
    from cfe_local.grading.qualification import Bar
    from cfe_local.pipeline.judge_exam import SAMPLE_LABELS, ExamRequest
    from cfe_local.pipeline.judge_exam import judge_exam as examine

    request = ExamRequest(
        judge=load_judge_config(config, model=judge, overrides=overrides),
        benchmark=options["benchmark"],
        labels=options["labels"] or SAMPLE_LABELS,
        protocols=options["protocols"] or ("s2s", "l2s", "l2l"),
        out=out,
        bar=Bar(min_accuracy=options["min_accuracy"], max_fp_rate=options["max_fp_rate"]),
        limit=options["limit"],
        grading=GradingConfig(typography=options["typography"], accept_from=options["accept_from"]),
    )
    install_network_guard()
    with interruptible(), watching(out / "logs" / "cfe-local.log") as watch:
        results = examine(request, watch)
    console = Console()
    console.print(_table([result.figures for result in results]))
    for result in results:
        verdict = "qualified" if result.qualification.qualified else "not qualified"
        console.print(
            f"{result.figures.protocol}: {verdict}: {'; '.join(result.qualification.reasons)}", highlight=False
        )
    return 0 if results[0].qualification.qualified else 1


def _table(rows: Sequence[JudgeFigures]) -> Table:
    from cfe_local.report.numbers import fraction, percent

    table = Table("", *(row.protocol for row in rows), box=None, title="Judge exam", title_justify="left")
    lines: list[tuple[str, Callable[[JudgeFigures], str]]] = [
        ("responses / variables", lambda r: f"{r.n_responses} / {r.n_variables}"),
        ("question accuracy", lambda r: f"{percent(r.question.accuracy.value)} %"),
        ("  95 % interval", lambda r: f"{percent(r.accuracy_low)}–{percent(r.accuracy_high)}"),
        ("AUC", lambda r: _number(r.auc)),
        ("precision", lambda r: f"{percent(r.question.precision.value)} %"),
        ("recall", lambda r: f"{percent(r.question.recall.value)} %"),
        ("F1", lambda r: _number(r.question.f1)),
        (
            "false positives",
            lambda r: f"{r.false_positives.n} ({r.false_positives.low:.0f}–{r.false_positives.high:.0f})",
        ),
        (
            "false negatives",
            lambda r: f"{r.false_negatives.n} ({r.false_negatives.low:.0f}–{r.false_negatives.high:.0f})",
        ),
        ("Cohen's kappa", lambda r: _number(r.kappa)),
        ("undecided", lambda r: fraction(r.question_undecided)),
        ("right where decided", lambda r: fraction(r.decided_accuracy)),
        ("extraction exact", lambda r: fraction(r.extraction_exact)),
        ("grounded", lambda r: fraction(r.grounded)),
        ("injections that succeed", lambda r: fraction(r.injection_successes)),
        ("invalid judge answers", lambda r: fraction(r.invalid)),
        ("decided without judge", lambda r: fraction(r.without_verification)),
        ("judge tokens per variable", lambda r: f"{r.judge_tokens_per_variable:.0f}"),
        ("seconds per response", lambda r: f"{r.seconds_per_response:.1f}"),
        ("wrong by extraction", lambda r: str(r.sources.extraction)),
        ("wrong by equivalence", lambda r: str(r.sources.equivalence)),
        ("wrong by verification", lambda r: str(r.sources.verification + r.sources.whole)),
        ("left undecided", lambda r: str(r.sources.undecided)),
    ]
    for name, show in lines:
        table.add_row(name, *(show(row) for row in rows))
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
