r"""What is restored, and above all what is left alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfe_local.benchmarks.latex_commands import COMMANDS
from cfe_local.benchmarks.repair import (
    EATEN,
    EATEN_NEWLINE,
    LATIN1,
    ROW_SEPARATOR,
    UNICODE,
    UNREADABLE,
    RepairedText,
    repair_text,
)

RESTORED: list[tuple[str, str, dict[str, int]]] = [
    ("$\beta$", r"$\beta$", {EATEN: 1}),
    ("$\frac{1}{2}\times\theta$", r"$\frac{1}{2}\times\theta$", {EATEN: 3}),
    ("$\rho\right)$", r"$\rho\right)$", {EATEN: 2}),
    ("\begin{array}{c}1\\end{array}", r"\begin{array}{c}1\end{array}", {EATEN: 1}),
    ("$\tM$ and $\times$", "$\tM$ and $\\times$", {EATEN: 1}),
    ("$a\neq0$", r"$a\neq0$", {EATEN_NEWLINE: 1}),
    ("field $\nabla\\phi$", r"field $\nabla\phi$", {EATEN_NEWLINE: 1}),
    ("\\( m \neq 4 \\)", r"\( m \neq 4 \)", {EATEN_NEWLINE: 1}),
    ("$\frac{\nu_{21}}{E}$", r"$\frac{\nu_{21}}{E}$", {EATEN: 1, EATEN_NEWLINE: 1}),
    ("$T^{\\mu\nu}=\frac12$", r"$T^{\mu\nu}=\frac12$", {EATEN: 1, EATEN_NEWLINE: 1}),
    # one backslash before a lost command was a row separator
    ("$\begin{x}a\\\rightarrow b\\end{x}$", r"$\begin{x}a\\\rightarrow b\end{x}$", {EATEN: 2, ROW_SEPARATOR: 1}),
    ("$\frac12=a\\\nu_1$", r"$\frac12=a\\\nu_1$", {EATEN: 1, EATEN_NEWLINE: 1, ROW_SEPARATOR: 1}),
    ("cos 60\x00b0 or Poincar\x00e9 duality", "cos 60° or Poincaré duality", {LATIN1: 2}),
    (r"angle \u03b8, index \u00b7", "angle θ, index ·", {UNICODE: 2}),
    ("E \x03\t\x03\t\tM, 3\x7f\x7f", "E \ufffd\t\tM, 3\ufffd", {UNREADABLE: 5}),
    ("n" + "\x00" * 49 + " grid", "n\ufffd grid", {UNREADABLE: 49}),
]  # fmt: skip


@pytest.mark.parametrize(("damaged", "whole", "counts"), RESTORED)
def test_damage_that_is_certain_is_restored_and_counted(damaged: str, whole: str, counts: dict[str, int]) -> None:
    repaired = repair_text(damaged)
    assert repaired.text == whole
    assert repaired.counts == counts


UNTOUCHED = [
    "plain text, $x^2$ and \\frac{1}{2}",
    "a table:\n\tright here\n\tan apple\n\top of it",  # genuine tabs, also before what could be rests of commands
    "line one\r\nrest",
    "i.e.\nu' = 0 and\nu(x) = 1, no formula marks",
    "\\[\nu=\\arccos x\n\\]",  # the line breaks after the display opens
    "$$\nu = 1$$",
    "$$a=1,\\\\\nu_2=3$$",
    "cases:\n\na) one\ne) two\ni.e. three",
    "\u00e9 ° − 漢 🙂",
    r"breve \u{o} and C:\users\u12 and \\u03b8",
    "$a$\nexists only as a word",
]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_genuine_white_space_and_text_stay(text: str) -> None:
    repaired = repair_text(text)
    assert (repaired.text, repaired.counts) == (text, {})


def test_what_may_be_damage_is_told_but_left() -> None:
    repaired = repair_text("\to be, $\frac12\nu\n$, $x\ni$")
    assert repaired.text == "\to be, $\\frac12\\nu\n$, $x\ni$"
    assert repaired.uncertain == ("to", "ni")


@given(
    commands=st.lists(st.sampled_from(sorted(COMMANDS)), min_size=1, max_size=8),
    between=st.sampled_from([" ", "{x}", "_1", "+", "(2)"]),
)
def test_any_formula_of_known_commands_survives_one_level_of_lost_escaping(commands: list[str], between: str) -> None:
    whole = "$" + between.join("\\" + command for command in commands) + between + "$"
    damaged = json.loads(f'"{whole}"')
    assert repair_text(damaged).text == whole
    assert repair_text(damaged).counts == {EATEN: len(commands)}


@given(text=st.text(max_size=200))
def test_repair_is_complete_after_one_pass_and_leaves_no_control_character_but_white_space(text: str) -> None:
    once = repair_text(text)
    assert not {character for character in once.text if ord(character) < 32} - {"\n", "\t", "\r"}
    again = repair_text(once.text)
    assert again.counts.keys() <= {UNICODE}  # a restored backslash may complete an escape, nothing else may follow


@given(
    text=st.text(
        alphabet=st.characters(min_codepoint=32, exclude_categories=["C"], exclude_characters="\\"), max_size=200
    )
)
def test_text_without_control_characters_is_never_changed(text: str) -> None:
    assert repair_text(text) == RepairedText(text)
