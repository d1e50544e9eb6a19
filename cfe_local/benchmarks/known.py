"""Published versions of benchmark files, recognised by content, so that a run can say exactly which one it used."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

from cfe_local.records import FileDigest

_TABLE = Path(__file__).with_name("known_versions.yaml")


def known_version(files: Iterable[FileDigest]) -> str | None:
    """Name of the published version whose split files are exactly among these; None where there is none.

    A folder with only one of a version's splits is recognised too, and the name says so.
    """
    found = {file.path: file.sha256 for file in files}
    for name, digests in yaml.safe_load(_TABLE.read_text(encoding="utf-8")).items():
        same = [path for path, sha256 in digests.items() if found.get(path) == sha256]
        other = [path for path, sha256 in digests.items() if path in found and found[path] != sha256]
        if same and not other:
            return name if len(same) == len(digests) else f"{name} ({', '.join(same)} only)"
    return None
