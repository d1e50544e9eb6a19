"""Engines that hang, run out of memory or die at one case: real processes, real limits, real signals."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from cfe_local.config import ModelConfig, WatchdogConfig
from cfe_local.errors import EngineDiedError
from cfe_local.pipeline import Silent
from cfe_local.pipeline.clock import engine_work
from cfe_local.pipeline.engines import EngineHost
from cfe_local.pipeline.watchdog import answer_all
from cfe_local.records import Response
from cfe_local.store import RunFolder
from tests.engines.cases import case
from tests.pipeline.faulty_worker import POISON_ROW

ROOT = Path(__file__).parents[2]
WORKER = (sys.executable, str(Path(__file__).with_name("faulty_worker.py")))
N_CASES = 40
PATIENT = WatchdogConfig(stall_s=60, startup_s=120)
HASTY = WatchdogConfig(stall_s=3, startup_s=120)


class Noting(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture(autouse=True)
def _worker_finds_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def answer(
    folder: Path,
    behaviour: str,
    *,
    n_cases: int = N_CASES,
    watchdog: WatchdogConfig = PATIENT,
    max_in_flight: int = 16,
) -> tuple[list[Response], Noting, int]:
    """Every response, what was told, and how many engines were started in place of dead ones."""
    watch = Noting()
    model = ModelConfig(path=str(folder / behaviour), max_in_flight=max_in_flight)
    store = RunFolder(folder, writable=True)
    with EngineHost(folder / "logs", watchdog=watchdog, worker=WORKER) as engines:
        cases = [case(row=row) for row in range(n_cases)]
        responses = list(answer_all(cases, model, engines, watch, timing=(store, "generate")))
        assert len(engine_work(store).load().records) >= engines.n_loads
    store.close()
    return responses, watch, engines.n_restarts


def rows(responses: list[Response], outcome: str = "answered") -> list[int]:
    return sorted(response.key.row for response in responses if response.outcome == outcome)


@pytest.mark.parametrize("behaviour", ["hangs-once", "is-stopped-once"])
def test_an_engine_that_hangs_is_replaced_and_every_case_is_answered_once(tmp_path: Path, behaviour: str) -> None:
    started = time.monotonic()
    responses, watch, n_restarts = answer(tmp_path, behaviour, watchdog=HASTY)
    assert rows(responses) == list(range(N_CASES))
    assert n_restarts == 1
    assert "made no progress for 3 s" in watch.notes[0]
    assert time.monotonic() - started < 90


def test_an_engine_that_takes_steps_is_not_taken_for_one_that_hangs(tmp_path: Path) -> None:
    responses, _, n_restarts = answer(tmp_path, "works-slowly", n_cases=1, watchdog=HASTY)  # takes 5 s, limit 3 s
    assert (rows(responses), n_restarts) == ([0], 0)


@pytest.mark.parametrize("behaviour", ["is-poisoned", "is-killed-by-one"])
def test_the_case_that_kills_is_set_aside_and_all_others_are_answered(tmp_path: Path, behaviour: str) -> None:
    responses, watch, n_restarts = answer(tmp_path, behaviour)
    assert rows(responses) == [row for row in range(N_CASES) if row != POISON_ROW]
    (aside,) = [response for response in responses if response.outcome == "failed"]
    assert aside.key.row == POISON_ROW
    assert "the engine died" in aside.detail
    assert f"text:{POISON_ROW}/-/0 is set aside" in watch.notes[-1]
    assert n_restarts <= 5


def test_where_memory_runs_out_fewer_cases_go_at_once(tmp_path: Path) -> None:
    responses, watch, n_restarts = answer(tmp_path, "needs-memory")
    assert rows(responses) == list(range(N_CASES))
    assert n_restarts == 1
    assert "4 at once" in watch.notes[0]
    windows = [int(line) for line in (tmp_path / "windows").read_text().split()]
    assert max(windows) <= 4  # those with more never got their memory


def test_restarts_have_a_limit_and_what_was_answered_stays(tmp_path: Path) -> None:
    watch = Noting()
    model = ModelConfig(path=str(tmp_path / "is-poisoned"), max_in_flight=1)
    got: list[Response] = []
    store = RunFolder(tmp_path, writable=True)
    watchdog = WatchdogConfig(max_restarts=0)
    with (
        EngineHost(tmp_path / "logs", watchdog=watchdog, worker=WORKER) as engines,
        pytest.raises(EngineDiedError, match="SIGSEGV"),
    ):
        got.extend(answer_all([case(row=row) for row in range(9)], model, engines, watch, timing=(store, "generate")))
    assert rows(got) == list(range(POISON_ROW))


def test_an_engine_that_dies_while_loading_is_not_tried_again(tmp_path: Path) -> None:
    with pytest.raises(EngineDiedError, match="SIGSEGV"):
        answer(tmp_path, "dies-while-loading")
    assert len((tmp_path / "starts").read_text().split()) == 1
