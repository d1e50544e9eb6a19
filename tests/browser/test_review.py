"""The review page in a real browser: labelling by keyboard, blind mode, two reviewers, a killed server."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, expect

from cfe_local.config import load_run_config
from cfe_local.pipeline import Silent, run
from cfe_local.review.files import read_labels_file
from cfe_local.review.labels import ReviewLine

from .pages import Watched, review_page, watched_page

N_VARIABLES = 8
"""In the six problems of the run: 1, 1, 1, 2, 2 and, with the image, 2."""


def lines_of(run: Path, reviewer: str) -> list[ReviewLine]:
    text = (run / "labels" / f"{reviewer}.jsonl").read_text(encoding="utf-8")
    return [ReviewLine.model_validate_json(line) for line in text.splitlines()]


def press(watched: Watched, key: str) -> None:
    """Press a key that leads to another page, and wait for that."""
    with watched.page.expect_navigation():
        watched.page.keyboard.press(key)


def test_a_whole_queue_is_labelled_by_keyboard_alone(context: BrowserContext, run_folder: Path) -> None:
    watched = watched_page(context)
    with review_page(run_folder, "ann") as served:
        watched.page.goto(served.address)
        press(watched, "n")
        for key in "121312112"[: N_VARIABLES + 1]:
            press(watched, key)
        expect(watched.page.get_by_role("status")).to_have_text("Everything in this queue is labelled.")
    said = [line.label for line in lines_of(run_folder, "ann")]
    assert said == [{"1": "correct", "2": "incorrect", "3": "unsure"}[key] for key in "121312112"]
    assert watched.console == []
    assert {url for url in watched.requests if not url.startswith(served.address)} == set()


def test_undo_comments_and_movement_work_from_the_keyboard(context: BrowserContext, run_folder: Path) -> None:
    watched = watched_page(context)
    page = watched.page
    with review_page(run_folder, "ann") as served:
        page.goto(f"{served.address}item/3")
        page.keyboard.press("j")
        page.keyboard.press("c")
        page.keyboard.type("1 and 2 are typed here, and label nothing")
        page.keyboard.press("Escape")
        press(watched, "2")
        assert [(line.aspect, line.label) for line in lines_of(run_folder, "ann")] == [("v1", "incorrect")]
        assert "label nothing" in lines_of(run_folder, "ann")[0].comment
        press(watched, "z")
        expect(page.get_by_role("status")).to_have_text("Taken back: the label given last.")
        expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    assert [line.action for line in lines_of(run_folder, "ann")] == ["label", "undo"]
    assert read_labels_file(run_folder / "labels" / "ann.jsonl")[0].history == ()


def test_every_control_has_a_name_and_can_be_reached_with_tab(context: BrowserContext, run_folder: Path) -> None:
    watched = watched_page(context)
    page = watched.page
    with review_page(run_folder, "ann") as served:
        page.goto(f"{served.address}item/0")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the labels"
        names = page.evaluate(
            "[...document.querySelectorAll('button, textarea, a[href], summary, progress, input:not([type=hidden])')]"
            ".map(e => (e.labels && e.labels[0] ? e.labels[0].textContent : e.textContent).trim())"
        )
        assert all(names)
        group = page.get_by_role("group", name="speed")
        group.get_by_role("button", name="unsure").focus()
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
        with page.expect_navigation():
            page.keyboard.press("Enter")
    assert [line.label for line in lines_of(run_folder, "ann")] == ["unsure"]


def test_labelling_works_without_any_script(browser: Browser, run_folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    with review_page(run_folder, "ann") as served:
        page.goto(f"{served.address}item/0")
        page.get_by_role("button", name="incorrect").first.click()
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("link", name="Queue").click()
        expect(page.get_by_role("heading", name="Queue")).to_be_visible()
    context.close()
    assert [line.action for line in lines_of(run_folder, "ann")] == ["label", "undo"]


def test_blind_mode_sends_no_verdict_and_no_word_of_the_judge(context: BrowserContext, run_folder: Path) -> None:
    watched = watched_page(context)
    with review_page(run_folder, "ann") as served:
        watched.page.goto(f"{served.address}item/0")
        expect(watched.page.locator(".evidence")).to_have_count(1)
        expect(watched.page.locator("dt", has_text="extracted")).to_have_count(1)
    with review_page(run_folder, "ann", "--blind") as served:
        watched.page.goto(served.address)
        assert "undecided" not in watched.page.content()
        assert "badge" not in watched.page.content()
        for index in range(6):
            watched.page.goto(f"{served.address}item/{index}")
            content = watched.page.content()
            assert not [
                word for word in ("badge", "evidence", "extracted", "equivalence", "undecided") if word in content
            ]
        press(watched, "1")
    assert lines_of(run_folder, "ann")[-1].blind


def test_two_reviewers_at_once_keep_to_their_own_files(browser: Browser, run_folder: Path) -> None:
    with review_page(run_folder, "ann") as first, review_page(run_folder, "bob") as second:
        pages = [watched_page(browser.new_context()) for _ in range(2)]
        pages[0].page.goto(f"{first.address}item/0")
        pages[1].page.goto(f"{second.address}item/0")
        for _ in range(4):
            press(pages[0], "1")
            press(pages[1], "2")
        for watched in pages:
            watched.page.context.close()
    assert [(line.reviewer, line.label) for line in lines_of(run_folder, "ann")] == [("ann", "correct")] * 4
    assert [(line.reviewer, line.label) for line in lines_of(run_folder, "bob")] == [("bob", "incorrect")] * 4


def test_a_killed_server_loses_no_label_and_a_new_one_goes_on(context: BrowserContext, run_folder: Path) -> None:
    watched = watched_page(context)
    with review_page(run_folder, "ann") as served:
        watched.page.goto(f"{served.address}item/0")
        for _ in range(3):
            press(watched, "1")
        served.kill()
    assert len(lines_of(run_folder, "ann")) == 3
    with review_page(run_folder, "ann") as served:
        watched.page.goto(served.address)
        expect(watched.page.get_by_text("3 of 6 done")).to_be_visible()
        press(watched, "n")
        expect(watched.page.get_by_role("heading", name="text:3")).to_be_visible()


def test_a_benchmark_is_reviewed_with_its_images_and_steps(context: BrowserContext, tmp_path: Path) -> None:
    watched = watched_page(context)
    with review_page("sample", "ann", "--benchmark", "--labels", str(tmp_path)) as served:
        watched.page.goto(f"{served.address}item/16")
        image = watched.page.locator(".question img").first
        assert image.evaluate("image => image.complete && image.naturalWidth > 0")
        expect(watched.page.get_by_role("group", name="Can it be solved only with the image?")).to_be_visible()
        press(watched, "2")
        press(watched, "1")
        press(watched, "1")
        press(watched, "3")
    standing, report = read_labels_file(tmp_path / "ann.jsonl")
    assert report.is_clean
    assert [(line.unit, line.aspect, line.label) for line in standing.history] == [
        ("mm:0", "trivial", "no"),
        ("mm:0", "well-defined", "yes"),
        ("mm:0", "image-needed", "yes"),
        ("mm:0", "step 1 right", "unsure"),
    ]
    assert watched.console == []


def test_points_of_a_proof_are_given_by_their_digits(context: BrowserContext, tmp_path: Path) -> None:
    """Four parts of 2, 3, 3 and 2 points; a 9, which no part has, does nothing."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"split": "math_proof", "row": 0, "text": "Consider $N$."}\n', encoding="utf-8")
    values: dict[str, object] = {"benchmark.path": "arb_sample", "selection.rows": ["math_proof:0"]}
    for role in ("model", "judge"):
        values |= {f"{role}.path": str(answers), f"{role}.engine": "replay"}
    folder = run(load_run_config(None, values=values | {"out": tmp_path / "run"}), Silent()).path
    watched = watched_page(context)
    with review_page(folder, "ann", "--blind") as served:
        watched.page.goto(f"{served.address}item/0")
        expect(watched.page.locator("details.solution")).to_have_attribute("open", "")
        watched.page.keyboard.press("9")
        for key in ("2", "0", "u", "1"):
            press(watched, key)
        expect(watched.page.get_by_role("status")).to_have_text("Everything in this queue is labelled.")
    said = [(line.aspect, line.label) for line in lines_of(folder, "ann")]
    assert said == [("rubric 1", "2"), ("rubric 2", "0"), ("rubric 3", "unsure"), ("rubric 4", "1")]
    assert watched.console == []
