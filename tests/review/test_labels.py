from __future__ import annotations

import pytest
from pydantic import ValidationError

from cfe_local.review.labels import ReviewLine, Standing, label_line, undo_line


def say(label: str, place: tuple[str, str] = ("u", "v0")) -> ReviewLine:
    return label_line("ann", place, label)


def test_the_last_label_of_a_place_stands() -> None:
    standing = Standing.after([say("correct"), say("incorrect")])
    assert standing.labels()["u", "v0"].label == "incorrect"


def test_an_undo_brings_back_what_stood_before() -> None:
    standing = Standing.after([say("correct"), say("incorrect"), undo_line("ann")])
    assert standing.labels()["u", "v0"].label == "correct"


def test_undos_go_back_step_by_step_over_several_places() -> None:
    lines = [say("correct"), say("incorrect", ("u", "v1")), undo_line("ann"), undo_line("ann")]
    assert Standing.after(lines).labels() == {}


def test_an_undo_with_nothing_before_it_changes_nothing() -> None:
    assert len(Standing.after([undo_line("ann"), say("correct")]).history) == 1


def test_a_label_without_a_place_is_refused() -> None:
    with pytest.raises(ValidationError, match="needs unit, aspect and label"):
        label_line("ann", ("", "v0"), "correct")
