"""ARB's records: field names in either spelling, kinds in the words of its subsets, free-form rubrics left out.

Source: the record fields of ARB's public interface (arXiv:2307.13692). Not here: what makes a problem usable
(written.py), which is the same as for the plain format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from cfe_local.benchmarks.entries import JsonObject
from cfe_local.benchmarks.record_files import RawRecord
from cfe_local.benchmarks.written import Fault, WrittenProblem, read_written
from cfe_local.records import ProblemKind

FIELDS = {
    "id": "id",
    "problem statement": "question",
    "answer candidates": "options",
    "final answer": "answer",
    "solution": "solution",
    "output format instructions": "answer_format",
    "images": "images",
    "rubric": "rubric",
    "perturb": "perturb",
    "source": "source",
    "licence": "licence",
}
"""Name of a field, blanks for underscores and in lower case, to its name in the plain format."""

USED_OTHERWISE = frozenset({"problem type", "topic", "subject", "problem number"})
LEFT_OUT = frozenset({"rubric template", "rubric symbolic", "rubric numerical"})

KINDS: Mapping[str, ProblemKind] = {
    "multiplechoice": "multiple_choice",
    "multiplechoicequestion": "multiple_choice",
    "mcq": "multiple_choice",
    "numerical": "numerical",
    "numeric": "numerical",
    "symbolic": "symbolic",
    "proof": "proof",
    "prooflike": "proof",
}
OF_FILES: Mapping[str, ProblemKind] = {
    "numerical": "numerical",
    "symbolic": "symbolic",
    "proof": "proof",
    "law": "multiple_choice",
    "mcat": "multiple_choice",
}
"""What a subset's file name says where a record names no type."""

LETTERED = re.compile(r"^\s*\(?([A-Za-z])[.):]\)?\s+")
LETTER = re.compile(r"^\W*([A-Za-z])\W*$")


def field_key(name: str) -> str:
    """A field's name without the difference between the spellings."""
    return " ".join(name.replace("_", " ").split()).lower()


def looks_like_arb(value: JsonValue) -> bool:
    """Whether a record is meant to be one of this format."""
    return isinstance(value, dict) and any(field_key(name) == "problem statement" for name in value)


def read_arb(raw: RawRecord) -> WrittenProblem | tuple[Fault, ...]:
    """The record of one ARB problem, or everything that is wrong with it."""
    if not isinstance(raw.value, dict):
        return (Fault("wrong_shape", "", "the record is not a JSON object"),)
    record = cast("JsonObject", raw.value)
    fields: dict[str, JsonValue] = {}
    names: dict[str, str] = {}
    faults: list[Fault] = []
    for name, value in record.items():
        key = field_key(name)
        if key in fields and fields[key] != value:
            faults.append(Fault("field_twice", name, "stands there in two spellings with different content"))
        elif key not in FIELDS and key not in USED_OTHERWISE | LEFT_OUT:
            faults.append(Fault("unknown_field", name, f"is no field of this format; known: {', '.join(FIELDS)}"))
        fields[key], names[FIELDS.get(key, key)] = value, name
    kind = _kind(fields, raw.split)
    if isinstance(kind, Fault):
        faults.append(Fault(kind.code, names.get("problem type", "Problem Type"), kind.message))
        return tuple(faults)
    tree = {FIELDS[key]: value for key, value in fields.items() if key in FIELDS and value not in (None, "")}
    found = read_written({**tree, **_adapted(tree, kind, raw), "topic": _topic(fields)}, _ArbNames(names))
    if isinstance(found, WrittenProblem):
        return tuple(faults) or found
    return (*faults, *found)


class _ArbNames(dict[str, str]):
    """Plain field name to the record's own, or to the one that the record should have had."""

    def get(self, key: str, default: str | None = None) -> str:  # type: ignore[override]
        expected = next((name.title() for name, plain in FIELDS.items() if plain == key), default or key)
        return super().get(key, expected)


def _kind(fields: Mapping[str, JsonValue], split: str) -> ProblemKind | Fault:
    written = fields.get("problem type")
    if isinstance(written, str) and written.strip():
        known = KINDS.get(re.sub(r"[^a-z]", "", written.lower()))
        said = f"unknown kind {written!r}; known: Multiple Choice, Numerical, Symbolic, Proof-like"
        return known or Fault("unknown_kind", "", said)
    if fields.get("answer candidates"):
        return "multiple_choice"
    for word, kind in OF_FILES.items():
        if word in split.lower():
            return kind
    return Fault("unknown_kind", "", f"the record names no type, and the file's name ({split}) says none")


def _topic(fields: Mapping[str, JsonValue]) -> str | None:
    """``Physics: Electromagnetism``: the subset alone would be too coarse for tables."""
    parts = [str(fields[name]).strip() for name in ("topic", "subject") if fields.get(name)]
    return ": ".join(dict.fromkeys(parts)) or None


def _adapted(tree: Mapping[str, JsonValue], kind: ProblemKind, raw: RawRecord) -> dict[str, JsonValue]:
    """Fields whose content differs from the plain format's."""
    found: dict[str, JsonValue] = {"kind": kind, "id": str(tree.get("id", f"{raw.split}-{raw.row}"))}
    if kind == "multiple_choice":
        options = _options(tree.get("options"))
        found |= {"options": options, "answer": _letter(tree.get("answer"), options)}
    else:
        found["options"] = []  # published records of other kinds carry empty or leftover candidates
    if kind == "proof":
        found["answer"] = None  # some proofs repeat their statement there
    if isinstance(tree.get("rubric"), str):
        found["rubric"] = []  # free text, which ties no points to anything
    return found


def _options(value: JsonValue | None) -> JsonValue:
    """Candidates without the letters that some records put before each."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if not isinstance(value, list) or not all(isinstance(option, str) for option in value):
        return value if value is not None else []
    options = cast("list[str]", value)
    letters = [match[1].upper() if (match := LETTERED.match(option)) else "" for option in options]
    if letters == [chr(ord("A") + position) for position in range(len(options))]:
        return [LETTERED.sub("", option) for option in options]
    return value


def _letter(value: JsonValue | None, options: JsonValue) -> JsonValue:
    """The letter of the right candidate, whether the record gives the letter or the candidate's text."""
    if not isinstance(value, str):
        return value
    if match := LETTER.match(value):
        return match[1].upper()
    text = LETTERED.sub("", value)
    if isinstance(options, list) and text in options:
        return chr(ord("A") + options.index(text))
    return value
