"""Numbers and truth values in words, in several languages."""

import pytest

from cfe_local.grading.spoken import in_digits, truth_word

# text, the same in digits
SPOKEN = [
    ("十四分之十一", "11/14"),
    ("百分之七十八", "78%"),
    ("一百零五", "105"),
    ("nine in forty", "9/40"),
    ("treize", "13"),
    ("eleven fourteenths", "11/14"),
    ("elf Vierzehntel", "11/14"),
    ("um terço", "1/3"),
    ("три четверти", "3/4"),
    ("two-thirds", "2/3"),
    ("twenty-one", "21"),
    ("soixante-douze", "72"),
    ("zweiundsiebzig Kilometer pro Stunde", "72 km/h"),
    ("zwei Meter pro Sekunde", "2 m/s"),
    ("three volts", "3 volt"),
    ("exactly two per point", "2"),
    ("two and three", "2 and 3"),
]


@pytest.mark.parametrize(("text", "digits"), SPOKEN)
def test_number_words_are_written_in_digits(text: str, digits: str) -> None:
    assert in_digits(text) == digits


@pytest.mark.parametrize("text", ["x = 5", "no such algorithm", "one of the roots", "un algorithme", r"\\three", "13"])
def test_a_text_without_number_words_stays_as_it_is(text: str) -> None:
    assert in_digits(text) is None


@pytest.mark.parametrize(
    ("word", "truth"), [("vrai", "true"), ("falsch.", "false"), ("«верно»", "true"), ("true enough", None), ("S", None)]
)
def test_a_word_for_true_or_false_is_read_only_when_it_stands_alone(word: str, truth: str | None) -> None:
    assert truth_word(word) == truth
