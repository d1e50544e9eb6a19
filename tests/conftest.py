"""Nothing that a test examines or prepares ends up in the user's own folders."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_exams_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Judge exams of tests are kept in a temporary folder."""
    os.environ["CFE_LOCAL_EXAMS_DIR"] = str(tmp_path_factory.mktemp("judge-exams"))
