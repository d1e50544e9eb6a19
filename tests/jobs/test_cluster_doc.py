"""docs/cluster.md says what the arithmetic says today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_tables_of_the_page_are_what_the_script_writes() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "write_cluster_doc"), "--check"]
    done = subprocess.run(script, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_every_card_has_a_line_and_what_is_not_known_is_marked() -> None:
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    lines = {line.split("|")[1].strip() for line in page.splitlines() if line.startswith(("| models/", "| judges/"))}
    cards = {f"{path.parent.name}/{path.stem}" for path in ROOT.glob("configs/[mj]*/*.yaml")}
    assert {line.partition(" ")[0] for line in lines} == cards
    verified = {line for line in lines if "unverified" not in line}
    assert {line.partition("/")[2] for line in verified} == {"smollm2-135m-instruct", "qwen2.5-coder-1.5b-instruct"}
