import base64
import hashlib
import os
import random
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cfe_local.metrics import ExamRecords
from cfe_local.records import Key, Problem, Response, Verdict
from cfe_local.report.html import content_policy, render_html
from cfe_local.report.images import embedded_images, linked_images
from cfe_local.report.page import PageLimits
from tests.report.runs import facts, key_of, problem, records_of, report_of, response, three_problems, verdict

VOID = {"meta", "img", "input", "br"}
URL_ATTRIBUTES = {"href", "src", "action", "formaction", "data", "poster", "srcset", "xlink:href"}
SVG_VOID = {"line", "rect", "circle"}


class Page(HTMLParser):
    """Every start tag with its attributes, and whether tags are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> out of order"

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def check_page(html: str) -> Page:
    """No script, no frame, no event handler, no style attribute, no address but images and anchors; well nested."""
    page = Page(html)
    assert page.open == []
    for tag, attributes in page.tags:
        assert tag not in {"script", "iframe", "object", "embed", "form", "link", "base", "foreignobject"}, tag
        assert not [name for name in attributes if name.startswith("on") or name == "style"], (tag, attributes)
        for name in URL_ATTRIBUTES & attributes.keys():
            assert attributes[name].startswith(("#", "data:image/")), (tag, name, attributes[name])
    return page


HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</details></div></section></main></body></html><h1>owned</h1>",
    '<img src=x onerror="alert(1)">',
    "<svg onload=alert(1)><animate onbegin=alert(1)>",
    '<a href="javascript:alert(1)">x</a> [x](javascript:alert(1))',
    "{{ 7*7 }} {% raw %} {{ report }}",
    "--> ]]> <!-- <![CDATA[",
    '"><input autofocus onfocus=alert(1)>',
    "$\\text{</math><script>alert(1)</script>}$ $$\\href{javascript:alert(1)}{x}$$",
    "\u202eevil\u2066 text \x00 \x1b[31m \ud800 \U000e0041",
    "$\\frac{1}{ $ \\[ \\( $$ \\begin{align}",
    "<style>*{display:none}</style><base href=//evil>",
    "<table><tr><td onclick=alert(1)><script>alert(1)</script></td></tr></table>",
    "y" * 200_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=[text[:20].encode("ascii", "replace").decode() for text in HOSTILE])
def test_hostile_texts_neither_run_nor_break_the_page(text: str) -> None:
    base = problem(0, text)
    variable = base.variables[0].model_copy(update={"name": text[:300], "description": text, "value": text})
    one = base.model_copy(update={"variables": (variable,), "topic": text, "problem_id": text[:64]})
    other = problem(1)
    responses = [response(one, text, thinking=text), response(other)]
    records = records_of([one, other], responses, [verdict(one, says=text), verdict(other)])
    html = render_html(report_of(records))
    html.encode("utf-8")
    page = check_page(html)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b]", html)
    shown = "".join(page.text)
    if text.startswith(("<script>", "<img", "{{ 7*7")):
        assert text in shown, "what the model said must be readable"


def test_a_hidden_character_is_shown_by_its_name() -> None:
    one = problem()
    html = render_html(report_of(records_of([one], [response(one, "a\u202eb")], [verdict(one)])))
    assert "a⟨U+202E⟩b" in html


def test_long_texts_are_cut_with_a_note() -> None:
    one = problem()
    records = records_of([one], [response(one, "z" * 900, thinking="t" * 500)], [verdict(one)])
    html = render_html(report_of(records), limits=PageLimits(response_chars=600, thinking_chars=400))
    assert "z" * 600 + "<" in html
    assert "300 more characters are in responses.jsonl" in html
    assert "100 more characters are in responses.jsonl" in html


def test_formulas_of_answers_stop_where_the_page_would_grow_too_large() -> None:
    one = problem()
    records = records_of([one], [response(one, "$a$ $b$ $c$ $d$")], [verdict(one)])
    html = render_html(report_of(records), limits=PageLimits(answer_mathml=60))
    check_page(html)
    assert '<code class="tex">$d$</code>' in html
    assert "2 formulas in later answers stand as they were written" in html


def test_thinking_can_be_left_out() -> None:
    one = problem()
    records = records_of([one], [response(one, thinking="a private thought")], [verdict(one)])
    assert "a private thought" in render_html(report_of(records))
    assert "a private thought" not in render_html(report_of(records), limits=PageLimits(thinking_chars=0))


def test_the_page_shows_figures_verdicts_and_evidence() -> None:
    html = render_html(report_of(three_problems()))
    page = check_page(html)
    shown = " ".join("".join(page.text).split())
    assert "Question accuracy 33.3 % 95 %: 6.1–79.2 · 1/3" in shown
    assert "little on bench" in shown
    assert "decided by equivalence: same number" in shown
    assert "both read as 2" in shown
    assert "The response says 2." in shown
    for mark in ("correct", "incorrect", "undecided"):
        assert f'<details class="problem {mark}">' in html
    assert html.count("<math>") >= 6


def test_tokens_that_nobody_counted_are_not_shown_as_none() -> None:
    one = problem()
    uncounted = response(one).model_copy(update={"n_prompt_tokens": 0, "n_answer_tokens": 0, "seconds": 0.0})
    assert "0 answer tokens" not in render_html(report_of(records_of([one], [uncounted], [verdict(one)])))
    assert "120 answer tokens" in render_html(report_of(records_of([one], [response(one)], [verdict(one)])))


def test_every_sample_is_shown_up_to_the_limit() -> None:
    one = problem()
    responses = [response(one, f"answer {i}", sample=i) for i in range(6)]
    verdicts = [verdict(one, sample=i) for i in range(6)]
    html = render_html(report_of(records_of([one], responses, verdicts)), limits=PageLimits(samples=4))
    check_page(html)
    assert "answer 3" in html
    assert "answer 4" not in html
    assert "2 more samples are in responses.jsonl" in html


def test_the_content_policy_allows_this_style_sheet_and_nothing_else() -> None:
    html = render_html(report_of(three_problems()))
    style = re.search("<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style.group(1).encode()).digest()).decode()
    assert f"style-src &#39;sha256-{digest}&#39;" in html
    assert content_policy("x").startswith("default-src 'none'")
    assert "script-src" not in html
    assert "url(" not in style.group(1)
    assert "@import" not in style.group(1)


def test_images_are_embedded_linked_or_named(tmp_path: Path) -> None:
    png = tmp_path / "images" / "a (1).png"
    png.parent.mkdir()
    png.write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 100)
    one = problem(image=str(png))
    report = report_of(records_of([one], [response(one)], [verdict(one)]))
    embedded = render_html(report, images=embedded_images())
    check_page(embedded)
    assert 'src="data:image/png;base64,' in embedded
    assert 'src="images/a%20%281%29.png"' in render_html(report, images=linked_images(tmp_path))
    assert '<span class="missing">image a (1).png</span>' in render_html(report)


def test_images_that_would_make_the_page_too_large_are_named(tmp_path: Path) -> None:
    png = tmp_path / "a.png"
    png.write_bytes(b"\x89PNG" + b"0" * 1000)
    one = problem(image=str(png))
    report = report_of(records_of([one], [response(one)], [verdict(one)]))
    assert '<span class="missing">' in render_html(report, images=embedded_images(max_bytes=500))


def test_a_file_that_is_no_image_is_not_embedded(tmp_path: Path) -> None:
    page = tmp_path / "a.png"
    page.write_text("<svg onload=alert(1)>")
    one = problem(image=str(page))
    report = report_of(records_of([one], [response(one)], [verdict(one)]))
    assert '<span class="missing">' in render_html(report, images=embedded_images())


def test_tables_in_a_question_are_rebuilt_from_their_cells_alone() -> None:
    one = problem(0, '<table border=1 onclick="x"><tr><td colspan="2" style="x">a $x$</td><td>b<br>c</td></tr></table>')
    html = render_html(report_of(records_of([one], [response(one)], [verdict(one)])))
    check_page(html)
    assert re.search(
        r'<table class="given"><tr><td colspan="2">a <math>.*?</math></td><td>b&lt;br&gt;c</td></tr></table>', html
    )


def test_a_run_without_samples_still_makes_a_page() -> None:
    check_page(render_html(report_of(ExamRecords(problems=[], planned=[], responses=[], verdicts=[]))))


@pytest.mark.real_benchmark
def test_size_and_time_on_the_published_benchmark() -> None:
    """449 problems with responses of about 3,000 characters and 40 formulas each: under 15 MB and 20 s."""
    from cfe_local.benchmarks.cfe import load_cfe

    if "CFE_BENCH_DIR" not in os.environ:
        pytest.skip("set CFE_BENCH_DIR to the folder of the published benchmark")
    problems = load_cfe(Path(os.environ["CFE_BENCH_DIR"])).problems
    random_numbers = random.Random(0)
    responses = [Response(key=key_of(p), outcome="answered", text=long_answer(random_numbers)) for p in problems]
    verdicts = [v for p in problems for v in verdicts_of(p, key_of(p))]
    report = report_of(records_of(problems, responses, verdicts), facts(version="CFE-Bench 1.0.0"))
    start = time.process_time()
    html = render_html(report)
    took = time.process_time() - start
    check_page(html)
    assert len(html.encode()) < 15_000_000
    assert took < 20, took


def long_answer(random_numbers: random.Random) -> str:
    """About 3,000 characters with 40 formulas that no other answer has."""
    lines = []
    for step in range(20):
        a, b = random_numbers.randint(1, 10**6), random_numbers.randint(1, 10**6)
        lines.append(f"Step {step}: with $x_{{{step}}} = \\frac{{{a}}}{{{b}}}$ the balance of forces gives us")
        lines.append(f"$$\\int_0^{{{a}}} \\sqrt{{1 + \\alpha x^2}}\\,dx = {b}\\,\\mathrm{{kg\\,m^2}}$$")
    return "\n".join(lines)


def verdicts_of(one: Problem, key: Key) -> list[Verdict]:
    template = verdict(one)
    return [template.model_copy(update={"key": key, "variable": i}) for i in range(len(one.variables))]
