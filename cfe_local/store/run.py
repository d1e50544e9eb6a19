"""The run folder: what a run was made from, who may write to it, and the files inside.

    run/
      manifest.json      what the run was made from; written once
      config.yaml        the resolved configuration of the latest command (earlier ones: config-1.yaml, ...)
      run.lock           only while a process writes
      *.jsonl            one stream per stage
      metrics.json, ...  whole-file outputs, replaced in one step
      analysis/          tables and plots of an experiment's analysis
      gradings/NAME/     the same once more per grading, with its own settings in grading.json
      previous/TIME/     what --fresh moved aside

A run that was made with other settings is refused, never mixed. Not here: how the fingerprint's settings are chosen.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import ValidationError

from cfe_local.errors import StoreError
from cfe_local.records import Manifest, Record, Sha256
from cfe_local.store.files import write_atomically, write_pieces_atomically
from cfe_local.store.loading import RecordT, label_of
from cfe_local.store.lock import LOCK_NAME, RunLock
from cfe_local.store.settings import refuse_other_settings, settings_fingerprint
from cfe_local.store.stream import RecordStream

MANIFEST_NAME = "manifest.json"
CONFIG_NAME = "config.yaml"
GRADING_NAME = "grading.json"
PREVIOUS = "previous"
MOVING_NAME = ".moving"
FORMAT_VERSION = 1
# What may lie in a folder before a run starts there: logs of the command itself and the traces of a start that died.
_HARMLESS = re.compile(r"^(\..*|.*\.log|logs|run\.lock|config\.yaml|previous)$")
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
_ReadT = TypeVar("_ReadT", bound=Record)


class GradingManifest(Record):
    """What one grading was made from."""

    created: str
    fingerprint: Sha256
    settings: dict[str, str]


class RunFolder:
    """Files of one stage's home: a run folder, or a grading inside one."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        """Use ``RunStore``'s constructors."""
        self.path = path
        self.is_writable = writable
        self._streams: dict[str, RecordStream[Any]] = {}

    def stream(
        self, name: str, model: type[RecordT], *, label: Callable[[RecordT], str] = label_of
    ) -> RecordStream[RecordT]:
        """The stream ``NAME.jsonl``; the same object each time.

        Raises:
            StoreError: If the name cannot be a file name.
        """
        if name not in self._streams:
            path = self.path / f"{_checked(name)}.jsonl"
            self._streams[name] = RecordStream(path, model, label=label, writable=self.is_writable)
        return self._streams[name]

    def write_json(self, name: str, record: Record) -> Path:
        """Write one record as a whole file, in one step."""
        return self.write_text(name, record.model_dump_json(indent=2) + "\n")

    def write_records(self, name: str, records: Iterable[Record]) -> Path:
        """Replace the whole of ``NAME.jsonl`` in one step: for results that are computed anew each time."""
        stream = self._streams.pop(name, None)
        if stream is not None:
            stream.close()
        self._require_writable()
        path = self.path / f"{_checked(name)}.jsonl"
        write_pieces_atomically(path, (record.model_dump_json().encode() + b"\n" for record in records))
        return path

    def write_text(self, name: str, text: str) -> Path:
        """Write a whole file in one step."""
        self._require_writable()
        path = self.path / _checked(name)
        write_atomically(path, text.encode())
        return path

    def subfolder(self, name: str) -> RunFolder:
        """A folder inside this one, for whole-file outputs; created with its first file."""
        return RunFolder(self.path / _checked(name), writable=self.is_writable)

    def _require_writable(self) -> None:
        if not self.is_writable:
            raise StoreError(f"{self.path}: this run was opened for reading only\nFix: open it as its writer.")

    def read_json(self, name: str, model: type[_ReadT]) -> _ReadT | None:
        """Read a whole-file record; None where there is none.

        Raises:
            StoreError: If the file is not what the model describes.
        """
        path = self.path / _checked(name)
        return _read_record(path, model) if path.exists() else None

    def close(self) -> None:
        """Sync and close every stream."""
        for stream in self._streams.values():
            stream.close()


class GradingFolder(RunFolder):
    """One named grading of a run."""

    def __init__(self, path: Path, *, writable: bool, manifest: GradingManifest) -> None:
        """Use ``RunStore.grading``."""
        super().__init__(path, writable=writable)
        self.manifest = manifest


class RunStore(RunFolder):
    """One run folder, either its only writer or a reader."""

    def __init__(self, path: Path, manifest: Manifest, lock: RunLock | None) -> None:
        """Use ``create_or_resume``, ``reopen`` or ``open``."""
        super().__init__(path, writable=lock is not None)
        self.manifest = manifest
        self._lock = lock
        self._folders: dict[Path, GradingFolder] = {}

    @classmethod
    def create_or_resume(cls, path: Path, manifest: Manifest, config_text: str, *, fresh: bool = False) -> RunStore:
        """Become the writer of a run folder, new or begun earlier with the same settings.

        Args:
            path: The run folder; created where missing.
            manifest: What this command would make the run from.
            config_text: The resolved configuration, as YAML.
            fresh: Move an earlier run's files to ``previous/`` first.

        Raises:
            RunLockedError: If another process writes there.
            StoreError: If the folder holds a run with other settings, or something that is no run.
        """
        _make_folder(path)
        lock = RunLock.acquire(path)
        try:
            _finish_move(path)
            if fresh and (path / MANIFEST_NAME).exists():
                _move_aside(path)
            earlier = _read_manifest(path) if (path / MANIFEST_NAME).exists() else None
            if earlier is None:
                _refuse_foreign_folder(path)
                write_atomically(path / CONFIG_NAME, config_text.encode())
                write_atomically(path / MANIFEST_NAME, manifest.model_dump_json(indent=2).encode() + b"\n")
            else:
                _refuse_other_shard(path, earlier.shard, manifest.shard)
                refuse_other_settings(
                    path, earlier.fingerprint, earlier.settings, manifest.settings, manifest.fingerprint
                )
                _replace_config(path, config_text)
            return cls(path, earlier or manifest, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def reopen(cls, path: Path) -> RunStore:
        """Become the writer of an existing run, whatever its settings: to grade or report it.

        Raises:
            RunLockedError: If another process writes there.
            StoreError: If the folder is no run.
        """
        manifest = _read_manifest(path)
        return cls(path, manifest, RunLock.acquire(path))

    @classmethod
    def open(cls, path: Path) -> RunStore:
        """Read an existing run; works beside a writer.

        Raises:
            StoreError: If the folder is no run.
        """
        return cls(path, _read_manifest(path), None)

    def grading(self, name: str, settings: Mapping[str, str] | None = None, *, fresh: bool = False) -> GradingFolder:
        """One named grading of this run.

        Args:
            name: The grading's name.
            settings: What would change its verdicts; needed to create it, compared where it exists.
            fresh: Move an earlier grading of this name to ``previous/`` first.

        Raises:
            StoreError: If it exists with other settings, or does not exist and cannot be made.
        """
        return self._named_folder("gradings", name, settings, fresh=fresh)

    def _named_folder(self, room: str, name: str, settings: Mapping[str, str] | None, *, fresh: bool) -> GradingFolder:
        path = self.path / room / _checked(name)
        if self.is_writable:
            _finish_move(path)
        if fresh and self.is_writable and (path / GRADING_NAME).exists():
            if path in self._folders:
                self._folders.pop(path).close()
            _move_aside(path)
        if path not in self._folders:
            manifest = self._grading_manifest(path, settings)
            self._folders[path] = GradingFolder(path, writable=self.is_writable, manifest=manifest)
        known = self._folders[path]
        if settings is not None:
            fingerprint = settings_fingerprint(settings)
            refuse_other_settings(path, known.manifest.fingerprint, known.manifest.settings, settings, fingerprint)
        return known

    def assessment(self, name: str, settings: Mapping[str, str] | None = None, *, fresh: bool = False) -> GradingFolder:
        """One named assessment of this run: as a grading, in ``assessments/``, and with records of its own kind.

        Raises:
            StoreError: As `grading`.
        """
        return self._named_folder("assessments", name, settings, fresh=fresh)

    def assessment_names(self) -> tuple[str, ...]:
        """The assessments that exist, by name."""
        return tuple(sorted(found.parent.name for found in self.path.glob(f"assessments/*/{GRADING_NAME}")))

    def grading_names(self) -> tuple[str, ...]:
        """The gradings that exist, by name."""
        return tuple(sorted(found.parent.name for found in self.path.glob(f"gradings/*/{GRADING_NAME}")))

    def close(self) -> None:
        """Sync everything and give the folder back."""
        try:
            for grading in self._folders.values():
                grading.close()
            super().close()
        finally:
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _grading_manifest(self, path: Path, settings: Mapping[str, str] | None) -> GradingManifest:
        if (path / GRADING_NAME).exists():
            return _read_record(path / GRADING_NAME, GradingManifest)
        if settings is None or not self.is_writable:
            there = ", ".join(self.grading_names()) or "none"
            raise StoreError(f"{self.path}: no grading named {path.name}; there are: {there}\nFix: name one of these.")
        manifest = GradingManifest(
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            fingerprint=settings_fingerprint(settings),
            settings=dict(settings),
        )
        write_atomically(path / GRADING_NAME, manifest.model_dump_json(indent=2).encode() + b"\n")
        return manifest


def _checked(name: str) -> str:
    if not _NAME.match(name):
        raise StoreError(f"{name!r} cannot name a file of a run\nFix: use letters, digits, '.', '_' and '-' only.")
    return name


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be made a run folder: {error.strerror or error}\nFix: choose another one (out)."
        ) from error


def _read_record(path: Path, model: type[_ReadT]) -> _ReadT:
    try:
        return model.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise StoreError(
            f"{path}: is not a {model.__name__}: {where + ': ' if where else ''}{first['msg']}\n"
            "Fix: restore the file, or start anew with --fresh or in another folder."
        ) from error
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}\nFix: check its permissions.") from error


def _read_manifest(path: Path) -> Manifest:
    if not (path / MANIFEST_NAME).exists():
        raise StoreError(
            f"{path}: is not a run folder: it has no {MANIFEST_NAME}\nFix: give the folder that a run wrote (out)."
        )
    manifest = _read_record(path / MANIFEST_NAME, Manifest)
    if manifest.format_version != FORMAT_VERSION:
        raise StoreError(
            f"{path}: was written in run format {manifest.format_version}, this version reads {FORMAT_VERSION}\n"
            f"Fix: use the version that wrote it (cfe_local {manifest.cfe_local_version}), or start in another folder."
        )
    return manifest


def _refuse_foreign_folder(path: Path) -> None:
    foreign = sorted(entry.name for entry in path.iterdir() if not _HARMLESS.match(entry.name))
    if foreign:
        raise StoreError(
            f"{path}: is not empty and not a run folder (it has {', '.join(foreign[:3])}"
            f"{' ...' if len(foreign) > 3 else ''})\nFix: choose an empty or new folder (out)."
        )


def _refuse_other_shard(path: Path, there: str, here: str) -> None:
    if there != here:
        holds, wanted = (f"shard {shard}" if shard else "a whole run" for shard in (there, here))
        raise StoreError(
            f"{path}: holds {holds}, not {wanted}\n"
            "Fix: give each shard a folder of its own (--shard makes one below --out); join them by cfe-local merge."
        )


def _replace_config(path: Path, config_text: str) -> None:
    """Save this command's configuration; an earlier, different one is kept beside it under a number."""
    current = path / CONFIG_NAME
    if current.exists():
        old = current.read_bytes()
        if old == config_text.encode():
            return
        number = 1
        while (path / f"config-{number}.yaml").exists():
            number += 1
        write_atomically(path / f"config-{number}.yaml", old)
    write_atomically(current, config_text.encode())


def _move_aside(path: Path) -> None:
    """Move a folder's content into ``previous/TIME``; a move that is killed half-way is finished by the next start."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    write_atomically(path / MOVING_NAME, stamp.encode())
    _finish_move(path)


def _finish_move(path: Path) -> None:
    """Do what ``_move_aside`` noted, where it noted anything."""
    note = path / MOVING_NAME
    if not note.exists():
        return
    target = path / PREVIOUS / note.read_text(encoding="utf-8")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for entry in sorted(path.iterdir()):
            if entry.name not in {LOCK_NAME, PREVIOUS} and not entry.name.startswith("."):
                shutil.move(entry, target / entry.name)
        note.unlink()
    except OSError as error:
        raise StoreError(
            f"{path}: the earlier content could not be moved to {target}: {error.strerror or error}\n"
            f"Fix: move it by hand and remove {note}, or choose another folder."
        ) from error
