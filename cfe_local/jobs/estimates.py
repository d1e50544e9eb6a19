"""What a run will cost at most: tokens, disk and, for a named device, time. Said before anything is asked.

An upper bound on purpose: every answer is counted with its whole budget. Not here: whether a model fits (``doctor``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cfe_local.config import ModelConfig
from cfe_local.jobs.rates import Rate
from cfe_local.records import Case

CHARACTERS_PER_TOKEN = 3.3
"""Of problem texts with LaTeX; over the published benchmark's questions the embedded models' tokenizers give 3.35 and
3.50 characters a token."""
TOKENS_PER_IMAGE = 1200
"""Between a small figure (a few hundred) and a scanned page (several thousand)."""
BYTES_PER_TOKEN = 4.5
"""Of a response's text on disk, with what JSON adds to it."""
BYTES_PER_RECORD = 900
"""Of a response or case besides its texts."""
EFFICIENCY = 0.4
"""Share of a device's nominal rates that serving reaches; good installations see 0.3 to 0.6."""
BYTES_PER_PARAMETER = 2.0


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """An upper bound for the generation of one run.

    Attributes:
        n_answer_tokens: Every answer at its cap.
        n_thinking_tokens: Every thinking at its cap; 0 is spent by models that do not think.
        n_bytes: On disk.
        seconds: With the given devices, without loading; None without a device or weights to look at.
    """

    n_cases: int
    n_prompt_tokens: int
    n_answer_tokens: int
    n_thinking_tokens: int
    n_bytes: int
    seconds: float | None


def estimate_run(cases: Iterable[Case], model: ModelConfig, rate: Rate | None) -> RunEstimate:
    """Add up what the cases of a run can cost."""
    n_cases = n_characters = n_images = n_answer = n_thinking = 0
    for case in cases:
        n_cases += 1
        parts = [part for message in case.messages for part in message.parts]
        n_characters += sum(len(part.text) for part in parts if part.kind == "text")
        n_images += sum(part.kind == "image" for part in parts)
        n_answer += case.sampling.max_tokens
        n_thinking += case.sampling.thinking_tokens
    n_prompt = round(n_characters / CHARACTERS_PER_TOKEN) + n_images * TOKENS_PER_IMAGE
    n_bytes = round((n_answer + n_thinking) * BYTES_PER_TOKEN + n_characters * 1.1 + 2 * n_cases * BYTES_PER_RECORD)
    seconds = None
    weights = weight_bytes(Path(model.path))
    if rate is not None and weights:
        in_flight = min(model.max_in_flight, max(n_cases, 1))
        seconds = seconds_for(n_prompt, n_answer + n_thinking, in_flight, weights, rate)
    return RunEstimate(n_cases, n_prompt, n_answer, n_thinking, n_bytes, seconds)


def seconds_for(n_prompt: int, n_generated: int, in_flight: int, weights: int, rate: Rate) -> float:
    """Time to read the prompts and to write the answers, by the slower of memory and arithmetic.

    Args:
        n_prompt: Prompt tokens in all.
        n_generated: Tokens that are written, in all.
        in_flight: Sequences that are written side by side.
        weights: Bytes of all weights; read once per step. A mixture of experts reads fewer, so its bound is loose.
        rate: Of all devices together.
    """
    flops = 2 * weights / BYTES_PER_PARAMETER
    operations = rate.tflops * 1e12 * EFFICIENCY
    bandwidth = rate.bandwidth_gb_s * 1e9 * EFFICIENCY
    step = max(weights / bandwidth, in_flight * flops / operations)
    return n_prompt * flops / operations + n_generated / in_flight * step


def weight_bytes(folder: Path) -> int:
    """Bytes of the weight files in a model folder; 0 where there are none to look at."""
    return sum(path.stat().st_size for path in folder.glob("*.safetensors")) if folder.is_dir() else 0
