"""The doctor on one run: do prompts and answers fit the context, is there room on disk, is the folder free to use?"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cfe_local.jobs.findings import Finding, error, ok, warning

BYTES_PER_TOKEN = 6
"""Of generated text as it is stored: about four in English with LaTeX, half as much again for JSON and the judge."""
RECORD_BYTES = 1500
"""Of one response, its judge calls and verdicts, besides their texts."""


@dataclass(frozen=True, slots=True)
class PromptLength:
    """One planned prompt: tokens at most, and whether everything in it could be counted exactly."""

    label: str
    n_tokens: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Budget:
    """What a model may write, tokens, and the context it has for that; ``native`` is the makers' own, if known."""

    max_model_len: int
    answer: int
    thinking: int
    native: int | None = None


def check_context(about: str, budget: Budget, prompts: Sequence[PromptLength]) -> Iterator[Finding]:
    """Do prompt, thinking and answer fit the context? A prompt that leaves no room for an answer is never asked."""
    most = budget.max_model_len
    if budget.native is not None and most > budget.native:
        yield error(
            about, "context", f"max_model_len {most:,} is more than the model's own {budget.native:,}",
            f"set {about}.engine_args.max_model_len to at most {budget.native}",
        )  # fmt: skip
    if budget.answer >= most:
        yield error(
            about, "context", f"max_model_len {most:,} leaves a prompt no room beside {budget.answer:,} answer tokens",
            f"raise {about}.engine_args.max_model_len or lower {about}.sampling.max_tokens",
        )  # fmt: skip
        return
    if not prompts:
        return
    longest = max(prompts, key=lambda prompt: prompt.n_tokens)
    refused = [prompt for prompt in prompts if prompt.n_tokens + budget.answer + bool(budget.thinking) > most]
    pinched = [prompt for prompt in prompts if prompt.n_tokens + budget.answer + budget.thinking > most]
    wanted = longest.n_tokens + budget.answer + budget.thinking
    size = f"{longest.n_tokens:,} tokens" if longest.is_exact else f"at most about {longest.n_tokens:,} tokens"
    sum_ = f"{size} ({longest.label}) + {budget.thinking:,} thinking + {budget.answer:,} answer"
    raise_ = f"set {about}.engine_args.max_model_len to {_rounded(wanted)}, or lower max_tokens or thinking_tokens"
    if refused:
        say = error if any(prompt.is_exact for prompt in refused) else warning
        message = f"{len(refused)} of {len(prompts)} prompts leave no room for an answer in {most:,}: {sum_}"
        yield say(about, "context", message, raise_)
    elif pinched:
        message = f"{len(pinched)} of {len(prompts)} prompts leave less than the thinking budget in {most:,}: {sum_}"
        yield warning(about, "context", message, raise_)
    else:
        yield ok(about, "context", f"longest: {sum_} = {wanted:,} of {most:,}")


def check_judge_context(budget: Budget, max_response_tokens: int, longest_question: int) -> Iterator[Finding]:
    """Does the longest response that is not reduced fit the judge, with its question and the judge's answer?"""
    wanted = max_response_tokens + longest_question + budget.answer
    if wanted > budget.max_model_len:
        yield warning(
            "judge", "context", f"a response of {max_response_tokens:,} tokens, its question of {longest_question:,} "
            f"and {budget.answer:,} answer tokens are {wanted:,}, and the judge has {budget.max_model_len:,}",
            f"set judge.engine_args.max_model_len to {_rounded(wanted)}, or lower grading.max_response_tokens",
        )  # fmt: skip
    else:
        yield ok(
            "judge", "context", f"{wanted:,} of {budget.max_model_len:,} for the longest response that is not reduced"
        )


def check_disk(folder: Path, free: int, case_bytes: int, n_cases: int, tokens_per_case: int) -> Iterator[Finding]:
    """Is there room for what the run writes?

    Args:
        folder: The run folder.
        free: Bytes that are free there.
        case_bytes: Of the planned cases, as they are stored.
        n_cases: Planned cases.
        tokens_per_case: The most that one case may be answered with.
    """
    least = case_bytes + n_cases * RECORD_BYTES
    most = least + n_cases * tokens_per_case * BYTES_PER_TOKEN
    sizes = f"{_size(free)} free at {folder}, {n_cases:,} cases write {_size(least)} to {_size(most)}"
    if free < least * 2:
        yield error("run", "disk", sizes, "free some space, or choose another folder (out)")
    elif free < most:
        yield warning("run", "disk", f"{sizes} if every answer runs to its limit", "free some space before a long run")
    else:
        yield ok("run", "disk", sizes)


@dataclass(frozen=True, slots=True)
class FolderProbe:
    """What trying to write beside a run folder gave: the nearest folder that exists, and why it took nothing.

    ``skew_s`` is the file server's clock minus this machine's, seconds.
    """

    nearest: Path
    refusal: str = ""
    skew_s: float = 0.0


def probe_folder(out: Path) -> FolderProbe:
    """Write and remove one empty file where the run folder is or would be."""
    nearest = out.absolute()
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        return FolderProbe(nearest, f"{nearest} is a file")
    trial = nearest / f".cfe-local-{uuid.uuid4().hex}"
    try:
        trial.touch()
        try:
            skew = trial.stat().st_mtime - time.time()
        finally:
            trial.unlink()
    except OSError as problem:
        return FolderProbe(nearest, problem.strerror or str(problem))
    return FolderProbe(nearest, skew_s=skew)


def check_output(
    out: Path, probe: FolderProbe, differences: Sequence[str], *, is_run: bool, is_locked: bool
) -> Iterator[Finding]:
    """May the run write there, and does what is there belong to it?

    Args:
        out: The run folder.
        probe: What trying gave.
        differences: Settings in which an earlier run in the folder differs.
        is_run: Whether a run is there.
        is_locked: Whether somebody holds its lock.
    """
    if probe.refusal:
        yield error("run", "output", f"{out} cannot be written: {probe.refusal}", "choose another folder (out)")
    elif differences:
        yield error(
            "run", "output", f"{out} holds a run with other settings: {'; '.join(differences[:3])}",
            "choose another folder (out), or --fresh, which moves the old run aside",
        )  # fmt: skip
    elif is_run and is_locked:
        yield warning(
            "run", "output", f"{out}: another process may be writing to this run", "wait, or look at run.lock"
        )
    elif is_run:
        yield ok("run", "output", f"{out}: goes on from the run that is there")
    elif out.is_dir() and any(not entry.name.startswith(".") and entry.name != "logs" for entry in out.iterdir()):
        yield error("run", "output", f"{out} is not empty, and no run", "choose an empty or new folder (out)")
    else:
        yield ok("run", "output", f"{out}: new, and can be written")


def _rounded(n_tokens: int) -> int:
    return -(-n_tokens // 1024) * 1024


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.1f} MB"
