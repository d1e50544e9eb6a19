"""A validation report for people: what there is, then each kind of finding with its count and its first places."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from cfe_local.benchmarks.findings import Finding
from cfe_local.benchmarks.validate import ValidationReport

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

# Rows of one kind that are named before the rest becomes a count; --json has all.
N_PLACES = 6
_STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}


def render_table(report: ValidationReport) -> Group:
    """Build what `cfe-local validate` prints.

    Args:
        report: The report of any benchmark.

    Returns:
        A rich renderable: counts, findings by kind, and one line that sums up.
    """
    from rich.console import Group
    from rich.text import Text

    n_errors, n_warnings = len(report.of_level("error")), len(report.of_level("warning"))
    version = report.version or "no published version known to cfe_local"
    verdict = "cannot be used" if n_errors else "can be used"
    summary = f"{report.path} {verdict}: {n_errors} errors, {n_warnings} warnings, {len(report.of_level('info'))} notes"
    style = _STYLES["error"] if n_errors else ""
    return Group(
        Text(f"{report.path}: {version}"),
        _counts(report),
        _findings(report),
        *_errors(report),
        Text(summary, style=style),
    )


def _counts(report: ValidationReport) -> Table:
    from rich.table import Table
    from rich.text import Text

    counts = report.counts
    table = Table(title="What there is", show_header=False, title_justify="left")
    table.add_column()
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    table.add_row("rows", f"{counts.rows:,}", _listed(counts.rows_by_split))
    if set(counts.kinds) - {"variables"}:
        table.add_row("kinds", f"{len(counts.kinds)}", _listed(counts.kinds))
        table.add_row("with a rubric", f"{counts.rubrics:,}", f"{counts.perturbable:,} can be perturbed")
    table.add_row("distinct ids", f"{counts.distinct_ids:,}", "")
    table.add_row("variables", f"{counts.variables:,}", _listed(counts.variables_by_type))
    table.add_row("steps", f"{counts.steps:,}", "")
    table.add_row("images", f"{counts.images:,}", f"{counts.image_references:,} references")
    table.add_row("repairs", f"{counts.repairs:,}", f"in {counts.repaired_rows} rows")
    table.add_row("topics", f"{len(counts.topics)}", Text(_listed(counts.topics)))
    table.add_row("licences", f"{len(counts.licences)}", Text(_listed(counts.licences)))
    for length in report.lengths:
        said = f"shortest {length.shortest:,}, median {length.median:,.0f}, 90 % within {length.p90:,}"
        table.add_row(f"{length.split} {length.field}", f"{length.longest:,}", f"characters at most; {said}")
    return table


def _findings(report: ValidationReport) -> Table:
    from rich.table import Table
    from rich.text import Text

    kinds: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in report.findings:
        kinds[finding.level, finding.code].append(finding)
    table = Table(title="What was found", title_justify="left")
    table.add_column("level")
    table.add_column("kind")
    table.add_column("n", justify="right")
    table.add_column("for example", overflow="fold")
    for (level, code), found in kinds.items():
        places = list(dict.fromkeys(finding.place for finding in found))
        more = f" and {len(places) - N_PLACES} more" if len(places) > N_PLACES else ""
        example = f"{found[0].message}; {', '.join(places[:N_PLACES])}{more}"
        # Texts of a benchmark go in as Text: they may hold square brackets, which rich would take for its markup.
        table.add_row(level, code, f"{len(found):,}", Text(example), style=_STYLES[level])
    return table


def _errors(report: ValidationReport) -> list[Table]:
    """Every error in full: these are what has to be repaired."""
    from rich.table import Table
    from rich.text import Text

    errors = report.of_level("error")
    if not errors:
        return []
    table = Table(title="Errors", title_justify="left")
    table.add_column("where", overflow="fold")
    table.add_column("what", overflow="fold")
    for finding in errors:
        table.add_row(Text(finding.place), Text(finding.message))
    return [table]


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())
