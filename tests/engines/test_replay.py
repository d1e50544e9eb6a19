"""Answers from files, in all formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cfe_local.config import ModelConfig
from cfe_local.engines.replay import ReplayEngine
from cfe_local.errors import ModelError
from cfe_local.records import Case, Key, Message, Response, Sampling, TextPart


def case(split: str, row: int, sample: int = 0, call: str = "") -> Case:
    return Case(
        key=Key(experiment="exam", split=split, row=row, sample=sample, call=call),
        messages=(Message(role="user", parts=(TextPart(text="?"),)),),
        sampling=Sampling(),
    )


def engine(path: Path) -> ReplayEngine:
    return ReplayEngine(ModelConfig(path=str(path), engine="replay"))


def outcomes(path: Path, cases: list[Case]) -> list[tuple[str, str]]:
    return [(response.outcome, response.text) for response in engine(path).generate(cases)]


def test_upstream_rows_go_by_position_so_that_repeated_ids_keep_their_answers(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "generated_answers": ["1", "2"], "model": "x"},
        {"id": "b", "generated_answers": ["3"]},
        {"id": "a", "generated_answers": ["4"]},
    ]
    (tmp_path / "r.json").write_text(json.dumps(rows))
    asked = [case("mm", 0), case("mm", 0, 1), case("mm", 1), case("mm", 2), case("mm", 1, 1), case("mm", 3)]
    assert outcomes(tmp_path / "r.json", asked) == [
        ("answered", "1"),
        ("answered", "2"),
        ("answered", "3"),
        ("answered", "4"),
        ("failed", ""),
        ("failed", ""),
    ]


def test_a_folder_of_upstream_files_serves_each_split_from_its_own(tmp_path: Path) -> None:
    for split in ("mm", "text"):
        (tmp_path / f"CFE_{split}_k4.json").write_text(json.dumps([{"id": "a", "generated_answers": [split]}]))
    asked = [case("text", 0), case("mm", 0), case("other", 0)]
    assert outcomes(tmp_path, asked) == [("answered", "text"), ("answered", "mm"), ("failed", "")]


def test_our_own_responses_come_back_whole(tmp_path: Path) -> None:
    kept = Response(
        key=case("text", 3).key,
        outcome="truncated_thinking",
        thinking="hm\u2028hm",
        thinking_end="unclosed",
        n_thinking_tokens=7,
    )
    judged = Response(key=case("text", 3, call="extract").key, outcome="answered", text="{}")
    path = tmp_path / "responses.jsonl"
    path.write_text(f"{kept.model_dump_json()}\n{judged.model_dump_json()}\n" + kept.model_dump_json()[:40])
    assert list(engine(path).generate([case("text", 3)])) == [kept]
    assert list(engine(path).generate([case("text", 3, call="extract")])) == [judged]


def test_plain_lines_are_found_by_split_row_and_sample(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    path.write_text(
        '{"split": "text", "row": 0, "text": "a"}\n{"split": "text", "row": 0, "sample": 1, "text": "b", "by": "x"}'
    )
    assert outcomes(path, [case("text", 0), case("text", 0, 1), case("mm", 0)]) == [
        ("answered", "a"),
        ("answered", "b"),
        ("failed", ""),
    ]


def test_an_answer_is_no_answer_to_a_judge_call(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps([{"id": "a", "generated_answers": ["1"]}]))
    assert outcomes(tmp_path / "r.json", [case("mm", 0, call="extract")]) == [("failed", "")]


@pytest.mark.parametrize(
    "text",
    ["[{]", '[{"id": "a"}]', '{"row": 0}\n', "hello\nthere\n", '{"split": "t", "row": -1, "text": ""}\n'],
)
def test_a_file_that_is_none_of_the_formats_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.jsonl").write_text(text)
    with pytest.raises(ModelError, match=r"bad\.jsonl"):
        engine(tmp_path / "bad.jsonl")


GOOD = '{"split": "text", "row": 0, "text": "72"}'
BAD_LINES = [
    ("5", "line 2: is no JSON object"),
    ("null", "line 2: is no JSON object"),
    ('{"split": "text", "row": 1, "text": "\\ud800"}', "line 2: .*hex escape"),
    ('{"split": "text", "row": ' + "9" * 5000 + ', "text": ""}', "line 2: "),
    ('{"a": ' + "[" * 100_000, "line 2: "),
    ('{"split": "text", "row": 1, "text": null}', "line 2: text: "),
]


@pytest.mark.parametrize(("line", "said"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_line_that_is_no_answer_is_named_by_its_number(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(f"{GOOD}\n{line}\n", encoding="utf-8")
    with pytest.raises(ModelError, match=said):
        ReplayEngine(ModelConfig(path=str(path), engine="replay"))


def test_a_byte_order_mark_before_the_first_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(f"{GOOD}\n", encoding="utf-8-sig")
    assert ReplayEngine(ModelConfig(path=str(path), engine="replay")).info.settings == {"n_answers": "1"}


def test_a_path_without_responses_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ModelError, match="no responses there"):
            engine(path)


def lm_eval_line(doc_id: int, *texts: str, name: str = "none") -> str:
    return json.dumps(
        {"doc_id": doc_id, "doc": {}, "resps": [list(texts)], "filtered_resps": list(texts), "filter": name}
    )


def test_lm_eval_samples_answer_by_document_and_repeat(tmp_path: Path) -> None:
    lines = [lm_eval_line(4, "a", "b"), lm_eval_line(0, "<think>no</think>c"), lm_eval_line(4, "a", "b", name="strict")]
    (tmp_path / "samples_cfe_text_2026-01-01T00-00-00.jsonl").write_text("\n".join(lines) + "\n" + lines[0][:20])
    (tmp_path / "results_2026-01-01T00-00-00.json").write_text('{"results": {}}')
    asked = [case("text", 4), case("text", 4, 1), case("text", 0), case("text", 1), case("text", 4, 2)]
    answered, failed = "answered", ("failed", "")
    assert outcomes(tmp_path, asked) == [(answered, "a"), (answered, "b"), (answered, "c"), failed, failed]


def test_lm_eval_samples_without_texts_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples_arc_2026-01-01T00-00-00.jsonl"
    path.write_text('{"doc_id": 0, "resps": [[[-1.5, false]]]}\n')
    with pytest.raises(ModelError, match="not a file of responses"):
        engine(path)
