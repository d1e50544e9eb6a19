"""What labels say together. Alpha and kappa themselves are tested in tests/metrics; here is what goes into them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cfe_local.metrics.agreement import Agreement
from cfe_local.review.agreement import Reviewer, adjudicate, count_variables, group_agreements
from cfe_local.review.labels import ReviewLine, Standing, label_line

LETTERS = {"c": "correct", "i": "incorrect", "u": "unsure"}


def reviewer(name: str, marks: str, *, value: str | None = None) -> Reviewer:
    """A reviewer's labels of variable 0 of units 0, 1, ...; a dash is no label."""
    lines = [
        label_line(name, (f"unit {i}", "v0"), LETTERS[mark], group="numeric", value=value)
        for i, mark in enumerate(marks)
        if mark != "-"
    ]
    return Reviewer(name, Standing(tuple(lines)))


def settled(reviewers: Sequence[Reviewer], adjudicator: str | None = None) -> list[tuple[str | None, str]]:
    places = adjudicate(reviewers, {}, adjudicator=adjudicator)
    return [(place.label, place.settled_by) for place in places]


def test_more_than_half_settle_a_place_and_ties_stay_open() -> None:
    three = [reviewer("ann", "ccic"), reviewer("bob", "cci-"), reviewer("cem", "cic-")]
    assert settled(three) == [
        ("correct", "all"),
        ("correct", "majority"),
        ("incorrect", "majority"),
        ("correct", "one reviewer"),
    ]
    assert settled([reviewer("ann", "c"), reviewer("bob", "i")]) == [(None, "nobody")]


def test_unsure_settles_nothing_and_stands_in_nobodys_way() -> None:
    assert settled([reviewer("ann", "uu"), reviewer("bob", "cu")]) == [("correct", "one reviewer"), (None, "nobody")]


def test_the_adjudicator_settles_against_a_majority_but_not_by_being_unsure() -> None:
    three = [reviewer("ann", "cc"), reviewer("bob", "cc"), reviewer("cem", "iu")]
    assert settled(three, "cem") == [("incorrect", "adjudicator"), ("correct", "all")]


def test_a_stated_value_is_taken_from_a_reviewer_whose_label_was_settled() -> None:
    three = [reviewer("ann", "c", value="72"), reviewer("bob", "c"), reviewer("cem", "i", value="27")]
    (place,) = adjudicate(three, {})
    assert place.value == "72"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("correct", "correct", "correct"),
        ("correct", "incorrect", "incorrect"),
        ("incorrect", None, "incorrect"),
        ("correct", None, None),
        ("correct", "unsure", None),
        ("unsure", "incorrect", "incorrect"),
        ("correct", "maybe", None),
    ],
)
def test_a_question_follows_from_its_variables(first: str, second: str | None, expected: str | None) -> None:
    lines = [label_line("ann", ("u", "v0"), first, group="numeric")]
    if second is not None:
        lines.append(label_line("ann", ("u", "v1"), second, group="numeric"))
    places = adjudicate([Reviewer("ann", Standing(tuple(lines)))], {"u": 2})
    found = {place.aspect: place.label for place in places}
    assert found.get("question") == expected


def test_what_was_said_about_a_question_goes_before_what_follows() -> None:
    lines: tuple[ReviewLine, ...] = (
        label_line("ann", ("u", "v0"), "correct", group="numeric"),
        label_line("ann", ("u", "question"), "incorrect", group="question"),
    )
    one = Reviewer("ann", Standing(lines))
    assert {p.aspect: p.label for p in adjudicate([one], count_variables([one]))}["question"] == "incorrect"


def test_agreement_is_counted_per_group_with_unsure_as_missing() -> None:
    two = [reviewer("ann", "cciiuc"), reviewer("bob", "cicic-")]
    (group,) = group_agreements(adjudicate(two, {}), ["ann", "bob"])
    assert (group.group, group.n_labelled, group.n_unsure, group.n_disagreements) == ("numeric", 6, 1, 2)
    assert group.alpha.n_units == 4
    # Four units, two agree: observed 1/2; 4 of each label among 8: expected 4*4*2/(8*7) = 4/7.
    assert group.alpha.value == pytest.approx(1 - (1 / 2) / (4 / 7))
    assert group.alpha.interval is not None
    assert group.kappas[0].kappa.value == pytest.approx(0.0)


def test_variables_of_one_problem_and_its_samples_are_one_cluster() -> None:
    """Twenty problems, each labelled in four places that are all alike, are worth no more than twenty places."""
    marks = ["ci"[i % 3 == 0] for i in range(20)], ["ci"[i % 4 == 0] for i in range(20)]

    def alpha_of(places: Sequence[str]) -> Agreement:
        reviewers = [
            Reviewer(name, Standing(tuple(
                label_line(name, (place.format(i), "v0"), LETTERS[mark], group="numeric")
                for i, mark in enumerate(own) for place in places
            )))
            for name, own in zip(("ann", "bob"), marks, strict=True)
        ]  # fmt: skip
        (group,) = group_agreements(adjudicate(reviewers, {}), ["ann", "bob"])
        return group.alpha

    once = alpha_of(["exam/main/text:{}/-/0"])
    often = alpha_of([f"exam/main/text:{{}}/-/{sample}" for sample in range(4)])
    assert once.interval is not None
    assert often.interval is not None
    assert (once.interval.n_clusters, often.interval.n_clusters, often.n_units) == (20, 20, 80)
    assert (often.interval.low, often.interval.high) == pytest.approx((once.interval.low, once.interval.high), abs=0.05)


def test_kinds_of_variables_are_also_taken_together() -> None:
    numeric = [label_line("ann", (f"u{i}", "v0"), "correct", group="numeric") for i in range(2)]
    formula = [label_line("ann", (f"u{i}", "v1"), "correct", group="formula") for i in range(2)]
    places = adjudicate([Reviewer("ann", Standing((*numeric, *formula)))], {"u0": 2, "u1": 2})
    names = [group.group for group in group_agreements(places, ["ann"])]
    assert names == ["all variables", "formula", "numeric", "question"]


def test_one_reviewer_gives_no_coefficient() -> None:
    (group,) = group_agreements(adjudicate([reviewer("ann", "ci")], {}), ["ann"])
    assert group.alpha.value is None
    assert group.kappas == ()


@pytest.mark.parametrize("aspect", ["v9999999999999", "v\u00b2", "v\u0663", "v-1", "v", "v1.5", "v 1"])
def test_an_aspect_that_names_no_variable_neither_counts_nor_fills_the_memory(aspect: str) -> None:
    """A file of labels is text that anybody can write: a huge number once made as many places."""
    one = Reviewer("ann", Standing((label_line("ann", ("u", aspect), "correct", group="numeric"),)))
    assert count_variables([one]) == {}
    (place,) = adjudicate([one], count_variables([one]))
    assert place.aspect == aspect
