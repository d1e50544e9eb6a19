"""Chooses tokens for a batch in which every row has its own sampling, seed, constraint and thinking budget.

transformers samples a batch one way for all and from one stream of random numbers, so that a response would depend on
its neighbours. Here ``generate`` decodes greedily what this processor leaves: the one token that each row chose.
Names and order of the sampling steps are vLLM's: penalties, temperature, min_p, top_k, top_p. Not here: prompts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch

from cfe_local.engines.transformers_guides import Guide
from cfe_local.records import Sampling

Phase = Literal["undecided", "thinking", "answer"]


@dataclass(frozen=True, slots=True)
class ChosenToken:
    """One answer token with the log probabilities that it was chosen from; alternatives by token id."""

    token_id: int
    logprob: float
    alternatives: dict[int, float]


@dataclass(slots=True)
class Row:
    """One response in the making.

    Attributes:
        prompt_ids: Prompt tokens, without padding.
        stop_ids: Tokens that end the response.
        start_ids: The start mark of thinking; empty for a model that has none.
        end_ids: The end mark of thinking.
        phase: ``thinking`` where the prompt opened it; ``undecided`` until the first tokens show.
        budget: Cap on thinking tokens, those that the prompt holds already taken off.
        token_ids: What was generated so far, the stop token not included.
        n_thinking: Of these, thinking with its marks.
        finish: ``stop`` or ``length`` once the row is done.
    """

    sampling: Sampling
    prompt_ids: torch.Tensor
    stop_ids: frozenset[int]
    start_ids: tuple[int, ...]
    end_ids: tuple[int, ...]
    phase: Phase
    budget: int
    generator: torch.Generator
    guide: Guide | None = None
    token_ids: list[int] = field(default_factory=list)
    n_thinking: int = 0
    by_budget: bool = False
    finish: Literal["stop", "length"] | None = None
    chosen: list[ChosenToken] = field(default_factory=list)
    _forced: list[int] = field(default_factory=list)

    def choose(self, scores: torch.Tensor) -> int:
        """Choose and take the next token.

        Args:
            scores: Logits, (vocabulary,), float32; changed in place.
        """
        token_id = self._forced.pop(0) if self._forced else self._sample(scores)
        self._take(token_id)
        return token_id

    # ------------------------------------------------------------ one token

    def _sample(self, scores: torch.Tensor) -> int:
        if self.guide is not None:
            so_far = torch.tensor([self.token_ids or [0]], device=scores.device)
            scores = self.guide(so_far, scores.unsqueeze(0))[0]
        raw = scores.clone() if self.sampling.n_logprobs and self.phase != "thinking" else None
        scores = _penalised(scores, self.sampling, self.prompt_ids, self.token_ids)
        token_id = _draw(scores, self.sampling, self.generator)
        if raw is not None and token_id not in self.stop_ids:
            self.chosen.append(_logprobs(raw, token_id, self.sampling.n_logprobs))
        return token_id

    def _take(self, token_id: int) -> None:
        if token_id in self.stop_ids:
            self.finish = "stop"
            return
        self.token_ids.append(token_id)
        if self.phase == "undecided":
            self._decide()
        if self.phase == "thinking":
            self._think()
        elif len(self.token_ids) - self.n_thinking >= self.sampling.max_tokens:
            self.finish = "length"

    def _decide(self) -> None:
        written = tuple(self.token_ids[: len(self.start_ids)])
        if not self.start_ids or written != self.start_ids[: len(written)]:
            self.phase = "answer"
        elif written == self.start_ids:
            self.phase = "thinking"
            # Tokens of the mark are no thinking yet; the budget is for what follows.
            self.budget += len(written)

    def _think(self) -> None:
        self.n_thinking = len(self.token_ids)
        if tuple(self.token_ids[-len(self.end_ids) :]) == self.end_ids:
            self.phase = "answer"
            self.chosen.clear()
        elif not self._forced and self.n_thinking >= self.budget:
            self.by_budget = True
            self._forced = list(self.end_ids)

    def close_at_once(self) -> None:
        """For a budget of nothing: the end mark comes before the first token."""
        if self.phase == "thinking" and self.budget <= 0:
            self.by_budget = True
            self._forced = list(self.end_ids)


class RowChooser:
    """A logits processor and stopping criterion for ``generate``: each row chooses, finished rows get padding."""

    def __init__(self, rows: Sequence[Row], pad_id: int) -> None:
        """``rows`` in the order of the batch."""
        self._rows = rows
        self._pad_id = pad_id

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Scores that leave one token per row. ``scores`` is (batch, vocabulary)."""
        left = torch.full_like(scores, float("-inf"))
        for position, row in enumerate(self._rows):
            token_id = self._pad_id if row.finish else row.choose(scores[position].float().clone())
            left[position, token_id] = 0.0
        return left

    def finished(self, input_ids: torch.Tensor, _scores: object, **_: object) -> torch.Tensor:
        """Which rows are done, (batch,) of bool."""
        return torch.tensor([row.finish is not None for row in self._rows], device=input_ids.device)


def _penalised(
    scores: torch.Tensor, sampling: Sampling, prompt_ids: torch.Tensor, token_ids: list[int]
) -> torch.Tensor:
    if sampling.repetition_penalty != 1.0:
        seen = torch.cat([prompt_ids.to(scores.device), torch.tensor(token_ids, device=scores.device).long()]).unique()
        values = scores[seen]
        scores[seen] = torch.where(
            values > 0, values / sampling.repetition_penalty, values * sampling.repetition_penalty
        )
    if sampling.presence_penalty and token_ids:
        scores[torch.tensor(token_ids, device=scores.device).unique()] -= sampling.presence_penalty
    return scores


def _draw(scores: torch.Tensor, sampling: Sampling, generator: torch.Generator) -> int:
    if sampling.temperature == 0:
        return int(scores.argmax())
    scores = scores / sampling.temperature
    if sampling.min_p:
        probabilities = scores.softmax(-1)
        scores[probabilities < sampling.min_p * probabilities.max()] = float("-inf")
    if 0 < sampling.top_k < scores.numel():
        scores[scores < scores.topk(sampling.top_k).values[-1]] = float("-inf")
    if sampling.top_p < 1:
        ordered, places = scores.sort(descending=True)
        before = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1)
        scores[places[before >= sampling.top_p]] = float("-inf")
    return int(torch.multinomial(scores.softmax(-1), 1, generator=generator))


def _logprobs(scores: torch.Tensor, token_id: int, n: int) -> ChosenToken:
    logprobs = scores.log_softmax(-1)
    best = logprobs.topk(min(n, logprobs.numel()))
    found = dict(zip(best.indices.tolist(), best.values.tolist(), strict=True))
    own = float(logprobs[token_id])
    alternatives = {key: value for key, value in {**found, token_id: own}.items() if value > float("-inf")}
    return ChosenToken(token_id, own, alternatives)
