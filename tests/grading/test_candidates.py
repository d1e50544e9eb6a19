"""Forms in which an extracted value is compared with its reference."""

import pytest

from cfe_local.grading.candidates import candidates, coefficients, references
from cfe_local.grading.s2s import combined
from cfe_local.records import Comparison, ComparisonVerdict
from tests.grading.tasks import target

# value, reference, a form that must be among those compared
FORMS = [
    ("x = 5 m", "5 m", "5 m"),
    (r"$r_{\rm eq} \simeq R(1-a)$", "R - a", "R(1-a)"),
    (r"\|T\|_\infty \ge 0.8", "2.8·10^16", "0.8"),
    (r"e^{37.88}\approx 2.8\mathrm{e}16", "2.8·10^16", r"e^{37.88}\approx 2.8\times10^{16}"),
    ("X^3+X^2-4X+1=0", "$x^3+x^2-4x+1$", "X^3+X^2-4X+1"),
    (r"\frac{g\,\tau^2}{32},\qquad \tau=2\pi\sqrt{M/k}", "h", r"\frac{g\,{(2\pi\sqrt{M/k})}^2}{32}"),
    (r"E_0 - a,\quad E_0 = 1.3", "E_0 + a", "E_0 - a"),
    (r"6e^{-2\gamma}\approx1.89", r"6\alpha^2/\pi^2 \approx 1.89", "1.89"),
    (r"\arccos(1/\sqrt3)\approx0.955\ \text{rad}", "54.74°", r"0.955\ \text{rad}"),
    ("nine in forty", "0.225", "9/40"),
    ("vrai", "True", "true"),
]


@pytest.mark.parametrize(("value", "reference", "form"), FORMS)
def test_a_value_is_compared_without_what_stands_around_it(value: str, reference: str, form: str) -> None:
    assert form in candidates(value, reference)


@pytest.mark.parametrize(
    ("value", "reference"),
    [(r"\frac45\approx0.794", r"\frac{11}{14}\approx 0.79"), (r"6\gamma\approx1.9", r"\alpha\approx 1.89")],
)
def test_a_decimal_does_not_replace_an_exact_part_that_can_be_compared_or_says_more(value: str, reference: str) -> None:
    assert len(candidates(value, reference)) == 1


def test_an_equation_is_compared_as_an_equation() -> None:
    assert candidates(r"\frac{d^2T}{dt^2}=-\lambda^2 T", r"T''+\lambda^2 T=0") == (r"\frac{d^2T}{dt^2}=-\lambda^2 T",)


@pytest.mark.parametrize("value", [r"x = 5,\quad x = 7", "5 or 7", "5, 7"])
def test_a_hedge_is_never_reduced_to_one_of_its_values(value: str) -> None:
    assert not {"5", "7"} & set(candidates(value, "5"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([("undecided", "kinds"), ("equal", "x")], "equal"),
        ([("undecided", "kinds"), ("different", "x")], "different"),
        ([("different", "x"), ("undecided", "limit")], "undecided"),
        ([("different", "x"), ("different", "y")], "different"),
        ([("undecided", "kinds")], "undecided"),
    ],
)
def test_forms_are_summed_up_carefully(given: list[tuple[ComparisonVerdict, str]], expected: str) -> None:
    comparisons = [Comparison(verdict=verdict, by=by, evidence="") for verdict, by in given]
    assert combined(comparisons).verdict == expected


def test_other_values_of_the_problem_are_filled_into_a_reference_that_names_them() -> None:
    targets = [target("r", "$R - delta_r$"), target("delta_r", r"$\frac{2M^4}{AR^7}$")]
    assert references(targets, 0) == ("$R - delta_r$", r"R - {(\frac{2M^4}{AR^7})}")
    assert references(targets, 1) == (r"$\frac{2M^4}{AR^7}$",)


def test_a_name_inside_another_name_is_not_filled_in() -> None:
    targets = [target("a", r"$2 a_0 + \alpha$"), target("alpha", "3"), target("b", "5")]
    assert references(targets, 0) == (r"$2 a_0 + \alpha$",)


def test_a_formula_in_one_letter_is_compared_in_the_references_letter() -> None:
    assert "x^2-x" in candidates("X^2-X", "x^2-x")
    assert candidates("X^2-y", "x^2-y") == ("X^2-y",)


def test_a_bare_number_is_compared_in_the_unit_that_the_description_asks_for() -> None:
    speed = target("speed", "72", "numeric", "The constant speed of the train in km/h.")
    assert references([speed], 0) == ("72", "72 km/h")
    assert references([target("n", "72", "numeric", "The result in decimal notation.")], 0) == ("72",)


@pytest.mark.parametrize(
    ("reference", "value", "numbers"),
    [
        (r"$-0.649\delta$", r"-\frac{3\sqrt3}{8}\,\delta", ("-0.649", r"-\frac{3\sqrt3}{8}")),
        ("2.50 x", "2.5x", ("2.50", "2.5")),
        (r"0.5\delta", "0.5", None),
        (r"0.5\delta", r"0.5\alpha", None),
        (r"1+0.5\delta", r"1.5\delta", None),
        (r"0.5 a\delta", r"0.5\delta", None),
        ("5.0 m", "5.0 V", None),
        ("2 a", "2a", None),
    ],
)
def test_numbers_before_the_same_symbol_are_compared_as_numbers(
    reference: str, value: str, numbers: tuple[str, str] | None
) -> None:
    assert coefficients(reference, value) == numbers
