from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cfe_local.errors import RunLockedError, StoreError
from cfe_local.records import Manifest, Response, Verdict
from cfe_local.store import GradingManifest, RunStore, settings_fingerprint, write_atomically
from tests.store.examples import manifest, response, verdict

CONFIG = "model:\n  path: tiny\n"


def begin(path: Path, settings: dict[str, str] | None = None, *, fresh: bool = False) -> RunStore:
    return RunStore.create_or_resume(path, manifest(settings), CONFIG, fresh=fresh)


def test_a_new_run_has_its_manifest_and_config_before_anything_else(tmp_path: Path) -> None:
    with begin(tmp_path / "a" / "run") as store:
        assert store.manifest == manifest()
    folder = tmp_path / "a" / "run"
    assert sorted(entry.name for entry in folder.iterdir()) == ["config.yaml", "manifest.json"]
    assert Manifest.model_validate_json((folder / "manifest.json").read_bytes()) == manifest()
    assert (folder / "config.yaml").read_text() == CONFIG


def test_a_run_is_resumed_with_what_it_has(tmp_path: Path) -> None:
    with begin(tmp_path / "run") as store:
        store.stream("responses", Response).append(response(0))
    with begin(tmp_path / "run") as store:
        stream = store.stream("responses", Response)
        assert list(stream.load().records) == ["exam/main/text:0/-/0"]
        stream.append(response(1))
        assert store.stream("responses", Response) is stream
    with RunStore.open(tmp_path / "run") as reader:
        assert len(reader.stream("responses", Response).load().records) == 2


def test_other_settings_are_refused_by_name_with_a_way_out(tmp_path: Path) -> None:
    with begin(tmp_path / "run", {"model": "tiny", "temperature": "0", "seed": "1"}) as store:
        store.stream("responses", Response).append(response(0))
    with pytest.raises(StoreError) as caught:
        begin(tmp_path / "run", {"model": "large", "temperature": "0", "top_p": "0.9"})
    said = str(caught.value)
    assert "model: there 'tiny', now 'large'" in said
    assert "seed: there '1', now not set" in said
    assert "top_p: there not set, now '0.9'" in said
    assert "temperature" not in said
    assert "--fresh" in said
    assert not (tmp_path / "run" / "run.lock").exists()
    with RunStore.open(tmp_path / "run") as reader:
        assert len(reader.stream("responses", Response).load().records) == 1


def test_fresh_moves_the_old_content_aside_and_keeps_every_byte_of_it(tmp_path: Path) -> None:
    with begin(tmp_path / "run") as store:
        store.stream("responses", Response).append(response(0))
        store.grading("s2s", {"judge": "a"}).stream("verdicts", Verdict).append(verdict(0, 0))
    with begin(tmp_path / "run", {"model": "large"}, fresh=True) as store:
        assert dict(store.stream("responses", Response).load().records) == {}
        assert store.grading_names() == ()
    with begin(tmp_path / "run", {"model": "third"}, fresh=True):
        pass
    previous = sorted((tmp_path / "run" / "previous").iterdir())
    assert len(previous) == 2
    with RunStore.open(previous[0]) as old:
        assert old.manifest == manifest()
        assert len(old.stream("responses", Response).load().records) == 1
        assert len(old.grading("s2s").stream("verdicts", Verdict).load().records) == 1


def test_a_move_that_was_killed_half_way_is_finished_and_mixes_nothing(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with begin(run) as store:
        store.stream("responses", Response).append(response(0))
        store.stream("cases", Response).append(response(0))
    (run / ".moving").write_text("20260101T000000.000000Z")
    (run / "previous" / "20260101T000000.000000Z").mkdir(parents=True)
    (run / "manifest.json").rename(run / "previous" / "20260101T000000.000000Z" / "manifest.json")
    with begin(run, {"model": "large"}) as store:
        assert dict(store.stream("responses", Response).load().records) == {}
    moved = run / "previous" / "20260101T000000.000000Z"
    assert {entry.name for entry in moved.iterdir()} == {
        "manifest.json",
        "config.yaml",
        "responses.jsonl",
        "cases.jsonl",
    }
    assert not (run / ".moving").exists()


@pytest.mark.parametrize("fresh", [False, True])
def test_a_folder_with_other_things_is_never_made_a_run_nor_moved(tmp_path: Path, fresh: bool) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(StoreError, match=r"not empty and not a run folder \(it has thesis.tex\)"):
        begin(tmp_path, fresh=fresh)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_log_of_the_command_itself_may_be_there_already(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text("started\n")
    with begin(tmp_path) as store:
        assert store.is_writable


def test_a_start_that_died_before_its_manifest_does_not_block_the_next(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("half")
    with begin(tmp_path):
        assert (tmp_path / "config.yaml").read_text() == CONFIG


def test_an_earlier_configuration_with_the_same_fingerprint_is_kept_beside_the_new_one(tmp_path: Path) -> None:
    with begin(tmp_path / "run"):
        pass
    for text in ("limit: 2\n", "limit: 3\n", "limit: 3\n"):
        with RunStore.create_or_resume(tmp_path / "run", manifest(), text):
            pass
    texts = {entry.name: entry.read_text() for entry in (tmp_path / "run").glob("config*.yaml")}
    assert texts == {"config.yaml": "limit: 3\n", "config-1.yaml": CONFIG, "config-2.yaml": "limit: 2\n"}


def test_two_writers_of_one_run_exclude_each_other_and_readers_pass(tmp_path: Path) -> None:
    with begin(tmp_path / "run"):
        with pytest.raises(RunLockedError):
            begin(tmp_path / "run")
        with pytest.raises(RunLockedError):
            RunStore.reopen(tmp_path / "run")
        with RunStore.open(tmp_path / "run") as reader:
            assert not reader.is_writable


def test_what_is_no_run_is_a_clear_error(tmp_path: Path) -> None:
    for opening in (RunStore.open, RunStore.reopen):
        with pytest.raises(StoreError, match=r"has no manifest\.json"):
            opening(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize(
    ("content", "match"),
    [("", "is not a Manifest"), ("{}", "is not a Manifest: created"), ("[1", "is not a Manifest")],
)
def test_a_damaged_manifest_is_a_clear_error(tmp_path: Path, content: str, match: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(StoreError, match=match):
        begin(tmp_path)
    assert not (tmp_path / "run.lock").exists()


def test_a_run_of_a_later_format_is_refused(tmp_path: Path) -> None:
    later = manifest().model_copy(update={"format_version": 2})
    (tmp_path / "manifest.json").write_text(later.model_dump_json())
    with pytest.raises(StoreError, match="run format 2, this version reads 1"):
        RunStore.open(tmp_path)


def test_a_file_where_the_folder_should_be_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(StoreError, match="cannot be made a run folder"):
        begin(tmp_path / "run")


def test_gradings_live_side_by_side_and_refuse_other_settings(tmp_path: Path) -> None:
    with begin(tmp_path / "run") as store:
        for name in ("s2s", "l2l"):
            store.grading(name, {"judge": name}).stream("verdicts", Verdict).append(verdict(0, 0))
        assert store.grading_names() == ("l2l", "s2s")
        with pytest.raises(StoreError, match="judge: there 's2s', now 'other'"):
            store.grading("s2s", {"judge": "other"})
        again = store.grading("s2s", {"judge": "other"}, fresh=True)
        assert dict(again.stream("verdicts", Verdict).load().records) == {}
    assert (tmp_path / "run" / "gradings" / "l2l" / "verdicts.jsonl").exists()
    moved = list((tmp_path / "run" / "gradings" / "s2s" / "previous").glob("*/verdicts.jsonl"))
    assert len(moved) == 1
    with RunStore.open(tmp_path / "run") as reader:
        assert reader.grading("s2s").manifest.settings == {"judge": "other"}
        with pytest.raises(StoreError, match="no grading named l2s; there are: l2l, s2s"):
            reader.grading("l2s")


def test_whole_files_are_replaced_and_read_back(tmp_path: Path) -> None:
    figures = GradingManifest(created="now", fingerprint=settings_fingerprint({}), settings={})
    with begin(tmp_path / "run") as store:
        assert store.read_json("metrics.json", GradingManifest) is None
        store.write_json("metrics.json", figures)
        store.stream("verdicts", Verdict).append(verdict(9, 0))
        store.write_records("verdicts", [verdict(0, 0), verdict(0, 1)])
        assert list(store.stream("verdicts", Verdict).load().records) == [
            "exam/main/text:0/-/0/v0",
            "exam/main/text:0/-/0/v1",
        ]
    with RunStore.open(tmp_path / "run") as reader:
        assert reader.read_json("metrics.json", GradingManifest) == figures
        with pytest.raises(StoreError, match="reading only"):
            reader.write_json("metrics.json", figures)


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".hidden", "x\0y", "gr ading"])
def test_names_cannot_leave_the_run_folder(tmp_path: Path, name: str) -> None:
    with begin(tmp_path / "run") as store:
        with pytest.raises(StoreError, match="cannot name a file"):
            store.stream(name, Response)
        with pytest.raises(StoreError, match="cannot name a file"):
            store.grading(name, {})


def test_the_fingerprint_depends_on_names_and_values_and_not_on_order() -> None:
    assert settings_fingerprint({"a": "1", "b": "2"}) == settings_fingerprint({"b": "2", "a": "1"})
    assert settings_fingerprint({"a": "1", "b": "2"}) != settings_fingerprint({"a": "12", "b": ""})


def test_a_whole_file_below_something_that_is_no_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="could not be written"):
        write_atomically(tmp_path / "file" / "below" / "a.json", b"{}")


def test_an_interrupted_whole_file_leaves_the_old_content_and_nothing_else(tmp_path: Path) -> None:
    def records() -> Iterator[Response]:
        yield response(0)
        raise KeyboardInterrupt

    with begin(tmp_path / "run") as store:
        store.write_records("cases", [response(7)])
        before = (store.path / "cases.jsonl").read_bytes()
        with pytest.raises(KeyboardInterrupt):
            store.write_records("cases", records())
        assert (store.path / "cases.jsonl").read_bytes() == before
        assert not list(store.path.glob(".cases*"))


def test_of_a_group_of_settings_the_one_that_differs_is_named(tmp_path: Path) -> None:
    group = '{"a": 0.123456789, "b": 0.123456789, "c": 0.123456789, "d": 0.123456789, "z": %s}'
    begin(tmp_path / "run", {"model.sampling": group % 1}).close()
    with pytest.raises(StoreError, match=r"settings; .*\n  model\.sampling\.z: there '1', now '2'\nFix"):
        begin(tmp_path / "run", {"model.sampling": group % 2})
