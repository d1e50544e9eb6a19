"""Generated values: rewriting keeps them equal, and a real change never leaves them equal.

SymPy makes and rewrites the expressions; whether a change is real is decided by numbers of 40 digits, not by the code
under test. ``CFE_LOCAL_PROPERTY_CASES`` sets how many cases are tried in all (default 300), ``CFE_LOCAL_PROPERTY_SEED``
which ones; 20,000 cases take minutes:

    CFE_LOCAL_PROPERTY_CASES=20000 .venv/bin/python -m pytest tests/equivalence/test_rewritings.py
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import sympy
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st

from cfe_local.equivalence import equivalent
from cfe_local.records import Comparison, ValueContext

N_CASES = int(os.environ.get("CFE_LOCAL_PROPERTY_CASES", "300"))
SEED = int(os.environ.get("CFE_LOCAL_PROPERTY_SEED", "0"))
FORMULA = ValueContext(type="formula")
Expr = Any  # SymPy has no types.


def cases(share: float) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """This share of all cases, the same ones for the same seed."""
    chosen = settings(
        max_examples=max(5, round(share * N_CASES)),
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    return lambda test: seed(SEED)(chosen(test))


# m beside M and k beside K: names that only case tells apart. Positive, as physical symbols mostly are.
SYMBOLS = sympy.symbols("x y m M k K v_0 v_1 theta omega R_a", positive=True)
NUMBERS = [sympy.Integer(n) for n in (1, 2, 3, 5, 7, 12)] + [sympy.Rational(1, 2), sympy.Rational(3, 4), sympy.pi]
BINARY: list[Callable[[Expr, Expr], Expr]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
]
UNARY: list[Callable[[Expr], Expr]] = [
    sympy.sin,
    sympy.cos,
    lambda a: sympy.exp(-a),
    lambda a: sympy.log(1 + a**2),
    lambda a: sympy.sqrt(1 + a**2),
    lambda a: a**2,
    lambda a: a**3,
]
REWRITINGS: list[Callable[[Expr], Expr]] = [
    sympy.expand,
    sympy.factor,
    sympy.together,
    sympy.cancel,
    sympy.expand_trig,
    sympy.expand_log,
    sympy.powsimp,
    lambda a: a.rewrite(sympy.exp),
    lambda a: a.rewrite(sympy.tan),
    lambda a: sympy.expand(a * (1 + SYMBOLS[0])) / (1 + SYMBOLS[0]),
    lambda a: sympy.Add(a, 1, evaluate=False) - sympy.Integer(1),
]
WRITINGS: list[Callable[[Expr], str]] = [
    sympy.latex,
    lambda a: str(a).replace("E", "e"),  # SymPy's E is Euler's number; a physicist's is an energy.
    lambda a: f"${sympy.latex(a, mul_symbol='dot')}$",
    lambda a: f"\\({sympy.latex(a, ln_notation=True)}\\)",  # Not its short fractions: y / 2 x would be y/(2x).
    lambda a: sympy.latex(a, fold_frac_powers=True, mul_symbol="times"),
    lambda a: sympy.latex(a).replace("\\frac", "\\dfrac").replace("\\left(", "\\bigl(").replace("\\right)", "\\bigr)"),
]


def leaves() -> st.SearchStrategy[Expr]:
    return st.one_of(st.sampled_from(SYMBOLS), st.sampled_from(SYMBOLS), st.sampled_from(NUMBERS))


@st.composite
def expressions(draw: st.DrawFn) -> Expr:
    """A finite expression of a few operations with at least two symbols."""
    made = [draw(leaves()) for _ in range(draw(st.integers(3, 5)))]
    while len(made) > 1:
        left, right = made.pop(), made.pop()
        joined = draw(st.sampled_from(BINARY))(left, right)
        if draw(st.integers(0, 2)) == 0:
            joined = draw(st.sampled_from(UNARY))(joined)
        made.insert(0, joined)
    expression = made[0]
    assume(len(expression.free_symbols) >= 2)
    assume(expression.count_ops() <= 30)
    assume(not expression.has(sympy.nan, sympy.zoo, sympy.oo))
    assume(value(expression, 0) is not None)
    return expression


def value(expression: Expr, turn: int) -> Expr | None:
    """A number of 40 digits at one of a few fixed points; None where it is no finite number."""
    point = {symbol: sympy.Rational(7 + 3 * n + 5 * turn, 11 + 2 * turn) for n, symbol in enumerate(SYMBOLS)}
    number = sympy.N(expression.subs(point), 40)
    return number if number.is_number and number.is_finite else None


def differ(left: Expr, right: Expr) -> bool:
    """Whether two expressions certainly have different values somewhere."""
    for turn in range(2):
        first, second = value(left, turn), value(right, turn)
        if first is None or second is None:
            return False
        if abs(first - second) > abs(first) * sympy.Float("1e-12") and abs(first - second) > sympy.Float("1e-25"):
            return True
    return False


def told(comparison: Comparison, *texts: str) -> str:
    return f"{' | '.join(texts)}: {comparison.verdict} by {comparison.by} ({comparison.evidence})"


@cases(0.3)
@given(expressions(), st.sampled_from(REWRITINGS), st.sampled_from(WRITINGS), st.sampled_from(WRITINGS))
def test_an_expression_stays_equal_when_it_is_rewritten_or_written_otherwise(
    expression: Expr,
    rewrite: Callable[[Expr], Expr],
    write: Callable[[Expr], str],
    write_again: Callable[[Expr], str],
) -> None:
    rewritten = rewrite(expression)
    assume(not differ(expression, rewritten))
    reference, candidate = write(expression), write_again(rewritten)
    assume(len(candidate) < 600)
    comparison = equivalent(reference, candidate, FORMULA)
    assert comparison.verdict == "equal", told(comparison, reference, candidate)


@dataclass(frozen=True, slots=True)
class Change:
    """One way to make an expression wrong."""

    name: str
    make: Callable[[st.DataObject, Expr], Expr]


def _flip_sign(data: st.DataObject, expression: Expr) -> Expr:
    part = data.draw(st.sampled_from(_parts(expression)))
    return expression.xreplace({part: -part})


def _swap_symbols(data: st.DataObject, expression: Expr) -> Expr:
    names = sorted(expression.free_symbols, key=str)
    first, second = data.draw(st.permutations(names))[:2]
    return expression.xreplace({first: second, second: first})


def _rename_symbol(data: st.DataObject, expression: Expr) -> Expr:
    old = data.draw(st.sampled_from(sorted(expression.free_symbols, key=str)))
    new = data.draw(st.sampled_from([symbol for symbol in SYMBOLS if symbol not in expression.free_symbols]))
    return expression.xreplace({old: new})


def _drop_term(data: st.DataObject, expression: Expr) -> Expr:
    part = data.draw(st.sampled_from(_parts(expression)))
    if not part.args:
        return expression.xreplace({part: sympy.Integer(1)})
    return expression.xreplace({part: part.func(*part.args[1:]) if part.is_Add or part.is_Mul else part.args[0]})


def _parts(expression: Expr) -> list[Expr]:
    return [part for part in sympy.preorder_traversal(expression) if not part.is_Number] or [expression]


CHANGES = [
    Change("a sign flipped", _flip_sign),
    Change("scaled by 1.03", lambda _, expression: sympy.Rational(103, 100) * expression),
    Change("scaled by the decimal 1.03", lambda _, expression: sympy.Float("1.03", 3) * expression),
    Change("two symbols swapped", _swap_symbols),
    Change("a symbol renamed", _rename_symbol),
    Change("a term or factor dropped", _drop_term),
    Change("one percent added to a number", lambda _, expression: expression + sympy.Rational(1, 100)),
]


@cases(0.5)
@given(expressions(), st.sampled_from(CHANGES), st.sampled_from(WRITINGS), st.sampled_from(WRITINGS), st.data())
def test_an_expression_that_was_changed_is_never_equal(
    expression: Expr,
    change: Change,
    write: Callable[[Expr], str],
    write_again: Callable[[Expr], str],
    data: st.DataObject,
) -> None:
    changed = change.make(data, expression)
    assume(not changed.has(sympy.nan, sympy.zoo, sympy.oo))
    assume(differ(expression, changed))
    reference, candidate = write(expression), write_again(changed)
    comparison = equivalent(reference, candidate, FORMULA)
    assert comparison.verdict != "equal", told(comparison, change.name, reference, candidate)


PREFIXES = {"p": -12, "n": -9, "\\mu ": -6, "µ": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12}
UNITS = ["m", "s", "Pa", "J", "W", "V", "Hz", "N", "A", "Wb", "F", "eV", "mol", "C", "m/s", "J/K", "V/m", "N m"]
DRESSES = ["{} {}", "{}\\,\\mathrm{{{}}}", "${}\\ \\text{{{}}}$", "{}~\\mathrm{{{}}}"]


def quantity(number: Decimal, prefix: str, unit: str, dress: str) -> str:
    if prefix == "\\mu " and "text" in dress:
        prefix = "µ"
    return dress.format(format(number, "f"), prefix + unit)


@st.composite
def quantities(draw: st.DrawFn) -> tuple[Decimal, str, str, str]:
    digits = draw(st.integers(101, 998).filter(lambda n: n % 10 != 0))
    number = Decimal(digits).scaleb(draw(st.integers(-3, 0)))
    return number, draw(st.sampled_from(sorted(PREFIXES))), draw(st.sampled_from(UNITS)), draw(st.sampled_from(DRESSES))


@cases(0.1)
@given(quantities(), st.sampled_from(sorted(PREFIXES)), st.sampled_from(DRESSES))
def test_a_quantity_stays_equal_in_another_prefix_and_is_not_equal_when_only_the_prefix_changes(
    given_quantity: tuple[Decimal, str, str, str], prefix: str, dress: str
) -> None:
    number, old, unit, first_dress = given_quantity
    shift = PREFIXES[old] - PREFIXES[prefix]
    reference = quantity(number, old, unit, first_dress)
    converted = quantity(number.scaleb(shift), prefix, unit, dress)
    context = ValueContext(type="numeric")
    comparison = equivalent(reference, converted, context)
    assert comparison.verdict == "equal", told(comparison, reference, converted)
    if shift:
        wrong = quantity(number, prefix, unit, dress)
        comparison = equivalent(reference, wrong, context)
        assert comparison.verdict != "equal", told(comparison, reference, wrong)


@cases(0.1)
@given(quantities(), st.sampled_from(["1.03", "0.97", "-1", "10", "2"]), st.sampled_from(DRESSES))
def test_a_quantity_that_was_scaled_is_not_equal(
    given_quantity: tuple[Decimal, str, str, str], factor: str, dress: str
) -> None:
    number, prefix, unit, first_dress = given_quantity
    reference = quantity(number, prefix, unit, first_dress)
    candidate = quantity(number * Decimal(factor), prefix, unit, dress)
    comparison = equivalent(reference, candidate, ValueContext(type="numeric"))
    assert comparison.verdict != "equal", told(comparison, reference, candidate)
