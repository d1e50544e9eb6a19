"""Reads finished runs, refuses what cannot be compared, and writes the comparison.

What must agree is the benchmark, the examinee's prompt, the grading protocol and the judge, and every run must be
finished. A difference can be allowed by name; the report then says so first.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from cfe_local.config import JudgeConfig
from cfe_local.errors import UsageError
from cfe_local.metrics.comparison import CommonRows, PairComparison, common_rows, compare_pairs
from cfe_local.metrics.samples import GradedSample
from cfe_local.pipeline.exams import cite
from cfe_local.pipeline.measure import JUDGE_NAME, read_records
from cfe_local.pipeline.regrade import Regrading, refuse_repeats, reopen
from cfe_local.pipeline.tables import GRADINGS, look_up
from cfe_local.records import FileDigest, Record
from cfe_local.report import Report, RunFacts, render_markdown
from cfe_local.report.compare import ComparedRun, build_comparison
from cfe_local.report.html import render_html
from cfe_local.store import RunStore, write_atomically

WEIGHT_SUFFIXES = (".safetensors", ".bin", ".gguf", ".pt", ".pth")


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """One run with everything that a comparison needs to know."""

    path: Path
    grading: str
    facts: RunFacts
    grading_settings: Mapping[str, str]
    samples: tuple[GradedSample, ...]

    @property
    def settings(self) -> Mapping[str, str]:
        """What the run's answers were made from."""
        return self.facts.manifest.settings

    @property
    def protocol(self) -> str:
        """The grading's protocol."""
        return self.grading_settings.get("protocol", "")


class Comparison(Record):
    """What ``compare.json`` holds: the runs in the order of ``pairs``' positions, and every pair's figures."""

    runs: tuple[str, ...]
    folders: tuple[str, ...]
    n_problems: int
    allowed: tuple[str, ...]
    pairs: tuple[PairComparison, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison and the files it was written to."""

    report: Report
    comparison: Comparison
    files: tuple[Path, ...]


def compare(
    paths: Sequence[Path],
    out: Path,
    *,
    grading: str | None = None,
    allow: Sequence[str] = (),
    overrides: Sequence[str] = (),
) -> Compared:
    """Compare finished runs and write compare.md, compare.html and compare.json.

    Args:
        paths: At least two run folders.
        out: Folder for the files; created where missing.
        grading: Whose verdicts count in every run; None where each run has one, or all share one name alone.
        allow: Names in `CHECKS` of differences that are accepted.
        overrides: Settings of the runs to change, for example where the benchmark lies.

    Raises:
        UsageError: If the runs cannot be compared as asked; says what differs.
        StoreError: If a folder is no run, or is not graded.
    """
    for name in allow:
        look_up("difference to allow", CHECKS, name)
    if len(paths) < 2:
        raise UsageError("a comparison needs at least two runs\nFix: cfe-local compare RUN RUN ...")
    refuse_repeats(paths)
    with ExitStack() as stack:
        stores = [stack.enter_context(RunStore.open(path)) for path in paths]
        chosen = _gradings(stores, grading)
        runs = [_open(store, name, overrides) for store, name in zip(stores, chosen, strict=True)]
    _refuse_other_experiments(runs)
    common = common_rows([run.samples for run in runs])
    if not common.rows:
        planned = "; ".join(f"{run.path}: {_span(run.samples)}" for run in runs)
        raise UsageError(f"these runs have no problem in common: {planned}\nFix: compare runs over the same rows.")
    warnings = _check(runs, common, allow)
    names = _names(runs)
    compared = [_compared(name, run) for name, run in zip(names, runs, strict=True)]
    pairs = compare_pairs(common.runs)
    report = build_comparison(compared, common, pairs, warnings=warnings)
    comparison = Comparison(
        runs=names, folders=tuple(map(str, paths)), n_problems=len(common.rows), allowed=tuple(allow), pairs=pairs
    )
    return Compared(report, comparison, _write(out, report, comparison))


def _write(out: Path, report: Report, comparison: Comparison) -> tuple[Path, ...]:
    texts = {
        "compare.md": render_markdown(report),
        "compare.html": render_html(report),
        "compare.json": comparison.model_dump_json(indent=2) + "\n",
    }
    for name, text in texts.items():
        write_atomically(out / name, text.encode())
    return tuple(out / name for name in texts)


def _gradings(stores: Sequence[RunStore], wanted: str | None) -> list[str]:
    if wanted is not None:
        return [wanted] * len(stores)
    names = [store.grading_names() for store in stores]
    shared = set(names[0]).intersection(*names[1:])
    chosen = []
    for store, own in zip(stores, names, strict=True):
        if not own:
            raise UsageError(f"{store.path}: is not graded yet\nFix: cfe-local grade {store.path}")
        if len(own) > 1 and len(shared) != 1:
            raise UsageError(f"{store.path}: has several gradings\nFix: --grading with one of {', '.join(own)}.")
        chosen.append(own[0] if len(own) == 1 else next(iter(shared)))
    return chosen


def _open(store: RunStore, grading: str, overrides: Sequence[str]) -> OpenedRun:
    plan = reopen(store, Regrading(overrides=tuple(overrides)))
    folder = store.grading(grading)
    records = read_records(plan, store, grading)
    joined = [sample for sample in records.samples(grading) if sample.targets]
    judge = folder.read_json(JUDGE_NAME, JudgeConfig)
    exam = cite(folder)
    facts = RunFacts(
        config=plan.config.model_copy(update={"judge": judge}),
        manifest=store.manifest,
        benchmark_version=plan.benchmark.version,
        judge_exam=exam.line if exam is not None else None,
    )
    return OpenedRun(store.path, grading, facts, folder.manifest.settings, tuple(joined))


def _refuse_other_experiments(runs: Sequence[OpenedRun]) -> None:
    other = [run for run in runs if run.facts.config.experiment.name != "exam"]
    if other:
        raise UsageError(
            f"{other[0].path}: ran experiment {other[0].facts.config.experiment.name}; only exams are compared\n"
            "Fix: leave it out."
        )


def _check(runs: Sequence[OpenedRun], common: CommonRows, allow: Sequence[str]) -> tuple[str, ...]:
    """Refuse differences that were not allowed; give what the reader must know about the others."""
    found = {name: text for name, check in CHECKS.items() if (text := check(runs, common)) is not None}
    refused = [name for name in found if name not in allow]
    if refused:
        raise UsageError(
            f"these runs cannot be compared as they are: {'; '.join(found[name] for name in refused)}\n"
            f"Fix: {' '.join(f'--allow {name}' for name in refused)} accepts it, and the comparison says so."
        )
    warnings = [f"Not like for like, accepted by --allow {name}: {text}." for name, text in found.items()]
    self_judged = [run for run in runs if run.facts.config.self_judged]
    if self_judged:
        names = ", ".join(run.facts.config.model.display_name for run in self_judged)
        warnings.append(f"Self-judged: {names}. A model's own verdicts favour its own way of writing.")
    versions = sorted({run.facts.manifest.cfe_local_version for run in runs})
    if len(versions) > 1:
        warnings.append(
            f"Made by different versions of cfe_local: {', '.join(versions)}; values may be read otherwise."
        )
    prints = Counter(run.facts.manifest.fingerprint for run in runs)
    if max(prints.values()) > 1:
        warnings.append("Two of these runs have the same fingerprint: they are one run and its copy, or a repetition.")
    return tuple(warnings)


def _benchmark_differs(runs: Sequence[OpenedRun], common: CommonRows) -> str | None:
    del common
    for run in runs[1:]:
        if run.settings.get("benchmark.files") != runs[0].settings.get("benchmark.files"):
            mine, other = (_digests(one.facts.manifest.benchmark_files) for one in (runs[0], run))
            files = sorted(path for path in mine.keys() | other.keys() if mine.get(path) != other.get(path))
            more = f" and {len(files) - 3} more" if len(files) > 3 else ""
            return f"{runs[0].path} and {run.path} differ in benchmark files: {', '.join(files[:3])}{more}"
    return None


def _prompt_differs(runs: Sequence[OpenedRun], common: CommonRows) -> str | None:
    del common
    prefixes = ("template.", "experiment.")
    return _settings_differ("the examinee's prompt", runs, lambda run: _pick(run.settings, prefixes))


def _protocol_differs(runs: Sequence[OpenedRun], common: CommonRows) -> str | None:
    del common
    return _settings_differ("the grading", runs, _protocol_settings)


def _protocol_settings(run: OpenedRun) -> dict[str, str]:
    grading = json.loads(run.grading_settings.get("grading", "{}"))
    return {"protocol": run.protocol, "max_response_tokens": str(grading.get("max_response_tokens"))}


def _judge_differs(runs: Sequence[OpenedRun], common: CommonRows) -> str | None:
    del common
    one_protocol = len({run.protocol for run in runs}) == 1
    return _settings_differ("the judge", runs, _judge_and_prompts if one_protocol else _judge_alone)


def _judge_alone(run: OpenedRun) -> dict[str, str]:
    """The judge without prompts, for runs of several protocols: each protocol has prompts of its own."""
    return _pick(run.grading_settings, ("judge.",))


def _judge_and_prompts(run: OpenedRun) -> dict[str, str]:
    """The judge and the prompts of this protocol; those of another protocol ask nothing here."""
    elsewhere = {f"template.judge_{name}" for name in GRADINGS if name != run.protocol}
    picked = _pick(run.grading_settings, ("judge.", "template."))
    return {name: value for name, value in picked.items() if name not in elsewhere}


def _is_incomplete(runs: Sequence[OpenedRun], common: CommonRows) -> str | None:
    for run, samples in zip(runs, common.runs, strict=True):
        n_missing = sum(sample.response is None for sample in samples)
        n_open = sum(sample.response is not None and None in sample.verdicts for sample in samples)
        if n_missing or n_open:
            return (
                f"{run.path} is not finished: of {len(samples)} samples {n_missing} have no response and {n_open} "
                "no verdict, and would count as not correct"
            )
    return None


CHECKS: Mapping[str, Callable[[Sequence[OpenedRun], CommonRows], str | None]] = {
    "benchmark": _benchmark_differs,
    "prompt": _prompt_differs,
    "protocol": _protocol_differs,
    "judge": _judge_differs,
    "incomplete": _is_incomplete,
}
"""What makes runs incomparable, by the name that allows it; each gives what it found, None where all is well."""


def _settings_differ(
    what: str, runs: Sequence[OpenedRun], settings_of: Callable[[OpenedRun], Mapping[str, str]]
) -> str | None:
    mine = settings_of(runs[0])
    for run in runs[1:]:
        other = settings_of(run)
        names = sorted(name for name in mine.keys() | other.keys() if mine.get(name) != other.get(name))
        if names:
            shown = "; ".join(f"{name}: {_short(mine.get(name))} and {_short(other.get(name))}" for name in names[:3])
            more = f"; and {len(names) - 3} more" if len(names) > 3 else ""
            return f"{runs[0].path} and {run.path} differ in {what} ({shown}{more})"
    return None


def _pick(settings: Mapping[str, str], prefixes: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name, value in settings.items() if name.startswith(prefixes)}


def _short(value: str | None) -> str:
    if value is None:
        return "nothing"
    return value if len(value) <= 60 else f"{value[:16]}…"


def _digests(files: Sequence[FileDigest]) -> dict[str, str]:
    return {file.path: file.sha256 for file in files}


def _span(samples: Sequence[GradedSample]) -> str:
    rows = list(dict.fromkeys(sample.problem.label for sample in samples))
    return f"{len(rows)} problems from {rows[0]} to {rows[-1]}" if rows else "no problem"


def _names(runs: Sequence[OpenedRun]) -> tuple[str, ...]:
    """A name per run: the model's, with the folder's where several runs have the same model, unique in any case."""
    models = [run.facts.config.model.display_name for run in runs]
    names = [
        f"{model} ({run.path.resolve().name})" if models.count(model) > 1 else model
        for model, run in zip(models, runs, strict=True)
    ]
    return tuple(f"{name} #{i}" if names.count(name) > 1 else name for i, name in enumerate(names, start=1))


def _compared(name: str, run: OpenedRun) -> ComparedRun:
    weights = [file.n_bytes for file in run.facts.manifest.model_files if file.path.endswith(WEIGHT_SUFFIXES)]
    return ComparedRun(
        name=name,
        folder=str(run.path),
        grading=run.grading,
        facts=run.facts,
        n_planned=len(run.samples),
        model_bytes=sum(weights) or None,
    )
