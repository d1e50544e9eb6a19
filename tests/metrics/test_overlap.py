"""Overlap of texts in words, against hand-counted cases and its own definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfe_local.metrics.overlap import common_run, common_subsequence, rouge_l, words_of


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # Lin 2004, section 3: "police kill the gunman" has a common subsequence of 2 of 4 words.
        ("police killed the gunman", "police kill the gunman", 0.75),
        ("police killed the gunman", "the gunman kill police", 0.5),
        ("a b c d", "a b c d", 1.0),
        ("a b c d", "e f g h", 0.0),
        ("a b", "a b c d e f", 0.5),
        ("", "a", 0.0),
        ("a", "", 0.0),
    ],
)
def test_rouge_l_is_the_f_measure_of_the_common_subsequence(reference: str, candidate: str, expected: float) -> None:
    assert rouge_l(reference.split(), candidate.split()) == pytest.approx(expected)


def test_words_are_told_from_signs_and_commands() -> None:
    assert words_of(r"Find $\frac{x}{2}$, Now!") == [
        "find",
        "$",
        r"\frac",
        "{",
        "x",
        "}",
        "{",
        "2",
        "}",
        "$",
        ",",
        "now",
        "!",
    ]


def test_a_run_has_no_gaps_and_a_subsequence_may() -> None:
    first, second = list("abcxd"), list("abycd")
    assert (common_run(first, second), common_subsequence(first, second)) == (2, 4)


letters = st.lists(st.sampled_from("abc"), max_size=12)


@given(letters, letters)
def test_overlap_is_symmetric_bounded_and_a_run_is_a_subsequence(first: list[str], second: list[str]) -> None:
    assert common_subsequence(first, second) == common_subsequence(second, first)
    assert common_run(first, second) == common_run(second, first)
    assert common_run(first, second) <= common_subsequence(first, second) <= min(len(first), len(second))
    assert 0 <= rouge_l(first, second) <= 1
