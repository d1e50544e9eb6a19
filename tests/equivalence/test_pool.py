"""The pool keeps its limits whatever a pair does, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from cfe_local.equivalence import ComparisonPool

_EASY = [(f"{k}+x", f"x+{k}", None) for k in range(20)]


def test_results_come_in_order_with_their_index() -> None:
    with ComparisonPool(n_workers=2) as pool:
        got = list(pool.compare_all(_EASY))
    assert [index for index, _ in got] == list(range(20))
    assert {comparison.verdict for _, comparison in got} == {"equal"}


def test_a_killed_worker_costs_one_pair_and_the_others_go_on() -> None:
    with ComparisonPool(n_workers=1) as pool:
        assert pool.compare("1", "1").verdict == "equal"
        children = psutil.Process().children(recursive=True)
        for child in children:
            if "spawn_main" in " ".join(child.cmdline()):
                os.kill(child.pid, signal.SIGKILL)
        first = pool.compare("1", "1")
        assert (first.verdict, first.by) == ("undecided", "crash")
        assert pool.compare("1", "1").verdict == "equal"


def test_a_pair_that_takes_too_long_is_stopped_at_the_limit() -> None:
    slow = " + ".join(f"\\sum_{{k=1}}^{{300}} \\sin(k x_{at}) e^{{-k}}" for at in range(60))
    with ComparisonPool(n_workers=1, timeout_s=0.05) as pool:
        assert pool.compare("1", "1").verdict == "equal"
        start = time.monotonic()
        got = pool.compare(slow, f"{slow} + 1")
        assert (got.verdict, got.by) == ("undecided", "timeout")
        assert time.monotonic() - start < 5
        assert pool.compare("1", "2").verdict == "different"


@pytest.mark.parametrize("bad", [{"n_workers": 0}, {"timeout_s": 0.0}, {"memory_mb": 1}])
def test_limits_that_make_no_sense_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="a pool needs"):
        ComparisonPool(**bad)  # type: ignore[arg-type]


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, time\n"
        "from cfe_local.equivalence import ComparisonPool\n"
        "if __name__ == '__main__':\n"
        "    with ComparisonPool(n_workers=2) as pool:\n"
        "        pool.compare('1', '1')\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert parent.stdout.readline() == "ready\n"
    children = psutil.Process(parent.pid).children(recursive=True)
    assert children
    parent.kill()
    parent.wait()
    parent.stdout.close()
    _, alive = psutil.wait_procs(children, timeout=10)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []


def test_comparing_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from cfe_local.equivalence import equivalent\n"
        "equivalent('x^2+1 m', '1+x^2')\n"
        "print([name for name in ('torch', 'sympy', 'pint', 'vllm', 'numpy') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
