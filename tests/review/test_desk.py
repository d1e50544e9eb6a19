from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cfe_local.errors import UsageError
from cfe_local.review.desk import Desk, DeskSettings, Place
from cfe_local.review.files import LabelBook
from cfe_local.review.labels import label_line

from .desks import desk as make_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = make_desk(tmp_path)
    yield found
    found.book.close()


def say(desk: Desk, index: int, aspect: str, label: str = "correct", **texts: str) -> None:
    item = desk.items[index]
    found = item.aspect(aspect)
    assert found is not None
    desk.label(item, found, label, value=texts.get("value", ""), comment=texts.get("comment", ""))


def test_after_a_label_comes_what_is_open_first_in_the_item_then_in_the_queue(desk: Desk) -> None:
    queue = desk.queue("all")
    say(desk, 2, "v1")
    assert desk.after(2, "v1", queue) == Place(2, "v0")
    say(desk, 2, "v0")
    assert desk.after(2, "v0", queue) == Place(0, "v0")
    say(desk, 0, "v0")
    assert desk.after(0, "v0", queue) == Place(1, "v0")
    say(desk, 1, "v0")
    assert desk.after(1, "v0", queue) is None


def test_an_item_is_done_without_its_optional_question(desk: Desk) -> None:
    say(desk, 0, "v0")
    assert desk.is_done(desk.items[0], desk.said())
    assert not desk.is_done(desk.items[1], desk.said())


def test_undo_leads_back_to_where_the_label_was_given(desk: Desk) -> None:
    say(desk, 2, "v1")
    assert desk.undo() == Place(2, "v1")
    assert desk.undo() is None


def test_undo_leaves_labels_of_other_runs_alone(desk: Desk) -> None:
    desk.book.add(label_line("ann", ("exam/main/other:9/-/0", "v0"), "correct"))
    assert desk.undo() is None
    assert len(desk.said()) == 1


def test_a_stated_value_is_kept_for_variables_only(desk: Desk) -> None:
    say(desk, 0, "v0", value="  72 km/h ")
    say(desk, 0, "question", value="72")
    said = desk.said()
    assert [said[desk.items[0].unit, name].value for name in ("v0", "question")] == ["72 km/h", None]


@pytest.mark.parametrize(
    ("label", "comment", "message"), [("right", "", "is no answer"), ("correct", "x" * 4001, "more than 4000")]
)
def test_labels_that_cannot_be_are_refused_and_nothing_is_written(
    desk: Desk, label: str, comment: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        say(desk, 0, "v0", label, comment=comment)
    assert desk.said() == {}


def test_blind_mode_offers_no_filter_that_tells_about_verdicts(tmp_path: Path) -> None:
    blind = make_desk(tmp_path, settings=DeskSettings(title="run", is_blind=True))
    assert blind.filters == ("all", "random")
    blind.book.close()


def test_nothing_to_review_is_a_clear_error(tmp_path: Path) -> None:
    with LabelBook.open(tmp_path, "ann") as book, pytest.raises(UsageError, match="nothing to review"):
        Desk((), book, DeskSettings(title="run"))
