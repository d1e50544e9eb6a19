"""Problems with images asked without them: which are answered anyway, against the exam or against both asked here."""

from __future__ import annotations

import pytest

from cfe_local.errors import UsageError
from cfe_local.records import Key

from .replayed import analysis, cells, near, notes, records, source_of, table

ROWS = ("text:0", "mm:0", "mm:1", "mm:2")


def blind_on_row_one(key: Key) -> bool:
    return key.condition == "with-images" or key.row == 1


def test_both_sides_are_asked_where_no_exam_is_given() -> None:
    made = records("image_dependence", blind_on_row_one, rows=ROWS)
    assert {sample.key.split for sample in made.samples} == {"mm"}
    assert len(made.samples) == 3 * 2 * 2
    found = analysis("image_dependence", blind_on_row_one, rows=ROWS)
    assert cells(table(found, "with-and-without").rows[0], 0, 4) == near("all", 3, 1.0, 1 / 3)
    assert table(found, "counts").rows == (("answered with images", 1, 2), ("not answered with images", 0, 0))
    assert table(found, "answered-anyway").rows == (("mm:1", "Mechanical Engineering", 1.0, 1.0),)
    assert found.main_figures[0].share.numerator == 2


def test_an_exam_is_the_other_side_of_the_pair() -> None:
    exam = source_of(records("exam", lambda key: key.row == 0, rows=ROWS, samples=4))
    made = records("image_dependence", blind_on_row_one, rows=ROWS, source=exam)
    assert {sample.key.condition for sample in made.samples} == {"without-images"}
    found = analysis("image_dependence", blind_on_row_one, rows=ROWS, source=exam)
    assert cells(table(found, "with-and-without").rows[0], 0, 5) == near("all", 3, 1 / 3, 1 / 3, 0.0)
    assert table(found, "counts").rows == (("answered with images", 0, 1), ("not answered with images", 1, 1))
    assert "With images: the exam of m, grading s2s." in notes(found)


def test_no_image_is_left_in_the_prompt() -> None:
    from cfe_local.pipeline.tables import EXPERIMENTS

    made = records("image_dependence", blind_on_row_one, rows=ROWS)
    cases = list(EXPERIMENTS["image_dependence"].plan(made.problems, made.settings, None))  # type: ignore[arg-type]
    counts = {
        condition: sum(p.kind == "image" for c in cases if c.key.condition == condition for p in c.messages[1].parts)
        for condition in ("with-images", "without-images")
    }
    assert counts["without-images"] == 0
    assert counts["with-images"] >= 6


def test_problems_without_images_are_refused() -> None:
    with pytest.raises(UsageError, match="none of the 1 selected problems has an image"):
        records("image_dependence", blind_on_row_one, rows=("text:0",))
