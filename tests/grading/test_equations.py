"""Names, relations and parts of formulas."""

import pytest

from cfe_local.grading.equations import is_plain_name, parts, same_name, symbols

# How benchmarks spell a variable, how responses write it. Source: variable names of published problems.
SAME = [
    ("c_m_c_over_4", r"c_{m,c/4}"),
    ("c_l", r"c_\ell"),
    ("V_r_lt_R", "V_{r<R}"),
    ("gamma_3_2_1_to_2_2_1", r"\Gamma_{321\to221}"),
    ("t2", "T_2"),
    ("t2", "T₂"),
    ("delta_T_f", r"\Delta T_f"),
    ("theta(t)", r"\vartheta(t)"),
    ("V_ac_h_relation", "V_{ac}^h"),
    ("omega", "ω"),
]
OTHER = [("r", r"r_{\rm eq}"), ("t2", "T_3"), ("E", r"E^\circ"), ("alpha", r"m_\alpha"), ("x", ""), ("", "")]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_spellings_of_one_symbol_are_the_same_name(first: str, second: str) -> None:
    assert same_name(first, second)
    assert same_name(second, first)


@pytest.mark.parametrize(("first", "second"), OTHER)
def test_other_indices_are_other_names(first: str, second: str) -> None:
    assert not same_name(first, second)


# formula, its parts as (name, value)
PARTS = [
    (r"\sigma_{b}(x,t)=\frac{4}{7}\cos(\omega t-k_0x)", [(r"\sigma_{b}(x,t)", r"\frac{4}{7}\cos(\omega t-k_0x)")]),
    (r"r(t)=r_0\cosh(\omega t),\qquad\theta=\omega t", [("r(t)", r"r_0\cosh(\omega t)"), (r"\theta", r"\omega t")]),
    (r"(a,b,c)\in\{(2,2,2),\ (7,5,3)\}", [("(a,b,c)", r"\{(2,2,2),\ (7,5,3)\}")]),
    (r"\frac{R}{5.5}\le r\le\frac{R}{4.5}", [("", r"\frac{R}{5.5}\le r\le\frac{R}{4.5}")]),
    (r"4+14\pi\approx 47.98", [("", r"4+14\pi\approx 47.98")]),
    (r"\frac{d^2T}{dt^2}=-\lambda^2 T.", [("", r"\frac{d^2T}{dt^2}=-\lambda^2 T")]),
    ("BP = 0x125C", [("BP", "0x125C")]),
    (r"\|T\|_\infty \ge 0.8", [(r"\|T\|_\infty", r"\ge 0.8")]),
]


@pytest.mark.parametrize(("formula", "expected"), PARTS)
def test_a_formula_is_split_at_names_that_are_names(formula: str, expected: list[tuple[str, str]]) -> None:
    assert [(part.name, part.value) for part in parts(formula)] == expected


def test_an_expression_is_no_name() -> None:
    assert not is_plain_name("a+b")
    assert not is_plain_name(r"\frac{a}{b}")
    assert not is_plain_name("3")
    assert is_plain_name(r"\mathbf{E}_{r}'(x,t)")


def test_units_and_functions_are_no_symbols() -> None:
    assert symbols(r"\frac{M}{m}\sin\theta\ \text{kg}") == {"M", "m", r"\theta"}
