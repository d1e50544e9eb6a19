"""Responses written to break the pages that show them: nothing runs, nothing is fetched, nothing leaves its box."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from .pages import review_page, watched_page
from .sample_runs import sample_run

MARK = "document.title='RUN'"
HOSTILE = {
    ("text", 0): (
        f'<script>{MARK}</script></script></textarea></style></title><img src=x onerror="{MARK}">'
        f"<svg onload={MARK}><animate onbegin={MARK}></svg><body onload={MARK}>"
        f'<a href="javascript:{MARK}">press</a> [press](javascript:{MARK})'
        f'<iframe srcdoc="<script>parent.{MARK}</script>"></iframe><form action=//evil><button>1</button></form>'
    ),
    ("text", 1): "<think></details></main><script>x</script>" + "\u202egnp.exe \u2066\u200f </think>" + "a" * 200_000,
    (
        "text",
        2,
    ): f"$\\text{{</math><img src=x onerror={MARK}>}}$ $\\frac{{1$ $$\\begin{{array}}{{c$$ "
    + f"$\\href{{javascript:{MARK}}}{{x}}$ "
    + "\\left(" * 300
    + "$"
    + "{" * 3_000
    + "$",
    ("text", 3): "\u202eevil \u2067" + "\u0301" * 2_000 + " \u200e\ufeff" + "W" * 5_000 + "\n" * 500 + "end",
    ("text", 4): "$x^{"
    + "x^{" * 200
    + "2"
    + "}" * 201
    + "$ "
    + "-" * 9_000
    + " $"
    + "\\sqrt{" * 150
    + "2"
    + "}" * 150
    + "$",
}


@pytest.fixture(scope="module")
def hostile_run(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del browser
    return sample_run(tmp_path_factory.mktemp("hostile") / "run", rows=("text:0-4",), answers=HOSTILE)


def is_within_its_width(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_in_a_report_runs_or_leaves_its_box(browser: Browser, hostile_run: Path, width: int) -> None:
    watched = watched_page(browser.new_context(viewport={"width": width, "height": 800}))
    page, address = watched.page, (hostile_run / "report.html").as_uri()
    page.goto(address)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.wait_for_timeout(300)
    assert page.title() == "replayed answers on sample"
    assert page.locator("script, iframe, object, main form, svg animate, a[href^=javascript]").count() == 0
    assert is_within_its_width(page)
    assert watched.console == []
    assert watched.requests == [address]
    page.context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_in_a_response_runs_on_the_review_page(browser: Browser, hostile_run: Path, width: int) -> None:
    watched = watched_page(browser.new_context(viewport={"width": width, "height": 800}))
    page = watched.page
    with review_page(hostile_run, f"ann{width}") as served:
        for index in range(len(HOSTILE)):
            page.goto(f"{served.address}item/{index}")
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            page.wait_for_timeout(100)
            assert page.title() == f"text:{index}: run"
            assert (
                page.locator("iframe, object, svg, a[href^=javascript], .response button, script:not([src])").count()
                == 0
            )
            assert page.locator("form").count() == page.locator("form.aspect").count() + 1
            assert is_within_its_width(page)
        assert [url for url in watched.requests if not url.startswith(served.address)] == []
    assert watched.console == []
    page.context.close()


def test_a_hostile_comment_comes_back_as_text(browser: Browser, hostile_run: Path) -> None:
    watched = watched_page(browser.new_context())
    page = watched.page
    comment = f"</textarea><script>{MARK}</script>\u202e"
    with review_page(hostile_run, "eve") as served:
        page.goto(f"{served.address}item/0")
        page.locator("details.more").first.evaluate("one => one.open = true")
        page.locator("textarea[name=comment]").first.fill(comment)
        with page.expect_navigation():
            page.get_by_role("button", name="unsure").first.click()
        page.goto(f"{served.address}item/0")
        assert page.title() == "text:0: run"
        assert "<script>" in page.locator("textarea[name=comment]").first.input_value()
    assert watched.console == []
    page.context.close()


def test_the_report_of_a_run_opens_from_disk_without_console_errors_or_requests(
    browser: Browser, run_folder: Path
) -> None:
    for scheme in ("light", "dark"):
        watched = watched_page(browser.new_context(color_scheme="dark" if scheme == "dark" else "light"))
        address = (run_folder / "report.html").as_uri()
        watched.page.goto(address)
        watched.page.locator("details.problem summary").first.click()
        assert watched.page.locator("details.problem[open] .verdict").first.is_visible()
        assert watched.console == []
        assert [url for url in watched.requests if not url.startswith("data:image/")] == [address]
        watched.page.context.close()
