"""Progression and injection over answers whose curves are known: right only where the third step's result is shown.

The flows have 4, 3 and 4 steps; the third step's result is the answer itself in the second and third problem, the
fourth step's in the first.
"""

from __future__ import annotations

import pytest

from cfe_local.records import Key

from .replayed import analysis, cells, heights, near, notes, records, source_of, table

SHOWN, ASKED = "steps with their results", "the steps' questions only"


def knows_third_of_prefix(key: Key) -> bool:
    return key.condition == "with-results" and (key.step or 0) >= 3


def knows_third(key: Key) -> bool:
    return key.condition == "with-results" and key.step == 3


def wrong_everywhere(key: Key) -> bool:
    del key
    return False


def test_a_prefix_helps_from_the_step_that_matters() -> None:
    found = analysis("progression", knows_third_of_prefix)
    assert heights(found, "by-step") == {
        SHOWN: [(1, 0.0), (2, 0.0), (3, 1.0), (4, 1.0)],
        ASKED: [(1, 0.0), (2, 0.0), (3, 0.0), (4, 0.0)],
    }
    # Steps at 1/4, 2/4, 3/4, 4/4 fall into the tenths that end at 30, 50, 80, 100; thirds into 40, 70, 100.
    assert heights(found, "by-part")[SHOWN] == [(30, 0.0), (40, 0.0), (50, 0.0), (70, 0.0), (80, 1.0), (100, 1.0)]
    assert [row[:3] for row in table(found, "parts").rows] == [
        ("20–30 %", 2, 0.0),
        ("30–40 %", 1, 0.0),
        ("40–50 %", 2, 0.0),
        ("60–70 %", 1, 0.0),
        ("70–80 %", 2, 1.0),
        ("90–100 %", 3, 1.0),
    ]
    # Mean over problems of their mean over steps.
    assert found.main_figures[0].share.value == pytest.approx((2 / 4 + 1 / 3 + 2 / 4) / 3)
    assert found.main_figures[1].share.value == 0.0


def test_a_tenth_averages_a_problems_steps_before_it_averages_problems() -> None:
    # text:8 has 8 steps: its tenths are 20, 30, 40, 50, 70, 80, 90, 100, and text:10 the same; text:0 joins at 30.
    def rule(key: Key) -> bool:
        return key.row == 8 and key.sample == 0

    found = analysis("injection", rule, rows=("text:0", "text:8"))
    parts = dict(heights(found, "by-part")[SHOWN])
    assert parts == {20: 0.5, 30: 0.25, 40: 0.5, 50: 0.25, 70: 0.5, 80: 0.25, 90: 0.5, 100: 0.25}


def test_hints_that_give_the_answer_away_are_left_out_of_the_second_reading() -> None:
    found = analysis("progression", knows_third_of_prefix)
    # Only the first problem has a prefix that holds its third step and not yet its answer.
    assert heights(found, "by-step-kept")[SHOWN] == [(1, 0.0), (2, 0.0), (3, 1.0)]
    assert heights(found, "by-part-kept")[SHOWN][-1] == (80, 1.0)
    assert table(found, "parts-kept").rows[-1][:2] == ("70–80 %", 1)
    assert "3 of 11 steps hold the value of a target variable" in notes(found)
    assert "in 2 of 3 problems the last step does" in notes(found)


def test_a_single_step_is_left_out_only_where_it_holds_the_answer_itself() -> None:
    found = analysis("injection", knows_third)
    assert heights(found, "by-step-kept")[SHOWN] == [(1, 0.0), (2, 0.0), (3, 1.0), (4, 0.0)]
    assert [(row[0], row[1]) for row in table(found, "parts-kept").rows][-2:] == [("70–80 %", 1), ("90–100 %", 1)]


def test_the_gap_and_its_peak_are_as_worked_out_by_hand() -> None:
    everything, kept = table(analysis("progression", knows_third_of_prefix), "gap-peak").rows
    # Gaps by problem are 1/2, 1/3 and 1/2; of draws of three, more than 2.5 % are all thirds (1/27) and all halves.
    assert cells(everything, 0, 3) == near("all steps", 4 / 9, (1 / 3, 1 / 2))
    # The peak is the first of two tenths with the same gap; draws of the second problem alone have it at the end.
    assert everything[3:] == ("70–80 %", "70–100 %", 1.0, (1.0, 1.0))
    # Kept: gaps 1/3 (first problem, steps 1 to 3), 0 and 0; one problem is no interval.
    assert cells(kept, 0, 4) == near("hints that do not give an answer away", 1 / 9, (0.0, 1 / 3), "70–80 %")
    assert kept[5:] == (1.0, None)


def test_the_most_useful_single_step_is_found() -> None:
    found = analysis("injection", knows_third)
    assert heights(found, "by-step")[SHOWN] == [(1, 0.0), (2, 0.0), (3, 1.0), (4, 0.0)]
    assert table(found, "best-steps").rows == (
        ("text:0", 4, 3, "70–80 %", 1.0, 0.0, "no"),
        ("text:2", 3, 3, "90–100 %", 1.0, 0.0, "yes"),
        ("text:6", 4, 3, "70–80 %", 1.0, 0.0, "yes"),
    )
    assert table(found, "best-step-places").rows == (("70–80 %", 2), ("90–100 %", 1))


def test_of_equal_steps_the_one_that_adds_most_to_its_question_is_the_most_useful() -> None:
    def rule(key: Key) -> bool:
        shown = key.condition == "with-results" and key.step in (1, 2)
        return key.row == 0 and (shown or (key.condition == "questions-only" and key.step == 1))

    rows = table(analysis("injection", rule), "best-steps").rows
    assert rows[0][2] == 2
    assert [row[2] for row in rows[1:]] == [None, None]


def test_groups_of_length_and_topic_hold_their_own_figures() -> None:
    found = analysis("progression", knows_third_of_prefix, rows=("text:0", "text:2", "text:8"))
    lengths = table(found, "by-length-of-the-flow").rows
    assert [cells(row, 0, 3) for row in lengths] == [
        near("1–5 steps", 2, (1 / 2 + 1 / 3) / 2),
        near("6–10 steps", 1, 6 / 8),
    ]
    assert [row[0] for row in table(found, "by-topic").rows] == ["Chemistry", "Physics"]
    assert lengths[1][3] is None


def test_only_problems_got_wrong_are_looked_at_and_the_exam_is_the_baseline() -> None:
    def exam(key: Key) -> bool | None:
        return None if key.row == 6 else key.row == 2 and key.sample == 0

    source = source_of(records("exam", exam, samples=4))
    found = analysis("progression", knows_third_of_prefix, source=source)
    assert table(found, "selection").rows == (("looked at", 2), ("left out: undecided in the earlier run", 1))
    assert "Undecided in the earlier run: text:6." in notes(found)
    shown, asked = table(found, "baseline").rows
    # Exam: 0 and 1/4; with results: 2/4 and 1/3.
    assert cells(shown, 0, 5) == near(SHOWN, 2, 0.125, 5 / 12, 5 / 12 - 1 / 8)
    assert cells(asked, 0, 5) == near(ASKED, 2, 0.125, 0.0, -0.125)


def test_half_of_the_decided_samples_right_is_not_got_wrong() -> None:
    def exam(key: Key) -> bool | None:
        return None if key.sample == 2 else key.row == 0 or key.sample == 0

    # Row 0: 3 of 3 decided; rows 2 and 6: 1 of 3, one left undecided.
    source = source_of(records("exam", exam, samples=4))
    planned = {sample.key.row for sample in records("progression", wrong_everywhere, source=source).samples}
    assert planned == {2, 6}


def test_one_step_is_set_against_all_up_to_it() -> None:
    exam = source_of(records("exam", wrong_everywhere))
    prefix = source_of(records("progression", knows_third_of_prefix, source=exam), origin=exam)
    found = analysis("injection", knows_third, source=prefix)
    (row,) = table(found, "single-and-prefix").rows
    single, whole = (1 / 4 + 1 / 3 + 1 / 4) / 3, (2 / 4 + 1 / 3 + 2 / 4) / 3
    assert cells(row, 0, 5) == near("right", 3, single, whole, whole - single)
    assert cells(table(found, "baseline").rows[0], 0, 4) == near(SHOWN, 3, 0.0, single)


def test_undecided_samples_count_as_not_right_and_are_warned_of() -> None:
    def rule(key: Key) -> bool | None:
        return None if key.sample == 0 else True

    found = analysis("progression", rule)
    assert found.main_figures[0].share.value == 0.5
    assert found.warnings[0].startswith("22 of 44 samples are undecided")


def test_long_flows_are_thinned_by_the_stated_rule() -> None:
    found = analysis("injection", knows_third, options={"max_steps": 2})
    assert heights(found, "by-step")[SHOWN] == [(1, 0.0), (3, 1.0), (4, 0.0)]
    assert "At most 2 steps of a flow were asked about. Of a flow with more steps" in notes(found)
