from dataclasses import replace

import pytest

from cfe_local.metrics import ExamRecords
from cfe_local.report import Report, Section, Table, build_report, render_markdown
from cfe_local.report.effort import doubling_histogram
from cfe_local.report.html import render_html
from cfe_local.report.model import Row
from cfe_local.report.published import PUBLISHED, published_for
from tests.report.runs import facts, measured, problem, records_of, report_of, response, three_problems, verdict


def section(report: Report, anchor: str) -> Section:
    (found,) = (s for s in report.sections if s.anchor == anchor)
    return found


def cells(table: Table) -> dict[str, tuple[str, ...]]:
    return {row.cells[0]: row.cells[1:] for row in table.rows}


def test_the_score_table_holds_both_readings_with_denominators() -> None:
    (table,) = section(report_of(three_problems()), "scores").tables
    assert cells(table)["all"] == ("33.3", "6.1–79.2", "1/3", "50.0", "2/3", "33.3", "6.1–79.2")


def test_splits_stand_in_file_order_with_the_combined_row_last() -> None:
    problems = [problem(0, split="text"), problem(0, split="mm")]
    records = records_of(problems, [response(p) for p in problems], [verdict(p) for p in problems])
    (table,) = section(report_of(records), "scores").tables
    assert [row.cells[0] for row in table.rows] == ["text", "mm", "combined"]
    assert table.rows[-1].kind == "total"


def test_published_scores_stand_beside_a_run_on_the_published_benchmark_only() -> None:
    records = three_problems()
    without = section(report_of(records), "scores").tables[0]
    assert not any(row.kind == "published" for row in without.rows)
    both = [problem(0, split="text"), problem(0, split="mm")]
    run = records_of(both, [response(p) for p in both], [verdict(p) for p in both])
    rows = section(report_of(run, facts(version="CFE-Bench 1.0.0")), "scores").tables[0].rows
    published = [row for row in rows if row.kind == "published"]
    assert len(published) == len(PUBLISHED)
    assert all(row.cells[0].endswith("(published)") for row in published)
    assert next(row.cells[:2] for row in published if row.cells[0].startswith("InternVL")) == (
        "InternVL3.5-241B-A28B (published)",
        "4.9",
    )


def test_an_unpublished_group_has_no_published_scores() -> None:
    assert published_for("biology") == ()
    assert [s.question_accuracy for s in published_for("combined")] == [0.5969, 0.5546, 0.4744]


def test_a_model_that_grades_itself_is_named_so() -> None:
    got = report_of(three_problems(), facts(judge="/models/little"))
    assert "self-judged" in got.subtitle
    assert any(warning.startswith("Self-judged") for warning in got.warnings)
    assert not any(w.startswith("Self-judged") for w in report_of(three_problems()).warnings)


def test_a_judge_without_an_exam_is_not_qualified() -> None:
    assert any(w.startswith("Judge not qualified") for w in report_of(three_problems()).warnings)
    got = report_of(three_problems(), facts(exam="FP 0 of 210, FN 3 of 190"))
    assert not any(w.startswith("Judge not qualified") for w in got.warnings)
    assert cells(section(got, "run").tables[0])["judge exam"] == ("FP 0 of 210, FN 3 of 190",)


def test_what_was_run_is_listed_with_versions_and_hashes() -> None:
    run = section(report_of(three_problems()), "run")
    rows = {name: value for table in run.tables for name, value in cells(table).items()}
    assert rows["max_model_len"] == ("4096",)
    assert rows["vllm"] == ("0.32.0",)
    assert "numpy" not in rows
    assert rows["benchmark: CFE_text.json"] == ("0123456789abcdef",)


def test_gpu_hours_are_shown() -> None:
    tables = section(report_of(three_problems()), "effort").tables
    assert cells(tables[-1])["GPU hours"] == ("0.04",)
    assert cells(tables[-1])["generate on 2 x cuda"] == ("1 min 05 s",)


def test_pass_at_k_has_a_section_when_k_is_more_than_one() -> None:
    one = problem()
    records = records_of([one], [response(one, sample=i) for i in range(2)], [verdict(one)])
    assert not [s for s in report_of(records).sections if s.anchor == "pass"]
    metrics = measured(records)
    from cfe_local.metrics import SummaryOptions, summarise

    two = summarise(records, SummaryOptions(grading="s2s", k=(1, 2)))
    got = build_report(facts(), two, records)
    assert cells(section(got, "pass").tables[0])["all, pass@2"][0] == "100.0"
    names = ["Question accuracy", "Variable accuracy", "pass@2", "Decided", "Truncated"]
    assert [h.name for h in got.headlines] == names
    assert metrics.n_planned == 2


def test_sections_of_other_experiments_are_taken_as_they_are() -> None:
    extra = Section(anchor="q1", title="Unit execution", tables=(Table(columns=("a",), rows=(Row(("b",)),)),))
    records = three_problems()
    got = build_report(facts(), measured(records), records, extra_sections=[extra])
    anchors = [s.anchor for s in got.sections]
    assert anchors.index("q1") == anchors.index("run") - 1


def test_the_main_result_stands_in_sentences_that_can_be_quoted() -> None:
    records = three_problems()
    cut = records.responses[2].model_copy(update={"outcome": "truncated"})
    got = report_of(replace(records, responses=[*records.responses[:2], cut]))
    assert got.quote == (
        "little gets every variable right in 1 of 3 planned samples of 3 problems: question accuracy 33.3 % (95 % "
        "interval 6.1–79.2, clustered by problem). 2 of 3 samples were decided, 50.0 % of these right; 1 of 3 ran "
        "into a token limit. Undecided, failed and missing samples count as not correct. Grading s2s, judge judge, not "
        "qualified by an exam."
    )
    assert got.quote in render_markdown(got)
    assert "interval 6.1–79.2, clustered" in render_html(got)
    assert report_of(records, facts(exam="not qualified: 9 of 10")).quote.endswith(
        "judge judge, not qualified: 9 of 10."
    )
    assert report_of(records, facts(judge=None)).quote.endswith("Grading s2s, no judge.")


def test_an_empty_run_has_a_report_with_dashes() -> None:
    got = report_of(ExamRecords(problems=[], planned=[], responses=[], verdicts=[]))
    assert got.quote == "No response was planned, so there is no score."
    (table,) = section(got, "scores").tables
    assert cells(table)["all"][0] == "–"


def test_an_empty_answer_without_verdicts_is_undecided() -> None:
    records = three_problems()
    got = report_of(replace(records, responses=[], verdicts=[]))
    assert [page.samples[0].mark for page in got.problems] == ["undecided"] * 3


@pytest.mark.parametrize(
    ("values", "edges", "counts"),
    [
        ([1], (1, 2), (1,)),
        ([100, 120, 300, 512], (64, 128, 256, 512, 1024), (2, 0, 1, 1)),
        ([3, 4], (2, 4, 8), (1, 1)),
    ],
)
def test_histogram_bins_double_and_hold_every_value(
    values: list[int], edges: tuple[int, ...], counts: tuple[int, ...]
) -> None:
    got = doubling_histogram("c", "tokens", values)
    assert (got.edges, got.counts) == (edges, counts)
    assert sum(got.counts) == len(values)
