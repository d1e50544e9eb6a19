"""How an engine process ended, in words: its status, the last lines of its log, and what to do."""

from __future__ import annotations

import signal
from pathlib import Path

LOG_TAIL_LINES = 25
LOG_TAIL_BYTES = 16384
MEMORY_SIGNS = ("out of memory", "outofmemory", "memoryerror", "bad_alloc", "cannot allocate memory", "(sigkill)")
"""How allocators, CUDA, Python and the kernel's OOM killer (by its signal) say that memory ran out."""


def describe_end(status: int | None) -> tuple[str, str]:
    """What happened, and what a user can do.

    Args:
        status: The engine's exit status, 128 + number for a signal; None where it did not end.
    """
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


def log_tail(path: Path) -> str:
    """The last lines of a log, indented."""
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - LOG_TAIL_BYTES))
            lines = log.read().decode("utf-8", "replace").splitlines()
    except OSError as error:
        return f"  (not readable: {error})"
    return "\n".join(f"  {text}" for text in lines[-LOG_TAIL_LINES:]) or "  (empty)"


def ran_out_of_memory(message: str) -> bool:
    """Whether an engine's last words, its log's included, say that memory was the reason."""
    lower = message.lower()
    return any(sign in lower for sign in MEMORY_SIGNS)
