from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from rich.console import Console

from cfe_local.benchmarks.table import render_table
from cfe_local.benchmarks.validate import ValidationReport, validate_benchmark
from cfe_local.errors import BenchmarkError
from tests.benchmarks.folders import ROW, question, row, write_benchmark, write_image, write_provenance


def codes(report: ValidationReport) -> set[tuple[str, str]]:
    return {(finding.level, finding.code) for finding in report.findings}


def target(
    value: str, kind: str = "formula", name: str = "v", *, told: str = "What is asked.", asked: str = ""
) -> dict[str, Any]:
    return row(
        question=question(asked or ROW["question"]["text"]),
        short_answer_value=[value],
        short_answer_type=[kind],
        short_answer_variable=[name],
        short_answer_description=[told],
    )


def test_a_clean_benchmark_has_counts_and_no_warning(tmp_path: Path) -> None:
    image = write_image(tmp_path, "cart.png")
    other = row(id="b" * 64, question=question("Where does the beam <image> bend most under its own weight?", image))
    write_benchmark(tmp_path, text=[ROW], mm=[other | {"short_answer_value": ["$\\sqrt{a+b+c+d}$"]}])
    write_provenance(tmp_path, [{"id": "a" * 64, "subset": "text"}, {"id": "b" * 64, "subset": "mm"}])
    report = validate_benchmark(tmp_path)
    assert codes(report) == {("info", "short_question")}
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 0)
    counts = report.counts
    assert (counts.rows, counts.distinct_ids, counts.variables, counts.steps) == (2, 2, 2, 4)
    assert (counts.images, counts.image_references, counts.repairs) == (1, 1, 0)
    assert counts.rows_by_split == {"text": 1, "mm": 1}
    assert {file.path for file in report.files} == {"CFE_text.json", "CFE_mm.json", "PROVENANCE.csv", image}


def test_warnings_end_with_1_only_where_strict_and_errors_with_2_always(tmp_path: Path) -> None:
    report = validate_benchmark(write_benchmark(tmp_path / "twice", text=[ROW, ROW]))
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)
    report = validate_benchmark(write_benchmark(tmp_path / "broken", text=[ROW, row(short_answer_type=["?"])]))
    assert (report.exit_code(), report.exit_code(strict=True)) == (2, 2)


def test_one_broken_row_or_file_hides_nothing_else(tmp_path: Path) -> None:
    write_benchmark(tmp_path, text=[row(id=5), row(short_answer_value=[1.5]), ROW, ROW])
    (tmp_path / "CFE_mm.json").write_text("[{]")
    report = validate_benchmark(tmp_path)
    assert {("error", "wrong_shape"), ("error", "non_string_value"), ("error", "unreadable_file")} <= codes(report)
    assert ("warning", "repeated_id") in codes(report)
    assert report.counts.rows == 4
    assert report.counts.variables == 2
    assert [finding.row for finding in report.of_code("non_string_value")] == [1]
    assert report.findings[0].level == "error"


def test_a_folder_without_any_split_is_an_error_of_the_call(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="holds no benchmark"):
        validate_benchmark(tmp_path)


FOUND: list[tuple[str, dict[str, Any], str, str]] = [
    ("eaten commands", row(question=question("what is $\beta$ " * 9)), "warning", "eaten_backslash"),
    ("commands eaten to newlines", row(question=question("$a\neq0$ " * 9)), "warning", "eaten_newline_command"),
    ("halved separators", row(question=question("\begin{matrix}1\\2\\end{matrix}")), "warning", "lost_row_separator"),
    ("restored separators", row(answer={"text": "$a\\\frac12$"}), "warning", "row_separator"),
    ("control characters", row(answer={"text": "n\x00"}), "warning", "unreadable_control_characters"),
    ("tabs that may be damage", row(answer={"text": "it\tan"}), "warning", "uncertain_damage"),
    ("a character lost earlier", row(answer={"text": "\ufffd"}), "warning", "replacement_character"),
    ("literal escapes", row(question=question("one line\\n two lines")), "warning", "literal_escape"),
    ("an eaten name", target("$1$", name="u_{21}", asked="$\frac{\nu_{21}}{2}$"), "warning", "damaged_variable_name"),
    ("a control character in a name", target("$1$", name="\beta"), "error", "damaged_variable_name"),
    ("an open formula", row(question=question("it costs $5")), "info", "odd_dollar_count"),
    ("an HTML table", row(question=question("<table><tr>")), "info", "html_table"),
    ("letters set apart", row(question=question(r"\mathrm{f o r}")), "info", "letter_spaced_command"),
    ("full-width characters", row(question=question("x，y")), "info", "cjk_character"),
    ("a Unicode minus", row(question=question("x −1")), "info", "unicode_minus"),
    ("Greek letters", row(question=question("ω")), "info", "non_ascii"),
    ("a long question", row(question=question("x" * 4001)), "info", "long_question"),
    ("a value over several lines", target("$a\n+b$"), "info", "newline_in_value"),
    ("a value with blanks around", target(" $ab$"), "info", "blank_around_value"),
    ("no description", target("$ab$", told=" "), "warning", "empty_description"),
    ("a name that is no identifier", target("$ab$", name="K(y=0)"), "info", "name_is_no_identifier"),
    ("a formula that is a number", target(r"$\frac{259}{48}$"), "info", "formula_is_constant"),
    ("a formula that is an interval", target(r"$[4,\infty)$"), "info", "formula_is_constant"),
    ("a formula that is a label", target("$y_2[n]$"), "info", "formula_is_bare_symbol"),
    ("half a relation", target(r"$\le x+1$"), "info", "relation_without_left_side"),
    ("dollars in odd places", target(r"$a$, $b$"), "info", "dollar_layout"),
    ("a numeric with a power of ten", target("2.8·10^16", "numeric"), "info", "numeric_not_plain"),
    ("a number among the others", target("15,000 lb", "other"), "info", "other_is_number"),
    ("a number with letters joined", target("6m", "other"), "info", "other_is_formula"),
    ("a formula among the others", target(r"\frac{\pi}{3}\approx1", "other"), "info", "other_is_formula"),
    ("a thickness in W/m^2", target("3.5e-3 W/m^2", "other", "copper_thickness"), "warning", "wrong_unit"),
    ("a speed in seconds", target("12 s", "other", "final speed"), "warning", "wrong_unit"),
    ("step ids out of order", row(reasoning_flow=[ROW["reasoning_flow"][1]]), "warning", "step_ids"),
    ("a step asked twice", row(reasoning_flow=[ROW["reasoning_flow"][0]] * 2), "warning", "repeated_step"),
    ("no steps", row(reasoning_flow=[]), "info", "no_steps"),
    ("a result to show", target("$a+2bc$", asked="show $a + 2 b c$"), "warning", "value_in_question"),
    ("an option", target("virtual", "other", asked="is it real or virtual?"), "info", "value_in_question"),
    ("an answer told", target("upward", "other", told="It points upward."), "warning", "value_in_description"),
    ("options told", target("upward", "other", told="Either upward or down."), "info", "value_in_description"),
    ("a mark without image", row(question=question("see <image>")), "warning", "image_marks"),
    ("an unknown key", row(note="x"), "warning", "unknown_key"),
    ("images of the solution", row(answer={"text": "x", "images": ["a.jpg"]}), "info", "solution_images"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "raw", "level", "code"), FOUND, ids=[line[0] for line in FOUND])
def test_what_a_row_can_have_is_found_at_its_place(
    tmp_path: Path, what: str, raw: dict[str, Any], level: str, code: str
) -> None:
    report = validate_benchmark(write_benchmark(tmp_path, text=[ROW, raw | {"id": "c" * 64}]))
    found = [finding for finding in report.of_code(code) if finding.level == level]
    assert [(finding.split, finding.row, finding.problem_id) for finding in found][:1] == [("text", 1, "c" * 64)], what
    assert all(finding.field for finding in found)
    assert code not in {finding.code for finding in report.findings if finding.row == 0} - {"short_question"}


NOT_FOUND: list[tuple[str, dict[str, Any], str]] = [
    ("a height as an angle", target("0.12 rad", "other", "pitch_height", told="in units of angle"), "wrong_unit"),
    ("a unit nobody knows", target("20 mu", "other", "distance"), "wrong_unit"),
    ("a weight in pounds", target("450 lb", "other", "contact_force"), "wrong_unit"),
    ("a mass in electron volts", target("125 GeV", "other", "boson_mass"), "wrong_unit"),
    ("centimetres", target("2.5 cm", "other", "focal_length"), "wrong_unit"),
    ("a formula with symbols", target(r"$\frac{g}{2}$"), "formula_is_constant"),
    ("prose", target("No oscillations occur.", "other"), "other_is_formula"),
    ("booleans in the description", target("true", "other", told="true or false"), "value_in_description"),
    ("a short symbol in the question", target("$m$", asked="a mass $m$ falls"), "value_in_question"),
    ("a paid sum", row(question=question(r"it costs \$5")), "odd_dollar_count"),
    (r"a restored command before n", row(question=question(r"\not \rho \tau")), "literal_escape"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "raw", "code"), NOT_FOUND, ids=[line[0] for line in NOT_FOUND])
def test_what_only_looks_like_it_is_not_found(tmp_path: Path, what: str, raw: dict[str, Any], code: str) -> None:
    report = validate_benchmark(write_benchmark(tmp_path, text=[raw]))
    assert report.of_code(code) == (), what


def test_repeated_ids_say_what_differs_between_the_copies(tmp_path: Path) -> None:
    copies = [ROW, row(reasoning_flow=[]), row(id="b" * 64)]
    report = validate_benchmark(write_benchmark(tmp_path, text=copies))
    (finding,) = report.of_code("repeated_id")
    assert (finding.row, finding.message) == (1, "the id stands at text:0 already, differing in reasoning_flow")
    assert report.counts.distinct_ids == 2


def test_the_same_problem_under_two_ids_is_found_by_question_and_by_reference(tmp_path: Path) -> None:
    reworded = row(id="b" * 64, question=question("Another story altogether, about a bead on a wire without friction."))
    reworded["short_answer_value"] = [r"$v = \sqrt{2 \, g h} $"]
    longer = row(id="c" * 64, question=question(ROW["question"]["text"] + " Give it in metres per second."))
    longer["short_answer_value"] = ["$7$"]
    report = validate_benchmark(write_benchmark(tmp_path, text=[ROW, reworded, longer]))
    (similar,) = report.of_code("similar_question")
    assert (similar.row, "text:0" in similar.message) == (2, True)


def test_references_that_differ_in_layout_only_count_as_the_same(tmp_path: Path) -> None:
    one = target(r"$\left(\frac{k_{+}}{k_{-}}\right)^{2} + 1$")
    other = target(r"$T = \left(\tfrac{k_+}{k_-}\right)^2+1$") | {"id": "b" * 64}
    report = validate_benchmark(write_benchmark(tmp_path, text=[one, other]))
    assert [finding.row for finding in report.of_code("same_reference")] == [1]


# ---------------------------------------------------------------- images


def test_every_kind_of_image_trouble_is_found(tmp_path: Path) -> None:
    fine = write_image(tmp_path, "fine.png")
    tiny = write_image(tmp_path, "tiny.png", size=(418, 30), colour="blue")
    odd = write_image(tmp_path, "odd(1).png", colour="green")
    write_image(tmp_path, "unused.png", colour="white")
    copy = write_image(tmp_path, "copy.png")
    (tmp_path / "images" / "text.jpg").write_text("not an image")
    whole = (tmp_path / fine).read_bytes()
    (tmp_path / "images" / "cut.png").write_bytes(whole[: len(whole) // 2])
    Image.new("L", (50, 50)).save(tmp_path / "images" / "grey.jpg", "PNG")
    rotated = Image.Exif()
    rotated[0x0112] = 6
    Image.new("RGB", (50, 50)).save(tmp_path / "images" / "rotated.jpg", exif=rotated)
    names = [
        fine,
        tiny,
        odd,
        "images/text.jpg",
        "images/cut.png",
        "images/grey.jpg",
        "images/rotated.jpg",
        "images/no.png",
    ]
    rows = [row(id=f"{n}" * 64, question=question("see <image>", name)) for n, name in enumerate(names)]
    rows.append(row(id="9" * 64, question=question("see <image> <image>", copy, copy)))
    report = validate_benchmark(write_benchmark(tmp_path, mm=rows))
    found = {code: [finding.row for finding in report.of_code(code)] for _, code in codes(report) if "image" in code}
    assert found == {
        "tiny_image": [1],
        "long_image": [1],
        "odd_image_name": [2],
        "corrupt_image": [3, 4],
        "image_mode": [5],
        "image_suffix": [5],
        "image_rotated": [6],
        "missing_image": [7],
        "shared_image": [0],
        "image_twice": [8],
        "unused_image": [None],
    }
    assert report.exit_code() == 2
    assert report.counts.images == 8
    assert report.counts.image_references == 9


def test_an_image_path_out_of_the_folder_is_an_error_and_reads_nothing(tmp_path: Path) -> None:
    write_image(tmp_path, "secret.png")
    folder = write_benchmark(tmp_path / "b", mm=[row(question=question("x <image>", "../images/secret.png"))])
    report = validate_benchmark(folder)
    assert [finding.code for finding in report.of_level("error")] == ["unsafe_image_path"]
    assert report.counts.images == 0


def test_provenance_that_does_not_fit_is_told(tmp_path: Path) -> None:
    write_benchmark(tmp_path, text=[ROW])
    assert validate_benchmark(tmp_path).of_code("provenance")[0].level == "info"
    write_provenance(tmp_path, [{"id": "f" * 64, "subset": "text"}])
    messages = [finding.message for finding in validate_benchmark(tmp_path).of_code("provenance")]
    assert messages == [
        "PROVENANCE.csv has no entry for this id",
        "PROVENANCE.csv lists an id that the split does not have",
    ]


# ---------------------------------------------------------------- output


def test_the_report_survives_json(tmp_path: Path) -> None:
    report = validate_benchmark(write_benchmark(tmp_path, text=[ROW, row(question=question("\beta \x00 <image>"))]))
    assert ValidationReport.model_validate_json(report.model_dump_json()) == report
    assert json.loads(report.model_dump_json())["counts"]["rows"] == 2


def printed(report: ValidationReport) -> str:
    console = Console(width=160, file=io.StringIO())
    with console.capture() as captured:
        console.print(render_table(report))
    return captured.get()


def test_the_table_shows_counts_kinds_and_every_error_in_full(tmp_path: Path) -> None:
    report = validate_benchmark(write_benchmark(tmp_path, text=[ROW, ROW, row(short_answer_type=["vector"])]))
    shown = printed(report)
    for expected in ("rows", "repeated_id", "unknown type 'vector'", "cannot be used: 1 errors, 1 warnings", "text:2"):
        assert expected in shown


def test_text_of_a_benchmark_cannot_style_the_table(tmp_path: Path) -> None:
    report = validate_benchmark(write_benchmark(tmp_path, text=[target("$ab$", name="[bold red]x[/nope]")]))
    assert "[bold red]x[/nope]" in printed(report)


def test_the_sample_benchmark_is_usable_and_warns_of_nothing() -> None:
    report = validate_benchmark(Path("sample"))
    assert report.exit_code(strict=True) == 0
    assert report.counts.rows == 24
