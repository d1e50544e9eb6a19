"""The doctor on one model: is its folder whole, does the installed vLLM know it, does it fit the device it is for?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import jinja2

from cfe_local.config.model import ModelConfig
from cfe_local.engines.checksums import differing_files, listed_checksums
from cfe_local.engines.devices import Device
from cfe_local.engines.model_folder import chat_templates, check_model_folder
from cfe_local.engines.model_shape import ModelShape
from cfe_local.engines.prompt_sizes import has_image_processor
from cfe_local.jobs.findings import Finding, error, ok, warning
from cfe_local.jobs.memory import GIB, EngineSettings, MemoryPlan, element_bytes, plan_memory

LEAST_CAPABILITY: Mapping[str, tuple[int, int]] = {
    "awq": (7, 5), "auto_awq": (7, 5), "awq_marlin": (7, 5), "gptq": (6, 0), "auto_gptq": (6, 0),
    "gptq_marlin": (6, 0), "compressed-tensors": (7, 0), "fp8": (7, 5), "fbgemm_fp8": (8, 0), "fp_quant": (10, 0),
    "modelopt": (8, 0), "modelopt_fp4": (7, 5), "experts_int8": (8, 0), "moe_wna16": (7, 0), "mxfp4": (8, 0),
    "gpt_oss_mxfp4": (8, 0), "quark": (7, 0), "torchao": (7, 5), "inc": (6, 0), "auto-round": (6, 0),
}  # fmt: skip
"""Quantisation methods of vLLM 0.32 and the compute capability that each needs.

Source: ``get_min_capability`` of each method in vllm/model_executor/layers/quantization, vLLM 0.32.0.
"""
BF16_CAPABILITY = (8, 0)
FP8_CAPABILITY = (8, 9)
"""Multiplies 8-bit floats itself; older devices unpack such weights to 16 bits first."""

PARALLEL_SIZES = (1, 2, 4, 8, 16, 32)


def engine_settings(model: ModelConfig, shape: ModelShape, *, cpu_cache_gib: float | None = None) -> EngineSettings:
    """What decides an engine's memory, from a configuration.

    Args:
        model: How it is loaded.
        shape: The model's shape; gives the context where none is set.
        cpu_cache_gib: The size of a CPU engine's KV cache; None on a GPU.
    """
    given = model.engine_args
    dtype = effective_dtype(model, shape)
    max_model_len = _whole(given.get("max_model_len")) or shape.context or 32_768
    concurrency = min(_whole(given.get("max_num_seqs")) or model.max_in_flight, model.max_in_flight)
    settings = EngineSettings(
        tensor_parallel=_whole(given.get("tensor_parallel_size")) or 1,
        pipeline_parallel=_whole(given.get("pipeline_parallel_size")) or 1,
        max_model_len=max_model_len,
        concurrency=concurrency,
        kv_bytes=element_bytes(str(given.get("kv_cache_dtype", "auto")), dtype),
    )
    if isinstance(share := given.get("gpu_memory_utilization"), int | float):
        settings = replace(settings, utilisation=float(share))
    if (batched := _whole(given.get("max_num_batched_tokens"))) is not None:
        settings = replace(settings, batched_tokens=batched)
    if cpu_cache_gib is not None:
        # A CPU engine takes a prompt in one piece, and batches no more than one of full length.
        settings = replace(settings, fixed_cache=int(cpu_cache_gib * GIB), batched_tokens=max(2048, max_model_len))
    return settings


def effective_dtype(model: ModelConfig, shape: ModelShape) -> str:
    """The type that the engine computes in; ``auto`` takes the model's own, and 16 bits of 32."""
    wanted = str(model.engine_args.get("dtype", "auto"))
    if wanted != "auto":
        return wanted
    return "float16" if shape.dtype in ("float32", "float16") else shape.dtype


def check_folder(about: str, model: ModelConfig, folder: Path, *, hashes: bool = True) -> Iterator[Finding]:
    """Is everything there, and what it should be?"""
    found = check_model_folder(folder, chat_template=model.chat_template)
    for one in found:
        yield error(about, "folder", one.message, one.fix)
    if found:
        return
    n_bytes = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    yield ok(about, "folder", f"{folder}: complete, {n_bytes / 1e9:.1f} GB of weights")
    listed = listed_checksums(folder)
    if listed and hashes:
        wrong = list(differing_files(folder, listed))
        for line in wrong:
            yield error(about, "sha256", f"{folder}/{line}", "copy this file again")
        if not wrong:
            yield ok(about, "sha256", f"{len(listed)} files are those of the folder's list")


def check_architecture(
    about: str, model: ModelConfig, shape: ModelShape, known: frozenset[str] | None
) -> Iterator[Finding]:
    """Does the installed vLLM know the model?"""
    names = ", ".join(shape.architectures) or "none"
    if not shape.architectures:
        yield error(about, "architecture", "config.json names no architecture", "copy the model folder again")
    elif model.engine != "vllm":
        yield ok(about, "architecture", f"{names}; not checked for engine {model.engine}")
    elif known is None:
        yield warning(
            about, "architecture", f"{names}: vLLM is not installed here, so it is not known whether it takes it",
            "run the doctor again where the run will be (scripts/setup gpu)",
        )  # fmt: skip
    elif known.isdisjoint(shape.architectures):
        yield error(
            about, "architecture", f"{names}: the installed vLLM does not know it",
            "use a release of the model in transformers' own format (for InternVL the folder ending in -HF), "
            "or a vLLM that knows it",
        )  # fmt: skip
    else:
        yield ok(about, "architecture", names)


def check_template(about: str, model: ModelConfig, folder: Path) -> Iterator[Finding]:
    """Can the chat template be read, and does it know what it is told?"""
    try:
        own = model.chat_template.read_text(encoding="utf-8") if model.chat_template is not None else None
    except OSError as problem:
        yield error(about, "chat template", f"{model.chat_template}: {problem.strerror}", "correct chat_template")
        return
    text = own if own is not None else next(iter(chat_templates(folder)), "")
    # transformers' own tag, which marks what a model said; nothing else knows it
    plain = re.sub(r"\{%-?\s*(end)?generation\s*-?%\}", "", text)
    try:
        jinja2.Environment(extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"], autoescape=True).parse(plain)
    except jinja2.TemplateSyntaxError as problem:
        yield error(
            about, "chat template", f"line {problem.lineno}: {problem.message}",
            "copy the template again, or set chat_template to a file that fits this model",
        )  # fmt: skip
        return
    unused = [name for name in model.chat_template_kwargs if not re.search(rf"\b{re.escape(name)}\b", text)]
    if unused:
        yield warning(
            about, "chat template", f"never looks at {', '.join(unused)}, which chat_template_kwargs sets",
            "correct the name, or take it out: as it is, it changes nothing",
        )  # fmt: skip
    else:
        yield ok(about, "chat template", "can be read")


def check_images(
    about: str, model: ModelConfig, folder: Path, shape: ModelShape, most_images: int
) -> Iterator[Finding]:
    """Can the model be shown what the problems have? ``most_images`` is the most that one prompt holds."""
    if not most_images:
        return
    if not shape.sees_images:
        yield error(
            about, "images", f"problems have up to {most_images} images, and this model reads text only",
            "--split text, or a model with a vision encoder",
        )  # fmt: skip
        return
    if not has_image_processor(folder):
        yield error(
            about, "images", f"{folder}: no image processor (preprocessor_config.json or processor_config.json)",
            "copy the whole model folder again, the processor files with it",
        )  # fmt: skip
        return
    limits = model.engine_args.get("limit_mm_per_prompt")
    allowed = _whole(limits.get("image")) if isinstance(limits, dict) else None
    if allowed is not None and allowed < most_images:
        yield error(
            about, "images", f"a problem has {most_images} images, and limit_mm_per_prompt allows {allowed}",
            f"set {about}.engine_args.limit_mm_per_prompt to {{image: {most_images}, video: 0}}",
        )  # fmt: skip
        return
    yield ok(about, "images", f"image processor there; up to {most_images} images in a prompt")


def check_dtype(about: str, model: ModelConfig, shape: ModelShape, device: Device) -> Iterator[Finding]:
    """Does the device compute in the wanted type and take the model's quantisation?"""
    dtype = effective_dtype(model, shape)
    capability = device.capability
    if capability is not None and dtype == "bfloat16" and capability < BF16_CAPABILITY:
        yield error(
            about, "dtype", f"{device.name} does not compute in bfloat16: capability {_version(capability)}, needs 8.0",
            f"set {about}.engine_args.dtype to float16",
        )  # fmt: skip
    else:
        yield ok(about, "dtype", f"{dtype} on {device.name}")
    method = str(model.engine_args.get("quantization") or shape.quantization)
    if not method:
        return
    if method not in LEAST_CAPABILITY:
        yield error(
            about, "quantisation", f"{method}: vLLM 0.32 has no such method",
            f"use a release in one of: {', '.join(sorted(LEAST_CAPABILITY))}; or the one in 16 bits",
        )  # fmt: skip
    elif capability is None:
        yield warning(about, "quantisation", f"{method} on a CPU has not been tried", "use the release in 16 bits")
    elif capability < LEAST_CAPABILITY[method]:
        yield error(
            about, "quantisation",
            f"{method} needs capability {_version(LEAST_CAPABILITY[method])}, {device.name} has {_version(capability)}",
            "use a newer device, or another release of the model",
        )  # fmt: skip
    elif method == "fp8" and capability < FP8_CAPABILITY:
        yield warning(
            about, "quantisation", f"fp8 on {device.name}: weights are unpacked to 16 bits at every step, slower",
            "prefer a device of capability 8.9 or later",
        )  # fmt: skip
    else:
        yield ok(about, "quantisation", f"{method} on {device.name}")


def check_parallel(about: str, shape: ModelShape, settings: EngineSettings, device: Device) -> Iterator[Finding]:
    """Are there as many devices as the engine shares the model over, and can it be shared so?"""
    n_wanted, tensor = settings.n_devices, settings.tensor_parallel
    if device.is_cpu:
        if n_wanted > 1:
            yield error(
                about, "parallel", f"{n_wanted} devices are asked for, and there is no GPU here",
                "give --gpu to plan for another machine, or set tensor_parallel_size to 1",
            )  # fmt: skip
        return
    if n_wanted > device.count:
        yield error(
            about, "parallel", f"tensor x pipeline parallel needs {n_wanted} GPUs, the node has {device.count}",
            f"set {about}.engine_args.tensor_parallel_size to {_largest_size(shape, device.count)} or take more GPUs",
        )  # fmt: skip
    elif shape.n_heads % tensor:
        yield error(
            about, "parallel", f"{shape.n_heads} attention heads cannot be shared over {tensor} GPUs",
            f"set {about}.engine_args.tensor_parallel_size to {_largest_size(shape, device.count)}",
        )  # fmt: skip
    elif max(tensor, shape.n_kv_heads) % min(tensor, shape.n_kv_heads):
        yield error(
            about, "parallel", f"{shape.n_kv_heads} key-value heads and {tensor} GPUs do not divide each other",
            "take a tensor_parallel_size that divides the heads, or is a multiple of them",
        )  # fmt: skip
    else:
        yield ok(about, "parallel", f"{n_wanted} of {device.count} {device.name}")


@dataclass(frozen=True, slots=True)
class Fitting:
    """A model, what it is to run on, and how: the question whether it fits."""

    shape: ModelShape
    weights: int
    device: Device
    settings: EngineSettings

    def plan(self) -> MemoryPlan:
        """The memory of one device."""
        return plan_memory(self.shape, self.weights, self.device, self.settings)

    def smallest_size(self) -> int | None:
        """The smallest tensor parallel size on which one sequence of full length fits; None if none does."""
        for size in PARALLEL_SIZES:
            wider = replace(self.settings, tensor_parallel=size)
            plan = plan_memory(self.shape, self.weights, self.device, wider)
            if self.shape.n_heads % size == 0 and plan.n_sequences >= 1:
                return size
        return None


def check_memory(about: str, fitting: Fitting, *, concurrency: int | None = None) -> Iterator[Finding]:
    """Do weights and KV cache fit? ``concurrency`` is what the user wants at full length; None: whatever fits."""
    plan, settings = fitting.plan(), fitting.settings
    size = fitting.smallest_size()
    wider = (
        f"set {about}.engine_args.tensor_parallel_size to {size}"
        if size is not None and size > settings.tensor_parallel and not fitting.device.is_cpu
        else "take a larger device, a smaller model or one with fewer bits"
    )
    # What one more token costs decides how long a single sequence may be.
    state = plan.sequence - plan.token * settings.max_model_len
    longest = (plan.cache - max(0, state)) // plan.token // 1024 * 1024 if plan.token and plan.cache > 0 else 0
    if plan.cache <= 0:
        yield error(about, "memory", f"the weights do not fit: {plan.shown()}", wider)
    elif plan.n_sequences < 1:
        shorter = f"{about}.engine_args.max_model_len at most {longest:,}, or " if longest >= 1024 else ""
        yield error(about, "memory", f"not one sequence of full length fits: {plan.shown()}", f"{shorter}{wider}")
    elif concurrency is not None and plan.n_sequences < concurrency:
        yield warning(
            about, "memory", f"{concurrency} sequences of full length do not fit, {plan.n_sequences:.0f} do: "
            f"{plan.shown()}",
            f"the others wait; to have all at once, {wider}, lower max_model_len or set kv_cache_dtype to fp8",
        )  # fmt: skip
    else:
        n_full = f"{plan.n_sequences:,.0f}" if math.isfinite(plan.n_sequences) else "any number of"
        room = f"holds {plan.n_tokens:,} tokens, {n_full} sequences of {settings.max_model_len:,}"
        yield ok(about, "memory", f"per device: {plan.shown()}; {room}")


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _version(capability: tuple[int, int]) -> str:
    return f"{capability[0]}.{capability[1]}"


def _largest_size(shape: ModelShape, count: int) -> int:
    return max(size for size in PARALLEL_SIZES if size == 1 or (size <= count and shape.n_heads % size == 0))
