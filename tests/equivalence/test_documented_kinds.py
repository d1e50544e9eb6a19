"""docs/equivalence.md says what the code does: its examples get the verdicts that stand there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from cfe_local.equivalence import equivalent
from cfe_local.records import ValueContext

ROOT = Path(__file__).parents[2]
TABLES = yaml.safe_load(Path(__file__).with_name("documented_kinds.yaml").read_text(encoding="utf-8"))
EXAMPLES = [example for table in TABLES.values() for row in table for example in row["examples"]]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example['reference']}|{example['candidate']}")
def test_a_documented_example_gets_its_verdict(example: dict[str, str]) -> None:
    given = {key: example[key] for key in ("type", "variable", "description", "question") if key in example}
    comparison = equivalent(example["reference"], example["candidate"], ValueContext.model_validate(given))
    assert comparison.verdict == example["verdict"], f"by {comparison.by}: {comparison.evidence}"


def test_every_row_shows_an_example() -> None:
    for table in TABLES.values():
        for row in table:
            assert row["examples"], row


def test_the_page_is_up_to_date() -> None:
    script = ROOT / "scripts" / "write_equivalence_doc"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
