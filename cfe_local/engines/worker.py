"""The engine process: loads one engine, answers rounds of cases, ends when the driver closes the pipe.

Run by ``engines.process`` as ``python -m cfe_local.engines.worker CASES_FD ANSWERS_FD``. Not here: any engine.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import BinaryIO, Protocol

from cfe_local.config.model import ModelConfig
from cfe_local.engines.base import Engine
from cfe_local.engines.feed import Inbox
from cfe_local.engines.network_guard import install_network_guard
from cfe_local.engines.wire import FROM_DRIVER, Answer, Beat, Done, EngineInfo, Ready, Refused, Start, line
from cfe_local.errors import CfeError, UsageError
from cfe_local.records import Record

BEAT_S = 5.0
PR_SET_PDEATHSIG = 1  # Linux, sys/prctl.h


class LoadedEngine(Engine, Protocol):
    """An engine that can also introduce itself."""

    @property
    def info(self) -> EngineInfo:
        """What it is and how it is set."""
        ...

    @property
    def n_steps(self) -> int:
        """How often it went on with what is under way; the watchdog's sign of life between two responses."""
        ...


ENGINES: Mapping[str, str] = {
    "vllm": "cfe_local.engines.vllm:VllmEngine",
    "transformers": "cfe_local.engines.transformers:TransformersEngine",
    "replay": "cfe_local.engines.replay:ReplayEngine",
}
"""Name in a ModelConfig to ``module:class``; the class is called with the ModelConfig. Imported only when used."""


def load_engine(model: ModelConfig) -> LoadedEngine:
    """Load the engine that a model asks for.

    Raises:
        UsageError: If there is no such engine, or its packages are not installed.
        CfeError: Whatever the engine itself refuses.
    """
    if model.engine not in ENGINES:
        raise UsageError(f"unknown engine {model.engine!r}\nFix: use one of {', '.join(ENGINES)}.")
    module_name, _, class_name = ENGINES[model.engine].partition(":")
    try:
        module = importlib.import_module(module_name)
        engine: LoadedEngine = getattr(module, class_name)(model)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"engine {model.engine} needs the package {error.name}, which is not installed\n"
            "Fix: install the extra that fits this machine, cfe-local[gpu] or cfe-local[cpu]."
        ) from error
    return engine


def serve(cases: BinaryIO, answers: BinaryIO) -> None:
    """Speak the protocol of ``engines.wire`` until the driver closes its end."""
    one_at_a_time = threading.Lock()

    def say(message: Record) -> None:
        with one_at_a_time:
            answers.write(line(message))
            answers.flush()

    start = FROM_DRIVER.validate_json(cases.readline())
    if not isinstance(start, Start):
        raise UsageError(f"the first message must be start, got {start.kind}")
    if not start.allow_network:
        install_network_guard()
    try:
        engine = load_engine(start.model)
        say(Ready(info=engine.info))
        inbox = Inbox(cases)
        threading.Thread(target=_beat, args=(engine, say), name="heartbeat", daemon=True).start()
        while (incoming := inbox.next_round()) is not None:
            for response in engine.generate(incoming):
                say(Answer(response=response))
            say(Done())
    except CfeError as error:
        logging.getLogger(__name__).exception("refused")
        say(Refused(error=type(error).__name__, message=str(error)))


def _beat(engine: LoadedEngine, say: Callable[[Record], None]) -> None:
    """Tell the driver as long as the engine takes steps; an engine that hangs is silent."""
    told = 0
    while True:
        time.sleep(BEAT_S)
        if engine.n_steps != told:
            told = engine.n_steps
            with contextlib.suppress(OSError, ValueError):  # the driver is gone: the main thread sees it, too
                say(Beat(n_steps=told))


def main() -> None:
    """Entry point."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    cases_fd, answers_fd = int(sys.argv[1]), int(sys.argv[2])
    inheritable = False  # what the engine starts must not hold the driver's pipes open
    for fd in (cases_fd, answers_fd):
        os.set_inheritable(fd, inheritable)
    with open(cases_fd, "rb") as cases, open(answers_fd, "wb") as answers:
        try:
            serve(cases, answers)
        except BrokenPipeError:
            logging.getLogger(__name__).info("the driver is gone")
        except BaseException:
            # Closing the pipe that the inbox's thread reads from would wait for the driver, which waits for this
            # process to end: the traceback would come too late for its message. The warden ends what is left.
            logging.getLogger(__name__).exception("the engine failed")
            logging.shutdown()
            os._exit(1)


if __name__ == "__main__":
    main()
