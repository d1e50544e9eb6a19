"""How many steps does the model take, and where does it leave the right track? The judge takes its answers apart.

Starts from an earlier run (``--from``): every answer that it holds is decomposed by the judge, bound to a schema; the
steps are counted against the instructor's, and their results compared with the instructor's by equivalence.

Source: CFE-Bench (arXiv:2602.19517), reasoning efficiency. Verified intermediate results and the prompts are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cfe_local.errors import UsageError
from cfe_local.experiments.analysis import Analysis
from cfe_local.experiments.base import Earlier, ExperimentRecords, Options, PlanSettings, Traits
from cfe_local.experiments.efficiency_report import Taken, analyse_efficiency
from cfe_local.experiments.flow_text import FLOW_CONSTRAINT, read_flow
from cfe_local.experiments.hints import system_message
from cfe_local.experiments.tracking import step_pairs
from cfe_local.grading.base import Pair
from cfe_local.grading.fence import fenced
from cfe_local.grading.reduce import reduced
from cfe_local.prompts.render import render, text_message
from cfe_local.records import Case, Key, Problem, TargetVariable

MAX_RESPONSE_TOKENS = 6000
"""Longer answers are shortened before they are taken apart, as before grading."""


class Efficiency:
    """Plans one decomposition per answer of the earlier run that belongs to a problem with a flow."""

    name = "efficiency"
    traits = Traits(
        templates=("flow_system", "flow_of_response"), options=Options, asks="judge", source="texts", samples=1
    )

    def plan(self, problems: Sequence[Problem], settings: PlanSettings, earlier: Earlier) -> Iterator[Case]:
        """Every answer of the earlier run, in its order."""
        del earlier  # one round
        by_row = {(problem.split, problem.row): problem for problem in problems if problem.steps}
        if not by_row:
            raise UsageError(
                "none of the problems has a reasoning flow to count against\nFix: use a benchmark with flows."
            )
        n_cases = 0
        for sample in settings.source.samples if settings.source is not None else ():
            problem = by_row.get((sample.key.split, sample.key.row))
            if problem is None or sample.outcome not in ("answered", "truncated") or not sample.text.strip():
                continue
            n_cases += 1
            key = sample.key.model_copy(update={"experiment": self.name})
            yield Case(
                key=key,
                messages=(system_message("flow_system"), text_message("user", _prompt(problem, key, sample.text))),
                sampling=settings.sampling_for(key),
                constraint=FLOW_CONSTRAINT,
            )
        if not n_cases:
            raise UsageError("the earlier run has no answer to any of these problems\nFix: --from another run.")

    def question(self, problem: Problem, key: Key) -> str:
        """The problem's own question."""
        del key
        return problem.question_text

    def targets(self, problem: Problem, key: Key) -> tuple[TargetVariable, ...]:
        """Nothing: a decomposition is not graded."""
        del problem, key
        return ()

    def pairs(self, records: ExperimentRecords) -> Sequence[Pair]:
        """Every result of a decomposition against every result of the instructor's flow."""
        found: dict[str, Pair] = {}
        for taken in taken_apart(records):
            for ours in taken.problem.steps:
                for theirs in taken.steps:
                    found.update({pair.label: pair for pair in step_pairs(ours, theirs)})
        return list(found.values())

    def analyse(self, records: ExperimentRecords) -> Analysis:
        """Counts against the instructor's, and how far answers stay on the track, right and wrong ones apart."""
        return analyse_efficiency(records, taken_apart(records), experiment=self.name)


def taken_apart(records: ExperimentRecords) -> list[Taken]:
    """Every planned decomposition: its steps, or why there are none."""
    source = records.settings.source
    marks = {s.key.model_copy(update={"experiment": ""}): s.mark for s in source.samples} if source else {}
    found = []
    for sample in records.samples:
        mark = marks.get(sample.key.model_copy(update={"experiment": ""}), "undecided")
        response = sample.response
        if response is None or response.outcome != "answered":
            found.append(Taken(sample.problem, mark, (), response.outcome if response else "missing"))
            continue
        steps = read_flow(response.text)
        fault = steps if isinstance(steps, str) else ""
        found.append(Taken(sample.problem, mark, () if isinstance(steps, str) else steps, fault))
    return found


def _prompt(problem: Problem, key: Key, text: str) -> str:
    short = reduced(text, [variable.name for variable in problem.variables], max_tokens=MAX_RESPONSE_TOKENS)
    safe = fenced(key.label, short.text)
    return render("flow_of_response", question=problem.question_text, response=safe.text, mark=safe.mark)
