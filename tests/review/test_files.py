from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cfe_local.errors import RunLockedError, StoreError, UsageError
from cfe_local.review.files import LabelBook, check_reviewer, read_labels_file
from cfe_local.review.labels import label_line


@pytest.mark.parametrize(
    "name", ["", "..", "../ann", "a/b", "a\\b", ".hidden", "-x", "a b", "ann\n", "ä", "x" * 65, "a.b", "\0"]
)
def test_names_that_could_lead_elsewhere_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot name a file"):
        LabelBook.open(tmp_path / "labels", name)
    assert not (tmp_path / "labels").exists()


@pytest.mark.parametrize("name", ["ann", "Ann-2", "x" * 64, "0_a"])
def test_plain_names_are_taken(name: str) -> None:
    assert check_reviewer(name) == name


def test_labels_survive_closing_and_opening(tmp_path: Path) -> None:
    with LabelBook.open(tmp_path, "ann") as book:
        book.add(label_line("ann", ("u", "v0"), "correct"))
        book.add(label_line("ann", ("u", "v1"), "incorrect"))
        assert book.undo() is not None
    with LabelBook.open(tmp_path, "ann") as book:
        assert {place: line.label for place, line in book.standing.labels().items()} == {("u", "v0"): "correct"}
        assert book.found.n_records == 3


def test_a_label_is_in_the_file_before_the_call_returns(tmp_path: Path) -> None:
    with LabelBook.open(tmp_path, "ann") as book:
        book.add(label_line("ann", ("u", "v0"), "correct"))
        assert read_labels_file(book.path)[0].labels()["u", "v0"].label == "correct"


def test_a_half_written_last_line_is_set_aside_and_writing_goes_on(tmp_path: Path) -> None:
    with LabelBook.open(tmp_path, "ann") as book:
        book.add(label_line("ann", ("u", "v0"), "correct"))
    with book.path.open("ab") as handle:
        handle.write(b'{"id": "half", "time"')
    standing, report = read_labels_file(book.path)
    assert (len(standing.history), report.n_torn_bytes) == (1, 21)
    with LabelBook.open(tmp_path, "ann") as book:
        assert not book.found.is_clean
        book.add(label_line("ann", ("u", "v1"), "correct"))
    assert len(read_labels_file(book.path)[0].history) == 2


def test_damaged_lines_are_counted_and_the_others_read(tmp_path: Path) -> None:
    with LabelBook.open(tmp_path, "ann") as book:
        book.add(label_line("ann", ("u", "v0"), "correct"))
    text = book.path.read_text(encoding="utf-8")
    book.path.write_text("not json\n" + text + '{"id": "x"}\n', encoding="utf-8")
    standing, report = read_labels_file(book.path)
    assert (len(standing.history), report.n_damaged) == (1, 2)


def test_a_file_that_holds_no_label_at_all_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ann.jsonl"
    path.write_text('{"key": "something else"}\n', encoding="utf-8")
    with pytest.raises(StoreError, match="holds no label"):
        read_labels_file(path)
    with pytest.raises(StoreError, match="no such file"):
        read_labels_file(tmp_path / "bob.jsonl")


def test_an_empty_file_is_a_reviewer_who_said_nothing(tmp_path: Path) -> None:
    (tmp_path / "ann.jsonl").touch()
    assert read_labels_file(tmp_path / "ann.jsonl")[0].history == ()


def test_a_second_writer_of_the_same_labels_is_refused_and_other_reviewers_are_not(tmp_path: Path) -> None:
    other = "from pathlib import Path; from cfe_local.review.files import LabelBook; import sys\n"
    other += "book = LabelBook.open(Path(sys.argv[1]), 'ann'); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", other, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(RunLockedError, match="another review page is open"):
            LabelBook.open(tmp_path, "ann")
        LabelBook.open(tmp_path, "bob").close()
        process.kill()
    # The killed writer's lock is recognised as left behind.
    LabelBook.open(tmp_path, "ann").close()


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "labels").write_text("a file", encoding="utf-8")
    with pytest.raises(StoreError, match="labels cannot be kept here"):
        LabelBook.open(tmp_path / "labels", "ann")


@pytest.mark.parametrize("points", ["lots", "-1", "1.5", "\u00b2", "100", "NaN"])
def test_points_that_are_no_number_are_a_damaged_line(tmp_path: Path, points: str) -> None:
    with LabelBook.open(tmp_path, "ann") as book:
        book.add(label_line("ann", ("u", "rubric 1"), "7", group="rubric"))
        book.add(label_line("ann", ("u", "rubric 2"), "unsure", group="rubric"))
    text = book.path.read_text(encoding="utf-8")
    whole = text.splitlines()[0].replace('"label":"7"', f'"label":"{points}"').replace('"id":"', '"id":"x')
    book.path.write_text(text + whole + "\n", encoding="utf-8")
    standing, report = read_labels_file(book.path)
    assert ([line.label for line in standing.history], report.n_damaged) == (["7", "unsure"], 1)
