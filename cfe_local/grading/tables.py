"""Looks values up in a response's table, where its rows are keyed by what tells the problem's variables apart.

``t2, t3, t4`` against rows 2, 3, 4; ``gamma_to_3_2_0`` against a cell ``|3,2,0>``: the names differ in an index, and
the table has it. The column is the one whose header shares a word with the variables' descriptions. Anything less
clear finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cfe_local.grading.equations import name_key
from cfe_local.records import TargetVariable

TABLE = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){3,}", re.MULTILINE)
RULE_LINE = re.compile(r"[\s|:\-]+")
CELL_BORDER = re.compile(r"(?<!\\)\|")
WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Cell:
    """A value found in a table, and the row that it stands in."""

    value: str
    row: str


def looked_up(text: str, targets: Sequence[TargetVariable]) -> tuple[Cell, ...] | None:
    """The value of every variable from one table; None unless one table gives them all.

    Args:
        text: The response.
        targets: The problem's variables, at least two; references are not used.
    """
    indices = _distinguishing([target.name for target in targets])
    if indices is None:
        return None
    found = [cells for match in TABLE.finditer(text) if (cells := _in_table(match.group(), indices, targets))]
    return found[-1] if found else None


def _distinguishing(names: Sequence[str]) -> list[tuple[str, ...]] | None:
    """What is left of every name without the longest common beginning; None unless these are digits, all different."""
    keys = [name_key(name) for name in names]
    if len(keys) < 2:
        return None
    shared = 0
    while all(len(key) > shared for key in keys) and len({key[shared] for key in keys}) == 1:
        shared += 1
    # The index of a state is told whole: (2,2,1), (3,1,1) and not 2,2 and 3,1.
    while shared and all(key[shared - 1].isdigit() for key in keys):
        shared -= 1
    rest = [key[shared:] for key in keys]
    usable = all(part and all(piece.isdigit() for piece in part) for part in rest)
    return rest if usable and len(set(rest)) == len(rest) else None


def _in_table(
    table: str, indices: Sequence[tuple[str, ...]], targets: Sequence[TargetVariable]
) -> tuple[Cell, ...] | None:
    lines = [line.strip() for line in table.strip().splitlines()]
    if not RULE_LINE.fullmatch(lines[1]):
        return None
    header, rows = _cells(lines[0]), [_cells(line) for line in lines[2:]]
    if any(len(row) != len(header) for row in rows):
        return None
    for key_column in range(len(header)):
        by_index = {_digits(row[key_column]): row for row in rows}
        if len(by_index) == len(rows) and all(index in by_index for index in indices):
            titles = [
                title if all(_is_value(row[column]) for row in by_index.values()) and column != key_column else ""
                for column, title in enumerate(header)
            ]
            column = _value_column(titles, targets)
            if column is None:
                return None
            return tuple(Cell(by_index[index][column], " | ".join(by_index[index])) for index in indices)
    return None


def _value_column(titles: Sequence[str], targets: Sequence[TargetVariable]) -> int | None:
    """The one column whose title shares a word with all descriptions."""
    wanted = [{word.lower() for word in WORD.findall(target.description)} for target in targets]
    shared = set.intersection(*wanted)
    matching = [
        column for column, title in enumerate(titles) if shared & {word.lower() for word in WORD.findall(title)}
    ]
    return matching[0] if len(matching) == 1 else None


def _is_value(cell: str) -> bool:
    return any(character.isdigit() or character == "\\" for character in cell)


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("$*` ").strip() for cell in CELL_BORDER.split(line.strip().strip("|"))]


def _digits(cell: str) -> tuple[str, ...]:
    """A cell's digits, as `name_key` splits them; empty for a cell that is more than an index."""
    key = name_key(cell)
    digits = tuple(piece for piece in key if piece.isdigit())
    letters = [piece for piece in key if not piece.isdigit() and piece not in {"lvert", "rangle", "vert", "ket", "mid"}]
    return digits if len(letters) <= 1 else ()
