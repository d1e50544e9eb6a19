"""Points by rubric, from the questions asked to the mean over responses."""

from __future__ import annotations

import pytest

from cfe_local.metrics.samples import GradedSample
from cfe_local.records import Problem, RubricItem
from cfe_local.review.agreement import Reviewer, adjudicate, group_agreements
from cfe_local.review.items import exam_items
from cfe_local.review.labels import Standing, label_line
from cfe_local.review.points import rubric_points
from cfe_local.review.shown import show_item
from tests.report.runs import key_of, problem, response


def proof(row: int) -> Problem:
    """A proof with a rubric of 6 and 4 points."""
    rubric = (
        RubricItem(points=6, criterion="Sets up $N$", solution_excerpt="Consider $N$."),
        RubricItem(points=4, criterion="Concludes", solution_excerpt="Impossible."),
    )
    return problem(row).model_copy(update={"kind": "proof", "variables": (), "rubric": rubric})


def answered(row: int, sample: int = 0) -> GradedSample:
    one = proof(row)
    return GradedSample(key_of(one, sample), one, response(one, "Consider $N$.", sample=sample), (), ())


def reviewer(name: str, *points: str) -> Reviewer:
    """Two labels per response, one character each; a dash is none, ``u`` is unsure."""
    lines = [
        label_line(name, (answered(row).key.label, f"rubric {i}"), "unsure" if mark == "u" else mark, group="rubric")
        for row, marks in enumerate(points)
        for i, mark in enumerate(marks, start=1)
        if mark != "-"
    ]
    return Reviewer(name, Standing(tuple(lines)))


def test_a_proof_asks_for_points_per_part_and_for_nothing_else() -> None:
    (item,) = exam_items([answered(0)])
    assert [(one.name, one.group, one.is_optional) for one in item.aspects] == [
        ("rubric 1", "rubric", False),
        ("rubric 2", "rubric", False),
    ]
    assert item.aspects[1].choices == ("0", "1", "2", "3", "4", "unsure")
    assert [item.aspects[1].key(choice) for choice in item.aspects[1].choices] == ["0", "1", "2", "3", "4", "u"]


def test_ten_points_have_no_key_and_other_labels_have_their_place() -> None:
    one = proof(0).model_copy(update={"rubric": (RubricItem(points=10, criterion="All", solution_excerpt="N"),)})
    (aspect,) = exam_items([GradedSample(key_of(one), one, response(one), (), ())])[0].aspects
    assert (aspect.key("9"), aspect.key("10")) == ("9", "")
    variable = exam_items([GradedSample(key_of(problem()), problem(), response(problem()), (None,), ())])[0].aspects[0]
    assert [variable.key(choice) for choice in variable.choices] == ["1", "2", "3"]


def test_a_problem_with_values_and_a_rubric_asks_for_both() -> None:
    one = proof(0).model_copy(update={"variables": problem(0).variables})
    (item,) = exam_items([GradedSample(key_of(one), one, response(one), (None,), one.variables)])
    assert [aspect.name for aspect in item.aspects] == ["v0", "question", "rubric 1", "rubric 2"]


def test_criterion_and_excerpt_stand_beside_the_points() -> None:
    (item,) = exam_items([answered(0)])
    shown = show_item(item, {}, active="rubric 1", image_url="/x", blind=True)
    assert "<math" in str(shown.aspects[0].description)
    assert "Consider" in str(shown.aspects[0].reference)


def test_points_are_summed_per_response_where_every_part_has_them() -> None:
    """ann gives 6+4, 3+0 and 5+unsure; bob agrees on the first, leaves a part of the second out."""
    two = [reviewer("ann", "64", "30", "5u"), reviewer("bob", "64", "3-", "5-")]
    places = adjudicate(two, {})
    found = rubric_points(places, [answered(row) for row in range(4)])
    assert found is not None
    assert [one.by_reviewer for one in found.responses] == [{"ann": 10, "bob": 10}, {"ann": 3}, {}]
    assert [one.settled for one in found.responses] == [10, 3, None]
    assert found.mean.numerator == pytest.approx(1.3)
    assert found.mean.denominator == 2
    assert found.mean.interval is not None
    assert found.mean.interval.n_clusters == 2


def test_points_that_reviewers_do_not_agree_on_stay_open_until_somebody_settles_them() -> None:
    two = [reviewer("ann", "64"), reviewer("bob", "63")]
    open_ones = rubric_points(adjudicate(two, {}), [answered(0)])
    settled = rubric_points(adjudicate(two, {}, adjudicator="bob"), [answered(0)])
    assert open_ones is not None
    assert settled is not None
    assert (open_ones.responses[0].settled, open_ones.mean.value) == (None, None)
    assert settled.responses[0].settled == 9


def test_without_labels_of_a_rubric_there_are_no_points() -> None:
    assert rubric_points((), [answered(0)]) is None


def test_points_agree_by_how_far_they_are_apart() -> None:
    """3 against 4 is nearly agreement, 0 against 6 is none: nominal alpha would not tell them apart."""
    near = [reviewer("ann", "60", "00", "30"), reviewer("bob", "50", "00", "40")]
    far = [reviewer("ann", "60", "00", "60"), reviewer("bob", "00", "00", "00")]
    values = []
    for pair in (near, far):
        (group,) = group_agreements(adjudicate(pair, {}), ["ann", "bob"])
        values.append(group.alpha.value)
    assert values[0] is not None
    assert values[1] is not None
    assert values[0] > 0.9
    assert values[1] < 0.1
