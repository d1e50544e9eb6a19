"""The plain format and ARB's: what can be read, what is refused, and where each fault is said to be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cfe_local.benchmarks.formats import detect_format, load_benchmark
from cfe_local.benchmarks.plain import problems_json_schema
from cfe_local.benchmarks.validate import validate_benchmark
from cfe_local.errors import BenchmarkError, UsageError
from tests.benchmarks.folders import row as cfe_row
from tests.benchmarks.folders import write_benchmark, write_image

SOLUTION = "First set up the sum. Then evaluate it."
RUBRIC = [
    {"points": 4, "criterion": "sets up", "solution_excerpt": "First set up the sum."},
    {"points": 6, "criterion": "evaluates", "solution_excerpt": "Then evaluate it."},
]
CHOICE = {"id": "c", "kind": "multiple_choice", "question": "Which?", "options": ["this", "that"], "answer": "B"}
NUMBER = {"id": "n", "kind": "numerical", "question": "How much is 2.0 and 3?", "answer": 5.0}
PERTURB = {"template": "How much is {a} and {b}?", "givens": {"a": 2.0, "b": 3}, "formula": "a + b"}
SYMBOL = {"id": "s", "kind": "symbolic", "question": "Find both.", "answer": ["$a$", "$b$"]}
PROOF = {"id": "p", "kind": "proof", "question": "Prove it.", "solution": SOLUTION, "rubric": RUBRIC}
VARIABLES = {
    "id": "v",
    "kind": "variables",
    "question": "Find v.",
    "variables": [{"name": "v", "description": "speed", "value": "3", "type": "numeric"}],
    "steps": [{"question": "What is kept?", "answer": "energy"}],
}


def plain(folder: Path, *records: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "problems.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    return folder


def arb(folder: Path, name: str, *records: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(list(records), indent=1), encoding="utf-8")
    return folder


ARB_CHOICE = {
    "_id": "1",
    "Problem Type": "Multiple Choice",
    "Problem_Statement": "Which?",
    "Answer Candidates": ["A. this", "B. that"],
    "Final Answer": "that",
}


def test_every_kind_of_the_plain_format_becomes_a_problem(tmp_path: Path) -> None:
    perturbed = NUMBER | {"perturb": PERTURB, "images": [write_image(tmp_path, "one.png")]}
    folder = plain(tmp_path, CHOICE, perturbed, SYMBOL, PROOF, VARIABLES)
    found = load_benchmark(folder).problems
    assert [p.kind for p in found] == ["multiple_choice", "numerical", "symbolic", "proof", "variables"]
    assert [len(p.variables) for p in found] == [1, 1, 2, 0, 1]
    assert [p.label for p in found] == [f"problems:{row}" for row in range(5)]
    assert found[1].variables[0].value == "5"
    assert found[1].perturb is not None
    assert isinstance(found[1].perturb.givens["b"], int)
    assert found[1].question[-1].kind == "image"
    assert found[4].steps[0].answer == "energy"


def test_the_schema_accepts_what_the_loader_accepts() -> None:
    validator = Draft202012Validator(problems_json_schema())
    assert all(validator.is_valid(one) for one in (CHOICE, NUMBER, SYMBOL, PROOF, VARIABLES))
    assert not validator.is_valid(CHOICE | {"kind": "essay"})


def test_the_schema_in_docs_is_current() -> None:
    written = Path(__file__).parents[2] / "docs" / "problems.schema.json"
    assert json.loads(written.read_text(encoding="utf-8")) == problems_json_schema(), "run scripts/write_schema"


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (CHOICE | {"kind": "essay"}, "unknown_kind"),
        (CHOICE | {"options": []}, "options_missing"),
        (CHOICE | {"options": ["this", "This"]}, "options_alike"),
        (CHOICE | {"answer": "C"}, "answer_is_no_option"),
        (NUMBER | {"answer": None}, "answer_missing"),
        (NUMBER | {"options": ["1", "2"]}, "options_unwanted"),
        (NUMBER | {"images": ["images/none.png"]}, "missing_image"),
        (NUMBER | {"images": ["../secret.png"]}, "unusable_image"),
        (NUMBER | {"perturb": PERTURB | {"givens": {"a": 2.5, "b": 3}}}, "perturb_template"),
        (SYMBOL | {"perturb": PERTURB}, "perturb_unwanted"),
        (PROOF | {"rubric": RUBRIC[:1]}, "rubric_sum"),
        (PROOF | {"rubric": [*RUBRIC, RUBRIC[0]]}, "rubric_sum"),
        (PROOF | {"rubric": [RUBRIC[0], RUBRIC[1] | {"solution_excerpt": "Then guess."}]}, "rubric_place"),
        (PROOF | {"rubric": [RUBRIC[0] | {"points": 0}, RUBRIC[1]]}, "wrong_shape"),
        (PROOF | {"solution": " "}, "solution_missing"),
        (PROOF | {"answer": "QED"}, "answer_unwanted"),
        (VARIABLES | {"variables": []}, "variables_missing"),
        (NUMBER | {"colour": "red"}, "unknown_field"),
        ({key: value for key, value in NUMBER.items() if key != "question"}, "field_missing"),
        (["not an object"], "wrong_shape"),
    ],
)
def test_each_fault_is_an_error_at_its_record_and_line_and_hides_no_other_record(
    tmp_path: Path, record: Any, code: str
) -> None:
    folder = plain(tmp_path, CHOICE, record, SYMBOL)
    report = validate_benchmark(folder)
    assert code in {finding.code for finding in report.of_level("error")}
    assert {(one.row, (one.field or "").split(",")[0]) for one in report.of_level("error")} == {(1, "line 2")}
    assert report.exit_code() == 2
    assert report.counts.rows == 3
    assert len(report.counts.kinds) == 2
    with pytest.raises(BenchmarkError, match="record 1, line 2"):
        load_benchmark(folder)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    folder = plain(tmp_path, CHOICE)
    with (folder / "problems.jsonl").open("a", encoding="utf-8") as handle:
        handle.write('\n{"id": "x",}\n')
    with pytest.raises(BenchmarkError, match="line 3: not JSON"):
        load_benchmark(folder)


def test_arb_records_are_read_in_either_spelling_with_letters_taken_off_the_candidates(tmp_path: Path) -> None:
    numeric = {"_id": "2", "Problem Statement": "How much?", "Final_Answer": 2.5, "Topic": "Physics", "Subject": "Heat"}
    arb(tmp_path, "law.json", ARB_CHOICE)
    arb(tmp_path, "physics_numerical.json", numeric | {"Rubric_Template": "free text", "rubric": "free text"})
    (tmp_path / "math_proof.jsonl").write_text(
        json.dumps(
            {"Problem Statement": "Prove it.", "Solution": SOLUTION, "Problem_Type": "Proof-like", "rubric": RUBRIC}
        ),
        encoding="utf-8",
    )
    law, proof, physics = load_benchmark(tmp_path).problems
    assert law.options == ("this", "that")
    assert law.variables[0].value == "B"
    assert (physics.kind, physics.topic, physics.rubric) == ("numerical", "Physics: Heat", ())
    assert (proof.kind, proof.problem_id, len(proof.rubric)) == ("proof", "math_proof-0", 2)


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"Problem Type": "Essay"}, "unknown_kind", "Problem Type"),
        ({"Answer Candidates": []}, "options_missing", "Answer Candidates"),
        ({"Final Answer": "neither"}, "answer_is_no_option", "Final Answer"),
        ({"Problem Statement": "Another?"}, "field_twice", "Problem Statement"),
        ({"Images": ["images/none.png"]}, "missing_image", "images[0]"),
        ({"Solution": SOLUTION, "rubric": RUBRIC[:1]}, "rubric_sum", "rubric"),
        ({"Colour": "red"}, "unknown_field", "Colour"),
    ],
)
def test_faults_of_arb_records_are_named_in_the_records_own_words(
    tmp_path: Path, change: dict[str, Any], code: str, field: str
) -> None:
    arb(tmp_path, "law.json", ARB_CHOICE | {"_id": "0"}, ARB_CHOICE | change)
    errors = validate_benchmark(tmp_path).of_level("error")
    assert [(one.code, one.split, one.row, one.field) for one in errors] == [(code, "law", 1, f"line 12, {field}")]


def test_a_record_without_a_type_in_a_file_that_says_none_is_of_unknown_kind(tmp_path: Path) -> None:
    arb(tmp_path, "misc.json", {"Problem Statement": "How much?", "Final Answer": "2"})
    assert [one.code for one in validate_benchmark(tmp_path).of_level("error")] == ["unknown_kind"]


def test_the_format_is_found_out(tmp_path: Path) -> None:
    assert detect_format(Path("sample")) == "cfe"
    assert detect_format(Path("arb_sample")) == "arb"
    assert detect_format(write_benchmark(tmp_path / "cfe", text=[cfe_row()])) == "cfe"
    assert detect_format(plain(tmp_path / "plain", CHOICE)) == "plain"
    assert detect_format(plain(tmp_path / "file", CHOICE) / "problems.jsonl") == "plain"
    assert detect_format(arb(tmp_path / "arb", "law.json", ARB_CHOICE)) == "arb"
    assert detect_format(tmp_path / "missing") == "cfe"
    with pytest.raises(UsageError, match="known: auto, cfe, arb, plain"):
        load_benchmark(tmp_path, "xml")


def test_the_arb_sample_is_clean_and_every_file_of_it_is_digested() -> None:
    report = validate_benchmark(Path("arb_sample"))
    assert report.findings == ()
    assert report.counts.kinds == {"numerical": 5, "multiple_choice": 4, "proof": 4, "symbolic": 4}
    assert (report.counts.rubrics, report.counts.perturbable, report.counts.images) == (8, 5, 1)
    assert {"law.json", "images/pulley.png"} <= {file.path for file in report.files}
