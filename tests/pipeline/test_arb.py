"""The ARB sample by replay, from the command's configuration to metrics and report."""

from __future__ import annotations

import json
from pathlib import Path

from cfe_local.config import RunConfig, load_run_config
from cfe_local.metrics import ExamMetrics
from cfe_local.pipeline import Silent, run

ANSWERS = {
    ("law", 0): "<think>ANSWER: A</think>It was posted in time.\n\n**ANSWER:** (B)",
    ("law", 1): "Either will do.\nANSWER: B or C",
    ("math_numerical", 0): "ANSWER: 14.8",
    ("math_numerical", 1): "ANSWER: 0.1055",
    ("math_symbolic", 0): r"ANSWER: $\boxed{x n (1+x)^{n-1}}$",
    ("math_symbolic", 1): "ANSWER: $a + (n-1) b$; $b - a$",
    ("math_proof", 0): "Suppose there are finitely many. Consider $N = 4p_1 - 1$.",
    ("mcat_science", 0): "<think>ANSWER: C</think>I cannot tell.",
    ("physics_numerical", 0): "ANSWER: 92.5 minutes",
}


def config(folder: Path, **values: object) -> RunConfig:
    """A run that replays `ANSWERS`; the judge is never asked."""
    answers = folder / "answers.jsonl"
    lines = [json.dumps({"split": split, "row": row, "text": text}) for (split, row), text in ANSWERS.items()]
    answers.write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings: dict[str, object] = {
        "benchmark.path": "arb_sample",
        "model.path": str(answers),
        "model.engine": "replay",
        "judge.path": str(answers),
        "judge.engine": "replay",
        "selection.rows": [f"{split}:{row}" for split, row in ANSWERS],
        "out": folder / "run",
    }
    return load_run_config(None, values=settings | values)


def test_a_run_on_arb_is_graded_by_delimiter_without_being_told(tmp_path: Path) -> None:
    result = run(config(tmp_path), Silent())
    metrics = ExamMetrics.model_validate_json((result.path / "gradings/delimiter/metrics.json").read_bytes())
    shares = {entry.kind: entry for entry in metrics.by_kind}
    right = {kind: entry.figures.question_accuracy.headline.numerator for kind, entry in shares.items()}
    assert right == {"multiple_choice": 1, "numerical": 2, "symbolic": 1}
    assert shares["multiple_choice"].unparsable.numerator == 2
    assert shares["symbolic"].credit.numerator == 1.5
    assert (metrics.n_planned, metrics.n_without_values, metrics.n_missing) == (9, 1, 0)
    report = (result.path / "report.md").read_text(encoding="utf-8")
    assert "By kind of problem" in report
    assert "1 planned samples ask for a proof" in report


def test_the_prompts_hold_options_formats_and_the_delimiter(tmp_path: Path) -> None:
    path = run(config(tmp_path), Silent()).path
    cases = [json.loads(line) for line in (path / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    said = {
        (case["key"]["split"], case["key"]["row"]): [m["parts"][0]["text"] for m in case["messages"]] for case in cases
    }
    assert "\n(B) Yes, because the acceptance took effect" in said["law", 0][1]
    assert "ANSWER: A" in said["law", 0][0]
    assert said["physics_numerical", 0][1].endswith("without unit.")
    assert "ANSWER" not in said["math_proof", 0][0]
