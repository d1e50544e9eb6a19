"""Displayed formulas under titles that name variables."""

from cfe_local.grading.titles import titled
from tests.grading.tasks import target

CURRENT = target("current", "3 A", "other", "The current through the resistor, with unit.")
POWER = target("power", "36 W", "other", "The power dissipated in the resistor, with unit.")


def values(response: str, *targets: object) -> list[str | None]:
    found = titled(response, targets)  # type: ignore[arg-type]
    return [one.value if one is not None else None for one in found]


def test_the_last_formula_under_a_title_belongs_to_its_variable() -> None:
    response = (
        "## Current\n\n$$I = U/R = 3\\ \\text{A}$$\n\n"
        "## Power\n\nFirst $$U I = P$$ and so $$P = 12 \\cdot 3 \\Rightarrow P = 36\\ \\text{W}.$$\n"
    )
    assert values(response, CURRENT, POWER) == [r"I = U/R = 3\ \text{A}", r"P = 36\ \text{W}"]


def test_a_line_with_a_colon_is_a_title_and_a_check_is_none() -> None:
    time = target("T_equation", "T''=0", "formula", "The equation of the time-dependent function.")
    radial = target("R_equation", "R'=0", "formula", "The equation of the radial function.")
    response = "Time part:\n\\[T''=-T\\]\n\nRadial part:\n\\[R'=0\\]\n\n**Check of the radial part.** $$R'=1$$"
    assert values(response, time, radial) == ["T''=-T", "R'=0"]


def test_formulas_under_another_symbol_or_without_a_number_are_not_taken() -> None:
    shift = target("r", "1", "formula", "The equilibrium distance.")
    condition = target("condition", "K>0", "formula", "The condition for stability.")
    assert values("## Equilibrium\n$$F(r) = 3$$\n## Stability\n$$s^2+K = 0$$", shift, condition) == [None, None]
    assert values("## Current\n$$I = U/R$$", CURRENT, POWER) == [None, None]
