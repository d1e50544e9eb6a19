"""From figures to a report that people read: one value, rendered for the terminal, as Markdown and as an HTML page."""

from cfe_local.report.build import build_report
from cfe_local.report.facts import RunFacts
from cfe_local.report.images import embedded_images, linked_images, no_images
from cfe_local.report.markdown import render_markdown
from cfe_local.report.model import Report, Section, Table

__all__ = [
    "Report",
    "RunFacts",
    "Section",
    "Table",
    "build_report",
    "embedded_images",
    "linked_images",
    "no_images",
    "render_markdown",
]
