"""A graded run in the files of lm-evaluation-harness: ``results_TIME.json`` and ``samples_TASK_TIME.jsonl``.

One task per split (``cfe_text``), one sample line per problem, ``doc_id`` its row; several responses stand side by side
in ``resps``, thinking included, and ``filtered_resps`` holds the answers alone. The tasks form the group ``cfe``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from cfe_local.metrics import GradedSample
from cfe_local.records import Message
from cfe_local.report.exported import (
    GradedRun,
    by_problem,
    clustered_error,
    mean,
    question_value,
    variable_value,
    whole_text,
)

GROUP = "cfe"
FILTER = "none"
METRICS: Mapping[str, Callable[[GradedSample], float]] = {
    "question_accuracy": question_value,
    "variable_accuracy": variable_value,
}


def lm_eval_files(run: GradedRun) -> dict[str, str]:
    """File names, below the export folder, and their texts.

    The names hold the run's own time, so that an export that is repeated replaces its files.
    """
    folder = sanitised(run.config.model.display_name)
    time = datetime.fromisoformat(run.manifest.created).strftime("%Y-%m-%dT%H-%M-%S.%f")
    splits: dict[str, list[GradedSample]] = {}
    for sample in run.samples:
        splits.setdefault(sample.problem.split, []).append(sample)
    files = {f"{folder}/results_{time}.json": json.dumps(_results(run, splits), indent=2, ensure_ascii=False) + "\n"}
    for split, samples in splits.items():
        lines = [json.dumps(_line(run, group), ensure_ascii=False) for group in by_problem(samples).values()]
        files[f"{folder}/samples_{GROUP}_{split}_{time}.jsonl"] = "\n".join(lines) + "\n"
    return files


def sanitised(name: str) -> str:
    """A model's name as a folder name that needs no quoting."""
    return re.sub(r"[^0-9A-Za-z._-]+", "__", name).strip(".") or "model"


def _results(run: GradedRun, splits: Mapping[str, Sequence[GradedSample]]) -> dict[str, JsonValue]:
    model, sampling = run.config.model, run.config.model.sampling
    tasks = {f"{GROUP}_{split}": samples for split, samples in splits.items()}
    names = [GROUP, *tasks]
    group: JsonValue = {"alias": GROUP, **_figures(run.samples)}
    better: JsonValue = dict.fromkeys(METRICS, True)
    return {
        "results": {GROUP: group, **{name: {"alias": name, **_figures(s)} for name, s in tasks.items()}},
        "groups": {GROUP: group},
        "group_subtasks": {GROUP: list(tasks)},
        "configs": {name: _task_config(run, name) for name in tasks},
        "versions": {name: run.benchmark_version or run.manifest.benchmark_name for name in names},
        "n-shot": dict.fromkeys(names, 0),
        "higher_is_better": dict.fromkeys(names, better),
        "n-samples": {
            f"{GROUP}_{split}": {"original": run.n_rows[split], "effective": len(by_problem(samples))}
            for split, samples in splits.items()
        },
        "config": {
            "model": model.engine,
            "model_args": {"pretrained": model.path, **model.engine_args},
            "gen_kwargs": sampling.model_dump(mode="json", exclude={"seed", "n_logprobs"}),
            "batch_size": "auto",
            "limit": run.config.selection.limit,
            "random_seed": run.config.seed,
        },
        "git_hash": run.manifest.git_commit,
        "date": datetime.fromisoformat(run.manifest.created).timestamp(),
        "task_hashes": {name: _sha256(run.manifest.settings.get("benchmark.files", "")) for name in tasks},
        "model_source": model.engine,
        "model_name": model.display_name,
        "model_name_sanitized": sanitised(model.display_name),
        "total_evaluation_time_seconds": str(sum(t.seconds for t in run.metrics.engine_times)),
        "cfe_local": {
            "version": run.manifest.cfe_local_version,
            "fingerprint": run.manifest.fingerprint,
            "grading": run.metrics.grading,
            "judge": run.judge_name,
            "undecided": "counted as not correct",
            "coverage": run.metrics.overall.question_accuracy.coverage.value,
        },
    }


def _figures(samples: Sequence[GradedSample]) -> dict[str, JsonValue]:
    figures: dict[str, JsonValue] = {}
    clusters = [sample.cluster for sample in samples]
    for name, value_of in METRICS.items():
        values = [value_of(sample) for sample in samples]
        error = clustered_error(values, clusters)
        figures[f"{name},{FILTER}"] = mean(values)
        figures[f"{name}_stderr,{FILTER}"] = "N/A" if error is None else error
    return figures


def _task_config(run: GradedRun, name: str) -> dict[str, JsonValue]:
    return {
        "task": name,
        "output_type": "generate_until",
        "num_fewshot": 0,
        "repeats": run.config.experiment.samples,
        "metric_list": [{"metric": metric, "aggregation": "mean", "higher_is_better": True} for metric in METRICS],
        "metadata": {"version": run.benchmark_version or run.manifest.benchmark_name},
    }


def _line(run: GradedRun, group: Sequence[GradedSample]) -> dict[str, JsonValue]:
    problem = group[0].problem
    doc: JsonValue = {
        "id": problem.problem_id,
        "split": problem.split,
        "row": problem.row,
        "topic": problem.topic,
        "question": problem.question_text,
        "variables": [variable.model_dump(mode="json") for variable in problem.variables],
    }
    case = run.cases[group[0].key.label]
    prompt = json.dumps(_turns(case.messages), ensure_ascii=False)
    settings: JsonValue = case.sampling.model_dump(mode="json", exclude={"seed", "n_logprobs"})
    target = json.dumps({v.name: v.value for v in problem.variables}, ensure_ascii=False)
    start, end = run.config.model.thinking_start, run.config.model.thinking_end
    return {
        "doc_id": problem.row,
        "doc": doc,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": settings}},
        "resps": [[whole_text(sample.response, start, end) for sample in group]],
        "filtered_resps": [sample.response.text if sample.response is not None else "" for sample in group],
        "filter": FILTER,
        "metrics": list(METRICS),
        "doc_hash": _sha256(json.dumps(doc, ensure_ascii=False, sort_keys=True)),
        "prompt_hash": _sha256(prompt),
        "target_hash": _sha256(target),
        **{name: mean([value_of(sample) for sample in group]) for name, value_of in METRICS.items()},
        "marks": [sample.mark for sample in group],
        "outcomes": [sample.response.outcome if sample.response else "missing" for sample in group],
    }


def _turns(messages: Sequence[Message]) -> list[JsonValue]:
    return [
        {"role": m.role, "content": "".join(part.text if part.kind == "text" else "<image>" for part in m.parts)}
        for m in messages
    ]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
