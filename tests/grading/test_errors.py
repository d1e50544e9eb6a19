"""Errors in answers: the judge's marks need a quotation, arithmetic is checked without the judge."""

from __future__ import annotations

import json

import pytest

from cfe_local.equivalence import equivalent
from cfe_local.grading import GradingTask, Judged, SymbolicGrading
from cfe_local.grading.arithmetic import arithmetic_claims
from cfe_local.grading.errors import AnswerMark, ErrorMarking, ErrorReport
from cfe_local.records import Comparison, Key, Response, TargetVariable, Verdict

ANSWER = "We assume the sphere is hollow. Then $2 \\cdot 3 + 4 = 11$ and $3^2 = 9$, so\nANSWER: 11"
TARGET = TargetVariable(name="answer", description="the result", value="10", type="numeric")


def marked(tree: object, mark: AnswerMark = "wrong", text: str = ANSWER) -> ErrorReport:
    key = Key(experiment="exam", split="p", row=0, sample=0)
    task = GradingTask("How much?", (TARGET,), "It is 10.", Response(key=key, outcome="answered", text=text))
    marking, answers, known = ErrorMarking({key.label: mark}), dict[str, Response](), dict[str, Comparison]()
    while True:
        judged = Judged(answers=answers, comparisons=known)
        pairs, calls = marking.pairs([task], judged), marking.calls([task], judged)
        if not pairs and not calls:
            break
        known |= {pair.label: equivalent(pair.reference, pair.candidate, pair.context) for pair in pairs}
        answers |= {c.key.label: Response(key=c.key, outcome="answered", text=json.dumps(tree)) for c in calls}
    (found,) = marking.records([task], judged)
    return found


def tree(*quotes: str | None) -> dict[str, object]:
    return {f"v{i + 1}": {"quote": q, "reason": "so", "points": int(q is not None)} for i, q in enumerate(quotes)}


def test_marks_with_a_quotation_count_and_kinds_are_not_exclusive() -> None:
    found = marked(tree(None, "We assume the sphere is hollow.", None, "$2 \\cdot 3 + 4 = 11$"))
    assert [(error.kind, error.quote) for error in found.errors] == [
        ("approach", "We assume the sphere is hollow."),
        ("arithmetic", "$2 \\cdot 3 + 4 = 11$"),
    ]
    assert (found.outcome, found.n_dropped) == ("marked", 0)


@pytest.mark.parametrize("quote", ["We assume the sphere is solid.", "so", "the reference"])
def test_a_mark_whose_quotation_is_not_in_the_answer_is_dropped_and_counted(quote: str) -> None:
    found = marked(tree(quote, None, None, None))
    assert (found.errors, found.n_dropped) == ((), 1)


def test_output_of_another_shape_leaves_the_answer_unmarked_and_its_arithmetic_checked() -> None:
    found = marked({"misread": True})
    assert (found.outcome, found.errors) == ("judge_invalid", ())
    assert [one.quote for one in found.wrong_arithmetic] == ["2 \\cdot 3 + 4 = 11"]


def test_arithmetic_that_equivalence_refutes_is_verified_whatever_the_judge_says() -> None:
    found = marked(tree(None, None, None, None))
    assert (found.n_claims, found.n_claims_open) == (2, 0)
    assert [one.quote for one in found.wrong_arithmetic] == ["2 \\cdot 3 + 4 = 11"]


def test_a_right_answer_is_asked_about_its_reasoning_alone() -> None:
    found = marked(tree("We assume the sphere is hollow."), mark="right")
    assert [error.kind for error in found.errors] == ["reasoning"]


def test_answers_that_are_neither_right_nor_wrong_are_not_asked() -> None:
    key = Key(experiment="exam", split="p", row=0, sample=0)
    task = GradingTask("How much?", (TARGET,), "", Response(key=key, outcome="answered", text=ANSWER))
    marking = ErrorMarking({})
    assert (marking.pairs([task], Judged()), marking.calls([task], Judged())) == ([], [])
    assert marking.records([task], Judged()) == []


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("$2 \\cdot 3 + 4 = 11$", [("2 \\cdot 3 + 4", "11")]),
        ("Then 12 * 3 = 36.", [("12 * 3", "36")]),
        ("so 12 × 3 = 36, and", [("12 × 3", "36")]),
        ("$x = \\frac{6}{4} = 1.5$", [("\\frac{6}{4}", "1.5")]),
        ("\\[ 3 + 4 = 7 = 14/2 \\]", [("3 + 4", "7"), ("7", "14/2")]),
        ("$\\sqrt{16} \\approx 4$", [("\\sqrt{16}", "4")]),
        ("$$a &= 2(3+1)\\\\ &= 8$$", []),
    ],
)
def test_claims_of_arithmetic_are_found_in_formulas_and_lines(text: str, claims: list[tuple[str, str]]) -> None:
    assert [(claim.left, claim.right) for claim in arithmetic_claims(text)] == claims


@pytest.mark.parametrize(
    "text",
    [
        "$x + 2 = 5$",
        "$2x = 6$",
        "60 * 2 = 2 h",
        "$3 = 3$",
        "5 km / 2 = 2.5 km",
        "n = 4",
        "$2 \\cdot 3 = 6x$",
        "f(2) = 4 * 2",
        "2^10 = 1024 = n",
        "$(2 + 3 = 5$",
    ],
)
def test_sides_with_symbols_or_units_are_no_claims_that_could_be_refuted(text: str) -> None:
    found = [equivalent(claim.left, claim.right, claim.pair.context).verdict for claim in arithmetic_claims(text)]
    assert "different" not in found


# ---------------------------------------------------------------- expressions scored by the judge


def scored(answer: str, score: str) -> Verdict:
    target = TargetVariable(name="answer", description="the result", value="$2 a b$", type="formula")
    key = Key(experiment="exam", split="p", row=0, sample=0)
    response = Response(key=key, outcome="answered", text=f"ANSWER: {answer}")
    task = GradingTask("Find it.", (target,), "", response, kind="symbolic")
    grading, answers, known = SymbolicGrading(), dict[str, Response](), dict[str, Comparison]()
    while True:
        judged = Judged(answers=answers, comparisons=known)
        pairs, calls = grading.pairs([task], judged), grading.calls([task], judged)
        if not pairs and not calls:
            break
        known |= {pair.label: equivalent(pair.reference, pair.candidate, pair.context) for pair in pairs}
        answers |= {c.key.label: Response(key=c.key, outcome="answered", text=score) for c in calls}
    (found,) = grading.verdicts([task], judged)
    return found


@pytest.mark.parametrize(
    ("score", "verdict", "reason"),
    [
        ("1", "correct", "judge_right"),
        ("0.5", "incorrect", "judge_constant_or_sign"),
        ("0", "incorrect", "judge_wrong"),
    ],
)
def test_the_judges_score_is_the_verdict_and_equivalence_stands_beside_it(
    score: str, verdict: str, reason: str
) -> None:
    found = scored("$a b$", f'{{"reasoning": "so", "score": {score}}}')
    assert (found.verdict, found.reason, found.score) == (verdict, reason, float(score))
    assert found.comparison is not None
    assert found.comparison.verdict == "different"


@pytest.mark.parametrize("text", ['{"reasoning": "so", "score": 0.7}', '{"score": 1}', "1"])
def test_another_score_is_no_score(text: str) -> None:
    found = scored("$a b$", text)
    assert (found.verdict, found.reason, found.score) == ("undecided", "judge_invalid", None)
