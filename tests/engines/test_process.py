"""The engine process with a stub engine: real processes, real pipes, real signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cfe_local.config import ModelConfig
from cfe_local.engines.process import KILL_S, EngineProcess
from cfe_local.errors import EngineError, ModelError, UsageError
from cfe_local.records import Case
from tests.engines.cases import case
from tests.engines.process_trees import alive, seconds_until_gone

ROOT = Path(__file__).parents[2]
STUB = (sys.executable, str(Path(__file__).with_name("stub_worker.py")))


@pytest.fixture(autouse=True)
def _stub_finds_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def engine(folder: Path, behaviour: str, max_in_flight: int = 4) -> EngineProcess:
    model = ModelConfig(path=str(folder / behaviour), max_in_flight=max_in_flight)
    return EngineProcess(model, log_path=folder / "logs" / "engine.log", worker=STUB)


def test_every_case_is_answered_once_over_several_rounds(tmp_path: Path) -> None:
    with engine(tmp_path, "echoes") as process:
        for n_cases in (3, 0, 1, 500):
            got = [response.key.row for response in process.generate(case(row=row) for row in range(n_cases))]
            assert sorted(got) == list(range(n_cases))
        assert process.engine_info.engine == "stub"
        assert 0 < process.startup_s < 30
    assert process.pid is not None
    assert not alive(process.pid)


def test_cases_are_taken_only_as_there_is_room(tmp_path: Path) -> None:
    taken = 0

    def plan() -> Iterator[Case]:
        nonlocal taken
        for row in range(40):
            taken += 1
            yield case(row=row)

    with engine(tmp_path, "echoes", max_in_flight=4) as process:
        for n_answered, _ in enumerate(process.generate(plan())):
            assert taken - n_answered <= 4
    assert taken == 40


def test_long_cases_do_not_block_driver_and_engine_against_each_other(tmp_path: Path) -> None:
    long_text = "x" * 200_000  # three times what a pipe holds
    with engine(tmp_path, "echoes", max_in_flight=16) as process:
        assert len(list(process.generate(case(long_text, row=row) for row in range(32)))) == 32


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("killed-at-third", "killed by signal 9 (SIGKILL)"),
        ("raises-at-third", "ended with exit status 1"),
    ],
)
def test_an_engine_that_dies_is_named_with_its_log_and_what_came_before_stays(
    tmp_path: Path, behaviour: str, said: str
) -> None:
    got: list[str] = []
    with engine(tmp_path, behaviour) as process, pytest.raises(EngineError) as caught:
        got.extend(response.text for response in process.generate(case(row=row) for row in range(5)))
    assert got == ["echo 0", "echo 1"]
    assert said in str(caught.value)
    assert f"stub engine, {behaviour}" in str(caught.value)
    assert "Fix:" in str(caught.value)


def test_what_is_no_message_is_an_error_of_the_engine(tmp_path: Path) -> None:
    with engine(tmp_path, "says-nonsense-at-third") as process, pytest.raises(EngineError, match="not a message"):
        list(process.generate(case(row=row) for row in range(5)))


def test_a_refusal_keeps_its_class_and_text(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no chat template"), engine(tmp_path, "refuses-to-load"):
        pass


def test_an_engine_that_dies_while_loading_is_reported(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="exit status 7"), engine(tmp_path, "dies-while-loading"):
        pass


def test_a_round_that_was_left_early_ends_the_use_of_the_process(tmp_path: Path) -> None:
    with engine(tmp_path, "echoes") as process:
        next(iter(process.generate(case(row=row) for row in range(9))))
        with pytest.raises(EngineError, match="start a new engine process"):
            next(iter(process.generate([case()])))


def test_close_ends_an_engine_that_does_not_leave_and_what_it_started(tmp_path: Path) -> None:
    for behaviour in ("does-not-leave", "has-children"):
        with engine(tmp_path, behaviour) as process:
            pid = int(process.engine_info.settings["pid"])
            list(process.generate([case()]))
            started = time.monotonic()
        assert time.monotonic() - started < 10
        assert not alive(pid)
    assert not alive(int((tmp_path / "grandchild").read_text()))


@contextmanager
def running_driver(folder: Path, behaviour: str) -> Iterator[subprocess.Popen[bytes]]:
    """A driver of its own that loads the stub, says so, and then waits."""
    source = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from cfe_local.config import ModelConfig\n"
        "from cfe_local.engines.process import KILL_S, EngineProcess\n"
        f"model = ModelConfig(path={str(folder / behaviour)!r})\n"
        f"with EngineProcess(model, log_path=Path({str(folder / 'engine.log')!r}), worker={STUB!r}) as engine:\n"
        "    print(engine.pid, engine.engine_info.settings['pid'], flush=True)\n"
        "    time.sleep(300)\n"
    )
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, start_new_session=True) as driver:
        try:
            yield driver
        finally:
            driver.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_ten_seconds_after_the_driver_ended(tmp_path: Path, number: signal.Signals) -> None:
    with running_driver(tmp_path, "has-children") as driver:
        assert driver.stdout is not None
        pids = [int(text) for text in driver.stdout.readline().split()]
        pids.append(int((tmp_path / "grandchild").read_text()))
        os.kill(driver.pid, number)
        assert seconds_until_gone(pids) < 10


def test_ctrl_c_reaches_the_driver_alone_and_leaves_nothing(tmp_path: Path) -> None:
    with running_driver(tmp_path, "has-children") as driver:
        assert driver.stdout is not None
        pids = [int(text) for text in driver.stdout.readline().split()]
        assert all(os.getpgid(pid) != os.getpgid(driver.pid) for pid in pids)
        os.killpg(driver.pid, signal.SIGINT)  # what a terminal does
        assert seconds_until_gone(pids) < 10


def test_replay_runs_through_the_real_worker(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"split": "text", "row": 0, "text": "4"}\n')
    with EngineProcess(ModelConfig(path=str(path), engine="replay"), log_path=tmp_path / "log") as process:
        got = list(process.generate([case(row=0), case(row=1)]))
    assert [(response.outcome, response.text) for response in got] == [("answered", "4"), ("failed", "")]


def test_a_model_folder_that_is_missing_is_refused_by_the_real_worker(tmp_path: Path) -> None:
    model = ModelConfig(path=str(tmp_path / "nowhere"), engine="replay")
    with pytest.raises((ModelError, UsageError), match="nowhere"), EngineProcess(model, log_path=tmp_path / "log"):
        pass


_FAULTY_WORKER = """
from cfe_local.engines import worker
from cfe_local.engines.wire import EngineInfo

class Faulty:
    info = EngineInfo(engine="faulty")
    def generate(self, cases):
        next(iter(cases))
        raise RuntimeError("kernel panic in layer 7")

worker.load_engine = lambda model: Faulty()
worker.main()
"""


def test_a_fault_inside_a_round_is_told_at_once_with_its_traceback(tmp_path: Path) -> None:
    model = ModelConfig(path=str(tmp_path / "m"), max_in_flight=1)
    program = (sys.executable, "-c", _FAULTY_WORKER)
    with EngineProcess(model, log_path=tmp_path / "engine.log", worker=program) as process:
        started = time.monotonic()
        with pytest.raises(EngineError, match=r"ended with exit status 1\n(.|\n)*kernel panic in layer 7"):
            list(process.generate(case(row=row) for row in range(3)))
        assert time.monotonic() - started < KILL_S
