"""Golden cases of the delimiter grading: for each kind, what passes, what fails, and what is unparsable instead."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cfe_local.equivalence import equivalent
from cfe_local.grading import DelimiterGrading, GradingTask, Judged
from cfe_local.records import Comparison, Key, Outcome, ProblemKind, Response, TargetVariable, VariableType, Verdict

OPTIONS = ("this one", "that one", "the other", "none of these")
TYPES: dict[ProblemKind, VariableType] = {"multiple_choice": "other", "numerical": "numeric", "symbolic": "formula"}


def marked(text: str, *references: str, kind: ProblemKind, outcome: Outcome = "answered") -> list[Verdict]:
    """Grade one response to the end, values compared here instead of in worker processes."""
    response = Response(
        key=Key(experiment="exam", split="law", row=0, sample=0),
        outcome=outcome,
        text=text,
        thinking="ANSWER: A\nANSWER: 1.0",
    )
    targets = tuple(
        TargetVariable(name=f"answer_{i}", description="the result", value=value, type=TYPES[kind])
        for i, value in enumerate(references)
    )
    options = OPTIONS if kind == "multiple_choice" else ()
    task = GradingTask("What is it?", targets, "It follows.", response, kind=kind, options=options)
    grading, known = DelimiterGrading(), dict[str, Comparison]()
    while pairs := grading.pairs([task], Judged(comparisons=known)):
        known |= {pair.label: equivalent(pair.reference, pair.candidate, pair.context) for pair in pairs}
    assert grading.calls([task], Judged(comparisons=known)) == []
    return grading.verdicts([task], Judged(comparisons=known))


def outcomes(verdicts: Sequence[Verdict]) -> list[str]:
    return [one.reason if one.reason in ("unparsable", "renamed_symbols") else one.verdict for one in verdicts]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("It is B.\nANSWER: B", "correct"),
        ("ANSWER: (B)", "correct"),
        ("ANSWER: That one.", "correct"),
        ("ANSWER: A\nOn second thought:\nANSWER: B", "correct"),
        ("ANSWER: A", "incorrect"),
        ("ANSWER: the other", "incorrect"),
        ("ANSWER: (D)", "incorrect"),
        ("ANSWER: A or B", "unparsable"),
        ("ANSWER: B, C", "unparsable"),
        ("ANSWER: E", "unparsable"),
        ("It is B.", "unparsable"),
    ],
)
def test_multiple_choice_goes_by_letter_and_two_letters_are_unparsable(text: str, outcome: str) -> None:
    assert outcomes(marked(text, "B", kind="multiple_choice")) == [outcome]


@pytest.mark.parametrize(
    ("answer", "reference", "outcome"),
    [
        ("92.5", "92.5", "correct"),
        ("93.33", "92.5", "correct"),  # 0.9 % off
        ("91.67", "92.5", "correct"),  # 0.9 % off, below
        ("93.52", "92.5", "incorrect"),  # 1.1 % off
        ("91.48", "92.5", "incorrect"),  # 1.1 % off, below
        ("92.5 minutes", "92.5", "correct"),  # a unit, though the problem forbids it
        (r"$92.5\ \text{min}$", "92.5", "correct"),
        ("14.7 rolls", "14.7", "correct"),  # a unit that is none
        ("5550 s", "92.5 min", "correct"),  # converted
        ("92.5 s", "92.5 min", "incorrect"),
        ("92.5 kg", "92.5 min", "incorrect"),
        (r"$\frac{\pi e^{-3}}{1.5}$", "0.1043", "correct"),
        (r"1.043 \times 10^{-1}", "0.1043", "correct"),
        ("-0.1043", "0.1043", "incorrect"),
        ("121", "120", "incorrect"),  # whole numbers have no tolerance
        ("1201", "1200", "incorrect"),
        ("120.9", "120", "correct"),
        ("0.001", "0", "incorrect"),
        ("0", "0", "correct"),
    ],
)
def test_numbers_are_right_within_one_percent_and_whole_numbers_exactly(
    answer: str, reference: str, outcome: str
) -> None:
    assert outcomes(marked(f"So\nANSWER: {answer}", reference, kind="numerical")) == [outcome]


@pytest.mark.parametrize(
    ("answer", "reference", "outcome"),
    [
        (r"$\sqrt{2+n}$", r"$\sqrt{n+2}$", "correct"),
        ("$(x+1)^{n-1} x n$", "$n x (1+x)^{n-1}$", "correct"),
        (r"\boxed{S = \frac{x^2}{2}}", r"$\frac{1}{2} x^2$", "correct"),
        (r"$\sqrt{n+1}$", r"$\sqrt{n+2}$", "incorrect"),
        ("$-a$", "$a$", "incorrect"),
        ("$2 a b$", "$a b$", "incorrect"),
        ("$b - a$", "$a - b$", "renamed_symbols"),
        ("$b + (n-1) a$", "$a + (n-1) b$", "renamed_symbols"),
        ("$m y (1+y)^{m-1}$", "$n x (1+x)^{n-1}$", "renamed_symbols"),
        ("$a + b$", "$b + a$", "correct"),
    ],
)
def test_expressions_go_by_equivalence_and_renamed_symbols_are_told_apart(
    answer: str, reference: str, outcome: str
) -> None:
    assert outcomes(marked(f"ANSWER: {answer}", reference, kind="symbolic")) == [outcome]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("$a + (n-1) b$; $a - b$", ["correct", "correct"]),
        ("$a + (n-1) b$; $a + b$", ["correct", "incorrect"]),
        ("$a - b$; $a + (n-1) b$", ["incorrect", "incorrect"]),
        ("$a - b$", ["unparsable", "unparsable"]),
    ],
)
def test_sub_answers_are_compared_in_their_order(answer: str, expected: list[str]) -> None:
    assert outcomes(marked(f"ANSWER: {answer}", "$a + (n-1) b$", "$a - b$", kind="symbolic")) == expected


@pytest.mark.parametrize(
    ("text", "outcome", "verdict", "reason"),
    [
        ("No delimiter", "answered", "incorrect", "unparsable"),
        ("No delimiter", "truncated", "undecided", "truncated"),
        ("ANSWER: 92", "truncated", "undecided", "truncated"),
        ("ANSWER: 92.5\nThat is", "truncated", "correct", "one percent"),
        ("", "answered", "incorrect", "absent"),
        ("", "truncated_thinking", "undecided", "truncated_thinking"),
        ("", "failed", "undecided", "failed"),
    ],
)
def test_what_is_missing_is_told_from_what_is_wrong(text: str, outcome: Outcome, verdict: str, reason: str) -> None:
    (found,) = marked(text, "92.5", kind="numerical", outcome=outcome)
    assert (found.verdict, found.reason) == (verdict, reason)


def test_a_delimiter_inside_thinking_never_counts() -> None:
    assert outcomes(marked("I am sure now.", "A", kind="multiple_choice")) == ["unparsable"]
    assert outcomes(marked("I am sure now.", "1.0", kind="numerical")) == ["unparsable"]


def test_a_letter_at_the_end_of_a_cut_response_is_whole() -> None:
    (found,) = marked("ANSWER: B", "B", kind="multiple_choice", outcome="truncated")
    assert found.verdict == "correct"


def test_a_proof_has_no_verdict_and_its_quote_is_kept_elsewhere() -> None:
    task = GradingTask(
        "Prove it.",
        (),
        "So.",
        Response(key=Key(experiment="exam", split="p", row=0, sample=0), outcome="answered", text="QED"),
        kind="proof",
    )
    assert DelimiterGrading().verdicts([task], Judged()) == []
    assert DelimiterGrading().pairs([task], Judged()) == []
