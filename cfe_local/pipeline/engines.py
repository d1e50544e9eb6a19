"""Holds the one engine process that a command needs at a time, and counts how often one was loaded."""

from __future__ import annotations

from pathlib import Path

from cfe_local.config import ModelConfig
from cfe_local.engines.process import EngineProcess


class EngineHost:
    """Loads engines one after the other; the same weights are loaded once.

    Attributes:
        n_loads: Engine processes started so far.
    """

    def __init__(self, log_dir: Path, *, shared: ModelConfig | None = None, allow_network: bool = False) -> None:
        """Nothing is started yet.

        Args:
            log_dir: Where each engine's output goes.
            shared: How to load weights that serve several roles; used for every model with these weights.
            allow_network: Whether engines may open connections that leave this machine.
        """
        self._log_dir = log_dir
        self._shared = shared
        self._allow_network = allow_network
        self._model: ModelConfig | None = None
        self._engine: EngineProcess | None = None
        self.n_loads = 0

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
        if self._engine is not None and self._model is not None and _serves(self._model, model):
            return self._engine
        self.close()
        self.n_loads += 1
        log_path = self._log_dir / f"engine-{self.n_loads}-{model.display_name}.log"
        engine = EngineProcess(model, log_path=log_path, allow_network=self._allow_network)
        self._engine, self._model = engine.__enter__(), model
        return engine

    def close(self) -> None:
        """End the running engine, if any; its memory is free afterwards."""
        engine, self._engine, self._model = self._engine, None, None
        if engine is not None:
            engine.close()


def _serves(loaded: ModelConfig, wanted: ModelConfig) -> bool:
    return loaded.same_weights(wanted) and loaded.structured_backend == wanted.structured_backend
