"""Values that plain sentences give to variables."""

import pytest

from cfe_local.grading.sentences import announced, concluded, told
from cfe_local.records import TargetVariable
from tests.grading.tasks import target

SPEED = target("speed", "72", "numeric", "The constant speed of the train in km/h.")
SYMBOL = target("symbol", "Na", "other", "The chemical symbol of sodium.")
CURRENT = target("current", "3 A", "other", "The current through the resistor, with unit.")
POWER = target("power", "36 W", "other", "The power dissipated in the resistor, with unit.")
FRACTION = target("rotational_fraction", "1/3", "formula", "The rotational kinetic energy over the total one.")

# one variable, a response, the value that its sentences state
SINGLE = [
    (SPEED, "We divide. The constant speed of the train is therefore 20 metres per second. Trams are slower.",
     "20 metres per second"),
    (SPEED, "So the speed of the train is 75 km/h.", "75 km/h"),
    (SYMBOL, "The chemical symbol of sodium is Na.\n\nIt comes from natrium.", "Na"),
    (FRACTION, "The rotation therefore holds one third of the kinetic energy.", "one third"),
    (FRACTION, r"Thus the rotational part makes up \(33.3\,\%\) of the kinetic energy.", r"33.3\,\%"),
]  # fmt: skip


@pytest.mark.parametrize(("variable", "response", "value"), SINGLE)
def test_a_sentence_gives_its_subject_a_value(variable: TargetVariable, response: str, value: str) -> None:
    (found,) = told(response, [variable])
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize(
    "response",
    [
        "The speed of the train could be 72 km/h or 75 km/h.",
        "If it never stopped, the speed of the train would be 72 km/h.",
        "A forum claims that the speed of the train is 72 km/h.",
        "The speed of the train is not 72 km/h.",
        "So the length of the train is 72 m.",
        "The square of the speed of the train is 5184.",
        "So the speed of the train is 180 times 2.5.",
        "It is tempting to say that the speed of the train is 72 km/h.",
        "Now the speed of the train is looked for. It is larger than 70.",
        "The speed of the train is 72 km/h. The average speed of the train between A and B is 60 km/h.",
        "```\nspeed of the train is 72\n```",
    ],
)
def test_a_sentence_that_commits_to_nothing_clear_gives_nothing(response: str) -> None:
    assert told(response, [SPEED]) == (None,)


def test_two_variables_in_one_sentence_get_their_own_values() -> None:
    response = "Answer: the current through the resistor is 36 A, and the power that it dissipates is 3 W."
    found = told(response, [CURRENT, POWER])
    assert [one.value for one in found if one is not None] == ["36 A", "3 W"]


def test_two_different_values_are_left_to_the_judge() -> None:
    response = (
        "The power dissipated in the resistor is 36 W. The current is 3 A.\n\n"
        "The power dissipated in the resistor is 48 W."
    )
    assert told(response, [CURRENT, POWER])[1] is None


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("**答案**：总的获胜概率为十四分之十一，约合百分之七十八点六。", "十四分之十一"),
        ("**Antwort:** Der Zug fährt mit einer Geschwindigkeit von zweiundsiebzig Kilometer pro Stunde.",
         "zweiundsiebzig Kilometer pro Stunde"),
        ("**Answer.** For n = 5 trials we get p = 3.", None),
        ("We find 3.\n\n**Answer.** Either it is 5 or it is 7.", None),
        ("It is 5.", None),
    ],
)  # fmt: skip
def test_a_final_block_in_any_language_states_the_single_answer(response: str, value: str | None) -> None:
    found = announced(response, SPEED)
    assert (None if found is None else found.value) == value


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("We add.\n\nTherefore, $P = \\frac{3}{4}$. This is plausible.", r"P = \frac{3}{4}"),
        ("Therefore, $P = 1$.\n\nOn the other hand $P < 1$.", None),
        ("Therefore $a = 1$ and $b = 2$.", None),
        ("$P = 1$", None),
    ],
)
def test_the_last_formula_of_a_response_that_concludes_is_its_single_answer(response: str, value: str | None) -> None:
    found = concluded(response, SPEED)
    assert (None if found is None else found.value) == value


def test_a_single_answer_may_be_called_the_answer() -> None:
    (found,) = told("We find x = 2.\n\nSo the answer is 42.", [SPEED])
    assert found is not None
    assert found.value == "42"
