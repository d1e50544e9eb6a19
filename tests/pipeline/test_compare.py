"""Comparing run folders: figures that are known beforehand, and everything that must be refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from cfe_local.errors import StoreError, UsageError
from cfe_local.pipeline.compare import Comparison, compare

Change = Callable[[dict[str, object]], object]


@pytest.fixture
def pair(finished: Path, tmp_path: Path) -> tuple[Path, Path]:
    """The same run twice under two names of models."""
    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        shutil.copytree(finished, folder)
        rename(folder, folder.name)
    return folders


def rename(folder: Path, name: str) -> None:
    config = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    config["model"]["name"] = name
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def change_lines(path: Path, change: Change) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        change(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def change_json(path: Path, **settings: str) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    content["settings"] |= settings
    path.write_text(json.dumps(content), encoding="utf-8")


def mark_wrong(row: int) -> Change:
    return lambda verdict: verdict.update(verdict="incorrect") if verdict["key"]["row"] == row else None  # type: ignore[index]


def test_two_runs_are_compared_as_worked_out_by_hand(pair: tuple[Path, Path], tmp_path: Path) -> None:
    """Run two gets rows 0 and 1 wrong, which run one has right: 4 of 6 against 2 of 6."""
    for row in (0, 1):
        change_lines(pair[1] / "gradings/s2s/verdicts.jsonl", mark_wrong(row))
    out = tmp_path / "out"
    compared = compare(pair, out)
    (figures,) = compared.comparison.pairs
    assert figures.mcnemar is not None
    assert (figures.mcnemar.only_first, figures.mcnemar.only_second, figures.mcnemar.n) == (2, 0, 6)
    assert figures.question.difference == pytest.approx(-2 / 6)
    assert figures.question_p == 0.5
    assert figures.variable.difference == pytest.approx(-2 / 6)
    assert sorted(path.name for path in out.iterdir()) == ["compare.html", "compare.json", "compare.md"]
    assert Comparison.model_validate_json((out / "compare.json").read_bytes()) == compared.comparison
    page = (out / "compare.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "text:1" in page
    assert any("fingerprint" in warning for warning in compared.report.warnings)


@pytest.mark.parametrize(
    ("name", "file", "settings", "said"),
    [
        ("benchmark", "manifest.json", {}, "CFE_text.json"),
        ("prompt", "manifest.json", {"template.exam_system": "0" * 64}, "template.exam_system"),
        ("protocol", "gradings/s2s/grading.json", {"protocol": "l2s"}, "protocol: s2s and l2s"),
        ("judge", "gradings/s2s/grading.json", {"judge.files": "0" * 64}, "judge.files"),
    ],
)
def test_what_differs_is_refused_by_name_and_said_where_it_is_allowed(
    pair: tuple[Path, Path], tmp_path: Path, name: str, file: str, settings: dict[str, str], said: str
) -> None:
    if name == "benchmark":
        benchmark = tmp_path / "benchmark"
        sample = Path(__file__).parents[2] / "cfe_local/benchmarks/sample"
        shutil.copytree(sample, benchmark)
        rewrite_benchmark(benchmark, pair[1])
    else:
        change_json(pair[1] / file, **settings)
    with pytest.raises(UsageError, match=f"--allow {name}") as refusal:
        compare(pair, tmp_path / "out")
    assert said in str(refusal.value)
    assert not (tmp_path / "out").exists()
    compared = compare(pair, tmp_path / "out", allow=(name,))
    assert any(said in warning and f"--allow {name}" in warning for warning in compared.report.warnings)
    assert compared.comparison.n_problems == (5 if name == "benchmark" else 6)


def rewrite_benchmark(benchmark: Path, folder: Path) -> None:
    """Change problem 3's question, and make the run one on the changed files."""
    from cfe_local.benchmarks.cfe import load_cfe
    from cfe_local.pipeline.manifest import combined_sha256

    path = benchmark / "CFE_text.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    rows[3]["question"]["text"] += " Explain."
    path.write_text(json.dumps(rows), encoding="utf-8")
    config = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    config["benchmark"]["path"] = str(benchmark)
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    files = load_cfe(benchmark).files
    change_json(folder / "manifest.json", **{"benchmark.files": combined_sha256(files)})
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["benchmark_files"] = [file.model_dump(mode="json") for file in files]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def test_half_written_files_are_an_unfinished_run(pair: tuple[Path, Path], tmp_path: Path) -> None:
    responses, verdicts = pair[1] / "responses.jsonl", pair[1] / "gradings/s2s/verdicts.jsonl"
    responses.write_bytes(responses.read_bytes()[:-50])
    verdicts.write_bytes(verdicts.read_bytes()[: len(verdicts.read_bytes()) // 2])
    with pytest.raises(UsageError, match=r"not finished: of 6 samples 1 have no response and \d no verdict"):
        compare(pair, tmp_path / "out")
    compared = compare(pair, tmp_path / "out", allow=("incomplete",))
    assert (compared.comparison.pairs[0].question.difference or 0) < 0


def test_an_empty_run_and_an_ungraded_one_are_refused(pair: tuple[Path, Path], tmp_path: Path) -> None:
    (pair[1] / "responses.jsonl").write_bytes(b"")
    with pytest.raises(UsageError, match="6 have no response"):
        compare(pair, tmp_path / "out")
    shutil.rmtree(pair[1] / "gradings")
    with pytest.raises(UsageError, match="is not graded yet"):
        compare(pair, tmp_path / "out")
    with pytest.raises(StoreError, match="no grading named l2s"):
        compare(pair, tmp_path / "out", grading="l2s")
    with pytest.raises(StoreError, match="not a run folder"):
        compare((pair[0], tmp_path), tmp_path / "out")


def test_one_run_twice_is_refused_and_one_alone_too(pair: tuple[Path, Path], tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(pair[0])
    with pytest.raises(UsageError, match="named twice"):
        compare((pair[0], link), tmp_path / "out")
    with pytest.raises(UsageError, match="at least two"):
        compare(pair[:1], tmp_path / "out")


def test_runs_without_a_common_problem_are_refused(pair: tuple[Path, Path], tmp_path: Path) -> None:
    for folder, rows in zip(pair, ("text:0-2", "text:3-5"), strict=True):
        config = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
        config["selection"]["rows"] = [rows]
        (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    with pytest.raises(UsageError, match="3 problems from text:0 to text:2"):
        compare(pair, tmp_path / "out")


def test_an_unknown_difference_to_allow_names_the_known_ones(pair: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean judge"):
        compare(pair, tmp_path / "out", allow=("judges",))


def test_runs_of_one_model_are_told_apart_by_their_folders(pair: tuple[Path, Path], tmp_path: Path) -> None:
    for folder in pair:
        rename(folder, "same")
    assert compare(pair, tmp_path / "out").comparison.runs == ("same (one)", "same (two)")
