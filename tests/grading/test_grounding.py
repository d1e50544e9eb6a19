"""What counts as standing in a response."""

import pytest

from cfe_local.grading.grounding import is_grounded

RESPONSE = r"""We find $$\boxed{a = -\dfrac{g\,\sin 2\theta}{2}}$$ and $T_2 = 836.9\,^\circ\mathrm{C}$,
i.e. about 35 m for $x$, and $c_m=-0.65\,\delta$. Nine in forty."""

GROUNDED = [
    r"-\frac{g\sin 2\theta}{2}",  # spacing commands and the size of fractions are typesetting
    r"836.9 ^\circ\mathrm{C}",
    "35 m",
    r"-0.65 \delta",
    "Nine in forty",
]
NOT_GROUNDED = [
    r"\frac{g\sin 2\theta}{2}",  # the sign is missing
    r"0.65\delta",
    "5 m",  # inside 35
    "836.9 K",
    r"\theta_2",
    "nine in forty",  # case is notation
    "36.9",
    r"g\sin(2\theta)/2",
    "",
    "   ",
]


@pytest.mark.parametrize("value", GROUNDED)
def test_a_value_that_differs_in_typesetting_alone_stands_in_the_response(value: str) -> None:
    assert is_grounded(value, RESPONSE)


@pytest.mark.parametrize("value", NOT_GROUNDED)
def test_a_value_that_is_cut_changed_or_empty_does_not(value: str) -> None:
    assert not is_grounded(value, RESPONSE)
