from __future__ import annotations

from pathlib import Path

import pytest

from cfe_local.benchmarks import load_cfe
from cfe_local.benchmarks.errata import Erratum, doubtful_rows, load_errata
from cfe_local.errors import BenchmarkError
from tests.benchmarks.folders import ROW, write_benchmark


def erratum(**changes: object) -> Erratum:
    fields = {"split": "text", "row": 0, "id8": "a" * 8, "variables": ["v"], "reason": "wrong", "checked": "reasoned"}
    return Erratum.model_validate(fields | changes)


def test_the_entries_that_ship_are_unique_and_say_how_they_were_checked() -> None:
    errata = load_errata()
    assert len({(entry.split, entry.row) for entry in errata}) == len(errata)
    assert all(len(entry.reason) > 20 for entry in errata)


def test_an_entry_counts_only_where_place_and_id_fit(tmp_path: Path) -> None:
    problems = load_cfe(write_benchmark(tmp_path, text=[ROW, ROW])).problems
    assert list(doubtful_rows(problems, [erratum(row=1)])) == [("text", 1)]
    for other in (erratum(row=2), erratum(split="mm"), erratum(id8="b" * 8)):
        assert doubtful_rows(problems, [other]) == {}


def test_the_sample_benchmark_has_no_doubtful_rows() -> None:
    assert doubtful_rows(load_cfe(Path("sample")).problems, load_errata()) == {}


def test_an_entry_for_a_variable_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    problems = load_cfe(write_benchmark(tmp_path, text=[ROW])).problems
    with pytest.raises(BenchmarkError, match="text:0 names variables that the problem lacks: w"):
        doubtful_rows(problems, [erratum(variables=["v", "w"])])


@pytest.mark.parametrize("content", ["- 3", "a: [", "- {split: text}", "- {split: text, row: 0, id8: 12345678}", "\0"])
def test_a_file_of_something_else_is_a_clear_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "errata.yaml"
    path.write_text(content)
    with pytest.raises(BenchmarkError, match="not an errata file"):
        load_errata(path)


def test_an_empty_file_is_no_errata(tmp_path: Path) -> None:
    path = tmp_path / "errata.yaml"
    path.write_text("# nothing yet\n")
    assert load_errata(path) == ()
