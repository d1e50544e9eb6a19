"""What speaks against believing a judge's yes, and what does not."""

import pytest

from cfe_local.grading.guards import doubt
from cfe_local.records import VariableType

# reference, value, type. Source: values that a small judge called equal, and their like.
DOUBTED: list[tuple[str, str, VariableType]] = [
    ("Impossible", "Yes, such an algorithm exists", "other"),
    ("True", "it is not odd", "other"),
    ("0 volts", "0 V if the product form is assumed, or 3.33 V otherwise", "other"),
    ("72 km/h", "75 km/h", "numeric"),
    ("Na", "Na o bien So", "other"),
    ("x^2", "x^2 or x^3", "formula"),
]
BELIEVED: list[tuple[str, str, VariableType]] = [
    ("Impossible", "Die Aufgabe ist unlösbar", "other"),
    ("0.225", "nine in forty", "numeric"),
    ("72", "zweiundsiebzig Kilometer pro Stunde", "numeric"),
    ("hexagonal signal set (A')", "four-point subset of the hexagonal lattice", "other"),
    ("0 volts", r"0\ \text{V (ground potential)}", "other"),
    (r"\frac{2}{3} \alpha", r"e^2/(6\pi\varepsilon_0)", "formula"),
]


@pytest.mark.parametrize(("reference", "value", "kind"), DOUBTED)
def test_a_yes_against_words_or_digits_is_doubted(reference: str, value: str, kind: VariableType) -> None:
    assert doubt(reference, value, kind) is not None


@pytest.mark.parametrize(("reference", "value", "kind"), BELIEVED)
def test_other_wordings_are_not_doubted(reference: str, value: str, kind: VariableType) -> None:
    assert doubt(reference, value, kind) is None
