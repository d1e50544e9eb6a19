"""The published schema of metrics.json is the one that the code writes."""

from __future__ import annotations

import json
from pathlib import Path

from cfe_local.metrics import metrics_json_schema

SCHEMA = Path(__file__).parents[2] / "docs" / "metrics.schema.json"


def test_the_schema_in_docs_is_current() -> None:
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == metrics_json_schema(), "run scripts/write_schema"
