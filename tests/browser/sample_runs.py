"""Runs of the sample benchmark by replay: the labelled responses as answers, their labels as the judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from cfe_local.benchmarks.cfe import SAMPLE_PATH
from cfe_local.config import load_run_config
from cfe_local.grading.labels import LabelledResponse, read_labels
from cfe_local.pipeline import Silent, run
from cfe_local.records import Key, Response

LABELLED = SAMPLE_PATH / "labelled_responses.jsonl"


def sample_run(out: Path, *, rows: tuple[str, ...], answers: Mapping[tuple[str, int], str] | None = None) -> Path:
    """Make a run with one response per problem: of the labelled ones in turn, so that right and wrong ones mix.

    Args:
        out: The run's folder; its inputs are written beside it.
        rows: As ``selection.rows``.
        answers: Other answers, by (split, row), from which the judge extracts nothing.
    """
    labelled = read_labels(LABELLED.read_text(encoding="utf-8"), source=str(LABELLED))
    by_row: dict[tuple[str, int], list[LabelledResponse]] = {}
    for one in labelled:
        by_row.setdefault((one.split, one.row), []).append(one)
    own = answers or {}
    model, judge = out.parent / "answers.jsonl", out.parent / "judge.jsonl"
    texts, extracted = [], []
    for n, ((split, row), found) in enumerate(by_row.items()):
        chosen = found[n % 4]
        texts.append({"split": split, "row": row, "text": own.get((split, row), chosen.response)})
        gold = [None] * len(chosen.gold_extraction) if (split, row) in own else chosen.gold_extraction
        key = Key(experiment="exam", split=split, row=row, sample=0, call="extract")
        text = json.dumps({f"v{i}": value for i, value in enumerate(gold, start=1)})
        extracted.append(Response(key=key, outcome="answered", text=text).model_dump_json())
    model.write_text("".join(json.dumps(line) + "\n" for line in texts), encoding="utf-8")
    judge.write_text("".join(line + "\n" for line in extracted), encoding="utf-8")
    values: dict[str, object] = {
        "benchmark.path": "sample",
        "model.path": str(model),
        "model.engine": "replay",
        "model.name": "replayed answers",
        "judge.path": str(judge),
        "judge.engine": "replay",
        "judge.name": "replayed judge",
        "selection.rows": list(rows),
        "out": out,
    }
    return run(load_run_config(None, values=values), Silent()).path
