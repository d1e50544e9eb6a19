from itertools import combinations

import pytest

from cfe_local.metrics.pass_at_k import pass_at_k

VALUES = [
    # n, c, k, expected, source
    (10, 1, 1, 0.1, "c / n at k = 1"),
    (10, 10, 5, 1.0, "all right"),
    (10, 0, 10, 0.0, "none right"),
    (5, 2, 2, 0.7, "1 - C(3,2)/C(5,2) = 1 - 3/10"),
    (4, 3, 2, 1.0, "fewer than k wrong ones: every draw has a right one"),
    (
        200,
        5,
        100,
        1 - (100 / 200 * 99 / 199 * 98 / 198 * 97 / 197 * 96 / 196),
        "all five right ones among the 100 not drawn",
    ),
]


@pytest.mark.parametrize(("n", "c", "k", "expected", "source"), VALUES)
def test_known_values(n: int, c: int, k: int, expected: float, source: str) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(expected, abs=1e-6), source


@pytest.mark.parametrize("n", range(1, 8))
def test_it_is_the_share_of_draws_with_a_right_sample(n: int) -> None:
    """Against the definition, by listing every draw."""
    for c in range(n + 1):
        for k in range(1, n + 1):
            draws = list(combinations(range(n), k))
            expected = sum(any(i < c for i in draw) for draw in draws) / len(draws)
            assert pass_at_k(n, c, k) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "c", "k"), [(2, 0, 5), (2, 1, 0), (0, 0, 1), (3, 4, 1), (3, -1, 1)])
def test_it_is_undefined_outside_its_range(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match=r"undefined|n_correct"):
        pass_at_k(n, c, k)
