"""The numeric value of a constant tree, with its precision.

Not here: comparing.
"""

from __future__ import annotations

from fractions import Fraction

from flint import acb

from cfe_local.equivalence.evaluation import Point, evaluate
from cfe_local.equivalence.exact import exact_value
from cfe_local.equivalence.functions import UndefinedError
from cfe_local.equivalence.limits import LimitError
from cfe_local.equivalence.sampling import CONSTANT_BITS, precision
from cfe_local.equivalence.tolerance import Measured
from cfe_local.equivalence.tree import Node, has_decimal, is_integer

_MAX_EXPONENT = 300  # Of a double; beyond it a measured number makes no sense.


def measure(node: Node, *, has_unit: bool = False) -> Measured | None:
    """Value and precision of a tree without symbols (``e`` and ``i`` as constants); None if it has no value."""
    whole = is_integer(node)
    try:
        with precision(CONSTANT_BITS):
            values = {"e": acb(1).exp(), "i": acb(0, 1), "j": acb(0, 1)}
            centre = evaluate(node, Point(values))
            half = 0.0
            if has_decimal(node):
                blurred = evaluate(node, Point(values, blur=Fraction(1, 2)))
                half = float(blurred.rad())
            if not 1e-300 < float(abs(centre).mid()) < 1e300 and not centre.is_zero():
                return None
            return Measured(complex(centre.mid()), half, whole or _is_whole(node), has_unit)
    except (UndefinedError, LimitError, ZeroDivisionError, ValueError, OverflowError):
        return None


def _is_whole(node: Node) -> bool:
    if has_decimal(node):
        return False
    value = exact_value(node)
    return value is not None and value.denominator == 1
