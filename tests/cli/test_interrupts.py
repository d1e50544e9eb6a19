"""Ctrl-C: once ends in order and can be resumed, twice ends at once."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import sys, time
from cfe_local.cli import main as entry
from cfe_local.cli.interrupts import interruptible
import click

@click.command()
def slow():
    try:
        with interruptible():
            print("ready", flush=True)
            time.sleep(60)
    finally:
        print("in order", flush=True)
        if {stubborn}:
            time.sleep(60)

entry.cli.add_command(slow, "slow")
entry.LazyGroup.get_command = click.Group.get_command
entry.main(["slow"])
"""


def start(*, stubborn: bool) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("{stubborn}", str(stubborn))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_unwinds_and_says_how_to_go_on(number: signal.Signals) -> None:
    process = start(stubborn=False)
    process.send_signal(number)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert output == "in order\n"
    assert "The same command goes on from there" in errors


def test_twice_ends_at_once() -> None:
    process = start(stubborn=True)
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert process.stdout.readline() == "in order\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    process.communicate()
