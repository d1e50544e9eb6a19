"""Outlines' logits processors with a plain mask in place of their compiled one.

Outlines masks through ``torch.compile``. Importing that compiler costs seconds of processor time, and using it a C++
compiler, for one vector per token; everything else of the processors is used as it is. Each serves one response.
"""

from __future__ import annotations

import torch
from llguidance import LLMatcher
from outlines.backends.llguidance import LLGuidanceLogitsProcessor
from outlines.backends.outlines_core import OutlinesCoreLogitsProcessor
from outlines_core import Guide


def masked(logits: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """Forbid what has no bit.

    Args:
        logits: (1, vocabulary); changed in place.
        words: (n,) of int32, bit b of word w for token 32 w + b; tokens beyond the last word are forbidden too.
    """
    bits = ((words.unsqueeze(-1) >> torch.arange(32, dtype=torch.int32)) & 1).bool().flatten()
    allowed = torch.zeros(logits.shape[1], dtype=torch.bool)
    n_shared = min(len(bits), len(allowed))
    allowed[:n_shared] = bits[:n_shared]
    return logits.masked_fill_(~allowed.to(logits.device), float("-inf"))


def _empty(n_tokens: int) -> torch.Tensor:
    return torch.zeros((n_tokens + 31) // 32, dtype=torch.int32)


class AutomatonGuide(OutlinesCoreLogitsProcessor):  # type: ignore[misc]
    """Follows a compiled expression."""

    def _setup(self, batch_size: int, vocab_size: int) -> None:
        self._guides = [Guide(self.index) for _ in range(batch_size)]

        def bias_logits(_batch_size: int, logits: torch.Tensor) -> torch.Tensor:
            words = _empty(vocab_size)
            self._guides[0].write_mask_into(words.data_ptr(), words.numel(), words.element_size())
            return masked(logits, words)

        self.bias_logits = bias_logits


class GrammarGuide(LLGuidanceLogitsProcessor):  # type: ignore[misc]
    """Follows a grammar."""

    def _setup(self, batch_size: int) -> None:
        self.ll_matchers = [LLMatcher(self.llg_tokenizer, self.grammar) for _ in range(batch_size)]

        def bias_logits(_input_ids: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
            words = _empty(self.llg_tokenizer.vocab_size)
            self.ll_matchers[0].unsafe_compute_mask_ptr(words.data_ptr(), words.numel() * words.element_size())
            return masked(logits, words)

        self._bias_logits = bias_logits
