"""The engine process as the driver sees it: starts it, feeds it cases, hands over responses, ends all it started.

Between driver and engine stands a warden (``engines.warden``) that ends the engine when the driver is gone, however it
went. Both run in sessions of their own: Ctrl-C in the terminal reaches the driver alone, which decides what to do.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

from pydantic import ValidationError

from cfe_local import errors
from cfe_local.config.model import ModelConfig
from cfe_local.engines.ends import describe_end, log_tail
from cfe_local.engines.environment import engine_environment
from cfe_local.engines.lines import LineReader, PipeTimeoutError, PipeWriter
from cfe_local.engines.wire import (
    FROM_ENGINE,
    Answer,
    Ask,
    Beat,
    Done,
    EndOfCases,
    EngineInfo,
    Ready,
    Refused,
    Start,
    line,
)
from cfe_local.errors import CfeError, EngineDiedError, EngineError
from cfe_local.records import Case, Record, Response

WORKER = (sys.executable, "-P", "-m", "cfe_local.engines.worker")
WARDEN_PATH = Path(__file__).with_name("warden.py")
LEAVE_S = 4.0
"""How long an idle engine may take to end by itself; with the warden's own limits below ten seconds together."""
KILL_S = 9.0
STALL_S = 900.0
STARTUP_S = 3600.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an engine may be silent, seconds.

    Attributes:
        stall_s: Without a response and without a step while it answers.
        startup_s: From its start until it is loaded.
    """

    stall_s: float = STALL_S
    startup_s: float = STARTUP_S


class EngineProcess:
    """One loaded engine in a process of its own. Use it as a context manager.

    Attributes:
        startup_s: Seconds from start to the first case being possible.
        engine_info: What the engine says about itself.
    """

    def __init__(
        self,
        model: ModelConfig,
        *,
        log_path: Path,
        allow_network: bool = False,
        worker: Sequence[str] = WORKER,
        patience: Patience | None = None,
    ) -> None:
        """Nothing is started yet.

        Args:
            model: What to load; also how many cases may be under way at once.
            log_path: Everything that the engine prints is appended here.
            allow_network: Off: the engine process refuses connections that leave this machine.
            worker: Program that speaks the protocol of ``engines.wire``.
            patience: How long it may take to load, and to make no progress.
        """
        self.model = model
        self.log_path = log_path
        self.startup_s = 0.0
        self.engine_info = EngineInfo(engine=model.engine)
        self._allow_network = allow_network
        self._worker = tuple(worker)
        self._patience = patience or Patience()
        self._waiting: set[str] = set()
        self._warden: subprocess.Popen[bytes] | None = None
        self._to_engine: PipeWriter | None = None
        self._from_engine: LineReader | None = None
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
            message = self._receive(self._patience.startup_s)
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
        self._to_engine = PipeWriter(cases_in)
        self._from_engine = LineReader(answers_out)

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

    @property
    def in_flight(self) -> frozenset[str]:
        """Labels of the cases that were handed over and not answered; at a death, those that may have caused it."""
        return frozenset(self._waiting)

    def generate(self, cases: Iterable[Case], *, limit: int | None = None) -> Iterator[Response]:
        """Answer every case exactly once, each response as soon as it is finished.

        Args:
            cases: Taken as there is room.
            limit: Cases under way at once; at most, and where left out, ``model.max_in_flight``.

        Raises:
            EngineDiedError: If the engine ends, or makes no progress for too long. What was yielded before stays valid.
            CfeError: Whatever else the engine refuses.
        """
        if self._busy or self._to_engine is None:
            raise EngineError(
                f"engine of {self.model.display_name}: a round of cases was left before its end, or it is closed\n"
                "Fix: start a new engine process."
            )
        self._busy = True
        waiting = self._waiting = set()
        most = min(limit or self.model.max_in_flight, self.model.max_in_flight)
        source = iter(cases)
        open_source = True
        while True:
            while open_source and len(waiting) < most:
                case = next(source, None)
                if case is None:
                    open_source = False
                    self._send(EndOfCases())
                else:
                    waiting.add(case.key.label)
                    self._send(Ask(case=case))
            message = self._receive(self._patience.stall_s)
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
        try:
            self._to_engine.write(line(message), self._patience.stall_s)
        except BrokenPipeError:
            self._raise_end()
        except PipeTimeoutError:
            self._raise_stalled(self._patience.stall_s)

    def _receive(self, silence_s: float) -> Ready | Answer | Done:
        """The next message that is more than a sign of life."""
        while isinstance(message := self._receive_any(silence_s), Beat):
            continue
        if isinstance(message, Refused):
            raise _error_class(message.error)(message.message)
        return message

    def _receive_any(self, silence_s: float) -> Ready | Answer | Done | Beat | Refused:
        if self._from_engine is None:
            raise EngineError(f"engine of {self.model.display_name} is not running")
        try:
            raw = self._from_engine.read(silence_s)
        except PipeTimeoutError:
            self._raise_stalled(silence_s)
        if not raw.endswith(b"\n"):
            self._raise_end()
        try:
            return FROM_ENGINE.validate_json(raw)
        except ValidationError as error:
            raise EngineError(f"engine of {self.model.display_name}: not a message: {raw[:200]!r}") from error

    def _raise_stalled(self, silence_s: float) -> NoReturn:
        """End an engine that hangs, and say so."""
        self._end_warden()
        raise EngineDiedError(
            f"engine process of {self.model.display_name} made no progress for {silence_s:g} s and was ended\n"
            f"Last lines of {self.log_path}:\n{log_tail(self.log_path)}\n"
            "Fix: the log says what it did last; watchdog.stall_s and watchdog.startup_s give it more time."
        )

    def _raise_end(self) -> NoReturn:
        """Say how the engine ended, what it printed last, and what to do.

        Raises:
            EngineDiedError: Always.
        """
        status: int | None = None
        if self._warden is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = self._warden.wait(KILL_S)
        self._end_warden()
        how, fix = describe_end(status)
        raise EngineDiedError(
            f"engine process of {self.model.display_name} {how}\n"
            f"Last lines of {self.log_path}:\n{log_tail(self.log_path)}\n"
            f"Fix: {fix} Responses that had arrived are kept; the same command continues with the rest."
        )


def _error_class(name: str) -> type[CfeError]:
    found = getattr(errors, name, None)
    return found if isinstance(found, type) and issubclass(found, CfeError) else EngineError


def _short(message: Record) -> str:
    return message.model_dump_json()[:200]
