"""Topic, source and licence of each problem, from the CSV file that stands beside the upstream splits."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cfe_local.errors import BenchmarkError

PROVENANCE_NAME = "PROVENANCE.csv"
_NEEDED = ("id", "subset")


@dataclass(frozen=True, slots=True)
class Provenance:
    """What is known about one problem's origin; None where the file says nothing."""

    topic: str | None = None
    source: str | None = None
    licence: str | None = None


UNKNOWN = Provenance()


@dataclass(frozen=True, slots=True)
class ProvenanceTable:
    """The file's rows by (subset, id), each in file order, since ids repeat."""

    rows: dict[tuple[str, str], tuple[Provenance, ...]]

    def align(self, split: str, problem_ids: Sequence[str]) -> tuple[Provenance | None, ...]:
        """One entry per row of a split: the n-th copy of an id gets the id's n-th entry, or its last.

        None stands where the file has no entry for the id.
        """
        seen: dict[str, int] = defaultdict(int)
        found: list[Provenance | None] = []
        for problem_id in problem_ids:
            entries = self.rows.get((split, problem_id), ())
            found.append(entries[min(seen[problem_id], len(entries) - 1)] if entries else None)
            seen[problem_id] += 1
        return tuple(found)

    def surplus(self, split: str, problem_ids: Sequence[str]) -> tuple[str, ...]:
        """Ids that the file lists for a split and the split does not have."""
        have = set(problem_ids)
        return tuple(sorted({name for subset, name in self.rows if subset == split and name not in have}))


def read_provenance(folder: Path) -> ProvenanceTable | None:
    """Read the folder's provenance file; None where there is none.

    Raises:
        BenchmarkError: If it is no CSV file with at least the columns id and subset.
    """
    path = folder / PROVENANCE_NAME
    if not path.exists():
        return None
    grouped: dict[tuple[str, str], list[Provenance]] = defaultdict(list)
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle, strict=True)
            missing = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
            if missing:
                raise BenchmarkError(
                    f"{path}: has no column {' and no column '.join(missing)}\n"
                    "Fix: give the upstream file as it is, or remove it; topics are then unknown."
                )
            for line in reader:
                grouped[line["subset"] or "", line["id"] or ""].append(_entry(line))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BenchmarkError(
            f"{path}: cannot be read: {error}\nFix: download it again, or remove it; topics are then unknown."
        ) from error
    return ProvenanceTable({key: tuple(entries) for key, entries in grouped.items()})


def _entry(line: dict[str, str | None]) -> Provenance:
    source = line.get("source_url") or line.get("source_description")
    return Provenance(topic=line.get("topic") or None, source=source or None, licence=line.get("license") or None)
