"""A run folder on disk: JSONL files that grow as results arrive, and survive whatever ends the process."""

from __future__ import annotations

from cfe_local.store.files import write_atomically
from cfe_local.store.loading import Loaded, LoadReport, StreamIndex, label_of
from cfe_local.store.lock import LockHolder, RunLock
from cfe_local.store.run import GradingFolder, GradingManifest, RunFolder, RunStore
from cfe_local.store.settings import differing_settings, settings_fingerprint
from cfe_local.store.stream import RecordStream

__all__ = [
    "GradingFolder",
    "GradingManifest",
    "LoadReport",
    "Loaded",
    "LockHolder",
    "RecordStream",
    "RunFolder",
    "RunLock",
    "RunStore",
    "StreamIndex",
    "differing_settings",
    "label_of",
    "settings_fingerprint",
    "write_atomically",
]
