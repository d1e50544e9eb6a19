"""Cutting mathematics into pieces: nothing is lost, nothing is cut in two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfe_local.grading.chunks import chunks

# text, a piece that must stay whole. Source: ways in which copied values were seen damaged.
WHOLE = [
    (r"\frac{1}{2}", r"\frac"),
    ("about 35.5 m", "35.5"),
    ("in total 12,500 people", "12,500"),
    ("0x00001264", "0x00001264"),
    ("moment = -0.65", "-0.65"),
    (r"$-\frac{E_0}{7}$", r"-\frac"),
    ("x = −3", "−3"),
    ("Die Aufgabe ist unlösbar", "unlösbar"),
]


@pytest.mark.parametrize(("text", "piece"), WHOLE)
def test_a_number_word_command_or_sign_stays_whole(text: str, piece: str) -> None:
    assert piece in chunks(text)


def test_a_binary_minus_stands_alone() -> None:
    assert "-" in chunks("a-b")
    assert "-" in chunks("3 - 5")


def test_characters_of_scripts_without_blanks_are_pieces_of_their_own() -> None:
    assert chunks("概率为高") == ["概", "率", "为", "高"]


def test_a_number_in_chinese_words_stays_whole() -> None:
    assert chunks("概率为十四分之十一。") == ["概", "率", "为", "十四分之十一", "。"]


@given(st.text(alphabet=st.sampled_from("ab01.,-−=\\frac{}()$ \n十é"), max_size=60))
def test_the_pieces_make_up_the_text_again(text: str) -> None:
    assert "".join(chunks(text)) == text
