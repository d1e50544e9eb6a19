"""What is left of vLLM, its own workers included, after the driver was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cfe_local.engines.warden import descendants
from tests.engines.process_trees import seconds_until_gone

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc and /dev/shm"),
    pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two workers want two cores"),
]
ROOT = Path(__file__).parents[2]

DRIVER = """
import sys
from pathlib import Path
from cfe_local.config import ModelConfig
from cfe_local.engines.process import EngineProcess
from cfe_local.records import Sampling
from tests.engines.cases import case

model = ModelConfig(
    path=sys.argv[1],
    max_in_flight=4,
    engine_args={"max_model_len": 1024, "tensor_parallel_size": 2},
    env={"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "0|1", "OMP_WAIT_POLICY": "passive"},
)
with EngineProcess(model, log_path=Path(sys.argv[2])) as engine:
    lengths = [4] + 10_000 * [900]  # the first says that it works, the others keep it busy
    cases = (case(row=row, sampling=Sampling(temperature=0, max_tokens=n)) for row, n in enumerate(lengths))
    for response in engine.generate(cases):
        print(response.outcome, flush=True)
"""


def shared_memory() -> set[str]:
    return {path.name for path in Path("/dev/shm").iterdir() if path.name.startswith(("psm_", "sem.", "vllm"))}


def test_nothing_of_a_tensor_parallel_engine_is_left_ten_seconds_after_the_driver_was_killed(
    tiny_internvl_folder: Path, tmp_path: Path
) -> None:
    shared_before = shared_memory()
    command = [sys.executable, "-c", DRIVER, str(tiny_internvl_folder), str(tmp_path / "engine.log")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as driver:
        assert driver.stdout is not None
        try:
            assert driver.stdout.readline().strip() in (b"answered", b"truncated"), (
                tmp_path / "engine.log"
            ).read_text()
            pids = descendants(driver.pid)
        finally:
            os.kill(driver.pid, signal.SIGKILL)
    assert len(pids) >= 4  # warden, engine, two workers
    assert seconds_until_gone(pids) < 10
    assert shared_memory() <= shared_before
