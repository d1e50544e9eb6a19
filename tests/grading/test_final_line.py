"""Reading what stands behind the delimiter: the delimiter's spellings, sub-answers, letters."""

from __future__ import annotations

import time

import pytest

from cfe_local.grading.arithmetic import arithmetic_claims
from cfe_local.grading.final_line import chosen_option, final_line, sub_answers

OPTIONS = ("No, because it was revoked.", "Yes, because it was posted.", "No, only by telephone.", "A fall of the pH")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("So it is.\nANSWER: B", "B"),
        ("**ANSWER:** B", "B"),
        ("**ANSWER: B**", "B"),
        ("**Final Answer:**\n\n\\[\n x^2\n\\]", "x^2"),
        (r"\textbf{ANSWER:} 5", "5"),
        (r"$\text{ANSWER: } 5$", "5"),
        (r"\boxed{ANSWER: 5}", "5"),
        (r"\[\boxed{\text{ANSWER: } \frac{x^2}{2}}\]", r"\frac{x^2}{2}"),
        (r"ANSWER: $\boxed{\frac{x}{2}}$", r"\frac{x}{2}"),
        ("### ANSWER: 5", "5"),
        ("`ANSWER: 3.2`", "3.2"),
        ("*ANSWER*: 4", "4"),
        ("ANSWER： B", "B"),
        ("the last line is ANSWER: 7.", "7"),
        ("Answer: 5.", "5"),
        ("My answer: (B)", "(B)"),
        ("ANSWER:\n\n$$\\frac{1}{2}$$\nQED", r"\frac{1}{2}"),
        ("ANSWER: A\nNo, wait.\nANSWER: C", "C"),
        ("ANSWER: $a$; $b$", "$a$; $b$"),
    ],
)
def test_the_last_delimiter_is_found_in_every_spelling(text: str, value: str) -> None:
    found = final_line(text)
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize(
    "text", ["", "It is B.", "the answer is 5", "ANSWER 5", "ANSWER:", "**ANSWER:**\n\n", "We answer: 5 and go on."]
)
def test_without_a_delimiter_or_anything_behind_it_there_is_no_final_line(text: str) -> None:
    assert final_line(text) is None


def test_a_statement_at_the_end_of_a_cut_response_is_known_as_such() -> None:
    at_end, followed = final_line("ANSWER: 3.1"), final_line("ANSWER: 3.1\nThis")
    assert at_end is not None
    assert followed is not None
    assert (at_end.at_end, followed.at_end) == (True, False)


@pytest.mark.parametrize(
    ("value", "letter"),
    [
        ("B", "B"),
        ("(B)", "B"),
        ("b", "B"),
        ("B.", "B"),
        ("[D]", "D"),
        ("Option C", "C"),
        ("B) Yes, because it was posted.", "B"),
        ("Yes, because it was posted", "B"),
        ("a fall of the pH.", "D"),
        ("The right one is (C)", "C"),
        ("D - A fall of the pH", "D"),
        ("B because it was posted", "B"),
    ],
)
def test_an_option_is_named_by_its_letter_its_text_or_both(value: str, letter: str) -> None:
    found = chosen_option(value, OPTIONS)
    assert found.position == ord(letter) - ord("A")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("A or B", "several options: A, B"),
        ("A, B", "several options: A, B"),
        ("A/B", "several options: A, B"),
        ("B (not A)", "several options: A, B"),
        ("(A) and (C)", "several options: A, C"),
        ("A: Yes, because it was posted.", "names one option and quotes another"),
        ("E", "names none"),
        ("none of them", "names none"),
        ("A question of law", "names none"),
    ],
)
def test_two_letters_or_none_leave_the_choice_open(value: str, why: str) -> None:
    found = chosen_option(value, OPTIONS)
    assert found.position is None
    assert why in found.why


@pytest.mark.parametrize(
    "value",
    [
        "$a+(n-1)b$; $a-b$",
        "(i) $a+(n-1)b$ (ii) $a-b$",
        "$a+(n-1)b$ and $a-b$",
        "$a+(n-1)b$, $a-b$",
        "1. a+(n-1)b; 2. a-b",
    ],
)
def test_sub_answers_come_apart_at_semicolons_labels_and_words(value: str) -> None:
    assert sub_answers(value, 2) == ("a+(n-1)b", "a-b")


@pytest.mark.parametrize("value", ["a", "(a, b)", "1; 2; 3", "$f(x, y)$"])
def test_another_number_of_parts_is_no_set_of_sub_answers(value: str) -> None:
    assert sub_answers(value, 2) is None


@pytest.mark.parametrize(
    "text",
    [
        "ANSWER" + "*" * 20_000,
        "ANSWER:" + "*_`" * 10_000,
        "**" * 20_000 + "ANSWER",
        "\\text{" * 8_000 + "ANSWER",
        "ANSWER: " + "\\boxed{" * 3_000,
        "ANSWER: " + "$" * 20_001,
        "\n" * 50_000,
        "\\(" * 20_000,
        "= 1 1" * 20_000,
        "1 " * 40_000 + "= 2",
        "$$" + "x = " * 20_000,
        " " * 60_000 + "= 3",
    ],
)
def test_hostile_texts_cost_little_time(text: str) -> None:
    start = time.process_time()
    line = final_line(text)
    sub_answers(line.value if line else text[:5000], 2)
    chosen_option(line.value if line else text[:5000], OPTIONS)
    arithmetic_claims(text)
    assert time.process_time() - start < 3
