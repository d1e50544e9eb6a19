"""Formulas of problem files: what they may say, and that nothing in them can run."""

from __future__ import annotations

import math

import pytest

from cfe_local.benchmarks.formulas import FormulaError, formula_value


@pytest.mark.parametrize(
    ("formula", "givens", "value"),
    [
        ("n*harmonic(n)", {"n": 6}, 14.7),
        ("pi*exp(-a*b)/b", {"a": 2, "b": 1.5}, math.pi * math.exp(-3) / 1.5),
        ("-(a + b)**2", {"a": 1, "b": 2}, -9),
        ("binomial(n, 2) + factorial(3)", {"n": 5}, 16),
        ("w + 2.426*(1 - cos(d*pi/180))", {"w": 71.0, "d": 120}, 74.639),
        ("sqrt(2)*ln(E)", {}, math.sqrt(2)),
    ],
)
def test_a_formula_has_the_value_that_its_givens_make(formula: str, givens: dict[str, float], value: float) -> None:
    assert formula_value(formula, givens) == pytest.approx(value)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("a + c", "unknown name 'c'"),
        ("a +", "cannot be read"),
        ("__import__('os').system('true')", "something else"),
        ("a.real", "something else"),
        ("[a][0]", "something else"),
        ("'a' * 3", "something else"),
        ("True + a", "something else"),
        ("open(a)", "unknown function 'open'"),
        ("1 / (a - 2)", "has no value"),
        ("sqrt(-a)", "has no value"),
        ("exp(1e6)", "has no value"),
        ("a ** 1e9", "has no value"),
        ("factorial(10**6)", "whole numbers"),
        ("harmonic(0.5)", "whole number"),
        ("sqrt(1, 2)", "has no value"),
        ("(" * 5000 + "a" + ")" * 5000, "cannot be read"),
    ],
)
def test_anything_else_is_refused_with_what_is_wrong(formula: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        formula_value(formula, {"a": 2})
