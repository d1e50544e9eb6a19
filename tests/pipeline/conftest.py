"""A run without any model: hand-made answers and hand-made judge output, through the real engine process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cfe_local.config import RunConfig, load_run_config
from cfe_local.records import Key, Response

ANSWERS = {
    0: "The speed is $180/2.5$, so\n\n**speed = 72 km/h**",
    1: "Differentiating term by term gives $f'(x) = 3x^2 - 4$.",
    2: "<think>Is it So? No.</think>The symbol of sodium is Na.",
    3: "decimal_value: 13\n\nis_odd: true",
    4: "Ohm's law: $I = 12/4 = 3$ A. The power is 12 W + 12 W.\n\ncurrent = 3 A, power = 24 W",
    5: "<think>Factor it: (x-2)",
}
"""Answers to rows of the sample's text split: right, right, right, right, half right, thinking that never ends."""

EXTRACTED = {
    0: {"v1": "72 km/h"},
    1: {"v1": "3x^2 - 4"},
    2: {"v1": "Na"},
    3: {"v1": "13", "v2": "true"},
    4: {"v1": "3 A", "v2": "24 W"},
}
"""What the judge extracts, where it is asked; no call is made for rows 3 and 5."""


@dataclass
class ReplayedRun:
    """Files and settings of one run by replay."""

    folder: Path
    answers: dict[int, str] = field(default_factory=lambda: dict(ANSWERS))
    extracted: dict[int, dict[str, str | None]] = field(
        default_factory=lambda: {r: dict(v) for r, v in EXTRACTED.items()}
    )

    def config(self, changes: Mapping[str, object] | None = None) -> RunConfig:
        """Write the files and give the configuration that replays them, with settings changed."""
        answers, judge = self.folder / "answers.jsonl", self.folder / "judge.jsonl"
        lines = [json.dumps({"split": "text", "row": row, "text": text}) for row, text in self.answers.items()]
        answers.write_text("\n".join(lines) + "\n", encoding="utf-8")
        judge.write_text("".join(self._judge_line(row) for row in self.extracted), encoding="utf-8")
        values: dict[str, object] = {
            "benchmark.path": "sample",
            "model.path": str(answers),
            "model.engine": "replay",
            "judge.path": str(judge),
            "judge.engine": "replay",
            "selection.rows": ["text:0-5"],
            "out": self.folder / "run",
        }
        return load_run_config(None, values=values | dict(changes or {}))

    def _judge_line(self, row: int) -> str:
        key = Key(experiment="exam", split="text", row=row, sample=0, call="extract")
        return Response(key=key, outcome="answered", text=json.dumps(self.extracted[row])).model_dump_json() + "\n"


@pytest.fixture
def replayed(tmp_path: Path) -> ReplayedRun:
    return ReplayedRun(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One finished run, made once; tests read it or change copies of it."""
    from cfe_local.pipeline import Silent, run

    return run(ReplayedRun(tmp_path_factory.mktemp("finished")).config(), Silent()).path
