"""Open work is never passed off as a finished measurement."""

from __future__ import annotations

import json
import logging

import pytest

from cfe_local.errors import IncompleteError, StoreError, UsageError
from cfe_local.pipeline import Regrading, Silent, grade_folders, publish, refuse_unfinished, reopen, run
from cfe_local.store import RunStore
from tests.pipeline.conftest import ReplayedRun


def test_figures_over_open_work_say_so_and_end_with_5(replayed: ReplayedRun, caplog: pytest.LogCaptureFixture) -> None:
    folder = run(replayed.config(), Silent()).path
    verdicts, responses = folder / "gradings/s2s/verdicts.jsonl", folder / "responses.jsonl"
    with RunStore.reopen(folder) as store:
        plan = reopen(store, Regrading())
        refuse_unfinished(store, ("s2s",))

        lines = verdicts.read_text(encoding="utf-8").splitlines(keepends=True)
        verdicts.write_text("".join(["{damaged}\n", *lines[1:]]), encoding="utf-8")
        with caplog.at_level(logging.WARNING):
            publish(plan, store, ("s2s",))
        assert "damaged lines ignored (line 1)" in caplog.text
        with pytest.raises(IncompleteError, match="0 have no response and 1 are not graded") as caught:
            refuse_unfinished(store, ("s2s",))
        assert caught.value.exit_code == 5

        kept = [line for line in responses.read_text(encoding="utf-8").splitlines() if json.loads(line)["key"]["row"]]
        responses.write_text("\n".join(kept) + "\n", encoding="utf-8")
        publish(plan, store, ("s2s",))
        with pytest.raises(IncompleteError, match="of 6 planned samples 1 have no response"):
            refuse_unfinished(store, ("s2s",))


def test_one_run_named_twice_is_a_usage_error(replayed: ReplayedRun) -> None:
    with pytest.raises(UsageError, match="is named twice"):
        grade_folders([replayed.folder, replayed.folder / "." / ""], Regrading(), Silent())


def test_another_judge_under_a_name_in_use_is_refused_before_anything_is_generated(replayed: ReplayedRun) -> None:
    config = replayed.config({"selection.rows": ["text:0-1"]})
    folder = run(config, Silent()).path
    before = (folder / "responses.jsonl").read_bytes()
    replayed.extracted[0] = {"v1": "another judge's answer"}
    with pytest.raises(StoreError, match="judge"):
        run(replayed.config({"selection.rows": ["text:0-3"]}), Silent())
    assert (folder / "responses.jsonl").read_bytes() == before
