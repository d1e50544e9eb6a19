"""The ARB sample: its shape, its rubrics, and its answers computed again."""

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from PIL import Image
from scipy.integrate import solve_ivp

SAMPLE = Path(__file__).resolve().parents[2] / "cfe_local" / "benchmarks" / "arb_sample"
RECORDS: list[tuple[str, dict[str, Any]]] = [
    (f"{path.stem}:{record['Problem Number']}", record)
    for path in sorted(SAMPLE.glob("*.json"))
    for record in json.loads(path.read_text(encoding="utf-8"))
]
BY_LABEL = dict(RECORDS)


def of_kind(*kinds: str) -> pytest.MarkDecorator:
    chosen = [(label, record) for label, record in RECORDS if record["Problem Type"] in kinds]
    return pytest.mark.parametrize("record", [record for _, record in chosen], ids=[label for label, _ in chosen])


def statement(record: dict[str, Any]) -> str:
    text: str = record.get("Problem_Statement") or record["Problem Statement"]
    return text


def answer(record: dict[str, Any]) -> Any:
    return record.get("Final Answer") or record["Final_Answer"]


def test_there_are_at_least_four_problems_of_each_kind_and_both_spellings_of_the_fields() -> None:
    kinds = Counter(record["Problem Type"] for _, record in RECORDS)
    assert kinds == {"Multiple Choice": 4, "Numerical": 5, "Symbolic": 4, "Proof-like": 4}
    names = {name for _, record in RECORDS for name in record}
    assert {"Problem Statement", "Problem_Statement", "Final Answer", "Final_Answer", "Answer Candidates"} <= names
    assert len({record["_id"] for _, record in RECORDS}) == len(RECORDS)


@of_kind("Multiple Choice", "Numerical", "Symbolic", "Proof-like")
def test_every_problem_has_a_reference_solution_and_its_images(record: dict[str, Any]) -> None:
    assert len(statement(record)) > 40
    assert len(record["Solution"]) > 80
    for name in record.get("Images", []):
        with Image.open(SAMPLE / name) as image:
            assert min(image.size) >= 200


@of_kind("Multiple Choice")
def test_the_right_letter_names_one_of_four_different_candidates(record: dict[str, Any]) -> None:
    assert answer(record) in "ABCD"
    assert len(set(record["Answer Candidates"])) == 4


@of_kind("Numerical")
def test_a_numerical_answer_is_what_its_formula_gives_at_the_givens_of_its_statement(record: dict[str, Any]) -> None:
    perturb = record["perturb"]
    filled = re.sub(r"\{(\w+)\}", lambda m: str(perturb["givens"].get(m[1], m[0])), perturb["template"])
    assert filled == statement(record)
    value = sympy.sympify(perturb["formula"], locals={"n": sympy.Symbol("n")})
    value = float(value.subs({sympy.Symbol(name): given for name, given in perturb["givens"].items()}))
    decimals = len(answer(record).split(".")[1])
    assert float(answer(record)) == pytest.approx(value, abs=0.5 * 10.0**-decimals)


@of_kind("Symbolic", "Proof-like")
def test_a_rubric_sums_to_ten_points_and_every_item_is_tied_to_words_of_the_solution(record: dict[str, Any]) -> None:
    assert sum(item["points"] for item in record["rubric"]) == 10
    places = [record["Solution"].find(item["solution_excerpt"]) for item in record["rubric"]]
    assert -1 not in places
    assert places == sorted(places)
    assert all(item["points"] > 0 and item["criterion"] for item in record["rubric"])


# ---------------------------------------------------------------- answers by other means than the solution's


def test_the_expected_number_of_rolls_agrees_with_inclusion_and_exclusion() -> None:
    expected = sum((-1) ** (k + 1) * math.comb(6, k) * 6 / k for k in range(1, 7))
    assert float(answer(BY_LABEL["math_numerical:1"])) == pytest.approx(expected)


def test_the_oscillating_integral_agrees_with_quadrature() -> None:
    x = np.linspace(-2000, 2000, 4_000_001)
    value = np.trapezoid(np.cos(2 * x) / (x**2 + 1.5**2), x)
    assert float(answer(BY_LABEL["math_numerical:2"])) == pytest.approx(value, abs=1e-4)


def test_the_period_of_the_satellite_agrees_with_an_integrated_orbit() -> None:
    gm, radius = 9.81 * 6.371e6**2, 6.771e6

    def motion(_: float, state: np.ndarray) -> list[float]:
        x, y, u, v = state
        pull = -gm / math.hypot(x, y) ** 3
        return [u, v, pull * x, pull * y]

    def below_axis(_: float, state: np.ndarray) -> float:
        return float(state[1])

    below_axis.direction = 1.0  # type: ignore[attr-defined]  # the end of a turn that starts upwards
    start = [radius, 0.0, 0.0, math.sqrt(gm / radius)]
    path = solve_ivp(motion, (0.0, 9000.0), start, events=below_axis, rtol=1e-9, atol=1e-3)
    period = max(path.t_events[0])
    assert float(answer(BY_LABEL["physics_numerical:1"])) == pytest.approx(period / 60, rel=1e-3)


def test_the_scattered_wavelength_conserves_energy_and_momentum() -> None:
    h, m, c = 6.62607015e-34, 9.1093837e-31, 2.99792458e8
    before, after = 71.0e-12, float(answer(BY_LABEL["physics_numerical:2"])) * 1e-12
    p, q = h / before, h / after
    electron = p**2 + q**2 - 2 * p * q * math.cos(math.radians(120))
    gained = (p - q) * c
    assert math.sqrt(electron * c**2 + (m * c**2) ** 2) - m * c**2 == pytest.approx(gained, rel=2e-3)


def test_the_blocks_obey_newtons_law_each() -> None:
    acceleration = float(answer(BY_LABEL["physics_numerical_image:1"]))
    tension = 3.0 * acceleration
    assert 2.0 * 9.8 - tension == pytest.approx(2.0 * acceleration)


def test_the_closed_form_of_the_sum_agrees_term_by_term() -> None:
    assert answer(BY_LABEL["math_symbolic:1"]) == "$n x (1+x)^{n-1}$"
    for n, x in ((1, 0.3), (5, -0.4), (9, 1.7)):
        assert sum(k * math.comb(n, k) * x**k for k in range(n + 1)) == pytest.approx(n * x * (1 + x) ** (n - 1))


def test_the_eigenvalues_agree_with_a_numerical_matrix() -> None:
    assert answer(BY_LABEL["math_symbolic:2"]) == ["$a + (n-1) b$", "$a - b$"]
    a, b, n = 1.3, 0.4, 6
    eigenvalues = np.linalg.eigvalsh(np.full((n, n), b) + (a - b) * np.eye(n))
    assert eigenvalues == pytest.approx([a - b] * (n - 1) + [a + (n - 1) * b])


def test_the_ratio_of_frequencies_is_the_square_root_of_the_curvature_of_the_effective_potential() -> None:
    assert answer(BY_LABEL["physics_symbolic:1"]) == r"$\sqrt{n+2}$"
    r, power, k, mass = 1.7, 3.0, 0.8, 1.1
    momentum_squared = mass * k * r ** (power + 2)
    curvature = 3 * momentum_squared / (mass * r**4) + k * (power - 1) * r ** (power - 2)
    assert math.sqrt(curvature / mass / (momentum_squared / (mass**2 * r**4))) == pytest.approx(math.sqrt(power + 2))


def test_the_field_of_the_disk_agrees_with_a_sum_over_rings() -> None:
    assert (
        answer(BY_LABEL["physics_symbolic:2"])
        == r"$\frac{\sigma}{2\varepsilon_0}\left(1 - \frac{z}{\sqrt{z^2+R^2}}\right)$"
    )
    z, radius = 0.7, 1.9
    s = (np.arange(200_000) + 0.5) * radius / 200_000
    rings = float(np.sum(z * s / (z**2 + s**2) ** 1.5)) * radius / 200_000 / 2
    assert rings == pytest.approx((1 - z / math.sqrt(z**2 + radius**2)) / 2, rel=1e-6)
