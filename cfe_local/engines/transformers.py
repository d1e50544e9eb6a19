"""transformers behind the engine seam, for machines without vLLM: slower, the same cases, the same outcomes.

A batch is handed over when its last response is finished. Options keep vLLM's names: ``dtype``, ``max_model_len`` and
``max_num_seqs`` (the batch) are obeyed, all others have no meaning here and are listed in the engine's settings.
"""

from __future__ import annotations

import difflib
import logging
import math
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor, AutoTokenizer
from transformers.generation import LogitsProcessorList, StoppingCriteriaList

from cfe_local.config.model import ModelConfig
from cfe_local.engines.feed import CaseFeed, as_feed
from cfe_local.engines.model_folder import require_usable
from cfe_local.engines.models import resolve_model
from cfe_local.engines.thinking import split_thinking, thinking_end
from cfe_local.engines.transformers_decoding import Row, RowChooser
from cfe_local.engines.transformers_guides import GuideMaker
from cfe_local.engines.transformers_prompts import PromptBuilder, Request, collate
from cfe_local.engines.wire import EngineInfo
from cfe_local.errors import EngineError, UsageError
from cfe_local.records import Case, Outcome, Response, TokenLogprob

_log = logging.getLogger(__name__)

OBEYED = ("dtype", "max_model_len", "max_num_seqs")
DEFAULT_BATCH = 8
"""Responses generated side by side where ``max_num_seqs`` says nothing; a CPU gains little from more."""

N_BATCHES_AHEAD = 4
"""Cases are taken for so many batches and sorted by length, so that little of a batch is padding."""

LOAD_ERRORS = (OSError, ValueError, RuntimeError, KeyError, ImportError, TypeError)


class TransformersEngine:
    """One model, loaded."""

    def __init__(self, model: ModelConfig) -> None:
        """Load the model onto the GPU if there is one, else into memory.

        Raises:
            ModelError: If the folder or its chat template cannot be used.
            UsageError: If an option is misspelt or makes no sense.
            EngineError: If transformers cannot load it.
        """
        _check_options(model)
        self._config = model
        self.n_steps = 0
        folder = resolve_model(model.path)
        require_usable(folder, chat_template=model.chat_template)
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            self._model, processor = _load(folder, model, self._device)
        except LOAD_ERRORS as error:
            raise EngineError(
                f"transformers cannot load {folder}: {error}\n"
                "Fix: the message above is its own; a newer architecture needs a newer transformers."
            ) from error
        self._prompts = PromptBuilder(processor, model, self._max_model_len())
        self._tokenizer = self._prompts.tokenizer
        self._stop_ids = _stop_ids(self._model, self._tokenizer)
        # Whatever the maker recommends stands in the run's configuration; silently it would change every sample.
        self._model.generation_config = transformers.GenerationConfig(
            do_sample=False, eos_token_id=sorted(self._stop_ids), pad_token_id=self._pad_id
        )
        self._guides = GuideMaker(self._tokenizer, model.structured_backend)
        self._batch_size = int(str(model.engine_args.get("max_num_seqs", DEFAULT_BATCH)))
        self.info = self._describe(folder)
        _log.info("loaded: %s", self.info.model_dump_json())

    def generate(self, cases: Iterable[Case]) -> Iterator[Response]:
        """See ``engines.base``."""
        feed = as_feed(cases)
        while window := self._window(feed):
            requests = []
            for case in window:
                built = self._prompts.build(case)
                if isinstance(built, Response):
                    yield built
                else:
                    requests.append(built)
            requests.sort(key=lambda request: request.n_tokens)
            for start in range(0, len(requests), self._batch_size):
                yield from self._answer(requests[start : start + self._batch_size])

    def _window(self, feed: CaseFeed) -> list[Case]:
        window: list[Case] = []
        while len(window) < min(self._batch_size * N_BATCHES_AHEAD, self._config.max_in_flight):
            if window and not feed.ready():
                break
            if (case := next(feed, None)) is None:
                break
            window.append(case)
        return window

    # ------------------------------------------------------------ one batch

    def _answer(self, batch: list[Request]) -> Iterator[Response]:
        since = time.monotonic()
        rows = [self._row(request) for request in batch]
        try:
            self._run(batch, rows)
        except torch.OutOfMemoryError as error:
            if len(batch) == 1:
                detail = f"not enough memory for this prompt: {error}"
                yield Response(key=batch[0].case.key, outcome="failed", detail=detail)
                return
            _log.warning("out of memory with %d responses side by side; halving", len(batch))
            middle = len(batch) // 2
            yield from self._answer(batch[:middle])
            yield from self._answer(batch[middle:])
            return
        except RuntimeError as error:
            if len(batch) == 1:
                raise EngineError(
                    f"transformers failed on {batch[0].case.key.label}: {error}\nFix: the engine's log has more."
                ) from error
            # Prompts whose tensors do not join (images of different shapes in some architectures) go one by one.
            _log.warning("a batch of %d failed (%s); asking one by one", len(batch), error)
            for request in batch:
                yield from self._answer([request])
            return
        seconds = time.monotonic() - since
        for request, row in zip(batch, rows, strict=True):
            yield self._response(request, row, seconds)

    def _run(self, batch: list[Request], rows: list[Row]) -> None:
        inputs = collate([request.inputs for request in batch], self._pad_id)
        inputs = {
            key: value.to(self._device, self._model.dtype) if value.is_floating_point() else value.to(self._device)
            for key, value in inputs.items()
        }
        chooser = RowChooser(rows, self._pad_id)
        most = max(row.sampling.max_tokens + max(row.budget, 0) + len(row.end_ids) for row in rows)
        with torch.inference_mode():
            self._model.generate(
                **inputs,
                max_new_tokens=most,
                logits_processor=LogitsProcessorList([self._count_step, chooser]),
                stopping_criteria=StoppingCriteriaList([chooser.finished]),
            )

    def _count_step(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        del ids
        self.n_steps += 1
        return scores

    def _row(self, request: Request) -> Row:
        case = request.case
        thinks = request.thinking_budget is not None
        row = Row(
            sampling=case.sampling,
            prompt_ids=request.inputs["input_ids"][0],
            stop_ids=self._stop_ids,
            start_ids=self._prompts.start_ids if thinks else (),
            end_ids=self._prompts.end_ids,
            phase="thinking" if request.thinking == "open" else "undecided",
            budget=(request.thinking_budget or 0) - request.n_prefilled,
            generator=torch.Generator(self._device).manual_seed(case.sampling.seed),
            guide=self._guides.guide(case.constraint) if case.constraint is not None else None,
        )
        row.close_at_once()
        return row

    def _response(self, request: Request, row: Row, seconds: float) -> Response:
        split = split_thinking(self._text(row.token_ids), request.thinking, self._prompts.marks)
        outcome: Outcome = "answered" if row.finish == "stop" else "truncated"
        why = [] if row.finish == "stop" else ["the answer ran into its limit"]
        if split.end == "unclosed":
            outcome, why = "truncated_thinking", ["the model stopped inside its thinking"]
        end = thinking_end(split, 0, None)
        n_thinking = row.n_thinking if split.end != "none" else 0
        return Response(
            key=request.case.key,
            outcome=outcome,
            text=split.answer,
            thinking=split.thinking,
            thinking_end="closed_by_budget" if end == "closed" and row.by_budget else end,
            finish_reason=row.finish or "length",
            detail="; ".join([*why, *request.notes]),
            n_prompt_tokens=request.n_tokens,
            n_thinking_tokens=n_thinking,
            n_answer_tokens=len(row.token_ids) - n_thinking,
            n_images=request.n_images,
            prompt_sha256=request.prompt_sha256,
            seconds=seconds,
            logprobs=tuple(
                TokenLogprob(
                    token=self._tokenizer.decode([one.token_id]),
                    logprob=one.logprob,
                    alternatives={self._tokenizer.decode([key]): value for key, value in one.alternatives.items()},
                )
                for one in row.chosen
                if math.isfinite(one.logprob)  # Logits that overflowed have none.
            ),
        )

    def _text(self, token_ids: list[int]) -> str:
        """The text without special tokens, except the marks of thinking where a tokenizer counts them as such."""
        marks = {self._prompts.marks.start, self._prompts.marks.end}
        hidden = {
            number
            for number, token in self._tokenizer.added_tokens_decoder.items()
            if token.special and token.content not in marks
        }
        return str(self._tokenizer.decode([one for one in token_ids if one not in hidden], skip_special_tokens=False))

    # ------------------------------------------------------------ who am I

    @property
    def _pad_id(self) -> int:
        pad = self._tokenizer.pad_token_id
        return int(pad if pad is not None else min(self._stop_ids))

    def _max_model_len(self) -> int:
        text_config = self._model.config.get_text_config()
        most = int(getattr(text_config, "max_position_embeddings", 0) or 1 << 30)
        asked = self._config.engine_args.get("max_model_len")
        if asked is None:
            return most
        wanted = int(str(asked))
        if wanted > most:
            raise UsageError(f"engine_args.max_model_len {wanted}: this model ends at {most}\nFix: lower it.")
        return wanted

    def _describe(self, folder: Path) -> EngineInfo:
        ignored = sorted(set(self._config.engine_args) - set(OBEYED))
        return EngineInfo(
            engine="transformers",
            version=str(transformers.__version__),
            device=self._device,
            model_path=str(folder),
            structured_backend="guidance" if self._config.structured_backend == "guidance" else "outlines",
            max_model_len=self._prompts.max_model_len,
            settings={
                "dtype": str(self._model.dtype).removeprefix("torch."),
                "max_num_seqs": str(self._batch_size),
                "system_role": self._prompts.system_role,
                "thinking_budget_enforced": "True",
                "torch": str(torch.__version__),
                "torch_threads": str(torch.get_num_threads()),
                **({"without_effect": ", ".join(ignored)} if ignored else {}),
            },
        )


def _load(folder: Path, model: ModelConfig, device: str) -> tuple[Any, Any]:
    trust = {"trust_remote_code": model.trust_remote_code}
    config = AutoConfig.from_pretrained(folder, **trust)
    dtype = str(model.engine_args.get("dtype", "auto"))
    sees = getattr(config, "vision_config", None) is not None
    reader = AutoProcessor if sees else AutoTokenizer
    builder = AutoModelForImageTextToText if sees else AutoModelForCausalLM
    processor = reader.from_pretrained(folder, **trust)
    loaded = builder.from_pretrained(folder, dtype=dtype, **trust)
    return loaded.to(device).eval(), processor


def _stop_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    found: set[int] = {tokenizer.eos_token_id} if tokenizer.eos_token_id is not None else set()
    for config in (model.generation_config, model.config.get_text_config()):
        stops = getattr(config, "eos_token_id", None)
        found.update(stops if isinstance(stops, list) else [stops] if stops is not None else [])
    return frozenset(found)


def _check_options(model: ModelConfig) -> None:
    for name in model.engine_args:
        near = difflib.get_close_matches(name, OBEYED, n=1, cutoff=0.8)
        if near and name not in OBEYED:
            raise UsageError(f"engine_args.{name}: no such option\nFix: did you mean {near[0]}?")
