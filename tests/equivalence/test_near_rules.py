"""What generous rules take, and the near misses that they must leave alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cfe_local.equivalence import equivalent
from cfe_local.records import ValueContext


def _table(name: str) -> Any:
    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))


GROUPS: dict[str, dict[str, Any]] = _table("near_rules.yaml")
MISSES: list[list[str | None]] = _table("near_misses.yaml")
ROWS = [pytest.param(row, id=f"{name}-{at}") for name, group in GROUPS.items() for at, row in enumerate(group["rows"])]


@pytest.mark.parametrize("row", ROWS)
def test_a_value_near_a_rule_gets_the_stated_verdict(row: dict[str, Any]) -> None:
    context = ValueContext(type=row.get("type"), description=row.get("description", ""))
    got = equivalent(row["reference"], row["candidate"], context)
    assert got.verdict == row["verdict"], f"by {got.by}: {got.evidence}"


@pytest.mark.parametrize("row", MISSES, ids=lambda row: f"{row[1]}|{row[2]}")
def test_a_near_miss_is_not_equal_whichever_side_is_the_reference(row: list[Any]) -> None:
    kind, first, second, description = row
    context = ValueContext(type=kind, description=description)
    verdicts = [equivalent(*pair, context).verdict for pair in ((first, second), (second, first))]
    assert "equal" not in verdicts
