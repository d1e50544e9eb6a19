"""vLLM inside the engine process: each finished request is handed over at once, and the next case taken in its place.

``LLM.chat`` returns everything at the end, so that a crash loses all; this drives the same engine step by step instead.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import vllm
from vllm.exceptions import VLLMError
from vllm.platforms import current_platform
from vllm.sampling_params import RequestOutputKind

from cfe_local.config.model import ModelConfig
from cfe_local.engines.feed import as_feed
from cfe_local.engines.model_folder import require_usable
from cfe_local.engines.models import resolve_model
from cfe_local.engines.vllm_options import llm_arguments
from cfe_local.engines.vllm_prompts import PromptBuilder, Request
from cfe_local.engines.vllm_responses import to_response
from cfe_local.engines.wire import EngineInfo
from cfe_local.errors import EngineDiedError, EngineError, ModelError, NetworkRefusedError, UsageError
from cfe_local.records import (
    Case,
    Constraint,
    GrammarConstraint,
    JsonConstraint,
    Key,
    Message,
    RegexConstraint,
    Response,
    Sampling,
    TextPart,
)

_log = logging.getLogger(__name__)

PROBES: dict[str, tuple[Constraint, str]] = {
    "json": (JsonConstraint(json_schema='{"type": "string", "const": "zq"}'), '"zq"'),
    "regex": (RegexConstraint(pattern="zq"), "zq"),
    "grammar": (GrammarConstraint(grammar='start: "zq"'), "zq"),
}
"""Per kind of constraint one that no model fulfils by itself, and what must come out if it binds."""


@dataclass(frozen=True, slots=True)
class InFlight:
    """A request that vLLM is working on; ``since`` is monotonic time, ``engine_id`` the engine's own name for it."""

    request: Request
    engine_id: str
    since: float


class VllmEngine:
    """One model, loaded.

    Attributes:
        llm: vLLM's own object, for measuring against it.
        info: What is loaded, and how.
        n_steps: Steps of vLLM's scheduler so far.
    """

    def __init__(self, model: ModelConfig) -> None:
        """Load the model; from seconds to minutes.

        Raises:
            ModelError: If the folder or its chat template cannot be used.
            UsageError: If an option is unknown, or leaves no room for a prompt.
            EngineError: If vLLM cannot load it.
        """
        self._model = model
        self.n_steps = 0
        folder = resolve_model(model.path)
        require_usable(folder, chat_template=model.chat_template)
        on_cpu = bool(current_platform.is_cpu())
        arguments = llm_arguments(model, folder, on_cpu=on_cpu)
        try:
            self.llm: Any = vllm.LLM(**arguments)
        except (NetworkRefusedError, ModelError, UsageError):
            raise
        except (VLLMError, ValueError, RuntimeError, OSError, TypeError, NotImplementedError, KeyError) as error:
            raise EngineError(
                f"vLLM cannot load {folder}: {error}\n"
                "Fix: the engine's log has vLLM's own account; often it is memory (max_model_len, "
                "gpu_memory_utilization), or an option in engine_args."
            ) from error
        self._tokenizer = self.llm.get_tokenizer()
        self._prompts = PromptBuilder(self.llm, model)
        self._in_flight: dict[str, InFlight] = {}
        self._finished: deque[Response] = deque()
        self._n_requests = 0
        self._proven: set[str] = set()
        self.info = self._describe(str(folder), on_cpu=on_cpu)
        _log.info("loaded: %s", self.info.model_dump_json())

    def generate(self, cases: Iterable[Case]) -> Iterator[Response]:
        """See ``engines.base``."""
        feed = as_feed(cases)
        open_feed = True
        try:
            while True:
                while open_feed and len(self._in_flight) < self._model.max_in_flight:
                    if self._in_flight and not feed.ready():
                        break
                    case = next(feed, None)
                    if case is None:
                        open_feed = False
                    else:
                        self._take(case)
                    # What needed no engine does not wait for the others.
                    yield from self._drain()
                if self._in_flight:
                    self._step()
                    yield from self._drain()
                elif not open_feed:
                    return
        finally:
            self._abort()

    # ------------------------------------------------------------ requests

    def _take(self, case: Case) -> None:
        _check_room(case, self._prompts.max_model_len)
        if case.constraint is not None and case.constraint.kind not in self._proven:
            self._prove(case.constraint)
        request = self._prompts.build(case)
        if isinstance(request, Response):
            self._finished.append(request)
        else:
            self._submit(request)

    def _submit(self, request: Request) -> None:
        self._n_requests += 1
        name = str(self._n_requests)
        request.params.output_kind = RequestOutputKind.FINAL_ONLY
        since = time.monotonic()
        try:
            engine_id = self.llm.llm_engine.add_request(name, request.prompt, request.params)
        except (VLLMError, ValueError) as error:
            key = request.case.key
            self._finished.append(Response(key=key, outcome="failed", detail=f"vLLM refused this request: {error}"))
            return
        self._in_flight[name] = InFlight(request, engine_id, since)

    def _step(self) -> None:
        self.n_steps += 1
        try:
            outputs = self.llm.llm_engine.step()
        except (VLLMError, RuntimeError, ValueError, AssertionError, OSError) as error:
            raise EngineDiedError(
                f"vLLM stopped working: {type(error).__name__}: {error}\nFix: the engine's log has its own account."
            ) from error
        now = time.monotonic()
        for output in outputs:
            if output.finished and (entry := self._in_flight.pop(output.request_id, None)) is not None:
                self._finished.append(
                    to_response(entry.request, output, self._prompts, self._tokenizer, now - entry.since)
                )

    def _drain(self) -> Iterator[Response]:
        while self._finished:
            yield self._finished.popleft()

    def _abort(self) -> None:
        """Forget what is under way, when whoever asked does not want the rest."""
        if self._in_flight:
            self.llm.llm_engine.abort_request([entry.engine_id for entry in self._in_flight.values()], internal=True)
            self._in_flight.clear()
        self._finished.clear()

    # ------------------------------------------------------------ constraints

    def _prove(self, constraint: Constraint) -> None:
        """Ask for something that only a constraint that binds can produce.

        Raises:
            EngineError: If something else comes back: then nothing that this engine answers could be trusted.
        """
        probe, wanted = PROBES[constraint.kind]
        key = Key(experiment="self-test", split="self-test", row=0, sample=0, call=constraint.kind)
        asked = Message(role="user", parts=(TextPart(text="Say hello to the class in one sentence."),))
        sampling = Sampling(temperature=0.0, max_tokens=16)
        request = self._prompts.build(Case(key=key, messages=(asked,), sampling=sampling, constraint=probe))
        before = len(self._finished)
        if isinstance(request, Response):
            raise EngineError(f"the self-test of {constraint.kind} constraints cannot be asked: {request.detail}")
        self._submit(request)
        while (answer := self._answer_to(key, before)) is None:
            self._step()
        self._finished.remove(answer)
        backend = self._model.structured_backend
        if answer.outcome != "answered" or answer.text != wanted:
            raise EngineError(
                f"structured backend {backend} does not bind: asked for {wanted}, got {answer.text!r} "
                f"({answer.outcome} {answer.detail})\n"
                "Fix: choose another structured_backend for this model: guidance, outlines or xgrammar."
            )
        _log.info("structured backend %s binds for %s", backend, constraint.kind)
        self._proven.add(constraint.kind)

    def _answer_to(self, key: Key, start: int) -> Response | None:
        return next((response for response in list(self._finished)[start:] if response.key == key), None)

    # ------------------------------------------------------------ who am I

    def _describe(self, folder: str, *, on_cpu: bool) -> EngineInfo:
        config = self.llm.llm_engine.vllm_config
        settings = {
            "device": "cpu" if on_cpu else str(current_platform.get_device_name()),
            "dtype": str(config.model_config.dtype).removeprefix("torch."),
            "tensor_parallel_size": str(config.parallel_config.tensor_parallel_size),
            "enable_prefix_caching": str(config.cache_config.enable_prefix_caching),
            "enforce_eager": str(config.model_config.enforce_eager),
            "max_num_seqs": str(config.scheduler_config.max_num_seqs),
            "max_num_batched_tokens": str(config.scheduler_config.max_num_batched_tokens),
            "thinking_budget_enforced": str(config.reasoning_config is not None),
            "system_role": self._prompts.system_role,
            "torch": str(torch.__version__),
            "torch_threads": str(torch.get_num_threads()),
        }
        return EngineInfo(
            engine="vllm",
            version=str(vllm.__version__),
            model_path=folder,
            structured_backend=str(config.structured_outputs_config.backend),
            max_model_len=self._prompts.max_model_len,
            settings=settings,
        )


def _check_room(case: Case, max_model_len: int) -> None:
    """No prompt at all could be asked this way: that is a setting to mend, not an outcome of one prompt."""
    answer = case.sampling.max_tokens
    if answer >= max_model_len:
        raise UsageError(
            f"max_model_len {max_model_len} leaves no room for a prompt beside {answer} answer tokens\n"
            "Fix: raise engine_args.max_model_len or lower sampling.max_tokens."
        )
