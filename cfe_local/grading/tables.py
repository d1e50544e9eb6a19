"""Looks values up in a response's table, where its rows are keyed by what tells the problem's variables apart.

``t2, t3, t4`` against rows 2, 3, 4; ``gamma_to_3_2_0`` against a cell ``|3,2,0>``: the names differ in an index, and
the table has it. The column is the one whose header shares a word with the variables' descriptions. Anything less
clear finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cfe_local.grading.equations import name_key, same_name
from cfe_local.grading.telling import stems, telling_words
from cfe_local.records import TargetVariable

TABLE = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){3,}", re.MULTILINE)
RULE_LINE = re.compile(r"[\s|:\-]+")
CELL_BORDER = re.compile(r"(?<!\\)\|")
WORD = re.compile(r"[^\W\d_]{4,}")


RESULT_TITLE = re.compile(
    r"\b(?:value|result|answer|Wert|Ergebnis|valeur|résultat|valor|resultado)\b|值|结果", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table with as many cells in every row as in its header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


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
    found = []
    for match in TABLE.finditer(text):
        table = _read(match.group())
        if table is None:
            continue
        cells = _by_index(table, indices, targets) if indices is not None else _by_name(table, targets)
        cells = cells or _by_words(table, targets)
        if cells is not None:
            found.append(cells)
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


def _read(table: str) -> Table | None:
    lines = [line.strip() for line in table.strip().splitlines()]
    header, rows = _cells(lines[0]), [_cells(line) for line in lines[2:]]
    if not RULE_LINE.fullmatch(lines[1]) or any(len(row) != len(header) for row in rows):
        return None
    return Table(tuple(header), tuple(map(tuple, rows)))


def _by_index(
    table: Table, indices: Sequence[tuple[str, ...]], targets: Sequence[TargetVariable]
) -> tuple[Cell, ...] | None:
    for key_column in range(len(table.header)):
        by_index = {_digits(row[key_column]): row for row in table.rows}
        if len(by_index) == len(table.rows) and all(index in by_index for index in indices):
            column = _value_column(_titles(table, key_column, list(by_index.values())), targets)
            if column is None:
                return None
            return tuple(Cell(by_index[index][column], " | ".join(by_index[index])) for index in indices)
    return None


def _by_name(table: Table, targets: Sequence[TargetVariable]) -> tuple[Cell, ...] | None:
    """``current | U/R | 3 A``: the rows are keyed by the variables' names, the value is in the column that says so."""
    rows = []
    for target in targets:
        named = [row for row in table.rows if same_name(row[0], target.name)]
        if len(named) != 1:
            return None
        rows.append(named[0])
    columns = [column for column, title in enumerate(table.header) if column and RESULT_TITLE.search(title)]
    if len(columns) != 1:
        return None
    return tuple(Cell(row[columns[0]], " | ".join(row)) for row in rows)


def _by_words(table: Table, targets: Sequence[TargetVariable]) -> tuple[Cell, ...] | None:
    """``maximal rate | 0.05 µmol/min``: every variable has one row that shares more words with it than with others."""
    columns = [column for column, title in enumerate(table.header) if column and RESULT_TITLE.search(title)]
    column = columns[0] if len(columns) == 1 else 1 if len(table.header) == 2 else None
    if column is None:
        return None
    told = telling_words(targets)
    cells = []
    for own in told:
        scores = [len(stems(row[0]) & own) for row in table.rows]
        if not max(scores) or scores.count(max(scores)) > 1:
            return None
        row = table.rows[scores.index(max(scores))]
        cells.append(Cell(row[column], " | ".join(row)))
    return tuple(cells) if len({cell.row for cell in cells}) == len(cells) else None


def _titles(table: Table, key_column: int, rows: Sequence[Sequence[str]]) -> list[str]:
    """The header, with nothing for the key and for columns that hold no values."""
    return [
        title if column != key_column and all(_is_value(row[column]) for row in rows) else ""
        for column, title in enumerate(table.header)
    ]


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
