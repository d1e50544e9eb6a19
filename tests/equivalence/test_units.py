"""The unit table against Pint, which is a dependency but not on the way of any comparison."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from fractions import Fraction

import pytest

from cfe_local.equivalence.unit_table import TABLE
from cfe_local.equivalence.units import parse_unit

# Ours on the left; Pint's word for the same unit where it has another.
_PINT_NAMES = {
    "Omega": "ohm", "AA": "angstrom", "u": "unified_atomic_mass_unit", "b": "barn", "h": "hour", "t": "tonne",
    "au": "astronomical_unit", "cal": "calorie", "lb": "pound", "d": "day", "yr": "year", "L": "liter", "P": "poise",
    "D": "debye", "mmHg": "mmHg", "deg": "degree", "rev": "revolution", "in": "inch", "hp": "horsepower",
    "pc": "parsec", "Btu": "Btu", "mi": "mile",
}  # fmt: skip
_BASE = {"m": "meter", "kg": "kilogram", "s": "second", "A": "ampere", "K": "kelvin", "mol": "mole", "cd": "candela"}
_CHECKED = (  # noqa: SIM905
    # Not here: becquerel (Pint counts decays as a dimension) and gauss (another system of units in Pint).
    "m g s A K mol Hz N Pa J W C V F Omega S Wb T H Gy Sv kat rad deg arcmin arcsec rev rpm min h d week yr L t ha eV "
    "u AA bar atm mmHg cal Btu hp erg dyn P D in ft yd mi nmi au pc ly mph lb lbf kip psi ksi gal qt oz slug"
).split()


@pytest.fixture(scope="module")
def registry() -> Iterator[object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pint

        yield pint.UnitRegistry()


@pytest.mark.parametrize("name", _CHECKED)
def test_a_unit_means_what_pint_says(name: str, registry: object) -> None:
    word = {"lbf": "pound_force", "kip": "kip", "ksi": "kilopound_force_per_square_inch"}.get(
        name, _PINT_NAMES.get(name, name)
    )
    if name == "ksi":
        word = "psi * 1000"
    theirs = registry.parse_expression(word).to_base_units()  # type: ignore[attr-defined]
    powers = {str(base): Fraction(power).limit_denominator(8) for base, power in theirs.unit_items()}
    ours = {_BASE[base]: power for base, power in next(iter(parse_unit(name))).dimensions}
    powers.pop("radian", None)
    assert powers == ours
    assert float(next(iter(parse_unit(name))).factor) == pytest.approx(float(theirs.magnitude), rel=2e-4)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("kJ/kg", "J/g"),
        ("\\frac{J}{mol \\cdot K}", "J mol^{-1} K^{-1}"),
        ("\\mathrm{m\\,s^{-2}}", "m/s/s"),
        ("kilometres per hour", "km/h"),
        ("cubic meter", "m^3"),
        ("N m", "J"),
        ("V/A", "ohm"),
        ("kW h", "kWh"),
        ("\\mu s", "us"),
        ("^\\circ C", "degC"),
    ],
)
def test_two_ways_to_write_a_unit(text: str, same: str) -> None:
    assert parse_unit(text)[0] == parse_unit(same)[0]


@pytest.mark.parametrize("text", ["", "foo", "m^{10^9}", "m^99", "m^{1/2}", "5", "kg +", "m)("])
def test_what_is_no_unit_is_not_read_as_one(text: str) -> None:
    assert parse_unit(text) == ()


def test_every_line_of_the_table_is_read() -> None:
    for line in TABLE.strip().splitlines():
        for name in line.split("|")[0].split():
            assert parse_unit(name), name
