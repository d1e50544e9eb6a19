"""A report as one HTML page: opens from disk, needs no script and no other file, and runs nothing that it shows.

Every text from a model or a benchmark is escaped (the template escapes by itself; typeset formulas are sanitised in
``mathml``), and the page's content policy forbids scripts, frames, forms and every address but its images.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from cfe_local.report.characters import visible
from cfe_local.report.images import ImageSource, no_images
from cfe_local.report.mathml import Typesetter
from cfe_local.report.model import Report
from cfe_local.report.numbers import fraction, interval, percent
from cfe_local.report.page import PageLimits, Typesetters, show_problem
from cfe_local.report.svg import draw

TEMPLATES = Path(__file__).with_name("templates")


def render_html(report: Report, *, images: ImageSource = no_images, limits: PageLimits | None = None) -> str:
    """The whole report as one page.

    Args:
        report: What to show.
        images: Where images come from: ``embedded_images()``, ``linked_images(folder)`` or none.
        limits: How much of long texts is shown.
    """
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    shown = limits or PageLimits()
    typesetters = Typesetters(Typesetter(), Typesetter(budget=shown.answer_mathml))
    problems = [show_problem(page, typesetters, images, shown) for page in report.problems]
    template = _environment().get_template("report.html.jinja")
    return template.render(
        report=report, problems=problems, style=style, policy=content_policy(style), notes=_notes(typesetters)
    )


def _notes(typesetters: Typesetters) -> list[str]:
    both = (typesetters.benchmark, typesetters.answers)
    n_failed = sum(one.n_failed for one in both)
    n_known = n_failed + sum(one.n_typeset for one in both)
    notes = (
        [f"{n_failed} of {n_known} formulas could not be typeset and stand as they were written."] if n_failed else []
    )
    if n_left_out := typesetters.answers.n_left_out:
        notes.append(f"{n_left_out} formulas in later answers stand as they were written, to keep the page small.")
    return notes


def content_policy(style: str) -> str:
    """The page's Content-Security-Policy: this style sheet, images from the page or the disk, nothing else."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    parts = (
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "img-src data: file: 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(parts)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters.update(draw=draw, percent=percent, interval=interval, fraction=fraction)
    return environment


def _finalize(value: object) -> object:
    """Every plain text that a template writes, on its way to being escaped."""
    return visible(value) if type(value) is str else value
