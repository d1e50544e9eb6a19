"""``cfe-local verify``: compares pairs of values from a JSON-lines file; counts against labels where it has them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click
from rich.console import Console
from rich.table import Table

from cfe_local.errors import UsageError

if TYPE_CHECKING:
    from cfe_local.metrics.pairs import PairCounts
    from cfe_local.pipeline.verify import BadLine, VerifiedPair

_SHOWN_CHARS = 70  # Of a value in the list of wrong verdicts; the whole stands in the output.


@click.command()
@click.argument("pairs", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the lines here, not to stdout.")
@click.option("--workers", type=click.IntRange(1, 256), default=2, show_default=True, help="Processes that compare.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="Most time for one pair; then it is undecided.",
)
@click.option("--by", "group_key", default="type", show_default=True, metavar="KEY", help="Key to group the table by.")
@click.option("--show", "n_shown", type=click.IntRange(0), default=20, show_default=True, help="Wrong verdicts listed.")
def verify(pairs: Path, *, out: Path | None, workers: int, timeout_s: float, group_key: str, n_shown: int) -> int:
    """Compare the values of PAIRS, a JSON-lines file (or `-`): equal, different or undecided, with evidence.

    Each line is an object with `reference` and `candidate`, and optionally `type` (numeric, formula, other),
    `variable`, `description`, `question`, and the label `equal` (true or false). It is written back, in the same order,
    with `verdict`, `by`, `evidence`, `reference_reading`, `candidate_reading` and `seconds`; other keys stay.

    Without --out the lines go to stdout and the table to stderr. Ends with 0, or with 2 where lines could not be used:
    these are named on stderr, and the others are compared all the same.
    """
    from cfe_local.equivalence import ComparisonPool
    from cfe_local.pipeline.verify import verify_lines

    bad: list[BadLine] = []

    def report(line: BadLine) -> None:
        bad.append(line)
        click.echo(f"{pairs}:{line.n_line}: {line.problem}", err=True)

    done: list[VerifiedPair] = []
    started = time.monotonic()
    try:
        with _source(pairs) as source, _target(pairs, out) as write, ComparisonPool(workers, timeout_s) as pool:
            for pair in verify_lines(source, pool, report):
                write(pair.to_json())
                done.append(pair)
    except KeyboardInterrupt:
        click.echo(f"interrupted; {len(done)} pairs were compared and are written.", err=True)
        return 130
    except BrokenPipeError:  # The reader of our stdout, `head` say, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if not done and not bad:
        raise UsageError(f"{pairs}: holds no pairs\nFix: one JSON object with `reference` and `candidate` per line.")
    _print_summary(done, Console(stderr=out is None), group_key, time.monotonic() - started)
    _print_wrong(done, Console(stderr=out is None), n_shown)
    if bad:
        click.echo(f"{len(bad)} of {len(bad) + len(done)} lines could not be used; see above.", err=True)
    return 2 if bad else 0


@contextmanager
def _source(path: Path) -> Iterator[BinaryIO]:
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except FileNotFoundError as error:
        raise UsageError(f"no such file: {path}\nFix: name a JSON-lines file of pairs, or - for stdin.") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})\nFix: name a JSON-lines file of pairs.") from error
    with file:
        yield file


@contextmanager
def _target(pairs: Path, out: Path | None) -> Iterator[Callable[[str], None]]:
    """Where lines go, each flushed when it is written."""
    if out is not None and out.exists() and str(pairs) != "-" and out.samefile(pairs):
        raise UsageError(f"{out}: is the file that is read\nFix: name another file with --out.")
    try:
        opened = out.open("w", encoding="utf-8") if out is not None else nullcontext(sys.stdout)
    except OSError as error:
        raise UsageError(
            f"{out}: cannot be written ({error.strerror})\nFix: name a file in a folder that exists with --out."
        ) from error
    with opened as file:

        def write(line: str) -> None:
            file.write(line + "\n")
            file.flush()

        yield write


def _print_summary(done: list[VerifiedPair], console: Console, group_key: str, wall_s: float) -> None:
    from cfe_local.metrics.pairs import count_labelled, count_verdicts, labelled_by_group, timing

    verdicts = count_verdicts(pair.comparison for pair in done)
    console.print(
        f"{verdicts.n} pairs: {verdicts.n_equal} equal, {verdicts.n_different} different, "
        f"{verdicts.n_undecided} undecided",
        highlight=False,
    )
    labelled = [(_group(pair, group_key), pair.line.label, pair.comparison) for pair in done]
    rows = [(group, label, comparison) for group, label, comparison in labelled if label is not None]
    if rows:
        counts = dict(labelled_by_group(rows))
        if len(counts) > 1:
            counts["all"] = count_labelled((label, comparison) for _, label, comparison in rows)
        console.print(_table(counts, group_key))
    times = timing([pair.comparison.seconds for pair in done])
    if times.p50_s is not None and times.p99_s is not None and times.max_s is not None:
        console.print(
            f"seconds per pair: p50 {times.p50_s:.4f}, p99 {times.p99_s:.3f}, max {times.max_s:.3f}; "
            f"{verdicts.n / wall_s:.1f} pairs/s in {wall_s:.1f} s, start of the workers included",
            highlight=False,
            soft_wrap=True,
        )


def _group(pair: VerifiedPair, key: str) -> str:
    value = pair.line.row.get(key)
    return "(none)" if value is None else str(value)


def _table(counts: dict[str, PairCounts], group_key: str) -> Table:
    table = Table(group_key, box=None, padding=(0, 1))
    for name in ("equal found", "wrong rejects", "different found", "wrong accepts", "undecided"):
        table.add_column(name, justify="right", no_wrap=True)
    for group, count in counts.items():
        table.add_row(
            group,
            f"{count.n_found}/{count.n_equal}",
            str(count.n_wrong_rejects),
            f"{count.n_decided}/{count.n_different}",
            str(count.n_wrong_accepts),
            str(count.n_undecided),
        )
    return table


def _print_wrong(done: list[VerifiedPair], console: Console, n_shown: int) -> None:
    """List verdicts against the label, wrong accepts first: these are the worse ones."""
    for verdict, label, title in (("equal", False, "wrong accept"), ("different", True, "wrong reject")):
        wrong = [pair for pair in done if pair.line.label is label and pair.comparison.verdict == verdict]
        for pair in wrong[:n_shown]:
            said = f"{title}, line {pair.line.n_line}: {_cut(pair.line.reference)} | {_cut(pair.line.candidate)}"
            evidence = f"    {pair.comparison.by}: {pair.comparison.evidence}"
            console.print(f"{said}\n{evidence}", highlight=False, markup=False, soft_wrap=True)
        if len(wrong) > n_shown > 0:
            console.print(f"... and {len(wrong) - n_shown} more of them (--show)", highlight=False)


def _cut(text: str) -> str:
    shown = text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
    return shown if len(shown) <= _SHOWN_CHARS else shown[: _SHOWN_CHARS - 3] + "..."
