"""Values as textbooks and models write them: the labels hold, and what is left open is named."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cfe_local.equivalence import equivalent
from cfe_local.records import ValueContext

ROWS: list[list[str]] = yaml.safe_load(Path(__file__).with_name("written_values.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[2]}|{row[3]}")
def test_the_verdict_is_the_label_or_the_pair_is_named_as_open(row: list[str]) -> None:
    kind, label, reference, candidate, description, variable, *left_open = row
    context = ValueContext(type=kind, description=description, variable=variable)
    got = equivalent(reference, candidate, context)
    wanted = left_open[0] if left_open else {"=": "equal", "!": "different"}[label]
    assert got.verdict == wanted, f"by {got.by}: {got.evidence}"


def test_no_pair_is_named_as_open_with_a_wrong_verdict() -> None:
    assert {row[6] for row in ROWS if len(row) > 6} <= {"undecided"}
