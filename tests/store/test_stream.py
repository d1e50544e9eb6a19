from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cfe_local.errors import StoreError
from cfe_local.records import Record, Response, Verdict
from cfe_local.store import RecordStream, label_of
from cfe_local.store import stream as stream_module
from tests.store.examples import response, verdict


def stream_at(path: Path, *, writable: bool = True) -> RecordStream[Response]:
    return RecordStream(path, Response, writable=writable)


def written(path: Path, *records: Response) -> bytes:
    stream = stream_at(path)
    for record in records:
        stream.append(record)
    stream.close()
    return path.read_bytes()


def test_a_line_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    stream = stream_at(tmp_path / "responses.jsonl")
    stream.append(response(3))
    assert (tmp_path / "responses.jsonl").read_text().count("\n") == 1
    assert stream_at(stream.path, writable=False).load().records == {"exam/main/text:3/-/0": response(3)}
    stream.close()


def test_a_file_that_nobody_wrote_loads_as_empty(tmp_path: Path) -> None:
    loaded = stream_at(tmp_path / "none.jsonl").load()
    assert dict(loaded.records) == {}
    assert loaded.report.is_clean
    assert not (tmp_path / "none.jsonl").exists()


def test_text_with_newlines_separators_and_any_script_survives(tmp_path: Path) -> None:
    text = 'two\nlines, \u2028 separator, NUL \x00, quote ", backslash \\, 漢字, 🙂'
    written(tmp_path / "r.jsonl", response(0, text))
    assert stream_at(tmp_path / "r.jsonl").load().records["exam/main/text:0/-/0"].text == text


def test_the_last_of_repeated_lines_counts_and_the_repeats_are_told(tmp_path: Path) -> None:
    written(tmp_path / "r.jsonl", response(0, "first"), response(1), response(0, "second"), response(0, "third"))
    loaded = stream_at(tmp_path / "r.jsonl").load()
    assert loaded.records["exam/main/text:0/-/0"].text == "third"
    assert (loaded.report.n_lines, loaded.report.n_records, loaded.report.n_duplicates) == (4, 2, 2)
    assert "2 repeated lines" in loaded.report.describe()


def test_lines_outside_the_plan_are_counted_and_named_but_not_returned(tmp_path: Path) -> None:
    written(tmp_path / "r.jsonl", *(response(row) for row in range(9)))
    loaded = stream_at(tmp_path / "r.jsonl").load(planned={"exam/main/text:0/-/0", "exam/main/text:99/-/0"})
    assert list(loaded.records) == ["exam/main/text:0/-/0"]
    assert loaded.report.n_orphans == 8
    assert loaded.report.orphan_labels[0] == "exam/main/text:1/-/0"
    assert len(loaded.report.orphan_labels) == 5
    assert "8 lines outside the plan" in loaded.report.describe()


def test_damaged_lines_in_the_middle_are_counted_by_number_and_do_not_hide_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    written(path, response(0), response(1), response(2))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"\x00\x00\x00\n" + b'{"key": 1}\n' + b"\xff\xfe\n" + b"\n" + lines[2])
    loaded = stream_at(path).load()
    assert list(loaded.records) == ["exam/main/text:0/-/0", "exam/main/text:2/-/0"]
    assert (loaded.report.n_damaged, loaded.report.damaged_lines) == (4, (2, 3, 4, 5))


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_figure_that_is_no_number_is_a_damaged_line(tmp_path: Path, written: str) -> None:
    """Infinity was once read, and a report broke where it met it."""
    path = tmp_path / "responses.jsonl"
    whole = response(1).model_dump_json()
    path.write_text(whole + "\n" + whole.replace('"seconds":0.0', f'"seconds":{written}') + "\n", encoding="utf-8")
    loaded = RecordStream(path, Response).load()
    assert (len(loaded.records), loaded.report.n_damaged) == (1, 1)


def test_records_with_a_field_that_this_version_does_not_know_count_as_damaged_not_as_read(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    line = written(path, response(0))
    path.write_bytes(line.replace(b'"outcome"', b'"from_the_future":1,"outcome"'))
    assert stream_at(path).load().report.n_damaged == 1


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.text(max_size=30), min_size=1, max_size=6), data=st.data())
def test_any_prefix_of_a_file_gives_all_complete_records_and_tells_of_the_torn_one(
    tmp_path: Path, texts: list[str], data: st.DataObject
) -> None:
    path = tmp_path / "r.jsonl"
    path.unlink(missing_ok=True)
    whole = written(path, *(response(row, text) for row, text in enumerate(texts)))
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    loaded = stream_at(path).load()
    lines = whole[:cut].split(b"\n")
    tail_is_whole = whole[cut : cut + 1] == b"\n"  # only the newline is missing, the record is all there
    n_complete = len(lines) - 1 + (1 if tail_is_whole and lines[-1] else 0)
    assert [record.text for record in loaded.records.values()] == texts[:n_complete]
    assert loaded.report.n_torn_bytes == (0 if tail_is_whole else len(lines[-1]))
    assert loaded.report.n_damaged == 0


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(cut=st.integers(0, 400))
def test_writing_goes_on_after_a_torn_line_without_touching_whole_ones(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "r.jsonl"
    for old in tmp_path.iterdir():
        old.unlink()
    whole = written(path, response(0), response(1))
    path.write_bytes(whole[:cut])
    before = stream_at(path).load()
    stream = stream_at(path)
    stream.append(response(7))
    stream.close()
    after = stream_at(path).load()
    assert list(after.records) == [*before.records, "exam/main/text:7/-/0"]
    assert after.report.is_clean
    torn = path.with_name("r.jsonl.torn")
    assert (torn.read_bytes() if torn.exists() else b"") == (
        whole[:cut].rsplit(b"\n", 1)[-1] + b"\n" if before.report.n_torn_bytes else b""
    )


def test_a_torn_line_longer_than_a_read_block_is_set_aside_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "r.jsonl"
    whole = written(path, response(0), response(1, "x" * 300_000))
    path.write_bytes(whole[:-100])
    with caplog.at_level(logging.WARNING):
        written(path, response(2))
    assert list(stream_at(path).load().records) == ["exam/main/text:0/-/0", "exam/main/text:2/-/0"]
    assert len(path.with_name("r.jsonl.torn").read_bytes()) > 299_000
    assert "torn last line" in caplog.text


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="opened for reading only"):
        stream_at(tmp_path / "r.jsonl", writable=False).append(response(0))


def test_verdicts_of_one_response_have_a_label_per_variable() -> None:
    assert [label_of(verdict(2, variable)) for variable in (0, 1)] == [
        "exam/main/text:2/-/0/v0",
        "exam/main/text:2/-/0/v1",
    ]


def test_verdicts_are_stored_per_variable(tmp_path: Path) -> None:
    stream = RecordStream(tmp_path / "verdicts.jsonl", Verdict)
    for variable in (0, 1):
        stream.append(verdict(0, variable))
    stream.close()
    assert len(stream.load().records) == 2


def test_records_without_a_key_need_a_label_function(tmp_path: Path) -> None:
    class Note(Record):
        name: str

    with pytest.raises(TypeError, match="Note has no key"):
        label_of(Note(name="x"))
    stream = RecordStream(tmp_path / "notes.jsonl", Note, label=lambda note: note.name)
    stream.append(Note(name="x"))
    stream.close()
    assert list(stream.load().records) == ["x"]


def test_the_index_finds_the_same_records_as_load_and_reads_them_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    written(path, response(0, "old"), response(1, "ü"), response(0, "new"), response(5))
    index = stream_at(path).index(planned={f"exam/main/text:{row}/-/0" for row in (0, 1)})
    assert len(index) == 2
    assert "exam/main/text:5/-/0" not in index
    assert index.read("exam/main/text:0/-/0").text == "new"
    assert [record.text for record in index] == ["ü", "new"]
    assert (index.report.n_duplicates, index.report.n_orphans) == (1, 1)


class _FsyncCounter:
    """Counts real fsyncs."""

    def __init__(self) -> None:
        self.n = 0
        self._real = os.fsync

    def __call__(self, descriptor: int) -> None:
        self.n += 1
        self._real(descriptor)


def test_the_disk_is_asked_to_keep_lines_at_most_64_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = stream_at(tmp_path / "r.jsonl")
    stream.append(response(0))
    counter = _FsyncCounter()
    monkeypatch.setattr("os.fsync", counter)
    for row in range(1, 64):
        stream.append(response(row))
    assert counter.n == 1
    for row in range(64):
        stream.append(response(row))
    assert counter.n == 2
    stream.close()


def test_a_line_is_confirmed_within_the_interval_even_when_none_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "SYNC_INTERVAL_S", 0.05)
    stream = stream_at(tmp_path / "r.jsonl")
    stream.append(response(0))
    counter = _FsyncCounter()
    monkeypatch.setattr("os.fsync", counter)
    stream.append(response(1))
    deadline = time.monotonic() + 5
    while not counter.n and time.monotonic() < deadline:
        time.sleep(0.01)
    assert counter.n == 1
    stream.close()


def test_a_disk_that_cannot_keep_lines_stops_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    stream = stream_at(tmp_path / "r.jsonl")
    stream.append(response(0))
    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(StoreError, match="Input/output error"):
        stream.sync()
    with pytest.raises(StoreError, match="1 more are written but not yet confirmed"):
        stream.append(response(1))
    monkeypatch.undo()
    stream.close()


@pytest.mark.parametrize("after", [0, 5])
def test_an_interruption_inside_a_write_leaves_only_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    path = tmp_path / "r.jsonl"
    stream = stream_at(path)
    stream.append(response(0))
    before = path.read_bytes()
    real_write = os.write
    calls: list[int] = []

    def interrupted(descriptor: int, data: Any) -> int:
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return real_write(descriptor, bytes(data)[:after])

    monkeypatch.setattr("os.write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stream.append(response(1))
    monkeypatch.undo()
    assert path.read_bytes() == before
    stream.append(response(2))
    stream.close()
    assert list(stream.load().records) == ["exam/main/text:0/-/0", "exam/main/text:2/-/0"]
