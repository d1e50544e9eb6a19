"""Which responses settle their answer typographically, and which are left to the judge."""

import pytest

from cfe_local.grading.settled import last_member, settled
from cfe_local.records import TargetVariable
from tests.grading.tasks import target

X, Y = target("x", "?"), target("y", "?")


def values(text: str, *targets: TargetVariable) -> list[str | None]:
    return [None if one is None else one.value for one in settled(text, targets)]


# response, value of x. Source: hand-written in the manner of current models.
SINGLE = [
    (r"So $$\boxed{x=\frac{a}{2}}$$", r"\frac{a}{2}"),
    (r"First $\boxed{x=1}$, then $\boxed{x=2}$.", "2"),
    (r"We get $2x = 10$, hence \boxed{5}.", "5"),
    ("Some text.\n\n**Final answer:** $x = 12.5$ m", "12.5"),
    ("Some text.\n\nFinal answer: x = 0x125C", "0x125C"),
    ("Derivation.\n\n## Answer\n\n$$x = \\sqrt{2} \\approx 1.41$$", r"\sqrt{2} \approx 1.41"),
    ("Zuerst.\n\n**Ergebnis:** $x = 7$", "7"),
    ("首先。\n\n**答案**：$x=7$", "7"),
    ("Therefore\n$$x=\\frac{1}{2}gt^2=4.9.$$", "4.9"),
    (r"\boxed{x = g\tau^2/32,\quad \tau = 2\pi\sqrt{M/k}}", r"g\tau^2/32,\quad \tau = 2\pi\sqrt{M/k}"),
    ("**Result: the chance is 22.5 %.**", "22.5 %"),
    (r"\boxed{5 \text{ or } 7}", r"5 \text{ or } 7"),
]
NOT_SINGLE = [
    r"\boxed{x=5}. Wait, that is wrong: the sign of the second term must be changed, so it is 3.",
    r"We find \boxed{x = 4}. I made a mistake above. The value should be 5.",
    "The velocity is five metres per second.",
    "| quantity | value |\n|---|---|\n| x | 5 |",
    "Some manuals claim x = 4. That is a rough guess, and the true value is about twice as large.",
    "**Answer.** It is 0 V if the product form is assumed, or 3.33 V if the bilinear form is assumed.",
    "",
]


@pytest.mark.parametrize(("text", "expected"), SINGLE)
def test_one_plain_final_statement_settles_a_single_variable(text: str, expected: str) -> None:
    assert values(text, X) == [expected]


@pytest.mark.parametrize("text", NOT_SINGLE)
def test_retractions_prose_tables_and_hedges_are_left_to_the_judge(text: str) -> None:
    assert values(text, X) == [None]


NOTHING_STATED = [
    r"Hence \boxed{}",
    r"Hence $x = 3$, that is \boxed{ }",
    r"$$\boxed{x=}$$",
    "So\n$$\\begin{aligned}x&=1\\\\ \\end{aligned}$$\n\n$$x=$$\n\nFinal answer:\n\nx =",
    "**Final answer:** x = \n\n**Final answer:** y =",
    "Final answer:\n\n- x: \n- y: ",
    "| name | value |\n|---|---|\n| x | |\n| y |  |",
    r"\boxed{x=, y=}",
    r"\boxed{\\ \\}",
    "**Answer**: $$ $$",
]


@pytest.mark.parametrize("text", NOTHING_STATED)
@pytest.mark.parametrize("targets", [(X,), (X, Y)])
def test_an_empty_place_for_the_answer_states_nothing(text: str, targets: tuple[TargetVariable, ...]) -> None:
    """An empty value has no form to be compared: a run once ended at the first empty box."""
    assert all(value is None or value.strip() for value in values(text, *targets))


def test_two_different_final_statements_are_rivals() -> None:
    text = "**Result: the chance is 22.5 %.**\n\nAnother view.\n\n$$\\boxed{P = 25\\,\\%}$$"
    (one,) = settled(text, [target("chance", "?")])
    assert one is not None
    assert one.rivals == ("22.5 %",)


def test_an_intermediate_form_in_other_symbols_is_no_rival() -> None:
    (one,) = settled(r"**Answer** $x = F/m$. With numbers \boxed{x = 3}", [X])
    assert one is not None
    assert one.rivals == ()


# response, values of x and y
SEVERAL = [
    (r"\boxed{x=1,\quad y=-2}", ["1", "-2"]),
    (r"\boxed{y=-2,\quad x=1}", ["1", "-2"]),
    (r"$$x = a$$ and then $$y = b.$$", ["a", "b"]),
    ("- $x = 1$\n- $y = 2$", ["1", "2"]),
    (r"**Final results:** $x=1$ and $y=+2$.", ["1", "+2"]),
    (r"\boxed{x=1,\quad \theta=2}", ["1", "2"]),  # one part and one variable are left
    (r"Result: \boxed{x=1}. The second quantity is two.", ["1", None]),
    ("| x | y |\n|--|--|\n| 1 | 2 |", [None, None]),
    (r"$$x = a$$ For $a\to0$ one has $x=0$.", ["a", None]),
    (r"\boxed{u=1,\quad w=2}", [None, None]),  # order is no name
]


@pytest.mark.parametrize(("text", "expected"), SEVERAL)
def test_several_variables_are_settled_by_their_names(text: str, expected: list[str | None]) -> None:
    assert values(text, X, Y) == expected


def test_a_list_value_that_a_later_sentence_gives_again_is_left_to_the_judge() -> None:
    text = "| quantity | value |\n|---|---|\n| work | 400 J |\n| efficiency | 2/9 |\n\nSo the efficiency is 50 %."
    assert values(text, target("work", "?"), target("efficiency", "?")) == ["400 J", None]


def test_a_few_words_after_the_announcement_are_the_answer() -> None:
    assert values("It pairs with adenine.\n\nAnswer: Uracil", target("base", "?")) == ["Uracil"]
    assert values("Answer: Na or So", target("symbol", "?")) == [None]


def test_labelled_items_are_statements_under_their_label() -> None:
    text = "Final answer:\n- decimal value: 13\n- odd: True"
    assert values(text, target("decimal_value", "?"), target("is_odd", "?")) == ["13", "True"]


def test_the_reference_is_not_looked_at() -> None:
    text = r"$x=3$ appears early. \boxed{x=4}"
    assert values(text, target("x", "3")) == values(text, target("x", "4")) == ["4"]


def test_a_chain_ends_with_its_last_member_and_keeps_its_approximation() -> None:
    assert last_member(r"\frac{\pi}{4}(a+b) = 0.5\approx 1/2") == r"0.5\approx 1/2"
    assert last_member("f(x=3)") == "f(x=3)"
    assert last_member(r"a, \quad b = 3") == r"a, \quad b = 3"
