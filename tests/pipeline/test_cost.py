"""What a diagnostic will cost is said before it starts, and a terminal is asked."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from cfe_local.cli.run import Asking, cost_lines
from cfe_local.metrics import EngineTime
from cfe_local.pipeline import plan_run
from cfe_local.pipeline.clock import EngineWork, engine_work
from cfe_local.pipeline.cost import CHARS_PER_TOKEN, Rate, estimate, measured_rate
from cfe_local.pipeline.plan import RunPlan
from cfe_local.pipeline.run import open_run
from cfe_local.records import Key, Response
from cfe_local.store import RunStore
from tests.experiments.replayed import settings
from tests.store.examples import manifest


@pytest.fixture
def plan(tmp_path: Path) -> RunPlan:
    return plan_run(settings(tmp_path, "injection", lambda key: True, {"model.sampling.max_tokens": 100}))


def test_cases_and_tokens_are_counted(plan: RunPlan) -> None:
    cost = estimate(plan)
    # Three flows of four steps, two conditions, two samples.
    assert (cost.n_cases, cost.n_answered, cost.n_left) == (48, 0, 48)
    assert cost.most_answer_tokens == 4800
    n_chars = sum(len(part.text) for c in plan.cases() for m in c.messages for part in m.parts if part.kind == "text")
    assert cost.n_prompt_tokens == round(n_chars / CHARS_PER_TOKEN)
    assert cost.seconds is None


def test_what_is_answered_already_costs_nothing(plan: RunPlan) -> None:
    with open_run(plan) as store:
        for case in plan.cases()[:8]:
            store.stream("responses", Response).append(Response(key=case.key, outcome="answered"))
    cost = estimate(plan)
    assert (cost.n_answered, cost.n_left) == (8, 40)
    assert "48 (injection, 2 per prompt), 8 of them answered before" in cost_lines(plan)[0]


def test_time_follows_from_the_rate_of_the_earlier_run(tmp_path: Path) -> None:
    key = Key(experiment="exam", split="text", row=0, sample=0)
    with RunStore.create_or_resume(tmp_path / "run", manifest(), "") as store:
        stream = store.stream("responses", Response)
        stream.append(Response(key=key, outcome="answered", n_answer_tokens=200, n_thinking_tokens=100))
        stream.append(Response(key=key.model_copy(update={"sample": 1}), outcome="answered", n_answer_tokens=100))
        for started, phase, seconds in (("1", "generate", 8.0), ("2", "generate", 2.0), ("3", "grade", 50.0)):
            engine_work(store).append(EngineWork(started=started, time=EngineTime(phase=phase, seconds=seconds)))
    rate = measured_rate(tmp_path / "run")
    assert rate == Rate(tmp_path / "run", tokens_per_response=200.0, tokens_per_second=40.0)


def test_a_terminal_is_asked_unless_told_otherwise(plan: RunPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(text: str, **_: object) -> None:
        asked.append(text)
        raise click.Abort

    monkeypatch.setattr(click, "confirm", refuse)
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    Asking(yes=False)(plan)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    Asking(yes=True)(plan)
    assert asked == []
    with pytest.raises(click.Abort):
        Asking(yes=False)(plan)
    assert asked == ["Start?"]


def test_an_exam_starts_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Asking(yes=False)(plan_run(settings(tmp_path, "exam", lambda key: True)))
    assert capsys.readouterr().err == ""
