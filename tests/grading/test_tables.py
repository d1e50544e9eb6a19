"""Values looked up in tables, and tables that are left to the judge."""

from cfe_local.grading.settled import settled
from cfe_local.grading.tables import looked_up
from tests.grading.tasks import target

STATES = [
    target("t2", "?", description="The temperature T2 after compression, in kelvin."),
    target("t3", "?", description="The temperature T3 after heating, in kelvin."),
]
RATES = [
    target("gamma_to_2_2_1", "?", description="The decay rate to the state |2,2,1>."),
    target("gamma_to_3_2_0", "?", description="The decay rate to the state |3,2,0>."),
]
PLAIN = """
| State | reached after | Temperature |
|:--:|:--|--:|
| 2 | compression | 563.8 °C |
| 3 | heating | 1233 °C |
"""
REVERSED = r"""
| axis | final state | length | rate $\Gamma$ | share |
|---|---|---|---|---|
| $z$ | $\lvert3,2,0\rangle$ | $\hbar$ | $a/6$ | 1/6 |
| $x$ | $\lvert2,2,1\rangle$ | $3\hbar$ | $a/2$ | 1/2 |
"""


def test_rows_are_found_by_the_index_that_tells_the_variables_apart() -> None:
    found = looked_up("The values:\n" + PLAIN + "\nDone.", STATES)
    assert found is not None
    assert [cell.value for cell in found] == ["563.8 °C", "1233 °C"]


def test_the_order_of_rows_does_not_matter_but_their_keys_do() -> None:
    found = looked_up(REVERSED, RATES)
    assert found is not None
    assert [cell.value for cell in found] == ["a/2", "a/6"]
    values = [None if one is None else one.value for one in settled(REVERSED, RATES)]
    assert values == ["a/2", "a/6"]


def test_a_table_that_lacks_a_row_or_has_two_fitting_columns_is_left_to_the_judge() -> None:
    assert looked_up(PLAIN.replace("| 3 |", "| 4 |"), STATES) is None
    both = PLAIN.replace("reached after", "Temperature in K").replace("compression", "837").replace("heating", "1506")
    assert looked_up(both, STATES) is None
    assert looked_up(PLAIN.replace("Temperature", "Pressure"), STATES) is None
    assert looked_up("| 2 | 563.8 |", STATES) is None


def test_names_that_differ_in_more_than_an_index_are_not_looked_up() -> None:
    assert looked_up(PLAIN, [target("speed", "?"), target("mass", "?")]) is None
