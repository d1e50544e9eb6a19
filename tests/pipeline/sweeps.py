"""Sweeps without any model: hand-made answers of several 'models' and one hand-made judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from cfe_local.jobs.status import RunStatus
from cfe_local.pipeline import Silent
from cfe_local.records import Key, Response

TEXTS = {0: "**speed = 72 km/h**", 1: "It is $f'(x) = 3x^2 - 4$.", 2: "The symbol of sodium is Na."}
VALUES = {0: "72 km/h", 1: "3x^2 - 4", 2: "Na"}


class Noting(Silent):
    """Keeps what a sweep tells."""

    def __init__(self) -> None:
        self.states: list[tuple[str, str]] = []
        self.notes: list[str] = []

    def run(self, status: RunStatus) -> None:
        self.states.append((status.name, status.state))

    def note(self, text: str) -> None:
        self.notes.append(text)


def write_sweep(folder: Path, *, models: int = 2, n_samples: int = 1, **settings: Any) -> Path:
    """Write the answers of some models, a judge's, and the sweep file; model 0 is wrong on row 0."""
    entries = []
    for model in range(models):
        lines = []
        for row, text in TEXTS.items():
            wrong = model == 0 and row == 0
            said = "**speed = 1 km/h**" if wrong else text
            lines += [
                json.dumps({"split": "text", "row": row, "sample": sample, "text": said}) for sample in range(n_samples)
            ]
        path = folder / f"model{model}.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        entries.append({"path": str(path), "engine": "replay"})
    judge = folder / "judge.jsonl"
    judge.write_text("".join(_judge_line(row, s) for row in VALUES for s in range(n_samples)), encoding="utf-8")
    tree = {
        "out": str(folder / "sweep"),
        "models": entries,
        "judge": {"path": str(judge), "engine": "replay"},
        "experiments": [{"name": "exam", "samples": n_samples}],
        "selection": {"rows": ["text:0-2"]},
        **settings,
    }
    path = folder / "sweep.yaml"
    path.write_text(yaml.safe_dump(tree), encoding="utf-8")
    return path


def _judge_line(row: int, sample: int) -> str:
    key = Key(experiment="exam", split="text", row=row, sample=sample, call="extract")
    return Response(key=key, outcome="answered", text=json.dumps({"v1": VALUES[row]})).model_dump_json() + "\n"
