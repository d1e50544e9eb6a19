"""``cfe-local verify`` as a process, and how its lines are checked."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cfe_local.cli.main import main
from cfe_local.pipeline.verify import BadLine, PairLine, read_pairs
from tests.cli.test_main import run_cli

# reference, candidate, label, verdict: what the table under the pairs has to count.
PAIRS = [
    ("12 km", "12000 m", True, "equal"),
    ("2", "3", False, "different"),
    ("x + y", "y + x", False, "equal"),
    ("4", "5", True, "different"),
    ("the ball rises", "gravity is overcome", True, "undecided"),
]


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    folder = tmp_path_factory.mktemp("verify")
    rows = [
        json.dumps({"reference": left, "candidate": right, "equal": label, "type": "numeric", "id": n, "größe": "µ"})
        for n, (left, right, label, _) in enumerate(PAIRS)
    ]
    rows[2:2] = ["{broken", "", '{"reference": "1"}']
    (folder / "pairs.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return run_cli("verify", "pairs.jsonl", "--out", "out.jsonl", "--workers", "1", cwd=folder), folder / "out.jsonl"


def test_every_usable_line_comes_back_in_order_with_its_own_keys_and_a_verdict(
    verified: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    rows = lines(verified[1])
    assert [(row["reference"], row["candidate"], row["equal"], row["verdict"]) for row in rows] == PAIRS
    assert [row["id"] for row in rows] == list(range(len(PAIRS)))
    for row in rows:
        assert row["größe"] == "µ"
        assert {"by", "evidence", "reference_reading", "candidate_reading"} <= row.keys()
        assert isinstance(row["seconds"], float)
        assert 0 < row["seconds"] < 5


def test_bad_lines_are_named_and_end_with_2_though_the_rest_is_done(
    verified: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    done, _ = verified
    assert done.returncode == 2
    assert "pairs.jsonl:3: not JSON" in done.stderr
    assert "pairs.jsonl:5: `candidate` is missing" in done.stderr
    assert "2 of 7 lines could not be used" in done.stderr


def test_labels_are_counted_and_wrong_verdicts_are_listed(
    verified: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    said = verified[0].stdout
    assert "5 pairs: 2 equal, 2 different, 1 undecided" in said
    assert ["numeric", "1/3", "1", "1/2", "1", "1"] in [line.split() for line in said.splitlines()]
    assert "wrong accept, line 6: x + y | y + x" in said
    assert "wrong reject, line 7: 4 | 5" in said
    assert "p99" in said
    assert "pairs/s" in said


def test_without_out_the_lines_are_all_that_stdout_holds(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"reference": "1/2", "candidate": "0.5"}\n', encoding="utf-8")
    done = run_cli("verify", "pairs.jsonl", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0, "equal"), done.stderr
    assert "1 pairs: 1 equal" in done.stderr
    assert "wrong" not in done.stderr, "nothing is right or wrong without labels"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent.jsonl"], "no such file: absent.jsonl"),
        (["."], "cannot be read"),
        (["empty.jsonl"], "holds no pairs"),
        (["pair.jsonl", "--out", "absent/out.jsonl"], "absent/out.jsonl: cannot be written"),
        (["pair.jsonl", "--out", "./pair.jsonl"], "is the file that is read"),
    ],
)
def test_files_that_cannot_be_used_are_refused_with_a_remedy(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    pair = '{"reference": "1", "candidate": "1"}\n'
    (tmp_path / "pair.jsonl").write_text(pair, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["verify", *arguments])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert "Fix:" in shown
    assert (tmp_path / "pair.jsonl").read_text(encoding="utf-8") == pair


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"oops", "not JSON"),
        (b'{"reference": "1", "candidate": "1"', "not JSON"),
        (b"[1, 2]", "not a JSON object but [1, 2]"),
        (b'"text"', "not a JSON object"),
        (b'{"candidate": "1"}', "`reference` is missing"),
        (b'{"reference": "1"}', "`candidate` is missing"),
        (b'{"reference": 1, "candidate": "1"}', "`reference` has to be a text, not 1"),
        (b'{"reference": "1", "candidate": null}', "`candidate` has to be a text, not null"),
        (b'{"reference": "1", "candidate": "1", "equal": 1}', "`equal` has to be true or false, not 1"),
        (b'{"reference": "1", "candidate": "1", "equal": "true"}', "`equal` has to be true or false"),
        (b'{"reference": "1", "candidate": "1", "type": "number"}', "`type` has to be one of numeric, formula, other"),
        (b'{"reference": "1", "candidate": "1", "type": ["numeric"]}', "`type` has to be one of"),
        (b'{"reference": "1", "candidate": "1", "question": 3}', "`question` has to be a text, not 3"),
        (b'{"reference": "1", "candidate": "1", "p": NaN}', "NaN is no JSON value"),
        (b'{"reference": "1", "candidate": "\\ud800"}', "half of a surrogate pair"),
        (b'{"reference": "1", "candidate": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"reference": "1", "candidate": "1", "n": ' + b"7" * 5000 + b"}", "not JSON"),
    ],
)
def test_a_bad_line_says_what_is_wrong_with_it(line: bytes, problem: str) -> None:
    good = b'{"reference": "1", "candidate": "1"}'
    first, bad, last = read_pairs([good, line, good])
    assert isinstance(bad, BadLine)
    assert problem in bad.problem
    assert bad.n_line == 2
    assert isinstance(first, PairLine)
    assert isinstance(last, PairLine)


def test_null_optional_keys_and_a_byte_order_mark_are_harmless() -> None:
    line = b'\xef\xbb\xbf{"reference": "1", "candidate": "1", "type": null, "equal": null, "question": null}\n'
    (pair,) = read_pairs([line])
    assert isinstance(pair, PairLine)
    assert (pair.label, pair.context.type, pair.context.question) == (None, None, "")
