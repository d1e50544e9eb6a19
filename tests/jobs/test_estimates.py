"""Estimates of cost: sums that can be done by hand."""

from __future__ import annotations

import pytest

from cfe_local.config import ModelConfig
from cfe_local.engines.devices import KNOWN, parse_device
from cfe_local.jobs.estimates import CHARACTERS_PER_TOKEN, EFFICIENCY, estimate_run, seconds_for
from cfe_local.jobs.rates import RATES, Rate, rate_of
from cfe_local.records import Sampling
from tests.engines.cases import case

SAMPLING = Sampling(max_tokens=100, thinking_tokens=1000)


def test_every_answer_counts_with_its_whole_budget() -> None:
    cases = [case("x" * 330, row=row, sampling=SAMPLING) for row in range(10)]
    cost = estimate_run(cases, ModelConfig(path="m"), RATES["h200"])
    assert cost.n_prompt_tokens == round(10 * 330 / CHARACTERS_PER_TOKEN)
    assert (cost.n_cases, cost.n_answer_tokens, cost.n_thinking_tokens) == (10, 1000, 10_000)
    assert cost.n_bytes > 4 * 11_000
    assert cost.seconds is None  # no weights there to look at


def test_time_is_the_slower_of_memory_and_arithmetic() -> None:
    weights = 2 * 10**9  # a billion parameters: 2e9 operations a token
    rate = Rate(bandwidth_gb_s=1.0 / EFFICIENCY, tflops=1.0 / EFFICIENCY)  # 1e9 bytes/s, 1e12 operations/s after losses
    assert seconds_for(0, 100, 1, weights, rate) == pytest.approx(100 * 2.0)  # every token reads all weights
    assert seconds_for(0, 100, 10, weights, rate) == pytest.approx(10 * 2.0)  # ten share a reading
    assert seconds_for(0, 10**4, 10**4, weights, rate) == pytest.approx(10**4 * 2e-3)  # then arithmetic is the limit
    assert seconds_for(500, 0, 1, weights, rate) == pytest.approx(1.0)


def test_devices_are_multiplied_and_every_rate_is_of_a_known_device() -> None:
    assert rate_of(parse_device("h200x8")) == Rate(38_400, 7912)
    assert rate_of(parse_device("cpu")) is not None
    assert rate_of(parse_device("rtx3090")) is None
    assert set(RATES) - {"cpu"} <= set(KNOWN)
