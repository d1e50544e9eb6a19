import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfe_local.report.formulas import Formula, Plain, split_formulas

FOUND = [
    # text, formulas found
    ("a $x$ b", ["x"]),
    ("$$x^2$$", ["x^2"]),
    (r"\(a\) and \[b\]", ["a", "b"]),
    ("$ x $", ["x"]),
    (r"cost \$5 and $x$", ["x"]),
    ("between $750 and $900 per day", []),
    ("It costs $5, the other $11. A train has a price of $1.", []),
    ("from $80M/yr, rising in linear fashion to $160M/yr", []),
    ("price of $150 per person, and $x=2$ boats", ["x=2"]),
    ("$a$$b$", ["a", "b"]),
    ("no end $x", []),
    ("$x\n\ny$", []),
    (r"\begin{align} a &= b \\ c &= d \end{align}", [r"\begin{align} a &= b \\ c &= d \end{align}"]),
    (r"$\text{where the mass is large and so on}$", [r"\text{where the mass is large and so on}"]),
    ("$$", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "latex"), FOUND)
def test_formulas_are_found_and_money_is_not(text: str, latex: list[str]) -> None:
    assert [piece.latex for piece in split_formulas(text) if isinstance(piece, Formula)] == latex


@pytest.mark.parametrize(("text", "display"), [("$x$", False), (r"\(x\)", False), ("$$x$$", True), (r"\[x\]", True)])
def test_display_formulas_are_told_from_inline_ones(text: str, display: bool) -> None:
    (piece,) = split_formulas(text)
    assert isinstance(piece, Formula)
    assert piece.display is display


@given(st.text(alphabet="$\\()[]{}ab \n1", max_size=60))
def test_the_pieces_join_to_the_text(text: str) -> None:
    pieces = [p.text if isinstance(p, Plain) else p.written for p in split_formulas(text)]
    assert "".join(pieces) == text


@pytest.mark.parametrize(
    "text", ["$" * 200_000, "\\[" * 100_000, "$a b" * 50_000, "\\begin{align}" * 15_000, "$$x" * 60_000]
)
def test_long_hostile_texts_are_split_in_good_time(text: str) -> None:
    start = time.process_time()
    assert sum(1 for _ in split_formulas(text)) > 0
    assert time.process_time() - start < 3
