"""What a bundle for an isolated node is: manifest, install script, and whether a folder still is that bundle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cfe_local.config import RunConfig
from cfe_local.engines.checksums import file_sha256, write_checksums
from cfe_local.errors import BundleError
from cfe_local.records import FileDigest, Record

MANIFEST = "bundle.json"
SUMS = "SHA256SUMS"
MADE_LATER = (".venv", "runs")
"""Folders that installing and running make inside a bundle."""


class BundleManifest(Record):
    """What a bundle holds. Paths are relative to its folder."""

    format_version: int = 1
    created: str
    cfe_local_version: str
    extra: str
    python: str
    platforms: tuple[str, ...] = ()
    configs: tuple[str, ...]
    files: tuple[FileDigest, ...]


def bundled_config(config: RunConfig, places: Mapping[str, str]) -> dict[str, Any]:
    """A configuration as it stands in a bundle: every path leads into the bundle's folder.

    Args:
        config: The resolved configuration.
        places: Where each path of it lies in the bundle, relative; paths that are not named stay.
    """
    tree = config.model_dump(mode="json", exclude_defaults=True)
    tree["benchmark"]["path"] = places.get(config.benchmark.path, config.benchmark.path)
    for section in ("model", "judge"):
        for name in ("path", "chat_template"):
            if (node := tree.get(section)) and node.get(name) in places:
                node[name] = places[node[name]]
    return tree


def install_script(python: str, config: str) -> str:
    """The script that installs a bundle.

    Args:
        python: The Python that its wheels are for, ``3.11``.
        config: A configuration in it, for the closing advice.
    """
    text = resources.files(__package__).joinpath("install.sh").read_text(encoding="utf-8")
    return text.replace("@PYTHON@", python).replace("@CONFIG@", config)


def digest_files(folder: Path) -> tuple[FileDigest, ...]:
    """Every file that belongs to the bundle, whole, sorted by path."""
    return tuple(
        FileDigest(path=name, sha256=file_sha256(folder / name), n_bytes=(folder / name).stat().st_size)
        for name in sorted(_own_files(folder))
    )


def seal(folder: Path, manifest: BundleManifest) -> None:
    """Write manifest and checksum list, the last files of a bundle."""
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    sums = {one.path: one.sha256 for one in manifest.files} | {MANIFEST: file_sha256(folder / MANIFEST)}
    (folder / SUMS).write_text(write_checksums(sums), encoding="utf-8")


def verify_bundle(folder: Path) -> BundleManifest:
    """Hold a folder against its manifest.

    Raises:
        BundleError: If it is no bundle, or a file is missing, changed or additional; names up to ten.
    """
    try:
        manifest = BundleManifest.model_validate_json((folder / MANIFEST).read_bytes())
    except OSError as error:
        raise BundleError(
            f"{folder}: is no bundle: {MANIFEST} cannot be read: {error.strerror}\nFix: give the folder of a bundle."
        ) from error
    except ValidationError as error:
        raise BundleError(f"{folder / MANIFEST}: is damaged\nFix: copy the bundle again.") from error
    problems = list(_problems(folder, manifest))
    if problems:
        shown = "\n".join(f"  {line}" for line in problems[:10])
        more = f"\n  and {len(problems) - 10} more" if len(problems) > 10 else ""
        raise BundleError(
            f"{folder}: {len(problems)} file(s) are not those of the bundle:\n{shown}{more}\n"
            "Fix: copy these files again, and remove what does not belong."
        )
    return manifest


def _problems(folder: Path, manifest: BundleManifest) -> Iterator[str]:
    listed = {one.path: one for one in manifest.files}
    present = set(_own_files(folder))
    for path, one in listed.items():
        if path not in present:
            yield f"{path}: missing"
        elif (n_bytes := (folder / path).stat().st_size) != one.n_bytes:
            yield f"{path}: {n_bytes:,} bytes instead of {one.n_bytes:,}"
        elif file_sha256(folder / path) != one.sha256:
            yield f"{path}: changed (sha256 differs)"
    yield from (f"{path}: not in the manifest" for path in sorted(present - listed.keys()))


def _own_files(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if path.is_file() and name.parts[0] not in MADE_LATER and name.as_posix() not in (MANIFEST, SUMS):
            yield name.as_posix()
