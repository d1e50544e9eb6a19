"""Known functions on complex balls: name to implementation, with the number of arguments each takes.

A ball encloses the true value, so two balls that do not meet prove a difference. Source of the ball arithmetic:
Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE Trans. Comp. 66 (2017).

Not here: trees and symbols (``evaluation``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import acb, arb

Ball = Any  # flint.acb; the package ships no types.


class UndefinedError(Exception):
    """The value does not exist, or cannot be enclosed, at this point. Internal."""


class NoCaseError(UndefinedError):
    """No case of a piecewise value applies at this point. Internal."""


def real(x: Ball) -> Ball:
    """The real part of a ball whose imaginary part may be zero.

    Raises:
        UndefinedError: If it is certainly not real.
    """
    if not x.imag.contains(0):
        raise UndefinedError("a real number is needed")
    return x.real


def _whole(x: Ball) -> int:
    value = real(x).unique_fmpz()
    if value is None:
        raise UndefinedError("a whole number is needed")
    return int(value)


def _factorial2(x: Ball) -> Ball:
    n = _whole(x)
    if n < -1 or n > 2000:
        raise UndefinedError("double factorial out of range")
    result = acb(1)
    for k in range(n, 0, -2):
        result *= k
    return result


def _mod(x: Ball, m: Ball) -> Ball:
    quotient = real(x) / real(m)
    whole = quotient.floor().unique_fmpz()
    if whole is None:
        raise UndefinedError("modulus at a jump")
    return x - m * int(whole)


def _floor(x: Ball) -> Ball:
    value = real(x)
    return _jump(value, value.floor())


def _ceil(x: Ball) -> Ball:
    value = real(x)
    return _jump(value, value.ceil())


def _jump(value: arb, rounded: arb) -> Ball:
    """The rounded value; one that is a whole number to 30 digits, such as 3 times a third, is that number."""
    whole = value.unique_fmpz()
    if whole is not None and value.rad() < 1e-30:
        return acb(whole)
    if rounded.unique_fmpz() is None:
        raise UndefinedError("floor or ceiling at a jump")
    return acb(rounded)


def _sign(x: Ball) -> Ball:
    value = real(x)
    if value > 0:
        return acb(1)
    if value < 0:
        return acb(-1)
    if value.is_zero():
        return acb(0)
    raise UndefinedError("sign of a value too near zero")


def _extreme(args: tuple[Ball, ...], *, largest: bool) -> Ball:
    best = real(args[0])
    for arg in args[1:]:
        other = real(arg)
        best = best.max(other) if largest else best.min(other)
    return acb(best)


def _absolute(x: Ball) -> Ball:
    if x.imag.is_zero():
        return acb(abs(x.real))
    return acb(abs(x))


def _whole_gcd(args: tuple[Ball, ...], *, least_multiple: bool) -> Ball:
    import math

    numbers = [_whole(arg) for arg in args]
    return acb(math.lcm(*numbers) if least_multiple else math.gcd(*numbers))


def _heaviside(x: Ball) -> Ball:
    sign = _sign(x)
    return acb(1) if sign == acb(1) else acb(0)


UNARY: Mapping[str, Callable[[Ball], Ball]] = {
    "sin": lambda x: x.sin(), "cos": lambda x: x.cos(), "tan": lambda x: x.tan(), "cot": lambda x: x.cot(),
    "sec": lambda x: x.sec(), "csc": lambda x: x.csc(), "asin": lambda x: x.asin(), "acos": lambda x: x.acos(),
    "atan": lambda x: x.atan(), "acot": lambda x: (1 / x).atan(), "asec": lambda x: (1 / x).acos(),
    "acsc": lambda x: (1 / x).asin(), "sinh": lambda x: x.sinh(), "cosh": lambda x: x.cosh(),
    "tanh": lambda x: x.tanh(), "coth": lambda x: x.coth(), "sech": lambda x: x.sech(), "csch": lambda x: x.csch(),
    "asinh": lambda x: x.asinh(), "acosh": lambda x: x.acosh(), "atanh": lambda x: x.atanh(),
    "acoth": lambda x: (1 / x).atanh(), "exp": lambda x: x.exp(), "ln": lambda x: x.log(),
    "log2": lambda x: x.log() / acb(2).log(), "erf": lambda x: x.erf(), "erfc": lambda x: x.erfc(),
    "erfi": lambda x: x.erfi(), "gamma": lambda x: x.gamma(), "factorial": lambda x: (x + 1).gamma(),
    "factorial2": _factorial2, "floor": _floor, "ceil": _ceil, "sgn": _sign, "abs": _absolute,
    "re": lambda x: acb(x.real), "im": lambda x: acb(x.imag), "arg": lambda x: acb(x.arg()), "zeta": lambda x: x.zeta(),
    "sinc": lambda x: x.sinc(), "heaviside": _heaviside, "conj": lambda x: x.conjugate(),
    "Phi": lambda x: (1 + (x / acb(2).sqrt()).erf()) / 2,
}  # fmt: skip

BINARY: Mapping[str, Callable[[Ball, Ball], Ball]] = {
    "binom": lambda n, k: (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma(),
    "mod": _mod,
    "atan2": lambda y, x: acb(arb.atan2(real(y), real(x))),
    "bessel_j": lambda n, x: x.bessel_j(n),
    "bessel_y": lambda n, x: x.bessel_y(n),
    "bessel_i": lambda n, x: x.bessel_i(n),
    "bessel_k": lambda n, x: x.bessel_k(n),
}

VARIADIC: Mapping[str, Callable[[tuple[Ball, ...]], Ball]] = {
    "max": lambda args: _extreme(args, largest=True),
    "min": lambda args: _extreme(args, largest=False),
    "gcd": lambda args: _whole_gcd(args, least_multiple=False),
    "lcm": lambda args: _whole_gcd(args, least_multiple=True),
}


def apply(name: str, args: tuple[Ball, ...]) -> Ball | None:
    """Value of a known function, or None if there is no such function.

    Raises:
        UndefinedError: Outside of its domain.
    """
    if len(args) == 1 and name in UNARY:
        return UNARY[name](args[0])
    if len(args) == 2 and name in BINARY:
        return BINARY[name](args[0], args[1])
    if name in VARIADIC and args:
        return VARIADIC[name](args)
    return None
