"""Makes a case into tensors for a transformers model: images ready, text safe, prompt rendered and measured.

The same rules as for vLLM (``engines.vllm_prompts``): what cannot be asked becomes a response, nothing is cut. Not
here: generating.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import torch
from jinja2 import TemplateError
from PIL import Image

from cfe_local.config.model import ModelConfig
from cfe_local.engines.chat import conversation, marks_pattern, merge_system
from cfe_local.engines.images import BadImageError, prepare_image
from cfe_local.engines.thinking import PromptThinking, ThinkingMarks, thinking_in_prompt
from cfe_local.errors import ModelError
from cfe_local.records import Case, Outcome, Response

RENDER_ERRORS = (TemplateError, ValueError, TypeError, RuntimeError, KeyError, IndexError)
"""What templates and processors raise for input that they do not take."""


@dataclass(frozen=True, slots=True)
class Request:
    """A case that the model can be given.

    Attributes:
        inputs: What the processor made, batch dimension 1 for token tensors; images in their own first dimension.
        thinking_budget: Cap on thinking tokens; None where the model does not think.
        n_prefilled: Thinking tokens that the prompt itself holds after its start mark.
        notes: What was changed, for the response.
    """

    case: Case
    inputs: dict[str, torch.Tensor]
    prompt_sha256: str
    thinking: PromptThinking
    thinking_budget: int | None
    n_prefilled: int
    n_images: int
    notes: tuple[str, ...]

    @property
    def n_tokens(self) -> int:
        """Prompt tokens, image tokens included."""
        return int(self.inputs["input_ids"].shape[1])


class PromptBuilder:
    """Knows one loaded model's template, processor and limits."""

    def __init__(self, processor: Any, model: ModelConfig, max_model_len: int) -> None:
        """Look at the tokenizer, and try whether the template takes a system role.

        Args:
            processor: A transformers processor, or a tokenizer for a model without images.
            model: Its configuration.
            max_model_len: Tokens of prompt and response together.

        Raises:
            ModelError: If the template cannot even render a plain question.
        """
        self._processor = processor
        self._model = model
        self.tokenizer: Any = getattr(processor, "tokenizer", processor)
        self._takes_images = hasattr(processor, "image_processor")
        self.max_model_len = max_model_len
        self.marks = ThinkingMarks(model.thinking_start, model.thinking_end)
        self.start_ids = tuple(self._ids(model.thinking_start))
        self.end_ids = tuple(self._ids(model.thinking_end))
        added = {token.content: bool(token.special) for token in self.tokenizer.added_tokens_decoder.values()}
        self.knows_thinking = model.thinking_start in added
        self._pattern = marks_pattern(added, [model.thinking_start, model.thinking_end])
        self._template = model.chat_template.read_text(encoding="utf-8") if model.chat_template is not None else None
        self.system_role = self._system_role()

    def build(self, case: Case) -> Request | Response:
        """Prepare one case; a response instead where it cannot be asked."""
        parts = [part for message in case.messages for part in message.parts if part.kind == "image"]
        hashes = [part.sha256 for part in parts]
        if parts and not self._takes_images:
            return _refuse(case, "bad_input", "this model takes no images", hashes)
        try:
            images = [prepare_image(part, self._model.images) for part in parts]
            messages = merge_system(case.messages) if self.system_role == "merge" else case.messages
            talk = conversation(messages, [None] * len(images), self._pattern)
            text = self._render(talk.turns)
            notes = [note for image in images for note in image.notes]
            if talk.neutralised:
                notes.append("marks made plain text: " + " ".join(talk.neutralised))
            thinking = thinking_in_prompt(text, self.marks)
            if case.constraint is not None and thinking == "open":
                text, thinking = f"{text}{self.marks.end}\n\n", "closed"
                notes.append("thinking closed in the prompt, since a constraint binds from the first token")
            inputs = self._encode(text, [image.image for image in images])
        except BadImageError as error:
            return _refuse(case, "bad_input", str(error), hashes)
        except RENDER_ERRORS as error:
            return _refuse(case, "bad_input", f"the prompt cannot be rendered: {error}", hashes)
        return self._budgeted(case, text, inputs, thinking, notes)

    def _budgeted(
        self, case: Case, text: str, inputs: dict[str, torch.Tensor], thinking: PromptThinking, notes: list[str]
    ) -> Request | Response:
        hashes = [part.sha256 for message in case.messages for part in message.parts if part.kind == "image"]
        n_tokens, n_answer = int(inputs["input_ids"].shape[1]), case.sampling.max_tokens
        room = self.max_model_len - n_tokens
        thinks = thinking == "open" or (thinking == "none" and self.knows_thinking and case.constraint is None)
        if room < n_answer + (1 if thinks and case.sampling.thinking_tokens else 0):
            detail = f"{n_tokens} prompt tokens, {n_answer} for the answer, max_model_len {self.max_model_len}"
            return _refuse(case, "prompt_too_long", detail, hashes, text=text, n_tokens=n_tokens)
        budget = min(case.sampling.thinking_tokens, room - n_answer) if thinks else None
        if budget is not None and budget < case.sampling.thinking_tokens:
            notes.append(f"thinking budget lowered from {case.sampling.thinking_tokens} to {budget} by max_model_len")
        return Request(
            case=case,
            inputs=inputs,
            prompt_sha256=_digest(text, hashes),
            thinking=thinking,
            thinking_budget=budget,
            n_prefilled=self._prefilled(text) if thinking == "open" else 0,
            n_images=len(hashes),
            notes=tuple(notes),
        )

    # ------------------------------------------------------------ rendering

    def _render(self, turns: list[dict[str, Any]]) -> str:
        for turn in turns:
            if not isinstance(turn["content"], str):
                turn["content"] = [
                    {"type": "image"} if item["type"] == "image_pil" else item for item in turn["content"]
                ]
        text: str = self._processor.apply_chat_template(
            turns,
            add_generation_prompt=True,
            tokenize=False,
            **({"chat_template": self._template} if self._template is not None else {}),
            **self._model.chat_template_kwargs,
        )
        return text

    def _encode(self, text: str, images: list[Image.Image]) -> dict[str, torch.Tensor]:
        if self._takes_images:
            encoded = self._processor(text=[text], images=images or None, return_tensors="pt", add_special_tokens=False)
        else:
            encoded = self.tokenizer(text, return_tensors="pt", add_special_tokens=False)
        return dict(encoded)

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return ids

    def _prefilled(self, text: str) -> int:
        tail = text[text.rindex(self.marks.start) + len(self.marks.start) :]
        return len(self._ids(tail)) if tail else 0

    def _system_role(self) -> str:
        user = {"role": "user", "content": "question zq7"}
        try:
            self._render([user])
        except RENDER_ERRORS as error:
            raise ModelError(
                f"{self._model.path}: the chat template fails on a plain question: {error}\n"
                "Fix: set chat_template to a template file that fits this model."
            ) from error
        if self._model.system_role != "auto":
            return self._model.system_role
        try:
            text = self._render([{"role": "system", "content": "system zq7"}, user])
        except RENDER_ERRORS:
            return "merge"
        return "keep" if "system zq7" in text and "question zq7" in text else "merge"


def _refuse(
    case: Case, outcome: Outcome, detail: str, hashes: list[str], *, text: str | None = None, n_tokens: int = 0
) -> Response:
    return Response(
        key=case.key,
        outcome=outcome,
        detail=detail,
        n_images=len(hashes),
        n_prompt_tokens=n_tokens,
        prompt_sha256=_digest(text, hashes) if text is not None else "",
    )


def _digest(text: str, hashes: list[str]) -> str:
    return hashlib.sha256("\n".join([text, *hashes]).encode()).hexdigest()


def collate(batch: list[dict[str, torch.Tensor]], pad_id: int) -> dict[str, torch.Tensor]:
    """Join the inputs of several prompts: token tensors padded on the left, image tensors one after the other.

    Raises:
        RuntimeError: If image tensors do not fit together; ask such prompts one by one.
    """
    longest = max(int(inputs["input_ids"].shape[1]) for inputs in batch)
    keys = dict.fromkeys(key for inputs in batch for key in inputs)
    joined = {}
    for key in keys:
        holders = [inputs for inputs in batch if key in inputs]
        if all(inputs[key].shape == inputs["input_ids"].shape for inputs in holders):
            fill = pad_id if key == "input_ids" else 0
            rows = [inputs[key] if key in inputs else torch.zeros_like(inputs["input_ids"]) for inputs in batch]
            joined[key] = torch.cat([_padded(row, longest, fill) for row in rows])
        else:
            joined[key] = torch.cat([inputs[key] for inputs in holders])
    return joined


def _padded(row: torch.Tensor, length: int, fill: int) -> torch.Tensor:
    return torch.nn.functional.pad(row, (length - row.shape[1], 0), value=fill)
