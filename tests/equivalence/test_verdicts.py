"""The table of verdicts, one test a row, and what holds for all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cfe_local.equivalence import equivalent
from cfe_local.records import ValueContext

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text("utf-8"))
ROWS = [pytest.param(row, id=f"{kind}-{at}") for kind, rows in CASES.items() for at, row in enumerate(rows)]


def _context(row: dict[str, Any]) -> ValueContext:
    return ValueContext(
        type=row.get("type"),
        variable=row.get("variable", ""),
        description=row.get("description", ""),
        question=row.get("question", ""),
    )


@pytest.mark.parametrize("row", ROWS)
def test_the_verdict_is_the_stated_one(row: dict[str, Any]) -> None:
    got = equivalent(row["reference"], row["candidate"], _context(row))
    assert got.verdict == row["verdict"], f"{row['why']}: {got.by}: {got.evidence}"


@pytest.mark.parametrize("row", ROWS)
def test_exchanging_the_two_values_never_turns_the_verdict_round(row: dict[str, Any]) -> None:
    if row.get("one_way"):  # A rule that is about the reference alone.
        return
    got = equivalent(row["candidate"], row["reference"], _context(row))
    opposite = {"equal": "different", "different": "equal"}
    assert got.verdict != opposite.get(row["verdict"]), f"{got.by}: {got.evidence}"


def test_every_value_that_is_defined_equals_itself() -> None:
    undefined = {"0/0"}
    values = {row[side] for rows in CASES.values() for row in rows for side in ("reference", "candidate")} - undefined
    assert [value for value in sorted(values) if equivalent(value, value).verdict != "equal"] == []


def test_a_comparison_says_how_both_sides_were_read() -> None:
    got = equivalent("x = 12 km", "12000 m")
    assert (got.by, got.reference_reading, got.candidate_reading) == (
        "quantity",
        "quantity: x = 12 [km]",
        "quantity: 12000 [m]",
    )


def test_the_same_pair_gets_the_same_answer_every_time() -> None:
    first, second = (equivalent("x^2+y", "y+x^3") for _ in range(2))
    assert (first.verdict, first.by, first.evidence) == (second.verdict, second.by, second.evidence)
