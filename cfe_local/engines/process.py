"""The engine process as the driver sees it: starts it, feeds it cases, hands over responses, ends all it started.

Between driver and engine stands a warden (``engines.warden``) that ends the engine when the driver is gone, however it
went. Both run in sessions of their own: Ctrl-C in the terminal reaches the driver alone, which decides what to do.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from pydantic import ValidationError

from cfe_local import errors
from cfe_local.config.model import ModelConfig
from cfe_local.engines.environment import engine_environment
from cfe_local.engines.wire import (
    FROM_ENGINE,
    Answer,
    Ask,
    Done,
    EndOfCases,
    EngineInfo,
    Ready,
    Refused,
    Start,
    line,
)
from cfe_local.errors import CfeError, EngineError
from cfe_local.records import Case, Record, Response

WORKER = (sys.executable, "-P", "-m", "cfe_local.engines.worker")
WARDEN_PATH = Path(__file__).with_name("warden.py")
LEAVE_S = 4.0
"""How long an idle engine may take to end by itself; with the warden's own limits below ten seconds together."""
KILL_S = 9.0
LOG_TAIL_LINES = 25
LOG_TAIL_BYTES = 16384


class EngineProcess:
    """One loaded engine in a process of its own. Use it as a context manager.

    Attributes:
        startup_s: Seconds from start to the first case being possible.
        engine_info: What the engine says about itself.
    """

    def __init__(
        self, model: ModelConfig, *, log_path: Path, allow_network: bool = False, worker: Sequence[str] = WORKER
    ) -> None:
        """Nothing is started yet.

        Args:
            model: What to load; also how many cases may be under way at once.
            log_path: Everything that the engine prints is appended here.
            allow_network: Off: the engine process refuses connections that leave this machine.
            worker: Program that speaks the protocol of ``engines.wire``.
        """
        self.model = model
        self.log_path = log_path
        self.startup_s = 0.0
        self.engine_info = EngineInfo(engine=model.engine)
        self._allow_network = allow_network
        self._worker = tuple(worker)
        self._warden: subprocess.Popen[bytes] | None = None
        self._to_engine: BinaryIO | None = None
        self._from_engine: BinaryIO | None = None
        self._busy = True  # loading, or in a round: not to be waited for when it has to end

    # ------------------------------------------------------------ life

    def __enter__(self) -> Self:
        """Start the engine and wait until it is loaded.

        Raises:
            EngineError: If the process ends before that.
            CfeError: Whatever the engine refuses: a model folder, an option, an attempt to use the network.
        """
        started = time.monotonic()
        self._spawn()
        try:
            self._send(Start(model=self.model, allow_network=self._allow_network))
            message = self._receive()
            if not isinstance(message, Ready):
                raise EngineError(f"engine of {self.model.display_name}: said {message.kind} before it was ready")
        except BaseException:
            self.close()
            raise
        self._busy = False
        self.engine_info = message.info
        self.startup_s = time.monotonic() - started
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _spawn(self) -> None:
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        cases_out, cases_in = os.pipe()
        answers_out, answers_in = os.pipe()
        fds = f"{cases_out},{answers_in}"
        command = [sys.executable, "-I", str(WARDEN_PATH), str(os.getpid()), fds]
        with self.log_path.open("ab") as log:
            self._warden = subprocess.Popen(
                [*command, *self._worker, str(cases_out), str(answers_in)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=engine_environment(self.model, allow_network=self._allow_network, base=os.environ),
                pass_fds=(cases_out, answers_in),
                start_new_session=True,
            )
        os.close(cases_out)
        os.close(answers_in)
        self._to_engine = os.fdopen(cases_in, "wb", buffering=0)
        self._from_engine = os.fdopen(answers_out, "rb")

    @property
    def pid(self) -> int | None:
        """The warden's process id while it runs; the engine is below it."""
        return self._warden.pid if self._warden is not None else None

    def close(self) -> None:
        """End the engine and everything it started; at most about ten seconds. Doing it again changes nothing."""
        if self._to_engine is not None:
            self._to_engine.close()
        if self._warden is not None and self._warden.poll() is None:
            if not self._busy:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._warden.wait(LEAVE_S)
            self._end_warden()
        if self._from_engine is not None:
            self._from_engine.close()
        self._to_engine = self._from_engine = None

    def _end_warden(self) -> None:
        if self._warden is None or self._warden.poll() is not None:
            return
        self._warden.terminate()
        try:
            self._warden.wait(KILL_S)
        except subprocess.TimeoutExpired:
            self._warden.kill()
            self._warden.wait()

    # ------------------------------------------------------------ cases and responses

    def generate(self, cases: Iterable[Case]) -> Iterator[Response]:
        """Answer every case exactly once, each response as soon as it is finished.

        Args:
            cases: Taken as there is room: at most ``model.max_in_flight`` are under way at once.

        Raises:
            EngineError: If the engine ends. What was yielded before stays valid.
            CfeError: Whatever else the engine refuses.
        """
        if self._busy or self._to_engine is None:
            raise EngineError(
                f"engine of {self.model.display_name}: a round of cases was left before its end, or it is closed\n"
                "Fix: start a new engine process."
            )
        self._busy = True
        waiting: set[str] = set()
        source = iter(cases)
        open_source = True
        while True:
            while open_source and len(waiting) < self.model.max_in_flight:
                case = next(source, None)
                if case is None:
                    open_source = False
                    self._send(EndOfCases())
                else:
                    waiting.add(case.key.label)
                    self._send(Ask(case=case))
            message = self._receive()
            if isinstance(message, Done) and not waiting:
                break
            if not isinstance(message, Answer) or message.response.key.label not in waiting:
                raise EngineError(f"engine of {self.model.display_name}: unexpected message: {_short(message)}")
            waiting.remove(message.response.key.label)
            yield message.response
        self._busy = False

    def _send(self, message: Record) -> None:
        if self._to_engine is None:
            raise EngineError(f"engine of {self.model.display_name} is not running")
        data = memoryview(line(message))
        try:
            while data:
                data = data[self._to_engine.write(data) :]
        except BrokenPipeError:
            self._raise_end()

    def _receive(self) -> Ready | Answer | Done:
        if self._from_engine is None:
            raise EngineError(f"engine of {self.model.display_name} is not running")
        raw = self._from_engine.readline()
        if not raw.endswith(b"\n"):
            self._raise_end()
        try:
            message = FROM_ENGINE.validate_json(raw)
        except ValidationError as error:
            raise EngineError(f"engine of {self.model.display_name}: not a message: {raw[:200]!r}") from error
        if isinstance(message, Refused):
            raise _error_class(message.error)(message.message)
        return message

    def _raise_end(self) -> None:
        """Say how the engine ended, what it printed last, and what to do.

        Raises:
            EngineError: Always.
        """
        status: int | None = None
        if self._warden is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = self._warden.wait(KILL_S)
        self._end_warden()
        how, fix = _describe_end(status)
        raise EngineError(
            f"engine process of {self.model.display_name} {how}\n"
            f"Last lines of {self.log_path}:\n{_log_tail(self.log_path)}\n"
            f"Fix: {fix} Responses that had arrived are kept; the same command continues with the rest."
        )


def _error_class(name: str) -> type[CfeError]:
    found = getattr(errors, name, None)
    return found if isinstance(found, type) and issubclass(found, CfeError) else EngineError


def _describe_end(status: int | None) -> tuple[str, str]:
    if status is None:
        return "does not answer and did not end", "look at the log."
    if status <= 128:
        return f"ended with exit status {status}", "the log says why."
    try:
        name = signal.Signals(status - 128).name
    except ValueError:
        name = "unknown"
    fix = "the log says why."
    if name == "SIGKILL":
        fix = (
            "memory is the usual reason: lower max_model_len, max_in_flight or gpu_memory_utilization "
            "(on a CPU: VLLM_CPU_KVCACHE_SPACE in the model's env)."
        )
    return f"was killed by signal {status - 128} ({name})", fix


def _log_tail(path: Path) -> str:
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - LOG_TAIL_BYTES))
            lines = log.read().decode("utf-8", "replace").splitlines()
    except OSError as error:
        return f"  (not readable: {error})"
    return "\n".join(f"  {text}" for text in lines[-LOG_TAIL_LINES:]) or "  (empty)"


def _short(message: Record) -> str:
    return message.model_dump_json()[:200]
