"""YAML read strictly: a key stands once, every text can be stored and handed to the system, no input breaks the reader.

Not here: which keys there are (run.py, model.py) and where values come from (load.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml


class NotYamlError(ValueError):
    """A text that cannot be read as YAML; says why."""


class _StrictLoader(yaml.SafeLoader):
    """Safe, and a mapping that gives a key twice is an error instead of the last one winning."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    line = key.start_mark.line + 1
                    raise NotYamlError(f"{key.value!r} stands twice in one mapping, again in line {line}")
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def parse_yaml(text: str) -> object:
    """Read one YAML document.

    Raises:
        NotYamlError: If it cannot be read.
    """
    try:
        return yaml.load(text, Loader=_StrictLoader)
    except RecursionError as error:
        raise NotYamlError("nested too deeply") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that is none, a number of thousands of digits
        raise NotYamlError(str(error)) from error


def unstorable(value: object, place: str = "") -> Iterator[str]:
    """What in a tree of settings no file or system call can take, with its dotted place.

    A path given on the command line whose bytes are not UTF-8 is among it.
    """
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from unstorable(below, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list | tuple):
        for position, below in enumerate(value):
            yield from unstorable(below, f"{place}.{position}")
    elif isinstance(value, str | Path):
        text = str(value)
        if "\0" in text:
            yield f"{place}: holds a NUL character"
        elif not _is_unicode(text):
            yield f"{place}: holds text that is not valid Unicode"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
