"""Every reference of the sample benchmark that can be computed, computed again by other means."""

import itertools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.linalg import expm
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

SAMPLE = Path(__file__).resolve().parents[2] / "cfe_local" / "benchmarks" / "sample"
SPLITS: dict[str, list[dict[str, Any]]] = {
    split: json.loads((SAMPLE / f"CFE_{split}.json").read_text(encoding="utf-8")) for split in ("text", "mm")
}
ROWS = [(split, row) for split, problems in SPLITS.items() for row in range(len(problems))]


def references(split: str, row: int) -> list[str]:
    """The reference values of a problem, without dollar signs."""
    values: list[str] = SPLITS[split][row]["short_answer_value"]
    return [value.strip("$") for value in values]


def number(text: str) -> float:
    """The number at the start of a reference such as ``13 kN``."""
    match = re.match(r"-?\d+(\.\d+)?", text)
    if match is None:
        pytest.fail(f"no number at the start of {text!r}")
    return float(match.group())


def formula(latex: str, **given: float) -> float:
    """The value of a reference formula at the given values of its symbols.

    Covers the few commands that the sample's references use; what is left over makes ``parse_expr`` or ``float`` fail.
    """
    text = latex.replace(r"\left", "").replace(r"\right", "").replace(r"\hbar", " hbar ")
    for _ in range(3):
        text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", text)
        text = re.sub(r"\\sqrt\{([^{}]*)\}", r" sqrt(\1) ", text)
        text = re.sub(r"\^\{([^{}]*)\}", r"^(\1)", text)
    text = re.sub(r"\\(sin|tan)\\theta", r" \1(theta) ", text)
    text = re.sub(r"\\(beta|lambda|omega)", r" \1 ", text).replace("lambda", "lam").replace("^", "**")
    text = re.sub(
        r"(?<![a-zA-Z])([a-zA-Z]{2,4})(?![a-zA-Z(])", lambda m: m[0] if m[0] in given else " ".join(m[0]), text
    )
    names: dict[str, Any] = {name: sympy.Symbol(name) for name in given} | {"e": sympy.E}
    expression = parse_expr(
        text, local_dict=names, transformations=(*standard_transformations, implicit_multiplication)
    )
    return float(expression.subs({names[name]: value for name, value in given.items()}))


# ---------------------------------------------------------------- references of the text split


def check_train() -> None:
    assert number(references("text", 0)[0]) == 180 / 2.5


def check_derivative() -> None:
    x = sympy.Symbol("x")
    for at in (-1.5, 0.3, 2.0):
        assert formula(references("text", 1)[0], x=at) == pytest.approx(float(sympy.diff(x**3 - 4 * x).subs(x, at)))


def check_binary() -> None:
    value, odd = references("text", 3)
    assert int(value) == int("1101", 2)
    assert odd == str(int(value) % 2 == 1)


def check_ohm() -> None:
    assert references("text", 4) == [f"{12 // 4} A", f"{12**2 // 4} W"]


def check_quadratic() -> None:
    roots = np.roots([1, -5, 6])
    assert sorted(roots) == pytest.approx([int(r) for r in re.findall(r"\d", references("text", 5)[0])])


def check_vector_sum() -> None:
    assert references("text", 7)[0] == str(tuple(a + b for a, b in zip((1, 2, 3), (4, -1, 2), strict=True)))


def check_rolling_dynamics() -> None:
    mass, radius, theta, g = 1.7, 0.4, 0.6, 9.81
    # m a + f = m g sin(theta); a I / R - f R = 0, with f positive up the incline
    inertia = mass * radius**2 / 2
    a, f = np.linalg.solve([[mass, 1], [inertia / radius, -radius]], [mass * g * math.sin(theta), 0])
    acceleration, condition, direction = references("text", 8)
    assert formula(acceleration, g=g, theta=theta) == pytest.approx(a)
    relation = re.fullmatch(r"\\mu \\ge (.*)", condition)
    assert relation is not None
    assert formula(relation[1], theta=theta) == pytest.approx(f / (mass * g * math.cos(theta)))
    assert (f > 0) == (direction == "up the incline")


def check_rolling_energy() -> None:
    g, h = 9.81, 0.7
    speed, fraction = references("text", 9)
    v = formula(speed, g=g, h=h)
    assert v**2 / 2 + v**2 / 4 == pytest.approx(g * h)
    assert formula(fraction) == pytest.approx(0.25 / 0.75)


def check_matrix_exponential() -> None:
    matrix = np.array([[0.0, 1.0], [-2.0, -3.0]])
    eigenvalues, exponential, determinant = references("text", 10)
    assert sorted(np.linalg.eigvals(matrix)) == pytest.approx(sorted(int(v) for v in re.findall(r"-\d", eigenvalues)))
    inner = exponential.removeprefix(r"\begin{pmatrix}").removesuffix(r"\end{pmatrix}")
    entries = [[entry.strip() for entry in line.split("&")] for line in inner.split(r"\\")]
    for t in (0.0, 0.3, 1.9):
        values = np.array([[formula(entry, t=t) for entry in line] for line in entries])
        assert values == pytest.approx(expm(matrix * t))
        assert formula(determinant, t=t) == pytest.approx(np.linalg.det(values))


def check_stability() -> None:
    def rightmost(gain: float) -> complex:
        roots = np.roots([1, 3, 2, gain])
        return complex(roots[np.argmax(roots.real)])

    gains, frequency = references("text", 11)
    low, high = (float(limit) for limit in gains.split(" < K < "))
    assert [rightmost(k).real < 0 for k in (low - 1e-3, low + 1e-3, high - 1e-3, high + 1e-3)] == [
        False,
        True,
        True,
        False,
    ]
    assert abs(rightmost(high).imag) == pytest.approx(formula(frequency.replace("$", "").removesuffix("rad/s")))


def check_recurrences() -> None:
    first, second, faster = references("text", 12)
    cost_1, cost_2 = [1.0], [1.0]
    for k in range(1, 60):
        cost_1.append(3 * cost_1[-1] + 2.0**k)
        cost_2.append(4 * cost_2[-1] + 4.0**k)
    assert first == r"\Theta(n^{\log_2 3})"
    assert cost_1[-1] / 2 ** (59 * math.log2(3)) == pytest.approx(cost_1[-2] / 2 ** (58 * math.log2(3)))
    assert second == r"\Theta(n^2 \log n)"
    assert cost_2[-1] / (4.0**59 * 59) == pytest.approx(cost_2[-2] / (4.0**58 * 58), rel=1e-3)
    assert (cost_1[-1] < cost_2[-1]) == (faster == "1")


def check_buffer() -> None:
    k_a = 1.8e-5

    def ph(base_ml: float) -> float:
        """From the full charge balance, water included, by bisection."""
        total, sodium = 20.0 / (100 + base_ml), 0.2 * base_ml / (100 + base_ml)
        low, high = 2.0, 12.0
        while high - low > 1e-9:
            middle = (low + high) / 2
            h = math.pow(10, -middle)
            low, high = (middle, high) if h - 1e-14 / h + sodium > total * k_a / (k_a + h) else (low, middle)
        return low

    at_30, volume = references("text", 13)
    assert ph(30.0) == pytest.approx(number(at_30), abs=0.005)
    assert 20.0 * (k_a / 1e-5) / (1 + k_a / 1e-5) / 0.2 == pytest.approx(number(volume), abs=0.05)
    assert ph(number(volume)) == pytest.approx(5.0, abs=0.005)


def check_anharmonic_oscillator() -> None:
    hbar, m, omega, beta, lam = 0.9, 1.3, 0.7, 0.21, 0.33
    lower = np.diag(np.sqrt(np.arange(1, 40)), 1)
    x = math.sqrt(hbar / (2 * m * omega)) * (lower + lower.T)
    cubic, quartic = beta * x @ x @ x, lam * x @ x @ x @ x
    first_quartic, first_cubic, second_cubic = references("text", 14)
    for n in range(5):
        assert formula(first_quartic, hbar=hbar, m=m, omega=omega, lam=lam, n=n) == pytest.approx(quartic[n, n])
        assert cubic[n, n] == number(first_cubic)
    shift = -sum(cubic[k, 0] ** 2 / (k * hbar * omega) for k in range(1, 10))
    assert formula(second_cubic, hbar=hbar, m=m, omega=omega, beta=beta) == pytest.approx(shift)


def check_sum_of_uniforms() -> None:
    density, tail, correlation = references("text", 15)
    inner = density.split(r"\begin{cases}")[1].split(r"\end{cases}")[0]
    pieces = [piece.split("&")[0].strip() for piece in inner.split(r"\\ ")]

    def convolved(s: float) -> float:
        """Half the length of the part of [0, 1] from which Y reaches s."""
        return max(0.0, min(1.0, s) - max(0.0, s - 2.0)) / 2

    for s, piece in ((0.4, pieces[0]), (1.0, pieces[1]), (1.7, pieces[1]), (2.6, pieces[2]), (3.4, pieces[3])):
        assert formula(piece, s=s) == pytest.approx(convolved(s))
    assert quad(convolved, 2, 3)[0] == pytest.approx(number(tail))
    variance = quad(lambda s: s**2 * convolved(s), 0, 3, points=[1, 2])[0] - 1.5**2
    assert formula(correlation) == pytest.approx((1 / 12) / math.sqrt(1 / 12 * variance))


# ---------------------------------------------------------------- references of the multimodal split


def check_circuit() -> None:
    # nodal analysis of the node between R1, R2 and R3
    node = (12 / 2) / (1 / 2 + 1 / 6 + 1 / 3)
    total, branch = references("mm", 0)
    assert number(total) == pytest.approx(12 / ((12 - node) / 2))
    assert number(branch) == pytest.approx(node / 3)


def check_beam() -> None:
    def load_moment(x: float) -> float:
        """Moment about x, in kN m, of the loads to its left."""
        spread = max(0.0, x - 3)
        return 12 * max(0.0, x - 2) + 4 * spread**2 / 2

    at_b, at_a = (12 * 2 + 12 * 4.5) / 6, (12 * 4 + 12 * 1.5) / 6
    moments = [at_a * x - load_moment(x) for x in np.linspace(0, 6, 6001)]
    left, right, largest = (number(value) for value in references("mm", 1))
    assert (left, right) == pytest.approx((at_a, at_b))
    assert moments[-1] == pytest.approx(0, abs=1e-9)
    assert largest == pytest.approx(max(moments))


def check_inhibition() -> None:
    v_max, k_m, kind, k_i = references("mm", 2)
    assert number(v_max) == pytest.approx(1 / 0.02)
    assert number(k_m) == pytest.approx(1 / 0.25)
    assert kind == "competitive"
    assert number(k_i) == pytest.approx(3.0 / ((1 / 0.10) / number(k_m) - 1))


def check_lens() -> None:
    focal, distance, height = 10.0, 15.0, 5.0
    image = 1 / (1 / focal - 1 / distance)
    where, size, kind, orientation = references("mm", 3)
    assert number(where) == pytest.approx(image)
    assert number(size) == pytest.approx(height * image / distance)
    assert (kind, orientation) == (("real", "inverted") if image > 0 else ("virtual", "upright"))


def check_automaton() -> None:
    step = {("A", "1"): "B", ("B", "1"): "C", ("C", "1"): "A"}

    def accepts(word: str) -> bool:
        state = "A"
        for letter in word:
            state = step.get((state, letter), state)
        return state == "C"

    listed, count, language = references("mm", 4)
    assert listed == "{" + ", ".join(word for word in ("110", "0101", "111", "11011") if accepts(word)) + "}"
    words = ["".join(letters) for letters in itertools.product("01", repeat=5)]
    assert int(count) == sum(accepts(word) for word in words)
    assert language.endswith("the number of 1s leaves remainder 2 when divided by 3")
    assert all(accepts(word) == (word.count("1") % 3 == 2) for word in words)


def check_titration() -> None:
    volume, concentration, _ = references("mm", 5)
    assert number(concentration) == pytest.approx(number(volume) * 0.1 / 25.0)


def check_filters() -> None:
    resistance, capacitance = 1e3, 1e-7
    _, transfer, cutoff = references("mm", 6)
    s = 700.0
    assert formula(transfer, s=s, R=resistance, C=capacitance) == pytest.approx(
        resistance / (resistance + 1 / (s * capacitance))
    )
    assert number(cutoff) == round(1 / (2 * math.pi * resistance * capacitance))


def check_cycle() -> None:
    corners = {"A": (1e5, 1e-3), "B": (3e5, 1e-3), "C": (3e5, 3e-3), "D": (1e5, 3e-3)}
    work, heat_in = 0.0, 0.0
    for start, end in itertools.pairwise([*"ABCDA"]):
        (p, v), (q, w) = corners[start], corners[end]
        done = (p + q) / 2 * (w - v)
        heat = 1.5 * (q * w - p * v) + done
        work, heat_in = work + done, heat_in + max(0.0, heat)
    area, absorbed, efficiency, hottest = references("mm", 7)
    assert number(area) == pytest.approx(work)
    assert number(absorbed) == pytest.approx(heat_in)
    assert formula(efficiency) == pytest.approx(work / heat_in)
    assert hottest == max(corners, key=lambda corner: math.prod(corners[corner]))


CHECKS: dict[tuple[str, int], Callable[[], None]] = {
    ("text", 0): check_train,
    ("text", 1): check_derivative,
    ("text", 3): check_binary,
    ("text", 4): check_ohm,
    ("text", 5): check_quadratic,
    ("text", 7): check_vector_sum,
    ("text", 8): check_rolling_dynamics,
    ("text", 9): check_rolling_energy,
    ("text", 10): check_matrix_exponential,
    ("text", 11): check_stability,
    ("text", 12): check_recurrences,
    ("text", 13): check_buffer,
    ("text", 14): check_anharmonic_oscillator,
    ("text", 15): check_sum_of_uniforms,
    ("mm", 0): check_circuit,
    ("mm", 1): check_beam,
    ("mm", 2): check_inhibition,
    ("mm", 3): check_lens,
    ("mm", 4): check_automaton,
    ("mm", 5): check_titration,
    ("mm", 6): check_filters,
    ("mm", 7): check_cycle,
}


@pytest.mark.parametrize(("split", "row"), CHECKS)
def test_the_references_are_what_a_computation_of_our_own_gives(split: str, row: int) -> None:
    CHECKS[split, row]()


def test_only_the_two_problems_that_ask_for_a_word_are_not_computed() -> None:
    assert sorted(set(ROWS) - set(CHECKS)) == [("text", 2), ("text", 6)]
