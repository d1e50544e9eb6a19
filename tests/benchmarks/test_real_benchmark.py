"""The published benchmark as a whole: what is in it was counted once by hand and by independent scripts.

Ids stand by their first eight characters. Needs the published files at $CFE_BENCH_DIR.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from cfe_local.benchmarks import Benchmark, first_copies, load_cfe
from cfe_local.benchmarks.errata import doubtful_rows, load_errata
from cfe_local.benchmarks.validate import ValidationReport, validate_benchmark

FOLDER = os.environ.get("CFE_BENCH_DIR", "")
pytestmark = [
    pytest.mark.real_benchmark,
    pytest.mark.skipif(not FOLDER, reason="$CFE_BENCH_DIR does not say where the published benchmark is"),
]


@pytest.fixture(scope="module")
def report() -> ValidationReport:
    return validate_benchmark(Path(FOLDER))


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return load_cfe(Path(FOLDER))


def ids(report: ValidationReport, code: str, field: str = "") -> set[str]:
    """First eight characters of the ids that have such a finding in a field that begins like this."""
    found = [finding for finding in report.of_code(code) if (finding.field or "").startswith(field)]
    return {(finding.problem_id or "")[:8] for finding in found}


# ---------------------------------------------------------------- counts


def test_counts(report: ValidationReport) -> None:
    counts = report.counts
    assert (counts.rows, counts.distinct_ids, counts.variables, counts.steps) == (449, 444, 773, 4964)
    assert (counts.images, counts.image_references) == (173, 178)
    assert counts.rows_by_split == {"text": 305, "mm": 144}
    assert counts.variables_by_type == {"formula": 419, "other": 253, "numeric": 101}
    assert counts.licences == {"CC BY-NC-SA 4.0": 228, "no licence stated": 221}
    assert counts.topics["Physics"] == 253
    assert "unknown" not in counts.topics


def test_it_is_the_version_known_by_its_digests_and_can_be_used(report: ValidationReport) -> None:
    assert report.version == "CFE-Bench 1.0.0"
    assert report.of_level("error") == ()
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)
    assert len(report.files) == 3 + 173


def test_lengths(report: ValidationReport) -> None:
    lengths = {(length.split, length.field): length for length in report.lengths}
    text, mm = lengths["text", "question.text"], lengths["mm", "question.text"]
    assert (text.shortest, text.median, text.p90, text.longest) == (61, 481, 1051, 2389)
    assert (mm.p90, mm.longest) == (1768, 4898)
    assert lengths["text", "answer.text"].longest == 12841
    assert lengths["mm", "answer.text"].longest == 9144
    assert ids(report, "long_question") == {"9e835981", "be627183", "8c8d1f10", "a9613b1a", "092a801d"}
    assert ids(report, "short_question") == {"2ecffc53"}


# ---------------------------------------------------------------- identity


def test_five_ids_stand_twice_with_other_reasoning_flows(report: ValidationReport) -> None:
    found = {
        (finding.problem_id or "")[:8]: (finding.row, finding.message) for finding in report.of_code("repeated_id")
    }
    assert {problem_id: row for problem_id, (row, _) in found.items()} == {
        "1254e5c8": 123,
        "644d5496": 99,
        "4eaa0cae": 131,
        "8a561403": 107,
        "d1a34195": 143,
    }
    assert all("reasoning_flow" in message for _, message in found.values())
    assert [problem_id for problem_id, (_, message) in found.items() if "question" in message] == ["8a561403"]


def test_the_same_problems_under_two_ids_are_found(report: ValidationReport) -> None:
    later = ids(report, "same_reference") | ids(report, "similar_question")
    assert {"86c58207", "28b76237", "8cc877e3", "92813319", "3dc68035", "616b1a19", "9175d6db", "b062c068"} <= later
    assert {"83d944ce", "3e4773d0", "2219ff7a", "d3824c51", "114f3e02", "be627183", "3f656e73"} <= later


def test_first_copies_are_the_444_with_the_earlier_row_of_each_id(benchmark: Benchmark) -> None:
    kept = first_copies(benchmark.problems)
    assert len(kept) == 444
    dropped = {problem.label for problem in benchmark.problems} - {problem.label for problem in kept}
    assert dropped == {"mm:123", "mm:99", "mm:131", "mm:107", "mm:143"}


def test_names_that_are_no_identifiers(report: ValidationReport) -> None:
    assert len(report.of_code("name_is_no_identifier")) == 71
    assert {"ca04deb8", "23585709", "f445422b"} <= ids(report, "name_is_no_identifier")


# ---------------------------------------------------------------- damaged text


def test_eaten_backslashes_in_questions_answers_and_one_description(report: ValidationReport) -> None:
    questions, answers = ids(report, "eaten_backslash", "question.text"), ids(report, "eaten_backslash", "answer.text")
    assert (len(questions), len(answers), len(questions | answers)) == (63, 119, 131)
    splits = Counter(finding.split for finding in report.of_code("eaten_backslash") if finding.field == "question.text")
    assert splits == {"text": 48, "mm": 15}
    assert ids(report, "eaten_backslash", "short_answer_description") == {"d578a23d"}


def test_repairs_of_questions_equal_the_control_characters_that_were_there(benchmark: Benchmark) -> None:
    counts = Counter(
        {kind: 0 for kind in ("eaten_backslash", "eaten_newline_command", "literal_unicode_escape")},
    )
    for problem in benchmark.problems:
        for repair in problem.repairs:
            if repair.field == "question.text":
                counts[repair.kind] += repair.count
    assert counts == {
        "eaten_backslash": 70 + 79 + 83 + 78,  # backspace, tab, form feed, carriage return
        "eaten_newline_command": 9 + 4,  # nu, nabla
        "literal_unicode_escape": 2,
    }


def test_commands_that_had_become_line_breaks(report: ValidationReport, benchmark: Benchmark) -> None:
    assert ids(report, "eaten_newline_command", "question.text") == {
        "58f2a3cb",
        "ba3fab37",
        "1581b994",
        "ae3a70ed",
        "2a5da203",
        "ba483c01",
    }
    genuine = {"8c8d1f10", "be627183", "64bed436", "a1b762d6", "29df2719"}
    assert not ids(report, "eaten_newline_command") & genuine
    repaired = [repair for problem in benchmark.problems for repair in problem.repairs]
    in_answers = [r.count for r in repaired if (r.kind, r.field) == ("eaten_newline_command", "answer.text")]
    assert sum(in_answers) == 25 + 5 + 55  # neq, nabla, nu; nine more line breaks before u are genuine


def test_no_control_character_reaches_a_problem_except_white_space(benchmark: Benchmark) -> None:
    left: Counter[str] = Counter()
    for problem in benchmark.problems:
        texts = [problem.question_text, problem.solution]
        texts += [text for variable in problem.variables for text in (variable.value, variable.description)]
        texts += [text for step in problem.steps for text in (step.question, step.answer) if isinstance(text, str)]
        for text in texts:
            left.update(character for character in text if ord(character) < 32 or 127 <= ord(character) < 160)
    assert left.keys() <= {"\n", "\t"}
    assert left["\t"] == 6  # white space between what could not be read in two steps of one row


def test_what_cannot_be_restored_is_reported(report: ValidationReport) -> None:
    assert ids(report, "unreadable_control_characters") == {
        "6b117bc9",
        "694add95",
        "2bd3f4ba",
        "399832dc",
        "c7c1f4bc",
        "f445422b",
    }
    assert all(f"{f.field}".startswith("reasoning_flow") for f in report.of_code("unreadable_control_characters"))
    assert ids(report, "cut_latin1_escape") == {"6b117bc9", "c7c1f4bc", "f445422b"}
    assert ids(report, "lost_row_separator", "question.text") >= {"58f2a3cb"}
    assert ids(report, "damaged_variable_name") == {"58f2a3cb"}
    assert len(report.of_code("damaged_variable_name")) == 4


def test_notation_that_models_stumble_over(report: ValidationReport) -> None:
    assert ids(report, "newline_in_value") == {"3fbc97c6"}
    assert report.of_code("blank_around_value") == ()
    assert ids(report, "literal_escape") == {"b3dfec64"}
    assert ids(report, "odd_dollar_count") == {"b2888258", "6003a65b", "7ec6065c", "9bba174e", "320365b6", "aaf6d231"}
    assert ids(report, "html_table") == {
        "4e586860",
        "0101ffc9",
        "aaf6d231",
        "51663f54",
        "02f34ccd",
        "9e835981",
        "7b4b30c3",
        "85175551",
        "cf4cad7d",
    }
    assert ids(report, "cjk_character") == {
        "3a6701d5",
        "1ce6a266",
        "43f1d8f9",
        "3cbc279a",
        "0101ffc9",
        "51663f54",
        "050af00f",
        "8a2c954f",
        "3f656e73",
    }
    assert len(ids(report, "letter_spaced_command")) == 92
    assert ids(report, "literal_unicode_escape", "question.text") == {"daa9d0a4", "6be55b3c"}


# ---------------------------------------------------------------- references, flows


def test_types_that_the_content_contradicts(report: ValidationReport) -> None:
    constant = report.of_code("formula_is_constant")
    assert (len(constant), len(ids(report, "formula_is_constant"))) == (43, 31)
    assert {"a810224f", "6be55b3c", "4eb3a2f6", "e8a34208", "c17267c7", "65a36a21", "716b605f"} <= ids(
        report, "formula_is_constant"
    )
    assert {"950c4a93", "9357bf2b", "6da20e90", "59ec5e92", "ef4588d4", "487fad0a"} <= ids(
        report, "formula_is_bare_symbol"
    )
    assert {"3e4773d0", "efb00a4a", "9ea3dab4"} == ids(report, "relation_without_left_side")
    assert ids(report, "dollar_layout") == {"cda74a84", "3fbc97c6", "fca5303c", "2a0ffa00"}
    assert Counter((finding.problem_id or "")[:8] for finding in report.of_code("numeric_not_plain")) == {
        "63317dc6": 1,
        "4eb3a2f6": 1,
        "6be55b3c": 2,
        "2a18ec61": 3,
    }
    assert 120 <= len(report.of_code("other_is_number")) <= 135
    assert {"c233f348", "ef41bcb0", "5c56faac", "28217172", "4c94660e", "a62b6d45", "22a738ec", "c1e79c7c"} <= ids(
        report, "other_is_formula"
    )
    assert {"4a1d9401", "1254e5c8", "1262a8c8", "3f656e73", "8a2c954f", "5d868eb1", "a8433979", "2219ff7a"} <= ids(
        report, "other_is_formula"
    )


def test_the_one_wrong_unit_is_found_and_no_right_one_is_called_wrong(report: ValidationReport) -> None:
    assert ids(report, "wrong_unit") == {"acbd771c"}


def test_flows(report: ValidationReport, benchmark: Benchmark) -> None:
    assert ids(report, "step_ids") == {"960ce086"}
    assert ids(report, "repeated_step") == {"960ce086"}
    kinds = Counter(type(step.answer) for problem in benchmark.problems for step in problem.steps)
    assert kinds == {str: 4419, float: 447, bool: 98}


def test_leaks(report: ValidationReport) -> None:
    in_question, told = ids(report, "value_in_question"), ids(report, "value_in_description")
    assert {
        "0e5ed906",
        "4a1d9401",
        "8920cea2",
        "62646b6d",
        "2e70c089",
        "b8d358b1",
        "3f656e73",
        "82189416",
    } <= in_question
    assert {"487fad0a", "3f66c200", "351aaec0", "d28875e0", "e013a89b", "b73c82d9"} <= in_question
    assert {"603629b1", "75ed3e34", "761c4f05", "351aaec0", "4a1d9401", "487fad0a", "9357bf2b"} <= told


# ---------------------------------------------------------------- images


def test_images(report: ValidationReport) -> None:
    for absent in ("missing_image", "unsafe_image_path", "corrupt_image", "unused_image", "image_marks", "image_mode"):
        assert report.of_code(absent) == ()
    for absent in ("image_rotated", "image_frames", "image_suffix", "solution_images"):
        assert report.of_code(absent) == ()
    assert ids(report, "tiny_image") == ids(report, "long_image") == {"170a18a3"}
    assert ids(report, "odd_image_name") == {"d77019f8", "46f45471"}
    shared = Counter(
        finding.message.removeprefix("the same image stands in ") for finding in report.of_code("shared_image")
    )
    assert shared == {
        "8c8d1f10, be627183": 3,
        "be76b10d, 4eaa0cae": 1,
        "5a7527a8, d578a23d": 1,
        "7e1f42f6, d1a34195": 1,
        "8a2c954f, 3f656e73": 1,
        "0de6bcff, 114f3e02": 1,
    }


def test_images_stand_where_questions_mark_them(benchmark: Benchmark) -> None:
    n_images = Counter(
        sum(part.kind == "image" for part in problem.question)
        for problem in benchmark.problems
        if problem.split == "mm"
    )
    assert n_images == {1: 118, 2: 19, 3: 6, 4: 1}
    assert all("<image>" not in part.text for p in benchmark.problems for part in p.question if part.kind == "text")


# ---------------------------------------------------------------- errata


def test_every_erratum_fits_a_row_and_names_its_variables(benchmark: Benchmark) -> None:
    errata = load_errata()
    assert len(doubtful_rows(benchmark.problems, errata)) == len(errata)
