"""SQL over a run folder: what it finds, and what it cannot reach."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from cfe_local.cli.query import query as query_verb
from cfe_local.errors import UsageError
from cfe_local.pipeline.query import query

pytest.importorskip("duckdb", reason="duckdb is not installed; it is part of the extra data")
pytest.importorskip("pyarrow", reason="pyarrow is not installed; it is part of the extra data")


@pytest.fixture
def untouched(finished: Path) -> Iterator[Path]:
    """The finished run, with a check that nothing in it changed."""
    before = {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}
    yield finished
    assert {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()} == before


def test_the_four_tables_hold_what_the_run_has(untouched: Path) -> None:
    counts = query(
        untouched,
        "select (select count(*) from responses), (select count(*) from verdicts), (select count(*) from cases), "
        "(select count(*) from judge)",
    )
    assert counts.rows == ((6, 8, 6, 4),)  # row 3 says `name: value`, row 5 has no answer
    right = query(untouched, "select row from verdicts group by row having bool_and(verdict = 'correct') order by row")
    assert right.rows == ((0,), (1,), (2,), (3,))
    joined = query(
        untouched,
        "select r.outcome, v.verdict, j.call from responses r join verdicts v using (split, row, sample) "
        "left join judge j using (split, row, sample) where row in (0, 5) order by row",
    )
    assert joined.rows == (("answered", "correct", "extract"), ("truncated_thinking", "undecided", None))


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_text('/etc/hostname')",
        "select * from read_json_auto('responses.jsonl')",
        "select * from '/etc/hostname'",
        "select * from glob('/etc/*')",
        "copy responses to 'out.csv'",
        "explain analyze copy responses to 'out.csv'",
        "attach 'other.db'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "drop table responses",
        "select 1; drop table responses",
        "select * from store",
        "select nothing from responses",
        "selec 1",
        "",
    ],
)
def test_sql_reaches_the_tables_and_nothing_else(
    untouched: Path, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="Fix: "):
        query(untouched, sql)
    assert list(tmp_path.iterdir()) == []


def test_torn_and_repeated_lines_are_read_as_everywhere_else(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(finished, folder)
    path = folder / "responses.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([lines[0], *lines[:-1], lines[-1][:40]]), encoding="utf-8")
    assert query(folder, "select count(*), count(distinct row) from responses").rows == ((5, 5),)
    (folder / "cases.jsonl").unlink()
    assert query(folder, "select count(*) from cases").rows == ((0,),)


def test_columns_of_one_name_are_told_apart(finished: Path) -> None:
    assert query(finished, "select 1 as a, 2 as a").columns == ("a", "a_2")


def test_the_verb_prints_a_table_csv_and_json(finished: Path) -> None:
    sql = "select row, '=1+1' as formula, n_answer_tokens * 1.5 as x, 'nan'::double as y from responses where row = 1"
    runner = CliRunner()
    table = runner.invoke(query_verb, [str(finished), sql])
    assert "1 row" in table.output
    lines = runner.invoke(query_verb, [str(finished), sql, "--csv"]).output.splitlines()
    assert lines[0] == "row,formula,x,y"
    assert lines[1].startswith("1,'=1+1,")
    assert json.loads(runner.invoke(query_verb, [str(finished), sql, "--json"]).output)[0]["y"] is None
    assert "verdicts: grading" in runner.invoke(query_verb, [str(finished)]).output


def test_without_duckdb_the_message_names_the_extra(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r"pip install 'cfe-local\[data\]'"):
        query(finished, "select 1")
