"""Constraints for the transformers engine: Outlines logits processors, one per response, their compilation shared.

JSON schemas and regular expressions go through Outlines' own automata, or through llguidance where the model's
``structured_backend`` says guidance; grammars always through llguidance, as in Outlines itself. Not here: sampling.
"""

from __future__ import annotations

import warnings
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


class GuideMaker:
    """Makes guides for one loaded model."""

    def __init__(self, model: Any, tokenizer: Any, backend: StructuredBackend) -> None:
        """``model`` and ``tokenizer`` are transformers' own."""
        self._model = model
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
        processor: Guide = make()
        return _eager(processor)

    def _compile(self, constraint: Constraint) -> Callable[[], Guide]:
        _import_kernels()
        try:
            if isinstance(constraint, GrammarConstraint) or self._backend == "guidance":
                return self._with_llguidance(constraint)
            return self._with_automaton(constraint)
        except (ValueError, TypeError, RuntimeError) as error:
            raise UsageError(f"this {constraint.kind} constraint cannot be enforced: {error}") from error

    def _with_automaton(self, constraint: Constraint) -> Callable[[], Guide]:
        from outlines.backends.outlines_core import OutlinesCoreLogitsProcessor
        from outlines_core import Index

        index = Index(outlines_type(constraint).pattern, self._words())
        return lambda: OutlinesCoreLogitsProcessor(index, "torch")

    def _with_llguidance(self, constraint: Constraint) -> Callable[[], Guide]:
        from outlines import from_transformers
        from outlines.backends.llguidance import LLGuidanceBackend

        if self._llguidance is None:
            self._llguidance = LLGuidanceBackend(from_transformers(self._model, self._tokenizer))
        backend = self._llguidance
        if isinstance(constraint, GrammarConstraint):
            return lambda: backend.get_cfg_logits_processor(constraint.grammar)
        if isinstance(constraint, RegexConstraint):
            return lambda: backend.get_regex_logits_processor(constraint.pattern)
        schema = structured_parameters(constraint, "guidance")["json"]
        return lambda: backend.get_json_schema_logits_processor(schema)

    def _words(self) -> Any:
        """The vocabulary as Outlines takes it, without special tokens: spelled out they would pass as plain text."""
        from outlines.backends.outlines_core import OutlinesCoreBackend
        from outlines.models.transformers import TransformerTokenizer

        if self._vocabulary is None:
            wrapped = TransformerTokenizer(self._tokenizer)
            added = {token.content for token in self._tokenizer.added_tokens_decoder.values()}
            words = {word: number for word, number in wrapped.vocabulary.items() if word not in added}
            self._vocabulary = OutlinesCoreBackend.create_outlines_core_vocabulary(
                words, wrapped.eos_token_id, wrapped.eos_token, wrapped.convert_token_to_string
            )
        return self._vocabulary


def _import_kernels() -> None:
    """Outlines' masks import torch's compiler, which warns about torch's own older parts; no news for anybody here."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        import llguidance.torch  # noqa: F401
        import outlines_core.kernels.torch  # noqa: F401 - for the import alone


def _eager(processor: Guide) -> Guide:
    """Outlines compiles its masking kernel with a C++ compiler, which costs more than it saves and may be missing."""

    def masked(token_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        with torch.compiler.set_stance("force_eager"):
            return processor(token_ids, scores)

    return masked
