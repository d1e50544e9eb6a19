"""Prompt templates: strict, images in place, digests."""

import hashlib
from pathlib import Path

import pytest

import cfe_local.prompts
from cfe_local.errors import UsageError
from cfe_local.prompts import render, render_message, template_digests, template_names
from cfe_local.records import ImagePart, TextPart

EXTRACT = {
    "question": "How long?",
    "variables": [{"field": "v1", "name": "t", "description": "the time"}],
    "mark": "abc",
    "response": "It takes 3 s.",
    "reason": "",
}


def test_a_template_shows_what_it_was_given() -> None:
    text = render("judge_extract", **EXTRACT)
    assert "How long?" in text
    assert "v1: t (the time)" in text
    assert "<<abc>>\nIt takes 3 s.\n<<abc>>" in text


def test_a_missing_value_is_an_error_and_never_a_hole() -> None:
    with pytest.raises(UsageError, match="'mark' is undefined"):
        render("judge_extract", **{key: value for key, value in EXTRACT.items() if key != "mark"})


def test_an_unknown_template_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="judge_extract"):
        render("judge_extrakt")


def test_nothing_is_escaped_as_in_html() -> None:
    assert r"a < b & \frac{1}{2}" in render("judge_extract", **{**EXTRACT, "response": r"a < b & \frac{1}{2}"})


def test_images_stay_where_the_text_has_them() -> None:
    one, two = (ImagePart(path=f"/{name}.png", sha256=hashlib.sha256(name.encode()).hexdigest()) for name in "ab")
    question = (TextPart(text="See "), one, TextPart(text=" and "), two, TextPart(text=". How long?"))
    message = render_message("user", "judge_extract", parts={"question": question}, **{**EXTRACT, "question": ""})
    kinds = [part.kind for part in message.parts]
    assert kinds == ["text", "image", "text", "image", "text"]
    assert message.parts[1] == one
    assert message.parts[3] == two
    first, last = message.parts[0], message.parts[4]
    assert isinstance(first, TextPart)
    assert isinstance(last, TextPart)
    assert first.text.endswith("See ")
    assert last.text.startswith(". How long?")


def test_a_value_cannot_pretend_to_be_a_slot() -> None:
    with pytest.raises(UsageError, match="U\\+E000"):
        render_message("user", "judge_extract", parts={}, **{**EXTRACT, "response": "\ue000question\ue001"})


def test_digests_are_those_of_the_files() -> None:
    folder = Path(cfe_local.prompts.__file__).parent
    digests = template_digests()
    assert set(digests) == set(template_names())
    for name, digest in digests.items():
        assert digest == hashlib.sha256((folder / f"{name}.jinja").read_bytes()).hexdigest()
