"""Holds the one engine process that a command needs at a time, and counts how often one was loaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cfe_local.config import ModelConfig, WatchdogConfig
from cfe_local.engines.process import WORKER, EngineProcess, Patience


class EngineHost:
    """Loads engines one after the other; the same weights are loaded once.

    Attributes:
        n_loads: Engine processes started so far.
        n_restarts: Those among them that took the place of one that died.
        watchdog: How patient to be with them.
    """

    def __init__(
        self,
        log_dir: Path,
        *,
        shared: ModelConfig | None = None,
        allow_network: bool = False,
        watchdog: WatchdogConfig | None = None,
        worker: Sequence[str] = WORKER,
    ) -> None:
        """Nothing is started yet.

        Args:
            log_dir: Where each engine's output goes.
            shared: How to load weights that serve several roles; used for every model with these weights.
            allow_network: Whether engines may open connections that leave this machine.
            watchdog: How patient to be; the defaults where left out.
            worker: Program that runs in the engine's process.
        """
        self._log_dir = log_dir
        self._shared = shared
        self._allow_network = allow_network
        self._model: ModelConfig | None = None
        self._engine: EngineProcess | None = None
        self._worker = tuple(worker)
        self.watchdog = watchdog or WatchdogConfig()
        self.n_loads = 0
        self.n_restarts = 0

    def __enter__(self) -> EngineHost:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def engine_for(self, model: ModelConfig) -> EngineProcess:
        """Give the running engine if it holds these weights, else end it and load another.

        Raises:
            EngineError: If the engine does not start.
            ModelError: If the model folder cannot be used.
        """
        if self._shared is not None and self._shared.same_weights(model):
            model = self._shared
        if self._engine is not None and self._model is not None and serves(self._model, model):
            return self._engine
        self.close()
        self.n_loads += 1
        log_path = self._log_dir / f"engine-{self.n_loads}-{model.display_name}.log"
        patience = Patience(stall_s=self.watchdog.stall_s, startup_s=self.watchdog.startup_s)
        engine = EngineProcess(
            model, log_path=log_path, allow_network=self._allow_network, worker=self._worker, patience=patience
        )
        self._engine, self._model = engine.__enter__(), model
        return engine

    def replace(self) -> None:
        """End a dead engine's process; the next one for the same model is a restart."""
        self.close()
        self.n_restarts += 1

    def close(self) -> None:
        """End the running engine, if any; its memory is free afterwards."""
        engine, self._engine, self._model = self._engine, None, None
        if engine is not None:
            engine.close()


def serves(loaded: ModelConfig, wanted: ModelConfig) -> bool:
    """Whether an engine that was loaded for one model answers cases for another just as well."""
    return loaded.same_weights(wanted) and loaded.structured_backend == wanted.structured_backend
