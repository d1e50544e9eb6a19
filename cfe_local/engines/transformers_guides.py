"""Constraints for the transformers engine: Outlines logits processors, one per response, their compilation shared.

JSON schemas and regular expressions go through Outlines' own automata, or through llguidance where the model's
``structured_backend`` says guidance; grammars always through llguidance, as in Outlines itself. Not here: sampling.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch

from cfe_local.config.model import StructuredBackend
from cfe_local.engines.constraints import outlines_type, structured_parameters
from cfe_local.errors import UsageError
from cfe_local.records import Constraint, GrammarConstraint, RegexConstraint

N_CACHED = 64
"""Compiled constraints kept; an automaton over a large vocabulary takes megabytes."""

Guide = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""Called before every token with all tokens so far, (1, n), and the scores, (1, vocabulary); returns masked scores.

Stateful: made for one response and never used again."""

_BLANK_MARK = "\u2581"
"""How vocabularies that are not made of bytes write a blank."""


class GuideMaker:
    """Makes guides for one loaded model."""

    def __init__(self, tokenizer: Any, backend: StructuredBackend) -> None:
        """``tokenizer`` is transformers' own."""
        self._tokenizer = tokenizer
        self._backend = backend
        self._vocabulary: Any = None
        self._llguidance: Any = None
        self._compiled: OrderedDict[Constraint, Any] = OrderedDict()

    def guide(self, constraint: Constraint) -> Guide:
        """A fresh guide.

        Raises:
            UsageError: If the constraint cannot be compiled.
        """
        make = self._compiled.pop(constraint, None) or self._compile(constraint)
        self._compiled[constraint] = make
        if len(self._compiled) > N_CACHED:
            self._compiled.popitem(last=False)
        guide: Guide = make()
        return guide

    def _compile(self, constraint: Constraint) -> Callable[[], Guide]:
        try:
            if isinstance(constraint, GrammarConstraint) or self._backend == "guidance":
                return self._with_llguidance(constraint)
            return self._with_automaton(constraint)
        except (ValueError, TypeError, RuntimeError) as error:
            raise UsageError(f"this {constraint.kind} constraint cannot be enforced: {error}") from error

    def _with_automaton(self, constraint: Constraint) -> Callable[[], Guide]:
        from outlines_core import Index

        from cfe_local.engines.transformers_masks import AutomatonGuide

        index = Index(outlines_type(constraint).pattern, self._words())
        return lambda: AutomatonGuide(index, "torch")

    def _with_llguidance(self, constraint: Constraint) -> Callable[[], Guide]:
        from llguidance import grammar_from
        from llguidance.hf import from_tokenizer

        from cfe_local.engines.transformers_masks import GrammarGuide

        if self._llguidance is None:
            self._llguidance = from_tokenizer(self._tokenizer)
        tokenizer = self._llguidance
        if isinstance(constraint, GrammarConstraint):
            grammar = grammar_from("lark", constraint.grammar)
        elif isinstance(constraint, RegexConstraint):
            grammar = grammar_from("regex", constraint.pattern)
        else:
            grammar = grammar_from("json_schema", structured_parameters(constraint, "guidance")["json"])
        return lambda: GrammarGuide(grammar, tokenizer, "torch")

    def _words(self) -> Any:
        from outlines_core import Vocabulary

        if self._vocabulary is None:
            self._vocabulary = Vocabulary(self._tokenizer.eos_token_id, token_bytes(self._tokenizer))
        return self._vocabulary


def token_bytes(tokenizer: Any) -> dict[bytes, list[int]]:
    """What each token writes, in bytes, with the tokens that write it.

    Outlines itself asks the tokenizer for text, in which a token that holds half a character is a question mark: no
    letter of two tokens could then be written. Control tokens are left out: spelled out they would pass as plain text.
    """
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    added = {token.content for token in tokenizer.added_tokens_decoder.values()}
    letters = {letter: byte for byte, letter in bytes_to_unicode().items()}
    by_bytes = "ByteLevel" in str(tokenizer.backend_tokenizer.decoder)
    words: dict[bytes, list[int]] = {}
    for token, number in tokenizer.get_vocab().items():
        if token in added:
            continue
        if by_bytes:
            written = bytes(letters[letter] for letter in token if letter in letters)
        elif (byte := re.fullmatch(r"<0x([0-9A-F]{2})>", token)) is not None:
            written = bytes.fromhex(byte[1])
        else:
            written = token.replace(_BLANK_MARK, " ").encode()
        if written:
            words.setdefault(written, []).append(number)
    return words
