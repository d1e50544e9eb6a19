"""Makes a case into a vLLM request: images ready, text safe, prompt rendered and measured, budgets set.

What cannot be asked becomes a response here, with nothing cut and nothing generated. Not here: running requests.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import Any

from vllm import LLM, SamplingParams
from vllm.exceptions import VLLMValidationError
from vllm.renderers import ChatParams
from vllm.sampling_params import StructuredOutputsParams
from vllm.utils.mistral import is_mistral_tokenizer

from cfe_local.config.model import ModelConfig
from cfe_local.engines.chat import conversation, marks_pattern, merge_system
from cfe_local.engines.constraints import structured_parameters
from cfe_local.engines.images import BadImageError, PreparedImage, prepare_image
from cfe_local.engines.thinking import PromptThinking, ThinkingMarks, thinking_in_prompt
from cfe_local.errors import ModelError
from cfe_local.records import Case, Message, Outcome, Response

RENDER_ERRORS = (VLLMValidationError, ValueError, TypeError, RuntimeError, KeyError, IndexError)
"""What templates and image processors raise for input that they do not take."""


@dataclass(frozen=True, slots=True)
class Request:
    """A case that vLLM can be given.

    Attributes:
        prompt: vLLM's own form of a rendered prompt.
        thinking_budget: Cap on thinking tokens that is enforced; None where the model does not think.
        n_prefilled: Thinking tokens that the prompt itself holds after its start mark.
        notes: What was changed, for the response.
    """

    case: Case
    prompt: Any
    params: SamplingParams
    prompt_sha256: str
    thinking: PromptThinking
    thinking_budget: int | None
    n_prefilled: int
    n_images: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt as the chat template wrote it."""

    prompt: Any
    text: str
    neutralised: tuple[str, ...]

    @property
    def n_tokens(self) -> int:
        """Prompt tokens, image tokens included."""
        return len(self.prompt["prompt_token_ids"])


class PromptBuilder:
    """Knows one loaded model's template, tokenizer and limits.

    Attributes:
        marks: Between these the model thinks.
        end_ids: The end mark as tokens.
        hidden_marks: Where the thinking marks are special tokens, which vLLM leaves out of texts: all other special
            tokens. Empty for models whose marks are ordinary text.
        system_role: What is done with system texts, ``keep`` or ``merge``.
    """

    def __init__(self, llm: LLM, model: ModelConfig) -> None:
        """Look at the tokenizer, and try whether the template takes a system role.

        Raises:
            ModelError: If the template cannot even render a plain question.
        """
        self._llm = llm
        self._model = model
        self._tokenizer = llm.get_tokenizer()
        self.max_model_len: int = llm.model_config.max_model_len
        self.marks = ThinkingMarks(model.thinking_start, model.thinking_end)
        self.end_ids: list[int] = self._tokenizer.encode(model.thinking_end, add_special_tokens=False)
        added = getattr(self._tokenizer, "added_tokens_decoder", {})
        self._pattern = marks_pattern(
            {token.content: bool(token.special) for token in added.values()}, [model.thinking_start, model.thinking_end]
        )
        reasoning = llm.llm_engine.vllm_config.reasoning_config
        self._can_cap = bool(reasoning is not None and reasoning.enabled)
        specials = {token.content for token in added.values() if token.special}
        marks = {model.thinking_start, model.thinking_end}
        self.hidden_marks: frozenset[str] = frozenset(specials - marks if specials & marks else ())
        self._knows_thinking = model.thinking_start in {token.content for token in added.values()}
        self.system_role = self._system_role()

    # ------------------------------------------------------------ one case

    def build(self, case: Case) -> Request | Response:
        """Prepare one case; a response instead where it cannot be asked.

        Raises:
            UsageError: If the engine's backend cannot enforce the case's constraint at all.
        """
        parts = [part for message in case.messages for part in message.parts if part.kind == "image"]
        structured = self._structured(case)
        try:
            images = [prepare_image(part, self._model.images) for part in parts]
            rendered = self._render(case.messages, images)
        except BadImageError as error:
            return self._refuse(case, "bad_input", str(error))
        except RENDER_ERRORS as error:
            return self._refuse(case, "bad_input", f"the prompt cannot be rendered: {error}")
        notes = [note for image in images for note in image.notes]
        if rendered.neutralised:
            notes.append("marks made plain text: " + " ".join(rendered.neutralised))
        thinking = thinking_in_prompt(rendered.text, self.marks)
        if case.constraint is not None and thinking == "open":
            rendered = self._close_thinking(rendered)
            thinking = "closed"
            notes.append("thinking closed in the prompt, since a constraint binds from the first token")
        return self._budgeted(case, rendered, thinking, structured, notes)

    def _budgeted(
        self,
        case: Case,
        rendered: Rendered,
        thinking: PromptThinking,
        structured: StructuredOutputsParams | None,
        notes: list[str],
    ) -> Request | Response:
        sampling = case.sampling
        room = self.max_model_len - rendered.n_tokens
        thinks = thinking == "open" or (thinking == "none" and self._knows_thinking and case.constraint is None)
        needed = sampling.max_tokens + (1 if thinks and sampling.thinking_tokens else 0)
        if room < needed:
            answer = f"{sampling.max_tokens} for the answer"
            return self._refuse(
                case,
                "prompt_too_long",
                f"{rendered.n_tokens} prompt tokens, {answer}, max_model_len {self.max_model_len}",
                rendered,
            )
        budget = min(sampling.thinking_tokens, room - sampling.max_tokens) if thinks else None
        if budget is not None and budget < sampling.thinking_tokens:
            notes.append(f"thinking budget lowered from {sampling.thinking_tokens} to {budget} by max_model_len")
        images = [part.sha256 for message in case.messages for part in message.parts if part.kind == "image"]
        return Request(
            case=case,
            prompt=rendered.prompt,
            params=self._params(case, budget, structured),
            prompt_sha256=_digest(rendered.text, images),
            thinking=thinking,
            thinking_budget=budget if self._can_cap else None,
            n_prefilled=self._prefilled(rendered, thinking),
            n_images=len(images),
            notes=tuple(notes),
        )

    def _params(self, case: Case, budget: int | None, structured: StructuredOutputsParams | None) -> SamplingParams:
        sampling = case.sampling
        return SamplingParams(
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            top_k=sampling.top_k,
            min_p=sampling.min_p,
            presence_penalty=sampling.presence_penalty,
            repetition_penalty=sampling.repetition_penalty,
            seed=sampling.seed,
            max_tokens=sampling.max_tokens + (budget or 0),
            logprobs=sampling.n_logprobs or None,
            thinking_token_budget=budget if self._can_cap else None,
            structured_outputs=structured,
        )

    def _structured(self, case: Case) -> StructuredOutputsParams | None:
        if case.constraint is None:
            return None
        return StructuredOutputsParams(**structured_parameters(case.constraint, self._model.structured_backend))

    def _refuse(self, case: Case, outcome: Outcome, detail: str, rendered: Rendered | None = None) -> Response:
        images = [part.sha256 for message in case.messages for part in message.parts if part.kind == "image"]
        return Response(
            key=case.key,
            outcome=outcome,
            detail=detail,
            n_images=len(images),
            n_prompt_tokens=rendered.n_tokens if rendered is not None else 0,
            prompt_sha256=_digest(rendered.text, images) if rendered is not None else "",
        )

    # ------------------------------------------------------------ rendering

    def _render(self, messages: tuple[Message, ...], images: list[PreparedImage]) -> Rendered:
        if self.system_role == "merge":
            messages = merge_system(messages)
        talk = conversation(messages, [image.image for image in images], self._pattern)
        prompt = self._apply_template(talk.turns)
        text = prompt.get("prompt") or self._tokenizer.decode(prompt["prompt_token_ids"])
        return Rendered(prompt, text, talk.neutralised)

    def _apply_template(self, turns: list[dict[str, Any]]) -> Any:
        renderer = self._llm.renderer
        settings = {
            **self._model.chat_template_kwargs,
            "add_generation_prompt": True,
            "continue_final_message": False,
            "tools": None,
            "tokenize": is_mistral_tokenizer(self._tokenizer),
        }
        chat = ChatParams(chat_template=self._llm.chat_template, chat_template_kwargs=settings)
        # No limit here: an over-long prompt is to be measured, not refused by a message without numbers. The template
        # writes the special tokens.
        tokens = dataclasses.replace(renderer.default_chat_tok_params, max_total_tokens=None, add_special_tokens=False)
        _, (prompt,) = renderer.render_chat([turns], chat, tokens)
        return prompt

    def _close_thinking(self, rendered: Rendered) -> Rendered:
        closing = f"{self.marks.end}\n\n"
        ids = self._tokenizer.encode(closing, add_special_tokens=False)
        prompt = {**rendered.prompt, "prompt_token_ids": [*rendered.prompt["prompt_token_ids"], *ids]}
        text = rendered.text + closing
        if "prompt" in prompt:
            prompt["prompt"] = text
        return Rendered(prompt, text, rendered.neutralised)

    def _prefilled(self, rendered: Rendered, thinking: PromptThinking) -> int:
        if thinking != "open":
            return 0
        tail = rendered.text[rendered.text.rindex(self.marks.start) + len(self.marks.start) :]
        return len(self._tokenizer.encode(tail, add_special_tokens=False)) if tail else 0

    def _system_role(self) -> str:
        try:
            self._apply_template([{"role": "user", "content": "question zq7"}])
        except RENDER_ERRORS as error:
            raise ModelError(
                f"{self._model.path}: the chat template fails on a plain question: {error}\n"
                "Fix: set chat_template to a template file that fits this model."
            ) from error
        if self._model.system_role != "auto":
            return self._model.system_role
        turns = [{"role": "system", "content": "system zq7"}, {"role": "user", "content": "question zq7"}]
        try:
            prompt = self._apply_template(turns)
        except RENDER_ERRORS:
            return "merge"
        text = prompt.get("prompt") or self._tokenizer.decode(prompt["prompt_token_ids"])
        return "keep" if "system zq7" in text and "question zq7" in text else "merge"


def _digest(text: str, images: list[str]) -> str:
    return hashlib.sha256("\n".join([text, *images]).encode()).hexdigest()
