"""Value of a tree at a point, as a complex ball; unknown functions and integrals get reproducible stand-ins.

Unknown functions are hashed: f(x) gets a value that depends on the name f and on the value of x alone, so that
f(a + b) = f(b + a) and nothing else is assumed. Integrals and symbolic sums are replaced by one fixed linear
functional of their body (random nodes and weights): constants may be pulled out, sums split and bound variables
renamed, and nothing else is assumed. Stand-ins can therefore prove equality but never a difference; ``opaque`` says
whether any was used.

Not here: choosing points, or what agreement means (``sampling``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from flint import acb, arb, ctx, fmpq

from cfe_local.equivalence.calculus import derivative
from cfe_local.equivalence.functions import Ball, NoCaseError, UndefinedError, apply, real
from cfe_local.equivalence.limits import MAX_BOUND_VALUES, MAX_LOG2, MAX_TERMS, LimitError
from cfe_local.equivalence.tree import Node

_NODES = 6  # Of the functional that stands for an integral: more than any polynomial coincidence survives.


@dataclass(slots=True)
class Point:
    """Values of symbols, and how the tree is to be read there.

    Attributes:
        values: Symbol to ball.
        signs: Value of the upper sign of ``+-``: 1 or -1.
        log_base: What ``log`` without a base means: natural if None.
        blur: Relative to the last digit: decimals become balls of this many units of their last digit.
        unblurred: Decimals that stay exact all the same, because both sides have them.
        opaque: Set when a stand-in was used.
        visited: Which branch of which max, min or piecewise node (by identity) was taken.
        n_bound: Values that bound variables have taken so far, shared by all scopes.
        left_reals: Set when a real function was continued beyond its real domain (a root or logarithm of a negative).
    """

    values: Mapping[str, Ball]
    sign: int = 1
    log_base: int | None = None
    blur: Fraction = Fraction(0)
    unblurred: frozenset[Fraction] = frozenset()
    opaque: bool = field(default=False)
    left_reals: bool = field(default=False)
    visited: set[tuple[int, int]] = field(default_factory=set)
    n_bound: list[int] = field(default_factory=lambda: [0])


def ball(value: Fraction) -> Ball:
    """A rational as a ball."""
    return acb(fmpq(value.numerator, value.denominator))


def evaluate(node: Node, point: Point) -> Ball:
    """Enclose the value of a tree at a point.

    Raises:
        UndefinedError: If there is no finite value.
        LimitError: If it would be too large to handle.
    """
    handler = _HANDLERS.get(node.head)
    if handler is None:
        raise UndefinedError(f"a {node.head} has no numeric value")
    value = handler(node, point)
    if not value.is_finite():
        raise UndefinedError("not finite")
    return value


def _number(node: Node, point: Point) -> Ball:
    value = ball(node.value)
    if node.ulp is None or not point.blur or node.value in point.unblurred:
        return value
    radius = float(node.ulp * point.blur)
    return acb(arb(value.real.mid(), radius))


def _symbol(node: Node, point: Point) -> Ball:
    value = point.values.get(node.name)
    if value is None:
        raise UndefinedError(f"no value for {node.name}")
    return value


def _constant(node: Node, point: Point) -> Ball:
    if node.name == "pi":
        return acb.pi()
    raise UndefinedError(f"{node.name} is not a number")


def _add(node: Node, point: Point) -> Ball:
    total = evaluate(node.args[0], point)
    for arg in node.args[1:]:
        total += evaluate(arg, point)
    return total


def _mul(node: Node, point: Point) -> Ball:
    product = evaluate(node.args[0], point)
    for arg in node.args[1:]:
        product *= evaluate(arg, point)
    return product


def _power(node: Node, point: Point) -> Ball:
    base = evaluate(node.args[0], point)
    exponent = evaluate(node.args[1], point)
    value = ball_power(base, exponent)
    if base.imag.is_zero() and exponent.imag.is_zero() and not value.imag.contains(0):
        point.left_reals = True
    return value


def ball_power(base: Ball, exponent: Ball) -> Ball:
    """A power whose size is estimated before it is computed.

    Raises:
        LimitError: If the result would be beyond all bounds.
        UndefinedError: For zero to a power that is not positive.
    """
    if base.is_zero():
        if exponent.real > 0:
            return acb(0)
        raise UndefinedError("zero to a power that is not positive")
    if base == acb(1):
        return acb(1)
    magnitude = abs(base.abs_upper().log()) if base.abs_upper() > 0 else arb(0)
    if magnitude * abs(exponent).upper() > MAX_LOG2:
        raise LimitError("a power beyond all bounds")
    whole = exponent.real.unique_fmpz() if exponent.imag.is_zero() else None
    if whole is not None and exponent.is_exact():
        return base ** int(whole)
    if base.imag.is_zero() and base.real < 0 and _odd_root(exponent):
        return -((-base) ** exponent)
    return base**exponent


def _odd_root(exponent: Ball) -> bool:
    """Real odd roots of negative numbers: cbrt(-8) = -2, as written mathematics has it."""
    three = exponent * 3
    return three.imag.is_zero() and three.real.unique_fmpz() in (1, -1) and exponent.rad() < 1e-20


def _plus_minus(node: Node, point: Point) -> Ball:
    sign = point.sign if node.name == "+-" else -point.sign
    return evaluate(node.args[0], point) + sign * evaluate(node.args[1], point)


def _function(node: Node, point: Point) -> Ball:
    args = tuple(evaluate(arg, point) for arg in node.args)
    name = node.name
    if name == "log":
        scale = acb(point.log_base).log() if point.log_base else acb(1)
        point.left_reals |= _is_negative(args[0])
        return _log(args[0]) / scale
    if name in ("ln", "log2"):
        _log(args[0])
    if name in ("exp", "sinh", "cosh") and abs(args[0]).upper() > MAX_LOG2:
        raise LimitError("an exponential beyond all bounds")
    if name in ("max", "min"):
        _note_extreme(node, args, point)
    value = apply(name, args)
    if value is not None and not value.imag.contains(0) and all(arg.imag.is_zero() for arg in args):
        point.left_reals = True
    return _hashed(f"fn {name}", args, point) if value is None else value


def _note_extreme(node: Node, args: tuple[Ball, ...], point: Point) -> None:
    """Remember which argument was the largest or smallest."""
    places = [complex(arg.mid()).real * (1 if node.name == "max" else -1) for arg in args]
    point.visited.add((id(node), places.index(max(places))))


def _is_negative(x: Ball) -> bool:
    return bool(x.imag.is_zero() and x.real < 0)


def _log(x: Ball) -> Ball:
    if x.contains(0):
        raise UndefinedError("logarithm of zero")
    return x.log()


def _call(node: Node, point: Point) -> Ball:
    return _hashed(f"call {node.name}", tuple(evaluate(arg, point) for arg in node.args), point)


def _hashed(name: str, args: tuple[Ball, ...], point: Point) -> Ball:
    """A reproducible value in [0.5, 1.5] for an unknown function at given arguments (to 15 digits)."""
    point.opaque = True
    keys = [f"{complex(arg.mid()):.12e}" for arg in args]
    return ball(unit_interval("|".join([name, *keys])) + Fraction(1, 2))


def unit_interval(key: str) -> Fraction:
    """A reproducible rational in [0, 1) with 40 bits that depends on the key alone."""
    digest = hashlib.blake2b(key.encode(), digest_size=5).digest()
    return Fraction(int.from_bytes(digest, "big"), 1 << 40)


def _with(point: Point, name: str, value: Ball) -> Point:
    point.n_bound[0] += 1
    if point.n_bound[0] > MAX_BOUND_VALUES:
        raise LimitError(f"more than {MAX_BOUND_VALUES} values of bound variables")
    inner = Point({**point.values, name: value}, point.sign, point.log_base, point.blur, point.unblurred)
    inner.n_bound = point.n_bound
    inner.opaque, inner.left_reals, inner.visited = point.opaque, point.left_reals, point.visited
    return inner


def _report(inner: Point, point: Point) -> None:
    """What was seen inside a bound variable's scope counts outside."""
    point.opaque |= inner.opaque
    point.left_reals |= inner.left_reals


def _sum(node: Node, point: Point) -> Ball:
    body, bound, lower, upper = node.args
    if bound.head == "none":
        point.opaque = True
        return evaluate(body, point) * ball(unit_interval(node.head) + 1)
    first = _whole(lower, point)
    last = _whole(upper, point)
    if first is None or last is None:
        return _functional(node, point)
    if last - first >= MAX_TERMS:
        raise LimitError(f"more than {MAX_TERMS} terms")
    total = acb(0) if node.head == "sum" else acb(1)
    for k in range(first, last + 1):
        inner = _with(point, bound.name, acb(k))
        term = evaluate(body, inner)
        _report(inner, point)
        total = total + term if node.head == "sum" else total * term
    return total


def _whole(node: Node, point: Point) -> int | None:
    """The whole number that a bound is, if it is one here."""
    if node.head in ("none", "const"):
        return None
    value = evaluate(node, point)
    whole = value.real.unique_fmpz() if value.imag.is_zero() else None
    return int(whole) if whole is not None and value.rad() < 1e-9 else None


def _functional(node: Node, point: Point) -> Ball:
    """Fixed nodes between the bounds, fixed weights: linear in the body, and no more than that."""
    point.opaque = True
    body, bound, lower, upper = node.args
    low, high = (_bound(limit, name, point) for limit, name in ((lower, "lower"), (upper, "upper")))
    total = acb(0)
    for k in range(_NODES):
        place = ball(unit_interval(f"{node.head} node {k}"))
        weight = ball(unit_interval(f"{node.head} weight {k}") + Fraction(1, 2))
        inner = _with(point, bound.name, low + (high - low) * place)
        total += weight * evaluate(body, inner)
        _report(inner, point)
    return total * (high - low)


def _bound(node: Node, side: str, point: Point) -> Ball:
    """A bound of an integral; missing and infinite ones get stand-ins of their own."""
    if node.head == "none":
        return ball(unit_interval(f"missing {side}") + 2)
    key = "infinite" + ("+" if node.head == "const" else "-")
    if node.head == "const" and node.name == "inf":
        return ball(unit_interval(key) + 7)
    if node.head == "mul" and node.args[-1].name == "inf":
        return -ball(unit_interval(key) + 7)
    return evaluate(node, point)


def _integral(node: Node, point: Point) -> Ball:
    """A definite integral over a finite range of numbers is enclosed; any other gets the functional."""
    body, bound, lower, upper = node.args
    value = _enclosed_integral(body, bound, (lower, upper), point)
    return _functional(node, point) if value is None else value


def _enclosed_integral(body: Node, bound: Node, limits: tuple[Node, Node], point: Point) -> Ball | None:
    if any(limit.head == "none" or limit.name == "inf" or limit.head == "mul" for limit in limits):
        return None
    low, high = (evaluate(limit, point) for limit in limits)
    probe = _with(point, bound.name, (low + high) / 2)
    evaluate(body, probe)
    if probe.opaque:
        return None

    def integrand(x: Ball, _analytic: bool) -> Ball:  # noqa: FBT001 - the signature is flint's
        try:
            return evaluate(body, _with(point, bound.name, x))
        except (UndefinedError, ZeroDivisionError, LimitError):
            return acb("nan")

    bits = ctx.prec
    value = acb.integral(integrand, low, high, rel_tol=arb(2) ** -80, eval_limit=2000, depth_limit=40)
    ctx.prec = bits
    return value if value.is_finite() and value.rad() < 1e-18 else None


def _derivative(node: Node, point: Point) -> Ball:
    return evaluate(derivative(node), point)


def _limit(node: Node, point: Point) -> Ball:
    """The value very near the point, blurred by the distance; so it is marked as a stand-in."""
    body, bound, target, _ = node.args
    near = acb(10) ** 30 if target.name == "inf" else evaluate(target, point) + acb(10) ** -30
    point.opaque = True
    value = evaluate(body, _with(point, bound.name, near))
    return acb(arb(value.real.mid(), 1e-24), arb(value.imag.mid(), 1e-24))


def _percent(node: Node, point: Point) -> Ball:
    return evaluate(node.args[0], point) / 100


def _degrees(node: Node, point: Point) -> Ball:
    return evaluate(node.args[0], point) * acb.pi() / 180


def _phase(node: Node, point: Point) -> Ball:
    return (acb(0, 1) * evaluate(node.args[0], point)).exp()


def _cases(node: Node, point: Point) -> Ball:
    for place, case in enumerate(node.args):
        value, condition = case.args
        if condition.head == "otherwise" or holds(condition, point):
            point.visited.add((id(node), place))
            return evaluate(value, point)
    raise NoCaseError("no case applies")


def holds(condition: Node, point: Point) -> bool:
    """Whether a condition holds at a point.

    Raises:
        UndefinedError: If that cannot be told there.
    """
    if condition.head in ("and", "seq"):
        return all(holds(arg, point) for arg in condition.args)
    if condition.head == "or":
        return any(holds(arg, point) for arg in condition.args)
    if condition.head == "not":
        return not holds(condition.args[0], point)
    if condition.head != "rel":
        raise UndefinedError(f"a {condition.head} is no condition")
    signs = condition.name.split()
    values = [real(evaluate(arg, point)) for arg in condition.args]
    return all(_compare(sign, left, right) for sign, left, right in zip(signs, values, values[1:], strict=False))


def _meet(left: Ball, right: Ball) -> bool:
    """Whether two real balls are one number, to 40 digits."""
    gap = left - right
    return bool(gap.contains(0) and gap.rad() < 1e-40 * (1 + abs(left).mid()))


def _compare(sign: str, left: Ball, right: Ball) -> bool:
    """One relation between real balls; balls that meet without being the same number cannot be told apart."""
    if sign in ("<", "<=", ">", ">="):
        if left < right:
            return sign in ("<", "<=")
        if left > right:
            return sign in (">", ">=")
        if _meet(left, right):
            return sign in ("<=", ">=")
        raise UndefinedError("too near a boundary")
    if sign in ("=", "!="):
        if not left.overlaps(right):
            return sign == "!="
        if _meet(left, right):
            return sign == "="
        raise UndefinedError("too near a boundary")
    raise UndefinedError(f"the relation {sign} has no truth value")


_HANDLERS: Mapping[str, Callable[[Node, Point], Ball]] = {
    "num": _number, "sym": _symbol, "const": _constant, "add": _add, "mul": _mul, "pow": _power, "pm": _plus_minus,
    "fn": _function, "call": _call, "sum": _sum, "prod": _sum, "int": _integral, "deriv": _derivative, "lim": _limit,
    "percent": _percent, "degrees": _degrees, "phase": _phase, "cases": _cases,
}  # fmt: skip
