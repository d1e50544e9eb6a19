"""Small records that store tests write and read."""

from __future__ import annotations

from collections.abc import Mapping

from cfe_local.records import Key, Manifest, Response, Verdict
from cfe_local.store import settings_fingerprint


def key(row: int, sample: int = 0) -> Key:
    return Key(experiment="exam", split="text", row=row, sample=sample)


def response(row: int, text: str = "42", sample: int = 0) -> Response:
    return Response(key=key(row, sample), outcome="answered", text=text)


def verdict(row: int, variable: int) -> Verdict:
    return Verdict(
        key=key(row), grading="s2s", variable=variable, verdict="correct", by="equivalence", reason="exact_text"
    )


def manifest(settings: Mapping[str, str] | None = None) -> Manifest:
    settings = settings or {"model": "tiny", "temperature": "0"}
    return Manifest(
        created="2026-01-01T00:00:00+00:00",
        cfe_local_version="0.1.0",
        fingerprint=settings_fingerprint(settings),
        settings=dict(settings),
        benchmark_files=(),
        benchmark_name="sample",
    )
