"""Nothing that a test examines or prepares depends on how the tests were started, or ends up in the user's folders."""

from __future__ import annotations

import os
import signal

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_exams_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Judge exams of tests are kept in a temporary folder."""
    os.environ["CFE_LOCAL_EXAMS_DIR"] = str(tmp_path_factory.mktemp("judge-exams"))


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """Ctrl-C works in every process that a test starts.

    A shell starts background commands with SIGINT ignored, and whatever they start inherits that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
