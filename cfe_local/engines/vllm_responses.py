"""Turns what vLLM says about a finished request into a Response. Not here: asking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cfe_local.engines.thinking import SplitText, count_through_mark, split_thinking, thinking_end
from cfe_local.engines.vllm_prompts import PromptBuilder, Request
from cfe_local.records import Outcome, Response, TokenLogprob


def to_response(request: Request, output: Any, prompts: PromptBuilder, tokenizer: Any, seconds: float) -> Response:
    """One finished request as a record.

    Args:
        request: What was asked.
        output: vLLM's ``RequestOutput``, finished.
        prompts: For the model's thinking marks.
        tokenizer: For texts whose marks are hidden from ``output.text``.
        seconds: Since the request was handed over.
    """
    completion = output.outputs[0]
    token_ids = list(completion.token_ids)
    finish_reason, text = completion.finish_reason, _text(completion.text, token_ids, prompts, tokenizer)
    split = split_thinking(text, request.thinking, prompts.marks)
    most = request.case.sampling.max_tokens
    if split.end == "none" and len(token_ids) > most:
        # The model could have thought and did not: the room that was kept for thinking is not for its answer.
        finish_reason, token_ids = "length", token_ids[:most]
        text = str(tokenizer.decode(token_ids, skip_special_tokens=True))
        split = split_thinking(text, request.thinking, prompts.marks)
    n_through = _thinking_tokens(split, token_ids, prompts, tokenizer)
    n_mark = len(prompts.end_ids) if split.end == "closed" else 0
    end = thinking_end(split, n_through - n_mark + request.n_prefilled, request.thinking_budget)
    outcome, why = _outcome(split, finish_reason)
    return Response(
        key=request.case.key,
        outcome=outcome,
        text=split.answer,
        thinking=split.thinking,
        thinking_end=end,
        finish_reason=finish_reason,
        detail="; ".join([*([why] if why else []), *request.notes]),
        n_prompt_tokens=len(output.prompt_token_ids or ()),
        n_cached_tokens=output.num_cached_tokens or 0,
        n_thinking_tokens=n_through,
        n_answer_tokens=len(token_ids) - n_through,
        n_images=request.n_images,
        prompt_sha256=request.prompt_sha256,
        seconds=seconds,
        logprobs=_logprobs(completion.logprobs, token_ids, n_through) if completion.logprobs else (),
    )


def _text(text: str, token_ids: Sequence[int], prompts: PromptBuilder, tokenizer: Any) -> str:
    """The text with its thinking marks, also where they are special tokens."""
    if not prompts.hidden_marks:
        return text
    whole = str(tokenizer.decode(list(token_ids), skip_special_tokens=False))
    for mark in prompts.hidden_marks:
        whole = whole.replace(mark, "")
    return whole


def _thinking_tokens(split: SplitText, token_ids: Sequence[int], prompts: PromptBuilder, tokenizer: Any) -> int:
    """Tokens of the thinking, its end mark included; counted anew where the mark is not made of its usual tokens."""
    if split.end == "none":
        return 0
    if split.end == "unclosed":
        return len(token_ids)
    found = count_through_mark(token_ids, prompts.end_ids)
    if found is not None:
        return found
    again = tokenizer.encode(split.thinking + prompts.marks.end, add_special_tokens=False)
    return min(len(again), len(token_ids))


def _outcome(split: SplitText, finish_reason: str | None) -> tuple[Outcome, str]:
    if finish_reason not in ("stop", "length"):
        return "failed", f"the engine ended this request: {finish_reason}"
    if split.end == "unclosed":
        how = "ran into its limit" if finish_reason == "length" else "stopped"
        return "truncated_thinking", f"the model {how} inside its thinking"
    if finish_reason == "length":
        return "truncated", "the answer ran into its limit"
    return "answered", ""


def _logprobs(steps: Sequence[Any], token_ids: Sequence[int], n_thinking: int) -> tuple[TokenLogprob, ...]:
    """Of the answer's tokens only: thinking can be thousands of tokens, and nobody reads verdicts out of it."""
    rows = []
    for step, chosen in list(zip(steps, token_ids, strict=False))[n_thinking:]:
        own = step[chosen]
        if not math.isfinite(own.logprob):  # Logits that overflowed: no probability, and nothing that JSON can hold.
            continue
        rows.append(
            TokenLogprob(
                token=own.decoded_token or "",
                logprob=own.logprob,
                # A constraint gives what it forbids minus infinity, which is no alternative.
                alternatives={
                    other.decoded_token or "": other.logprob for other in step.values() if math.isfinite(other.logprob)
                },
            )
        )
    return tuple(rows)
