"""Turns one GGUF file into a model folder that vLLM and transformers load: bf16 safetensors, tokenizer, chat template.

Runs as a program of its own (``python -m cfe_local.engines.gguf FILE FOLDER``), so that the memory it needs goes back
to the system and a failure cannot take the caller with it. Quantized weights are unpacked to bf16: exact to bf16's
8 bits, no better than the quantization was. Not here: where the file comes from, and when it is converted
(``engines.models``).
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

from cfe_local.engines.environment import offline_environment
from cfe_local.errors import ModelError

TIMEOUT_S = 1800.0
"""The 1.5B model takes 150 s and 6.3 GB on two cores; what needs ten times that hangs."""

PR_SET_PDEATHSIG = 1  # Linux, sys/prctl.h


def convert_gguf(source: Path, target: Path) -> None:
    """Convert in a child process.

    Args:
        source: The GGUF file.
        target: Folder to fill; made where missing. Left half-filled on failure, so give it a temporary one.

    Raises:
        ModelError: If the converter failed, was killed (usually: not enough memory) or needs a package that is missing.
    """
    command = [sys.executable, "-P", "-m", "cfe_local.engines.gguf", str(source), str(target)]
    environment = {**os.environ, **offline_environment(), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, env=environment, check=False)
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"{source}: conversion did not end within {TIMEOUT_S:.0f} s\nFix: run it again.") from error
    if done.returncode == 0:
        return
    if done.returncode < 0:
        raise ModelError(
            f"{source}: the converter was ended by signal {-done.returncode}\n"
            "Fix: free some memory (the 1.5B model needs about 6.5 GB while it is converted) and run it again."
        )
    tail = "\n".join(done.stderr.strip().splitlines()[-5:])
    raise ModelError(
        f"{source}: conversion failed:\n{tail}\n"
        "Fix: install the engine packages (extra `cpu` or `gpu`), then run it again."
    )


def main(source: Path, target: Path) -> None:
    """Do the conversion in this process."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    folder, file = str(source.parent), source.name
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    model = AutoModelForCausalLM.from_pretrained(
        folder, gguf_file=file, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
    )
    # Unpacked weights with a quantization entry beside them would be unpacked a second time by whoever loads them.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    for file_path in target.iterdir():
        file_path.chmod(0o644)


if __name__ == "__main__":
    if sys.platform == "linux":
        # Whoever started this is gone: stop too, instead of holding gigabytes for a folder that nobody waits for.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
