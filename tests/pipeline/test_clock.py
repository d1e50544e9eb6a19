"""Engine time is written down whatever ends a stage, and never hides what ended it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfe_local.config import ModelConfig
from cfe_local.engines.process import EngineProcess
from cfe_local.errors import StoreError
from cfe_local.pipeline.clock import engine_work, timed
from cfe_local.store import RunStore
from tests.store.examples import manifest


def test_a_stage_that_fails_has_its_time_and_keeps_its_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = EngineProcess(ModelConfig(path="m"), log_path=tmp_path / "log")
    with RunStore.create_or_resume(tmp_path / "run", manifest(), "") as store:
        with pytest.raises(StoreError, match="first"), timed(store, "generate", engine):
            raise StoreError("first")
        assert len(engine_work(store).load().records) == 1

        def refuse(_: object) -> None:
            raise StoreError("second")

        monkeypatch.setattr(engine_work(store), "append", refuse)
        with pytest.raises(StoreError, match="first"), timed(store, "generate", engine):
            raise StoreError("first")
        with pytest.raises(StoreError, match="second"), timed(store, "generate", engine):
            pass
