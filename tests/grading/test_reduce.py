"""Shortening over-long responses by the stated rule."""

from cfe_local.grading.reduce import GAP, estimated_tokens, reduced

FILLER = "This line of the derivation says nothing about any of it.\n"


def test_a_response_that_fits_is_left_alone() -> None:
    assert reduced("x = 3", ["x"], max_tokens=100) == reduced("x = 3", [], max_tokens=3)
    assert reduced("x = 3", ["x"], max_tokens=100).n_left_out == 0


def test_the_end_and_what_mentions_a_variable_stay() -> None:
    text = FILLER * 40 + "Hence omega_1 = 5 rad/s.\n" + FILLER * 200 + r"\boxed{7}" + "\n" + FILLER * 40 + "The end."
    short = reduced(text, ["omega_1"], max_tokens=800)
    assert "omega_1 = 5 rad/s" in short.text
    assert r"\boxed{7}" in short.text
    assert short.text.endswith("The end.")
    assert GAP in short.text
    assert estimated_tokens(short.text) <= 880
    assert short.n_left_out == len(text) - len(short.text.replace(f"{GAP}\n", ""))


def test_one_endless_line_keeps_its_end() -> None:
    short = reduced("a b " * 20_000 + "x = 3", ["x"], max_tokens=500)
    assert short.text.endswith("x = 3")
    assert estimated_tokens(short.text) <= 550
    assert short.n_left_out > 70_000
