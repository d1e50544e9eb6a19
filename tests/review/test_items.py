from __future__ import annotations

import pytest

from cfe_local.records import VerdictValue
from cfe_local.review.items import FilterName, benchmark_items, chosen, exam_items
from tests.report.runs import problem, verdict

from .desks import judged, sample, samples, with_steps


def test_every_variable_and_the_question_are_asked_about() -> None:
    items = exam_items(samples())
    assert [[aspect.name for aspect in item.aspects] for item in items] == [
        ["v0", "question"],
        ["v0", "question"],
        ["v0", "v1", "question"],
    ]
    assert [aspect.group for aspect in items[2].aspects] == ["numeric", "formula", "question"]
    assert [aspect.name for aspect in items[2].required] == ["v0", "v1"]


def test_responses_without_any_text_are_not_put_before_a_reviewer() -> None:
    assert exam_items([sample(problem(0), "undecided", text="")]) == ()


@pytest.mark.parametrize(
    ("mark", "compared", "p_correct", "expected"),
    [
        ("correct", "different", 0.99, {"disagreement"}),
        ("incorrect", "equal", 0.01, {"disagreement"}),
        ("correct", "undecided", 0.99, set()),
        ("correct", "undecided", 0.6, {"low-confidence"}),
        ("incorrect", "undecided", 0.4, {"low-confidence"}),
        ("undecided", "undecided", 0.99, {"undecided"}),
    ],
)
def test_filters_find_what_they_say(mark: VerdictValue, compared: str, p_correct: float, expected: set[str]) -> None:
    one = problem(0)
    graded = sample(one, mark)
    verdicts = (judged(one, mark, compared, p_correct=p_correct),)
    (item,) = exam_items([type(graded)(graded.key, one, graded.response, verdicts, one.variables)])
    assert item.filters - {"all", "random"} == expected


def test_two_gradings_that_differ_are_a_disagreement() -> None:
    one = problem(0)
    other = verdict(one, "incorrect").model_copy(update={"grading": "l2s"})
    (item,) = exam_items([sample(one, "correct")], [other])
    assert "disagreement" in item.filters


def test_the_random_order_depends_on_the_seed_alone() -> None:
    items = exam_items([sample(problem(i), "correct") for i in range(30)])
    first, again, other = (chosen(items, "random", seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert sorted(item.unit for item in first) == sorted(item.unit for item in items)


@pytest.mark.parametrize(("name", "n"), [("all", 3), ("undecided", 1), ("disagreement", 0), ("random", 3)])
def test_a_filter_keeps_the_items_that_pass_it(name: FilterName, n: int) -> None:
    assert len(chosen(exam_items(samples()), name, seed=0)) == n


def test_a_benchmark_item_asks_three_things_about_every_step_and_about_images_only_where_there_are_some() -> None:
    with_image, plain = benchmark_items([problem(0, image="a.png"), with_steps(1)])
    assert [aspect.name for aspect in with_image.aspects] == ["trivial", "well-defined", "image-needed"]
    names = [aspect.name for aspect in plain.aspects]
    assert names[2:] == [f"step {i} {what}" for i in (1, 2) for what in ("right", "leak-free", "in-order")]
    assert len(set(names)) == len(names)
