"""An engine process without an engine: echoes, and misbehaves as told by ``model.path``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO

from cfe_local.engines.feed import Inbox
from cfe_local.engines.wire import FROM_DRIVER, Answer, Done, EngineInfo, Ready, Refused, Start, line
from cfe_local.records import Record, Response

SLEEPER = "import os,sys,time; open(sys.argv[1],'w').write(str(os.getpid())); time.sleep(300)"


def main() -> None:
    """Speak the protocol; behaviour is the last part of the model's path."""
    cases, answers = os.fdopen(int(sys.argv[1]), "rb"), os.fdopen(int(sys.argv[2]), "wb")

    def say(message: Record) -> None:
        answers.write(line(message))
        answers.flush()

    start = FROM_DRIVER.validate_json(cases.readline())
    if not isinstance(start, Start):
        raise SystemExit(9)
    folder, behaviour = Path(start.model.path).parent, Path(start.model.path).name
    print(f"stub engine, {behaviour}", flush=True)  # noqa: T201 - the log is to be seen
    if behaviour == "refuses-to-load":
        say(Refused(error="ModelError", message="no chat template\nFix: another model."))
        return
    if behaviour == "dies-while-loading":
        sys.exit(7)
    if behaviour == "has-children":
        start_grandchild(folder / "grandchild")
    say(Ready(info=EngineInfo(engine="stub", settings={"pid": str(os.getpid())})))
    inbox = Inbox(cases)
    while (incoming := inbox.next_round()) is not None:
        for number, case in enumerate(incoming):
            if number == 2:
                at_third(behaviour, answers)
            say(Answer(response=Response(key=case.key, outcome="answered", text=f"echo {case.key.row}")))
        say(Done())
    if behaviour == "does-not-leave":
        time.sleep(300)


def start_grandchild(pid_path: Path) -> None:
    """A process in a session of its own; returns once it runs."""
    subprocess.Popen([sys.executable, "-c", SLEEPER, str(pid_path)], start_new_session=True)
    while not (pid_path.exists() and pid_path.read_text()):
        time.sleep(0.01)


def at_third(behaviour: str, answers: BinaryIO) -> None:
    """What goes wrong when the third case is taken."""
    if behaviour == "killed-at-third":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "raises-at-third":
        raise ValueError("a fault of the engine")
    if behaviour == "says-nonsense-at-third":
        answers.write(b"Loading weights: 100%\n")
        answers.flush()


if __name__ == "__main__":
    main()
