"""Hand-made tasks and judge answers for the tests of gradings."""

import json
from collections.abc import Sequence

from cfe_local.grading import GradingTask, Judged, Pair
from cfe_local.records import (
    Case,
    Comparison,
    ComparisonVerdict,
    Key,
    Outcome,
    Response,
    TargetVariable,
    TokenLogprob,
    VariableType,
)


def target(name: str, value: str, kind: VariableType = "formula", description: str = "") -> TargetVariable:
    return TargetVariable(name=name, description=description or f"the value of {name}", value=value, type=kind)


def task(text: str, *targets: TargetVariable, outcome: Outcome = "answered", row: int = 0) -> GradingTask:
    key = Key(experiment="exam", split="text", row=row, sample=0)
    response = Response(key=key, outcome=outcome, text=text)
    return GradingTask(question="What is it?", targets=targets, solution="It follows.", response=response)


def answer(
    case: Case, tree: object, *, logprobs: Sequence[TokenLogprob] = (), outcome: Outcome = "answered"
) -> Response:
    text = tree if isinstance(tree, str) else json.dumps(tree, ensure_ascii=False)
    return Response(key=case.key, outcome=outcome, text=text, logprobs=tuple(logprobs))


def known(answers: Sequence[Response] = (), comparisons: Sequence[tuple[Pair, ComparisonVerdict]] = ()) -> Judged:
    return Judged(
        answers={one.key.label: one for one in answers},
        comparisons={
            pair.label: Comparison(verdict=verdict, by="test", evidence="by hand") for pair, verdict in comparisons
        },
    )


def prompt(case: Case) -> str:
    return "".join(part.text for message in case.messages for part in message.parts if part.kind == "text")
