from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from cfe_local.benchmarks import first_copies, load_cfe, select
from cfe_local.benchmarks.cfe import interleave
from cfe_local.config.run import SelectionConfig
from cfe_local.errors import BenchmarkError, UsageError
from cfe_local.records import ImagePart
from tests.benchmarks.folders import ROW, question, row, write_benchmark, write_image, write_provenance


def test_a_row_becomes_a_problem_with_everything_it_says(tmp_path: Path) -> None:
    write_benchmark(tmp_path, text=[ROW])
    write_provenance(
        tmp_path, [{"id": ROW["id"], "subset": "text", "source_url": "u", "topic": "Physics", "license": "CC BY 4.0"}]
    )
    (problem,) = load_cfe(tmp_path).problems
    assert problem.label == "text:0"
    assert problem.question_text == ROW["question"]["text"]
    assert problem.solution == ROW["answer"]["text"]
    assert problem.variables[0].model_dump() == {
        "name": "v",
        "description": "The final speed as a formula in g and h.",
        "value": "$\\sqrt{2 g h}$",
        "type": "formula",
    }
    assert [(step.step_id, step.answer) for step in problem.steps] == [(1, "m g h"), (2, True)]
    assert (problem.topic, problem.source, problem.licence) == ("Physics", "u", "CC BY 4.0")
    assert problem.repairs == ()


def test_numbers_in_flows_keep_their_kind(tmp_path: Path) -> None:
    answers: list[Any] = [1, 0, 2.5, True, "3", 1e-68]
    flow = [{"step_id": n, "step": "?", "verifiable_answer": answer} for n, answer in enumerate(answers)]
    write_benchmark(tmp_path, text=[row(reasoning_flow=flow)])
    got = [step.answer for step in load_cfe(tmp_path).problems[0].steps]
    assert [(type(answer), answer) for answer in got] == [
        (float, 1.0),
        (float, 0.0),
        (float, 2.5),
        (bool, True),
        (str, "3"),
        (float, 1e-68),
    ]


def test_images_stand_where_the_question_marks_them(tmp_path: Path) -> None:
    images = [write_image(tmp_path, f"{n}.png", colour=colour) for n, colour in enumerate(("red", "blue"))]
    write_benchmark(tmp_path, mm=[row(question=question("see <image>between<image> and after", *images))])
    (problem,) = load_cfe(tmp_path).problems
    assert [part.kind for part in problem.question] == ["text", "image", "text", "image", "text"]
    shown = [part for part in problem.question if part.kind == "image"]
    assert [Path(part.path).name for part in shown] == ["0.png", "1.png"]
    assert shown[0].sha256 == hashlib.sha256((tmp_path / images[0]).read_bytes()).hexdigest()
    assert problem.question_text == "see <image>between<image> and after"


PICTURES = [ImagePart(path=f"/{n}", sha256="0" * 64) for n in range(3)]
PLACES: list[tuple[str, int, list[str]]] = [
    ("a<image>b", 1, ["a", "/0", "b"]),
    ("<image>", 1, ["/0"]),
    ("<image><image>x", 2, ["/0", "/1", "x"]),
    ("no mark", 2, ["no mark", "/0", "/1"]),
    ("one<image>mark", 3, ["one", "/0", "mark", "/1", "/2"]),
    ("two<image>marks<image>!", 1, ["two", "/0", "marks<image>!"]),
    ("a text that speaks of <image>", 0, ["a text that speaks of <image>"]),
]


@pytest.mark.parametrize(("text", "n_images", "expected"), PLACES)
def test_marks_and_images_that_differ_in_number_lose_nothing(text: str, n_images: int, expected: list[str]) -> None:
    parts = interleave(text, PICTURES[:n_images])
    assert [part.text if part.kind == "text" else part.path for part in parts] == expected


def test_every_repair_is_on_record_with_its_field(tmp_path: Path) -> None:
    damaged = row(
        question=question("find $\beta$ where $\frac{a}{b}=1$"),
        short_answer_description=["the value of $\beta$"],
        short_answer_value=["$\x0crac{1}{2}$"],
        reasoning_flow=[{"step_id": 1, "step": "n\x00\x00", "verifiable_answer": "60\x00b0"}],
    )
    write_benchmark(tmp_path, text=[damaged])
    (problem,) = load_cfe(tmp_path).problems
    assert problem.variables[0].value == r"$\frac{1}{2}$"
    assert [(repair.field, repair.kind, repair.count) for repair in problem.repairs] == [
        ("question.text", "eaten_backslash", 2),
        ("short_answer_description[0]", "eaten_backslash", 1),
        ("short_answer_value[0]", "eaten_backslash", 1),
        ("reasoning_flow[0].verifiable_answer", "cut_latin1_escape", 1),
        ("reasoning_flow[0].step", "unreadable_control_characters", 2),
    ]


def test_ids_repeat_and_rows_are_what_counts(tmp_path: Path) -> None:
    other = "b" * 64
    write_benchmark(tmp_path, text=[row(), row(id=other), row(answer={"text": "second copy"})])
    benchmark = load_cfe(tmp_path)
    assert [problem.label for problem in benchmark.problems] == ["text:0", "text:1", "text:2"]
    assert [problem.label for problem in first_copies(benchmark.problems)] == ["text:0", "text:1"]


def test_provenance_is_matched_by_id_within_its_subset_copy_by_copy(tmp_path: Path) -> None:
    ids = ["a" * 64, "b" * 64, "a" * 64, "c" * 64]
    write_benchmark(tmp_path, text=[row(id=name) for name in ids])
    entries = [
        {"id": "b" * 64, "subset": "text", "topic": "B"},
        {"id": "a" * 64, "subset": "mm", "topic": "wrong subset"},
        {"id": "a" * 64, "subset": "text", "topic": "A first"},
        {"id": "a" * 64, "subset": "text", "topic": "A second", "source_description": "a book"},
    ]
    write_provenance(tmp_path, entries)
    problems = load_cfe(tmp_path).problems
    assert [problem.topic for problem in problems] == ["A first", "B", "A second", None]
    assert problems[2].source == "a book"


def test_files_are_digested_and_an_unknown_benchmark_has_its_folders_name(tmp_path: Path) -> None:
    folder = write_benchmark(tmp_path / "mine", text=[ROW])
    benchmark = load_cfe(folder)
    assert (benchmark.name, benchmark.version, benchmark.splits) == ("mine", None, ("text",))
    assert benchmark.files[0].path == "CFE_text.json"
    assert benchmark.files[0].sha256 == hashlib.sha256((folder / "CFE_text.json").read_bytes()).hexdigest()


def test_the_word_sample_means_the_benchmark_that_ships_with_the_package() -> None:
    benchmark = load_cfe(Path("sample"))
    assert benchmark.name == "sample"
    assert benchmark.splits == ("text", "mm")
    assert all(problem.repairs == () for problem in benchmark.problems)


# ---------------------------------------------------------------- bad input

BROKEN_FILES: list[tuple[str, bytes, str]] = [
    ("cut off", b'[{"id": "x",\n "question"', r"CFE_text\.json: not JSON: .* at line 2, column 12"),
    ("empty", b"", "the file is empty"),
    ("blank", b" \n", "the file is empty"),
    ("not UTF-8", b'["\xff"]', "byte 2 is not UTF-8"),
    ("an object", b"{}", "holds a JSON object, not an array"),
    ("no rows", b"[]", "an empty array"),
    ("NaN", b'[{"id": NaN}]', "NaN is not a JSON value"),
    ("Infinity", b'[{"id": -Infinity}]', "-Infinity is not a JSON value"),
    ("a name twice", b'[{"id": "a", "id": "b"}]', "the name 'id' stands twice"),
    ("a number of thousands of digits", b'[{"id": ' + b"9" * 5000 + b"}]", "4300 digits"),
    ("half a character in a name", b'[{"\\ud800": 1}]', "half of a surrogate pair"),
    ("deeply nested", b"[" * 100_000, "recursion|not JSON"),
]


@pytest.mark.parametrize(("what", "content", "match"), BROKEN_FILES, ids=[line[0] for line in BROKEN_FILES])
def test_a_broken_file_is_a_clear_error_that_says_how_to_go_on(
    tmp_path: Path, what: str, content: bytes, match: str
) -> None:
    (tmp_path / "CFE_text.json").write_bytes(content)
    with pytest.raises(BenchmarkError, match=match) as caught:
        load_cfe(tmp_path)
    assert "\nFix: " in str(caught.value), what


STEP = {"step_id": 1, "step": "?", "verifiable_answer": "1"}
BROKEN_ROWS: list[tuple[str, Any, str]] = [
    ("not an object", 3, "row 1, whole row: the row is a JSON number"),
    ("no id", row(id=""), "row 1, id: must be a non-empty string"),
    ("half a character in an id", row(id="a\ud800"), "row 1, id: holds half of a surrogate pair"),
    ("half a character in a path", row(question=question("x", "\ud800.png")), "question.images: must be an array of"),
    ("question is text", row(question="x"), "row 1, question: must be an object"),
    ("question is empty", row(question=question("  ")), "row 1, question.text: the question is empty"),
    ("question is a number", row(question={"text": 5}), "row 1, question.text: must be a string, got number 5"),
    ("images are no list", row(question={"text": "x", "images": "a.jpg"}), "row 1, question.images: must be an array"),
    ("value is a number", row(short_answer_value=[0.5]), r"short_answer_value\[0\]: must be a string, got number 0.5"),
    ("value is null", row(short_answer_value=[None]), r"row 1, short_answer_value\[0\]: must be a string, got nothing"),
    ("lists differ", row(short_answer_value=["1", "2"]), r"short_answer_\*: the lists differ in length"),
    ("unknown type", row(short_answer_type=["vector"]), "unknown type 'vector'; known are numeric, formula, other"),
    ("half a character", row(short_answer_value=["\ud800"]), "half of a surrogate pair"),
    ("step answer is null", row(reasoning_flow=[STEP | {"verifiable_answer": None}]), "verifiable_answer"),
    ("step id is text", row(reasoning_flow=[STEP | {"step_id": "1"}]), "step_id: must be a whole"),
    ("flow is no list", row(reasoning_flow={}), "reasoning_flow: must be an array"),
    ("no variables", row(**{name: [] for name in ROW if name.startswith("short")}), "asks for no variable"),
    ("missing list", row(short_answer_type={}), "short_answer_type: must be an array"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "broken", "match"), BROKEN_ROWS, ids=[line[0] for line in BROKEN_ROWS])
def test_a_row_that_cannot_be_used_is_named_with_its_field(tmp_path: Path, what: str, broken: Any, match: str) -> None:
    write_benchmark(tmp_path, text=[ROW, broken])
    with pytest.raises(BenchmarkError, match=match) as caught:
        load_cfe(tmp_path)
    assert "CFE_text.json" in str(caught.value), what
    assert "\nFix: " in str(caught.value)


def test_a_number_too_large_for_a_float_is_refused(tmp_path: Path) -> None:
    for written in ("1e999", "1" + "0" * 400):
        content = json.dumps([row(reasoning_flow=[{"step_id": 1, "step": "?", "verifiable_answer": 7}])])
        (tmp_path / "CFE_text.json").write_text(
            content.replace('"verifiable_answer": 7', f'"verifiable_answer": {written}')
        )
        with pytest.raises(BenchmarkError, match="verifiable_answer"):
            load_cfe(tmp_path)


ESCAPES = [
    "../secret.png",
    "images/../../secret.png",
    "{outside}/secret.png",
    "images/link.png",
    "linked/secret.png",
    "..\\secret.png",
]


@pytest.mark.parametrize("written", ESCAPES)
def test_an_image_outside_the_folder_is_refused_however_it_is_written(tmp_path: Path, written: str) -> None:
    outside = tmp_path / "outside"
    write_image(outside, "secret.png")
    (outside / "images" / "secret.png").rename(outside / "secret.png")
    (tmp_path / "secret.png").write_bytes((outside / "secret.png").read_bytes())
    folder = tmp_path / "bench"
    write_image(folder, "own.png")
    (folder / "images" / "link.png").symlink_to(outside / "secret.png")
    (folder / "linked").symlink_to(outside)
    path = written.format(outside=outside)
    write_benchmark(folder, mm=[row(question=question("x <image>", path))])
    with pytest.raises(BenchmarkError, match=r"outside the benchmark folder|must be relative") as caught:
        load_cfe(folder)
    assert "row 0 (aaaaaaaa)" in str(caught.value)


def test_a_symlink_that_stays_inside_is_fine(tmp_path: Path) -> None:
    write_image(tmp_path, "own.png")
    (tmp_path / "images" / "link.png").symlink_to("own.png")
    write_benchmark(tmp_path, mm=[row(question=question("x <image>", "images/link.png"))])
    (problem,) = load_cfe(tmp_path).problems
    assert problem.question[1].kind == "image"


def test_a_missing_image_names_row_and_path(tmp_path: Path) -> None:
    write_benchmark(tmp_path, mm=[ROW, row(question=question("x <image>", "images/no.png"))])
    with pytest.raises(BenchmarkError, match=r"CFE_mm\.json, row 1 \(aaaaaaaa\): image 'images/no\.png' not found"):
        load_cfe(tmp_path)


@pytest.mark.parametrize("written", ["x" * 5000, "images/loop.png"])
def test_an_image_path_that_no_system_can_follow_is_a_clear_error(tmp_path: Path, written: str) -> None:
    write_image(tmp_path, "own.png")
    (tmp_path / "images" / "loop.png").symlink_to("loop.png")
    write_benchmark(tmp_path, mm=[row(question=question("x <image>", written))])
    with pytest.raises(BenchmarkError, match="row 0"):
        load_cfe(tmp_path)


def test_a_path_that_is_no_benchmark_says_what_to_give(tmp_path: Path) -> None:
    for path, match in (
        (tmp_path / "none", "no such folder"),
        (tmp_path, "holds no benchmark"),
        (write_benchmark(tmp_path / "b", text=[ROW]) / "CFE_text.json", "is a file"),
    ):
        with pytest.raises(BenchmarkError, match=match) as caught:
            load_cfe(path)
        assert "CFE_text.json or CFE_mm.json" in str(caught.value)


@pytest.mark.parametrize("content", ["subset,topic\ntext,x\n", "", '"open quote\n', "id,subset\n\xff"])
def test_a_provenance_file_that_cannot_be_read_is_an_error_not_a_silence(tmp_path: Path, content: str) -> None:
    write_benchmark(tmp_path, text=[ROW])
    (tmp_path / "PROVENANCE.csv").write_bytes(content.encode("latin-1"))
    with pytest.raises(BenchmarkError, match=r"PROVENANCE\.csv"):
        load_cfe(tmp_path)


# ---------------------------------------------------------------- selection


def _labels(problems: Any) -> list[str]:
    return [problem.label for problem in problems]


SELECTIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["text:0", "text:1", "text:2", "mm:0", "mm:1"]),
    ({"splits": ("mm",)}, ["mm:0", "mm:1"]),
    ({"splits": ("mm", "text"), "limit": 4}, ["text:0", "text:1", "text:2", "mm:0"]),
    ({"rows": ("mm:1", "text:0-1")}, ["text:0", "text:1", "mm:1"]),
    ({"rows": ("text:2", "text:2-2"), "limit": 1}, ["text:2"]),
    ({"rows": ("text:0-2",), "splits": ("text",), "limit": 2}, ["text:0", "text:1"]),
]


@pytest.mark.parametrize(("wanted", "expected"), SELECTIONS)
def test_a_selection_keeps_file_order(tmp_path: Path, wanted: dict[str, Any], expected: list[str]) -> None:
    problems = load_cfe(write_benchmark(tmp_path, text=[ROW] * 3, mm=[ROW] * 2)).problems
    assert _labels(select(problems, SelectionConfig(**wanted))) == expected


@pytest.mark.parametrize(
    "wanted",
    [
        {"splits": ("audio",)},
        {"rows": ("text:3",)},
        {"rows": ("text:0-99",)},
        {"rows": ("text:2-1",)},
        {"rows": ("audio:0",)},
        {"rows": ("mm:0",), "splits": ("text",)},
    ],
)
def test_a_selection_of_nothing_lists_what_exists(tmp_path: Path, wanted: dict[str, Any]) -> None:
    problems = load_cfe(write_benchmark(tmp_path, text=[ROW] * 3, mm=[ROW] * 2)).problems
    with pytest.raises(UsageError, match="there are text:0-2 and mm:0-1"):
        select(problems, SelectionConfig(**wanted))
