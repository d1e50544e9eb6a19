"""One browser and one run for all tests of pages; every test works on a copy of the run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from .pages import CHROMIUM, open_browser
from .sample_runs import sample_run


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here; install Debian's package chromium")
    with sync_playwright() as playwright:
        found = open_browser(playwright)
        yield found
        found.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    found = browser.new_context(viewport={"width": 1280, "height": 800})
    yield found
    found.close()


@pytest.fixture(scope="package")
def finished(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six problems, two with two variables, one with an image. Asks for the browser first, to skip early."""
    del browser
    return sample_run(tmp_path_factory.mktemp("sample") / "run", rows=("text:0-4", "mm:0"))


@pytest.fixture
def run_folder(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))
