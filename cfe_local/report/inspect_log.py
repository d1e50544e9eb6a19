"""A graded run as one Inspect log in JSON (log format 2), which ``read_eval_log`` and ``inspect view`` read.

A problem is a sample with the id ``split:row``, each of its responses an epoch. The score ``question_accuracy`` is C, I
or, where nothing was decided, N; ``variable_accuracy`` is the share of right variables. Responses that are still
missing are left out; the log then says ``cancelled``, and the figures count them as not correct.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from cfe_local.metrics import GradedSample
from cfe_local.records import Case, Message, Outcome, Response, VerdictValue
from cfe_local.report.exported import GradedRun, clustered_error, mean, question_value, variable_value
from cfe_local.report.lm_eval import sanitised

LOG_VERSION = 2
VALUES: Mapping[VerdictValue, str] = {"correct": "C", "incorrect": "I", "undecided": "N"}
STOP_REASONS: Mapping[Outcome, str] = {
    "answered": "stop",
    "truncated": "max_tokens",
    "truncated_thinking": "max_tokens",
    "prompt_too_long": "model_length",
    "bad_input": "unknown",
    "failed": "unknown",
}
NOT_RUN: tuple[Outcome, ...] = ("prompt_too_long", "bad_input", "failed")
SCORERS = {"question_accuracy": question_value, "variable_accuracy": variable_value}


def inspect_files(run: GradedRun) -> dict[str, str]:
    """The log's file name and text. The name holds the run's own time, so that a repeated export replaces its file."""
    time = run.manifest.created.replace(":", "-")
    name = f"{time}_cfe-exam_{sanitised(run.config.model.display_name)}-{run.manifest.fingerprint[:12]}.json"
    return {name: json.dumps(_log(run), indent=1, ensure_ascii=False) + "\n"}


def _log(run: GradedRun) -> dict[str, JsonValue]:
    model = _model_name(run)
    answered = [(s, s.response) for s in run.samples if s.response is not None]
    usage = _usage([response for _, response in answered])
    return {
        "version": LOG_VERSION,
        "status": "success" if len(answered) == len(run.samples) else "cancelled",
        "eval": _spec(run, model),
        "plan": {"name": "plan", "steps": [], "config": _generate_config(run)},
        "results": {
            "total_samples": len(run.samples),
            "completed_samples": len(answered),
            "scores": [_score_summary(run, name) for name in SCORERS],
        },
        "stats": {
            "started_at": run.manifest.created,
            "completed_at": run.manifest.created,
            "model_usage": {model: usage},
        },
        "samples": [_sample(run, model, sample, response) for sample, response in answered],
    }


def _model_name(run: GradedRun) -> str:
    return f"{run.config.model.engine}/{run.config.model.display_name}"


def _spec(run: GradedRun, model: str) -> dict[str, JsonValue]:
    fingerprint = run.manifest.fingerprint
    ids: list[JsonValue] = list(dict.fromkeys(sample.problem.label for sample in run.samples))
    spec: dict[str, JsonValue] = {
        "run_id": fingerprint[:22],
        "created": run.manifest.created,
        "task": f"cfe_{run.metrics.experiment}",
        "task_id": fingerprint[:22],
        "task_version": 1,
        "dataset": {
            "name": run.manifest.benchmark_name,
            "samples": len(ids),
            "sample_ids": ids,
            "shuffled": False,
        },
        "model": model,
        "config": {"epochs": run.config.experiment.samples},
        "packages": {"cfe-local": run.manifest.cfe_local_version},
        "metadata": {
            "fingerprint": fingerprint,
            "grading": run.metrics.grading,
            "judge": run.judge_name,
            "benchmark_version": run.benchmark_version,
            "undecided": "counted as not correct",
            "coverage": run.metrics.overall.question_accuracy.coverage.value,
        },
    }
    if run.manifest.git_commit is not None:
        spec["revision"] = {"type": "git", "origin": "", "commit": run.manifest.git_commit}
    return spec


def _generate_config(run: GradedRun) -> dict[str, JsonValue]:
    sampling = run.config.model.sampling
    return {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "seed": run.config.seed,
    }


def _score_summary(run: GradedRun, name: str) -> JsonValue:
    values = [SCORERS[name](sample) for sample in run.samples]
    error = clustered_error(values, [sample.cluster for sample in run.samples])
    metrics: dict[str, JsonValue] = {"accuracy": {"name": "accuracy", "value": mean(values)}}
    if error is not None:
        metrics["stderr"] = {"name": "stderr", "value": error}
    return {"name": name, "scorer": name, "params": {}, "metrics": metrics}


def _sample(run: GradedRun, model: str, sample: GradedSample, response: Response) -> JsonValue:
    problem, case = sample.problem, run.cases[sample.key.label]
    prompt = _messages(case)
    reply: JsonValue = {"role": "assistant", "source": "generate", "content": _reply(response)}
    usage = _usage([response])
    shown: dict[str, JsonValue] = {
        "id": problem.label,
        "epoch": sample.key.sample + 1,
        "input": prompt,
        "target": [variable.value for variable in problem.variables],
        "messages": [*prompt, reply],
        "output": {
            "model": model,
            "choices": [{"message": reply, "stop_reason": STOP_REASONS[response.outcome]}],
            "usage": usage,
            "time": response.seconds,
        },
        "scores": _scores(sample),
        "metadata": {
            "problem_id": problem.problem_id,
            "topic": problem.topic,
            "variables": [variable.name for variable in problem.variables],
            "outcome": response.outcome,
            "detail": response.detail,
        },
        "model_usage": {model: usage},
    }
    if response.outcome in NOT_RUN:
        message = f"{response.outcome}: {response.detail}"
        shown["error"] = {"message": message, "traceback": message, "traceback_ansi": message}
    return shown


def _messages(case: Case) -> list[JsonValue]:
    return [{"role": message.role, "content": _content(message)} for message in case.messages]


def _content(message: Message) -> JsonValue:
    if all(part.kind == "text" for part in message.parts):
        return "".join(part.text for part in message.parts if part.kind == "text")
    return [
        {"type": "text", "text": part.text} if part.kind == "text" else {"type": "image", "image": part.path}
        for part in message.parts
    ]


def _reply(response: Response) -> JsonValue:
    if not response.thinking:
        return response.text
    return [{"type": "reasoning", "reasoning": response.thinking}, {"type": "text", "text": response.text}]


def _scores(sample: GradedSample) -> JsonValue:
    extracted = [v.extraction.value if v and v.extraction else None for v in sample.verdicts]
    lines = [
        f"{variable.name}: {verdict.verdict} by {verdict.by}: {verdict.evidence or verdict.reason}"
        if verdict
        else f"{variable.name}: not graded"
        for variable, verdict in zip(sample.problem.variables, sample.verdicts, strict=True)
    ]
    answer = "; ".join(value for value in extracted if value is not None)
    explanation = "\n".join(lines)
    return {
        "question_accuracy": {
            "value": VALUES[sample.mark],
            "answer": answer,
            "explanation": explanation,
            "metadata": {"marks": list(sample.marks)},
        },
        "variable_accuracy": {"value": variable_value(sample), "answer": answer, "explanation": explanation},
    }


def _usage(responses: Sequence[Response]) -> dict[str, JsonValue]:
    n_input = sum(r.n_prompt_tokens for r in responses)
    n_output = sum(r.n_thinking_tokens + r.n_answer_tokens for r in responses)
    return {
        "input_tokens": n_input,
        "output_tokens": n_output,
        "total_tokens": n_input + n_output,
        "input_tokens_cache_read": sum(r.n_cached_tokens for r in responses),
    }
