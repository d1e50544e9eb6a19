from __future__ import annotations

import pytest

from cfe_local.records import Extraction
from cfe_local.review.items import exam_items
from cfe_local.review.labels import label_line
from cfe_local.review.shown import ShownItem, show_item
from tests.report.runs import problem, verdict

from .desks import sample, samples


def shown(value: str = "2", unit: str | None = None, *, blind: bool = False) -> ShownItem:
    one = problem(0)
    graded = sample(one, "correct")
    found = verdict(one).model_copy(update={"extraction": Extraction(status="stated", value=value, unit=unit)})
    (item,) = exam_items([type(graded)(graded.key, one, graded.response, (found,), one.variables)])
    return show_item(item, {}, active="v0", image_url="/x/image", blind=blind)


def extracted(of: ShownItem) -> str:
    assert of.aspects[0].verdict is not None
    return str(of.aspects[0].verdict.answer)


@pytest.mark.parametrize(
    ("value", "is_typeset"),
    [
        (r"\frac{2}{3}\,g\sin\theta", True),
        (r"$\frac12$", True),
        ("72 km/h", False),
        (r"it is \emph{never} larger than the other one of both", False),
    ],
)
def test_a_value_in_latex_is_typeset_with_or_without_dollar_signs(value: str, is_typeset: bool) -> None:
    assert ("<math" in extracted(shown(value))) == is_typeset


@pytest.mark.parametrize(
    ("value", "unit", "times"), [("4 Ω", "Ω", 1), ("4", "Ω", 1), (r"$4\,\text{Ω}$", "Ω", 1), ("4 Ω", None, 1)]
)
def test_a_unit_that_stands_in_the_value_is_not_said_twice(value: str, unit: str | None, times: int) -> None:
    assert extracted(shown(value, unit)).split("<code")[0].count("Ω") == times


def test_blind_mode_leaves_no_verdict_in_what_the_template_gets() -> None:
    blind = shown(blind=True)
    assert [one.verdict for one in blind.aspects] == [None, None]
    assert blind.sample is not None
    assert blind.sample.verdicts == ()


def test_what_was_said_before_stands_in_the_form() -> None:
    item = exam_items(samples())[0]
    line = label_line("ann", (item.unit, "v0"), "correct", value="2.0", comment="rounded")
    found = show_item(item, {line.place: line}, active="v0", image_url="/x", blind=False)
    assert found.aspects[0].said == line
    assert found.aspects[0].stated == "2.0"
    assert found.aspects[0].is_active
