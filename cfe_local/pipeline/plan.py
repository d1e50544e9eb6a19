"""From a configuration to a plan: problems loaded and selected, settings and inputs written down, nothing asked yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from cfe_local.benchmarks.cfe import Benchmark, select, take_shard
from cfe_local.benchmarks.formats import load_benchmark
from cfe_local.config import JudgeConfig, ModelConfig, RunConfig
from cfe_local.engines.model_folder import digest_model, require_usable
from cfe_local.engines.models import resolve_model
from cfe_local.engines.replay import digest_replay
from cfe_local.errors import BenchmarkError, UsageError
from cfe_local.experiments.asking import kind_templates
from cfe_local.experiments.base import Analysing, Earlier, Experiment, Options, PlanSettings
from cfe_local.experiments.source import SourceRun
from cfe_local.grading.base import GradingTask
from cfe_local.pipeline.manifest import build_manifest, combined_sha256, model_settings
from cfe_local.pipeline.settings import experiment_options, with_defaults_of
from cfe_local.pipeline.source import read_source, source_sha256, stored_source
from cfe_local.pipeline.tables import EXPERIMENTS, GRADINGS, look_up
from cfe_local.prompts.render import template_digests
from cfe_local.records import Case, FileDigest, Manifest, Problem, Response, Verdict

ModelT = TypeVar("ModelT", bound=ModelConfig)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run will do.

    Attributes:
        config: The configuration, model paths resolved to folders.
        problems: The selected problems; every denominator is made from these.
        options: The experiment's own settings.
        source: The earlier run that the experiment starts from, if any.
        first_round: Holds the first round's cases once they were asked for.
    """

    config: RunConfig
    benchmark: Benchmark
    problems: tuple[Problem, ...]
    experiment: Experiment
    manifest: Manifest
    options: Options = field(default_factory=Options)
    source: SourceRun | None = None
    first_round: list[tuple[Case, ...]] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def asked(self) -> ModelConfig:
        """The model that answers the cases.

        Raises:
            UsageError: If that is the judge, and none is configured.
        """
        return judge_of(self.config) if self.experiment.traits.asks == "judge" else self.config.model

    @property
    def settings(self) -> PlanSettings:
        """What the experiment's plan depends on besides the problems."""
        return PlanSettings(
            sampling=self.asked.sampling,
            samples=self.config.experiment.samples,
            run_seed=self.config.seed,
            options=self.options,
            source=self.source,
        )

    def cases(self, earlier: Earlier | None = None) -> tuple[Case, ...]:
        """Every case that can be planned, given what earlier rounds brought; the first round is worked out once."""
        if earlier is not None:
            return tuple(self.experiment.plan(self.problems, self.settings, earlier))
        if not self.first_round:
            self.first_round.append(tuple(self.experiment.plan(self.problems, self.settings, Earlier())))
        return self.first_round[0]

    def tasks(self, responses: Mapping[str, Response]) -> list[GradingTask]:
        """One grading task per response that belongs to a planned problem, in the order of the problems."""
        problems = {(problem.split, problem.row): problem for problem in self.problems}
        order = {place: position for position, place in enumerate(problems)}
        places = ((label, r, (r.key.split, r.key.row)) for label, r in responses.items())
        mine = sorted(((order[place], label, r) for label, r, place in places if place in order), key=lambda m: m[:2])
        return [self._task(problems[r.key.split, r.key.row], r) for _, _, r in mine]

    def _task(self, problem: Problem, response: Response) -> GradingTask:
        return GradingTask(
            question=self.experiment.question(problem, response.key),
            targets=self.experiment.targets(problem, response.key),
            solution=problem.solution,
            response=response,
            kind=problem.kind,
            options=problem.options,
            rubric=problem.rubric,
        )


def plan_run(config: RunConfig) -> RunPlan:
    """Load and check everything that a run needs before the first engine starts.

    Raises:
        UsageError: For unknown plug-ins or settings that make no sense together.
        BenchmarkError: For benchmark files that cannot be used, or a selection that is empty.
        ModelError: For a model folder that cannot be used.
    """
    experiment = look_up("experiment", EXPERIMENTS, config.experiment.name)
    options = experiment_options(experiment, config)
    benchmark = load_benchmark(Path(config.benchmark.path), config.benchmark.format)
    problems = select(benchmark.problems, config.selection)
    config = with_defaults_of(experiment, config, problems)
    _check_settings(config)
    model, files = resolve(config.model)
    config = config.model_copy(update={"model": model})
    if config.judge is not None:
        config = config.model_copy(update={"judge": resolve(config.judge)[0]})
    source = read_source(experiment, config, benchmark)
    manifest = _manifest(config, benchmark, files, experiment, source)
    mine = take_shard(problems, config.selection)
    return RunPlan(config, benchmark, mine, experiment, manifest, options, source)


def reopen_plan(config: RunConfig, manifest: Manifest) -> RunPlan:
    """The plan of a run that exists: to grade or report it, the model under test is not needed.

    Args:
        config: The configuration that the run folder holds, the judge perhaps replaced.
        manifest: What the run was made from.

    Raises:
        BenchmarkError: If the benchmark is gone or has changed since.
        UsageError: As `plan_run`.
    """
    experiment = look_up("experiment", EXPERIMENTS, config.experiment.name)
    _check_settings(config)
    benchmark = load_benchmark(Path(config.benchmark.path), config.benchmark.format)
    if combined_sha256(benchmark.files) != manifest.settings.get("benchmark.files"):
        raise BenchmarkError(
            f"{config.benchmark.path}: has changed since this run was made\n"
            "Fix: bring the old files back, or run again on the new ones in another folder."
        )
    options = experiment_options(experiment, config)
    problems = take_shard(select(benchmark.problems, config.selection), config.selection)
    return RunPlan(config, benchmark, problems, experiment, manifest, options, stored_source(config.out))


def _check_settings(config: RunConfig) -> None:
    for protocol in config.grading.protocols:
        look_up("grading protocol", GRADINGS, protocol)
    _check_judge(config)
    too_large = [k for k in config.experiment.k if k > config.experiment.samples]
    if too_large:
        raise UsageError(
            f"pass@k needs at least k samples: k={too_large[0]}, samples={config.experiment.samples}\n"
            f"Fix: --samples {too_large[0]}, or a smaller -k."
        )


def _check_judge(config: RunConfig) -> None:
    """Refuse here what would otherwise stop a run after a night of generation."""
    judge = config.judge
    if judge is None or judge.engine != "vllm" or "s2s" not in config.grading.protocols:
        return
    if judge.structured_backend != "guidance":
        raise UsageError(
            f"judge.structured_backend is {judge.structured_backend}, and S2S extracts under a grammar\n"
            "Fix: leave judge.structured_backend out, or set it to guidance."
        )


def resolve(model: ModelT) -> tuple[ModelT, tuple[FileDigest, ...]]:
    """Replace an embedded model's name by its folder, check the folder, and digest what it holds.

    Raises:
        ModelError: If there is no such folder, or it cannot be loaded as it is.
    """
    name = model.display_name
    if model.engine == "replay":
        return model.model_copy(update={"name": name}), digest_replay(Path(model.path))
    path = resolve_model(model.path)
    require_usable(path, chat_template=model.chat_template)
    return model.model_copy(update={"path": str(path), "name": name}), digest_model(path)


def require_exam(plan: RunPlan, what: str) -> None:
    """Refuse what has no place for several conditions and steps of one problem.

    Raises:
        UsageError: If the experiment has an analysis of its own.
    """
    if isinstance(plan.experiment, Analysing):
        raise UsageError(
            f"{plan.config.out}: is a run of {plan.experiment.name}, and {what} is for exams\n"
            "Fix: its values are in analysis.json and analysis/*.csv, everything else in `cfe-local query`."
        )


def judge_of(config: RunConfig) -> JudgeConfig:
    """The configured judge.

    Raises:
        UsageError: If there is none.
    """
    if config.judge is None:
        raise UsageError("no judge is configured\nFix: --judge DIR, or a judge section in the configuration.")
    return config.judge


def _manifest(
    config: RunConfig,
    benchmark: Benchmark,
    files: Sequence[FileDigest],
    experiment: Experiment,
    source: SourceRun | None,
) -> Manifest:
    templates = template_digests()
    settings = {
        "benchmark.files": combined_sha256(benchmark.files),
        "experiment.name": config.experiment.name,
        "experiment.options": repr(sorted(config.experiment.options.items())),
        "seed": str(config.seed),
        **model_settings(config.model, tuple(files), "model"),
        **{f"template.{name}": templates[name] for name in _templates(experiment, benchmark.problems)},
        **({"source": source_sha256(source)} if source is not None else {}),
    }
    if experiment.traits.asks == "judge":
        judge, judge_files = resolve(judge_of(config))
        settings |= model_settings(judge, judge_files, "judge")
    return build_manifest(
        settings=settings,
        benchmark_name=benchmark.name,
        benchmark_files=benchmark.files,
        model_files=tuple(files),
        templates=templates,
        shard=config.selection.shard,
    )


def _templates(experiment: Experiment, problems: Sequence[Problem]) -> tuple[str, ...]:
    """Templates of the experiment's prompts: with the exam's own system text come those of other kinds of problem."""
    own = experiment.traits.templates
    return (*own, *kind_templates(problems)) if "exam_system" in own else own


def by_response(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """Group verdicts by the label of the response they are about."""
    grouped: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        grouped.setdefault(verdict.key.label, []).append(verdict)
    return grouped
