"""The doctor: gathers what a run would meet on a machine, and has every check look at it. Nothing is loaded or written.

The checks themselves are in ``cfe_local.jobs``: pure, and without a device.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

import cfe_local
from cfe_local.benchmarks.cfe import select
from cfe_local.benchmarks.formats import load_benchmark
from cfe_local.config import ModelConfig, RunConfig
from cfe_local.engines.architectures import known_architectures
from cfe_local.engines.devices import Device
from cfe_local.engines.environment import engine_environment
from cfe_local.engines.model_shape import ModelShape, read_shape, weight_bytes
from cfe_local.engines.models import resolve_model
from cfe_local.engines.prompt_sizes import TURN_TOKENS, count_text, image_tokens
from cfe_local.engines.vllm_options import folder_mentions
from cfe_local.errors import CfeError, StoreError, UsageError
from cfe_local.jobs import doctor_machine, doctor_model, doctor_run
from cfe_local.jobs.findings import Examination, Finding, error, ok, warning
from cfe_local.jobs.memory import EngineSettings
from cfe_local.pipeline.plan import RunPlan, plan_run
from cfe_local.records import Case, Part
from cfe_local.store import RunStore, differing_settings
from cfe_local.store.lock import LOCK_NAME
from cfe_local.store.run import MANIFEST_NAME

LOADING_ENGINES = ("vllm", "transformers")
"""Engines that load a model folder; others answer from elsewhere, and have nothing here to be examined."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to examine.

    Attributes:
        config: The run.
        device: What it is to run on.
        is_here: Whether that is this machine.
        concurrency: Sequences of full length that are wanted at once; None: whatever fits.
        hashes: Whether files are held against a sha256 list in the model folder.
        requirements: The locked requirement file; None: that of the source tree, if there is one.
    """

    config: RunConfig
    device: Device
    is_here: bool = True
    concurrency: int | None = None
    hashes: bool = True
    requirements: Path | None = None


def examine(request: Request, environ: Mapping[str, str]) -> Examination:
    """Have every check look at a run. What one check cannot see because of an earlier fault is said, not raised.

    Raises:
        UsageError: If the requirement file that was named cannot be read.
    """
    config = request.config
    roles = {"model": config.model} | ({"judge": config.judge} if config.judge is not None else {})
    findings = list(_benchmark(config))
    plan, said = _plan(config)
    findings += said
    for role, model in roles.items():
        findings += _Patient(request, role, model, plan, environ).findings()
    if plan is not None:
        findings += _disk(plan)
    findings += _output(config, plan)
    findings += _machine(request, tuple(roles.values()), environ)
    return Examination(findings=tuple(findings))


def from_error(about: str, check: str, problem: CfeError) -> Finding:
    """An error as a finding: its remedy is what stands behind ``Fix:``."""
    message, _, remedy = str(problem).partition("\nFix: ")
    return error(about, check, message.strip(), remedy.strip() or "see the message")


class _Patient:
    """One model in its role, looked at from all sides."""

    def __init__(
        self, request: Request, role: str, model: ModelConfig, plan: RunPlan | None, environ: Mapping[str, str]
    ) -> None:
        self._request, self._role, self._model = request, role, model
        self._plan, self._environ = plan, environ

    def findings(self) -> Iterator[Finding]:
        if self._model.engine not in LOADING_ENGINES:
            yield ok(self._role, "engine", f"{self._model.engine}: no model is loaded here")
            return
        try:
            folder = resolve_model(self._model.path)
        except CfeError as problem:
            yield from_error(self._role, "folder", problem)
            return
        yield from doctor_model.check_folder(self._role, self._model, folder, hashes=self._request.hashes)
        yield from doctor_model.check_template(self._role, self._model, folder)
        try:
            shape = read_shape(folder)
        except CfeError as problem:
            yield from_error(self._role, "shape", problem)
            return
        yield from doctor_model.check_architecture(self._role, self._model, shape, known_architectures())
        yield from doctor_model.check_dtype(self._role, self._model, shape, self._request.device)
        yield from self._memory(folder, shape)
        yield from self._prompts(folder, shape)

    def _settings(self, shape: ModelShape) -> EngineSettings:
        space = None
        if self._request.device.is_cpu:
            environment = engine_environment(self._model, allow_network=False, base=self._environ)
            space = float(environment["VLLM_CPU_KVCACHE_SPACE"])
        return doctor_model.engine_settings(self._model, shape, cpu_cache_gib=space)

    def _memory(self, folder: Path, shape: ModelShape) -> Iterator[Finding]:
        settings, device = self._settings(shape), self._request.device
        try:
            weights = weight_bytes(folder, shape, doctor_model.effective_dtype(self._model, shape))
        except CfeError as problem:
            yield from_error(self._role, "memory", problem)
            return
        yield from doctor_model.check_parallel(self._role, shape, settings, device)
        fitting = doctor_model.Fitting(shape, weights, device, settings)
        yield from doctor_model.check_memory(self._role, fitting, concurrency=self._request.concurrency)
        yield from doctor_machine.check_visible_devices(
            {**self._environ, **self._model.env}, settings.n_devices, is_here=self._request.is_here
        )

    def _prompts(self, folder: Path, shape: ModelShape) -> Iterator[Finding]:
        settings = self._settings(shape)
        budget = doctor_run.Budget(
            max_model_len=settings.max_model_len,
            answer=self._model.sampling.max_tokens,
            thinking=self._model.sampling.thinking_tokens if thinks(self._model, folder) else 0,
            native=shape.context,
        )
        if self._plan is None:
            yield from doctor_run.check_context(self._role, budget, ())
            yield warning(
                self._role, "context", "prompts were not measured: they could not be planned",
                "mend what is said about plan or folders first",
            )  # fmt: skip
        elif self._plan.asked.path == str(folder) and self._role != "judge":
            cases = _one_per_prompt(self._plan.cases())
            yield from doctor_run.check_context(self._role, budget, measured(cases, folder))
            most = max((sum(part.kind == "image" for part in _parts(case)) for case in cases), default=0)
            yield from doctor_model.check_images(self._role, self._model, folder, shape, most)
        else:
            yield from doctor_run.check_context(self._role, budget, ())
            questions = [problem.question_text for problem in self._plan.problems]
            longest = max(count_text(folder, questions).n_tokens, default=0)
            limit = min(self._plan.config.grading.max_response_tokens, self._plan.config.model.sampling.max_tokens)
            yield from doctor_run.check_judge_context(budget, limit, longest)


def thinks(model: ModelConfig, folder: Path) -> bool:
    """Whether the model is likely to think: its files know the mark, and it is not switched off."""
    switched_off = model.chat_template_kwargs.get("enable_thinking") is False
    return not switched_off and folder_mentions(folder, model.thinking_start, model.chat_template)


def measured(cases: Sequence[Case], folder: Path) -> list[doctor_run.PromptLength]:
    """Tokens of each prompt at most: text, images, and what a template adds per turn."""
    counts = count_text(folder, [" ".join(part.text for part in _parts(case) if part.kind == "text") for case in cases])
    lengths = []
    for case, n_text in zip(cases, counts.n_tokens, strict=True):
        images = [_tokens_of(folder, part.path) for part in _parts(case) if part.kind == "image"]
        n_tokens = n_text + TURN_TOKENS * len(case.messages) + sum(tokens or 0 for tokens in images)
        label = f"{case.key.split}:{case.key.row}"
        lengths.append(doctor_run.PromptLength(label, n_tokens, counts.is_exact and not images))
    return lengths


def _tokens_of(folder: Path, path: str) -> int | None:
    try:
        with Image.open(path) as image:
            width, height = image.size
    except OSError:
        return None  # the run gives such a case the outcome bad_input
    return image_tokens(folder, width, height)


def _parts(case: Case) -> list[Part]:
    return [part for message in case.messages for part in message.parts]


def _one_per_prompt(cases: Sequence[Case]) -> list[Case]:
    """One case per distinct prompt; samples of it are as long."""
    return list({case.messages: case for case in cases}.values())


def _benchmark(config: RunConfig) -> Iterator[Finding]:
    try:
        benchmark = load_benchmark(Path(config.benchmark.path), config.benchmark.format)
        problems = select(benchmark.problems, config.selection)
    except CfeError as problem:
        yield from_error("run", "benchmark", problem)
        return
    yield ok("run", "benchmark", f"{benchmark.name}: {len(problems)} of {len(benchmark.problems)} problems selected")


def _plan(config: RunConfig) -> tuple[RunPlan | None, list[Finding]]:
    try:
        plan = plan_run(config)
        n_cases = len(plan.cases())
    except CfeError as problem:
        return None, [from_error("run", "plan", problem)]
    return plan, [ok("run", "plan", f"{n_cases:,} cases of experiment {plan.experiment.name}")]


def _disk(plan: RunPlan) -> Iterator[Finding]:
    probe = doctor_run.probe_folder(plan.config.out)
    sampling = plan.asked.sampling
    cases = plan.cases()
    yield from doctor_run.check_disk(
        probe.nearest,
        free=shutil.disk_usage(probe.nearest).free,
        case_bytes=sum(len(case.model_dump_json()) for case in cases),
        n_cases=len(cases),
        tokens_per_case=sampling.max_tokens + sampling.thinking_tokens,
    )


def _output(config: RunConfig, plan: RunPlan | None) -> Iterator[Finding]:
    out, differences = config.out, list[str]()
    is_run = (out / MANIFEST_NAME).exists()
    if is_run and plan is not None:
        try:
            with RunStore.open(out) as store:
                differences = differing_settings(store.manifest.settings, plan.manifest.settings, ("there", "now"))
        except StoreError as problem:
            yield from_error("run", "output", problem)
            return
    probe = doctor_run.probe_folder(out)
    is_locked = (out / LOCK_NAME).exists()
    yield from doctor_run.check_output(out, probe, differences, is_run=is_run, is_locked=is_locked)


def _machine(request: Request, models: Sequence[ModelConfig], environ: Mapping[str, str]) -> Iterator[Finding]:
    installed = _installed()
    engines = [model.engine for model in models]
    yield from doctor_machine.check_packages(
        installed, _locked(request.requirements, installed), engines, is_here=request.is_here
    )
    allowed = request.config.allow_network
    yield from doctor_machine.check_environment(environ, models, allow_network=allowed)
    package = Path(cfe_local.__file__).parent
    newest = max(path.stat().st_mtime for path in package.rglob("*.py"))
    yield from doctor_machine.check_clock(time.time(), newest, doctor_run.probe_folder(request.config.out).skew_s)


def _installed() -> dict[str, str]:
    """Name to version of what is installed, by the names of folders: reading all metadata costs seconds."""
    folders = (found.stem for entry in reversed(sys.path) for found in Path(entry).glob("*.dist-info"))
    pairs = (folder.rpartition("-") for folder in folders)
    return {doctor_machine.normal_name(name): version for name, _, version in pairs}


def _locked(given: Path | None, installed: Mapping[str, str]) -> dict[str, str] | None:
    flavour = "gpu" if "vllm" in installed else "cpu" if "vllm-cpu" in installed else "core"
    path = given or Path(cfe_local.__file__).parents[1] / "requirements" / f"{flavour}.txt"
    try:
        return doctor_machine.read_pins(path.read_text(encoding="utf-8"))
    except OSError as problem:
        if given is None:
            return None
        raise UsageError(f"{path}: {problem.strerror}\nFix: give a locked requirement file.") from problem
