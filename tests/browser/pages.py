"""The review page as a process of its own, and a browser to look at it with."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

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
)


def open_browser(playwright: Playwright) -> Browser:
    """The system's Chromium; Playwright's own download is not used."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))


@dataclass
class Watched:
    """A page with everything that a user would not see: console messages, errors in scripts, requests."""

    page: Page
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def watched_page(context: BrowserContext) -> Watched:
    """Open an empty tab and note what happens in it."""
    page = context.new_page()
    watched = Watched(page)
    page.on("console", lambda message: watched.console.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: watched.console.append(f"error: {error}"))
    page.on("request", lambda request: watched.requests.append(request.url))
    page.set_default_timeout(20_000)
    return watched


@dataclass(frozen=True, slots=True)
class Served:
    """A running review page."""

    process: subprocess.Popen[str]
    address: str

    def kill(self) -> None:
        """End it as a power switch would."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=20)


@contextmanager
def review_page(target: Path | str, reviewer: str, *options: str) -> Iterator[Served]:
    """Run ``cfe-local review`` until the block ends."""
    command = [sys.executable, "-m", "cfe_local.cli.main", "review", str(target), "--reviewer", reviewer, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    try:
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("review page: "):
                yield Served(process, line.removeprefix("review page: ").strip())
                return
        raise AssertionError("no page: " + "".join(lines))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stdout.close()
