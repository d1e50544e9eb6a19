"""Every published reference equals itself, and no other variable's value but those that a person has checked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from cfe_local.benchmarks import load_cfe
from cfe_local.equivalence import equivalent
from cfe_local.records import Problem, TargetVariable, ValueContext

FOLDER = os.environ.get("CFE_BENCH_DIR", "")
pytestmark = [
    pytest.mark.real_benchmark,
    pytest.mark.skipif(not FOLDER, reason="$CFE_BENCH_DIR does not say where the published benchmark is"),
]


@pytest.fixture(scope="module")
def problems() -> tuple[Problem, ...]:
    return load_cfe(Path(FOLDER)).problems


def _context(problem: Problem, variable: TargetVariable) -> ValueContext:
    return ValueContext(
        type=variable.type, variable=variable.name, description=variable.description, question=problem.question_text
    )


def test_every_reference_equals_itself(problems: tuple[Problem, ...]) -> None:
    failed = [
        (problem.label, variable.name)
        for problem in problems
        for variable in problem.variables
        if equivalent(variable.value, variable.value, _context(problem, variable)).verdict != "equal"
    ]
    assert failed == []


def test_different_variables_are_equal_only_where_a_person_has_found_them_so(problems: tuple[Problem, ...]) -> None:
    reviewed = {tuple(row) for row in yaml.safe_load((Path(__file__).parent / "equal_variables.yaml").read_text())}
    found = set()
    for problem in problems:
        for i, first in enumerate(problem.variables):
            for j, second in enumerate(problem.variables):
                if i != j and equivalent(first.value, second.value, _context(problem, first)).verdict == "equal":
                    found.add((problem.split, problem.row, min(i, j), max(i, j)))
    assert found == reviewed
