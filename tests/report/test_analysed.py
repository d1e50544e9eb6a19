"""An analysis' values become texts for people and plain numbers for a spreadsheet."""

from __future__ import annotations

import pytest

from cfe_local.experiments.analysis import AnalysisTable, Cell, CellKind, Column
from cfe_local.report.analysed import analysis_csv, cell_text


@pytest.mark.parametrize(
    ("cell", "kind", "text"),
    [
        (None, "share", "–"),
        (0.4738, "share", "47.4"),
        (-0.123, "points", "−12.3"),
        (0.0, "points", "+0.0"),
        ((0.429, 0.52), "interval", "42.9–52.0"),
        ((-0.05, 0.1), "points_interval", "−5.0 to +10.0"),
        (12, "count", "12"),
        (1234567, "count", "1,234,567"),
        (0.00049975, "number", "0.0005"),
        (1.1369, "number", "1.14"),
        ("<b>", "text", "<b>"),
    ],
)
def test_each_kind_of_cell_has_one_way_to_be_written(cell: Cell, kind: CellKind, text: str) -> None:
    assert cell_text(cell, Column(name="c", kind=kind)) == text


def test_a_csv_holds_values_and_two_columns_for_an_interval() -> None:
    columns = (
        Column(name="group"),
        Column(name="gap", kind="points"),
        Column(name="gap, 95 %", kind="points_interval"),
    )
    rows: tuple[tuple[Cell, ...], ...] = (("=SUM(A1)", -0.25, (-0.5, 0.125)), ("b", None, None))
    text = analysis_csv(AnalysisTable(name="t", columns=columns, rows=rows))
    assert text == 'group,gap,"gap, 95 % low","gap, 95 % high"\n\'=SUM(A1),-0.25,-0.5,0.125\nb,,,\n'
