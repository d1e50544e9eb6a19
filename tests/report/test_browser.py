"""The page in a real browser, from disk: nothing runs, nothing is asked for, nothing is reported on the console."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cfe_local.report.html import render_html
from cfe_local.report.images import linked_images
from tests.report.runs import problem, records_of, report_of, response, verdict

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
)

MARK = "document.title='RUN'"
ATTACKS = [
    f"<script>{MARK}</script>",
    f'<img src=x onerror="{MARK}">',
    f"<svg onload={MARK}>",
    f"</div></details><iframe srcdoc='<script>parent.{MARK}</script>'></iframe>",
    f"$\\text{{</math><img src=x onerror={MARK}>}}$",
    f"<style>@import 'file:///etc/passwd'</style><body onload={MARK}>",
]


def visit(page: Path, profile: Path) -> tuple[str, list[str]]:
    """The page's document after everything had its chance to run, and the console's lines."""
    assert CHROMIUM is not None
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--virtual-time-budget=2000", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; install Debian's package chromium")
def test_the_page_opens_from_disk_and_nothing_in_it_runs(tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(Path(__file__).with_name("dot.png").read_bytes())
    problems = [problem(i, attack, image=str(picture)) for i, attack in enumerate(ATTACKS)]
    responses = [response(p, attack, thinking=attack) for p, attack in zip(problems, ATTACKS, strict=True)]
    verdicts = [verdict(p, says=attack) for p, attack in zip(problems, ATTACKS, strict=True)]
    html = render_html(report_of(records_of(problems, responses, verdicts)), images=linked_images(tmp_path))
    page = tmp_path / "report.html"
    page.write_text(html.replace('<details class="problem', '<details open class="problem'), encoding="utf-8")
    document, console = visit(page, tmp_path / "profile")
    assert console == []
    assert "<title>little on bench</title>" in document
    assert document.count('<details open="" class="problem') == len(ATTACKS)
    assert not re.search(r"<(script|iframe|style>@)", document)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; install Debian's package chromium")
def test_the_content_policy_stops_what_would_slip_through_the_escaping(tmp_path: Path) -> None:
    """A page with a script put in behind our back: the policy alone must stop it."""
    one = problem()
    html = render_html(report_of(records_of([one], [response(one)], [verdict(one)])))
    page = tmp_path / "report.html"
    page.write_text(html.replace("</body>", f"<script>{MARK}</script></body>"), encoding="utf-8")
    document, console = visit(page, tmp_path / "profile")
    assert "<title>little on bench</title>" in document
    assert any("Content Security Policy" in line for line in console)
