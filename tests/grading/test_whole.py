"""L2S and L2L on hand-made judge answers."""

import math

import pytest

from cfe_local.errors import IncompleteError
from cfe_local.grading import Judged, WholeResponse
from cfe_local.records import TokenLogprob
from tests.grading.tasks import answer, known, prompt, target, task

TWO = task("It takes three seconds over four metres.", target("t", "3 s"), target("s", "5 m"))
TREE = {"reasoning": "one differs", "v1": True, "v2": False}


def words(p_true: float, said: str) -> TokenLogprob:
    both = {"true": math.log(p_true), "false": math.log(1 - p_true)}
    return TokenLogprob(token=said, logprob=both[said], alternatives=both)


def test_l2s_shows_the_references_and_l2l_the_solution() -> None:
    (short,), (long,) = (WholeResponse(name).calls([TWO], Judged()) for name in ("l2s", "l2l"))
    assert "t = 3 s" in prompt(short)
    assert "It follows." not in prompt(short)
    assert "It follows." in prompt(long)
    assert (short.key.call, long.key.call) == ("l2s", "l2l")


@pytest.mark.parametrize("name", ["l2s", "l2l"])
def test_one_answer_gives_one_verdict_per_variable_with_its_probability(name: str) -> None:
    grading = WholeResponse(name)
    (call,) = grading.calls([TWO], Judged())
    judged = known([answer(call, TREE, logprobs=[words(0.9, "true"), words(0.9, "true"), words(0.2, "false")])])
    verdicts = grading.verdicts([TWO], judged)
    assert [(one.variable, one.verdict, one.by) for one in verdicts] == [
        (0, "correct", "judge"),
        (1, "incorrect", "judge"),
    ]
    assert [one.p_correct for one in verdicts] == pytest.approx([0.9, 0.2])
    assert verdicts[0].judge_reasoning == "one differs"
    assert not grading.calls([TWO], judged)
    assert not grading.pairs([TWO], judged)


def test_garbage_twice_is_undecided() -> None:
    grading = WholeResponse("l2s")
    (call,) = grading.calls([TWO], Judged())
    judged = known([answer(call, "[[90]]")])
    (again,) = grading.calls([TWO], judged)
    judged = known([answer(call, "[[90]]"), answer(again, "[[90]]")])
    assert {(one.verdict, one.reason) for one in grading.verdicts([TWO], judged)} == {("undecided", "judge_invalid")}


def test_a_response_without_an_answer_is_not_shown_to_the_judge() -> None:
    empty = task("", target("t", "3 s"), outcome="truncated_thinking")
    grading = WholeResponse("l2s")
    assert grading.calls([empty], Judged()) == []
    assert grading.verdicts([empty], Judged())[0].reason == "truncated_thinking"


def test_asking_for_verdicts_too_early_is_an_error() -> None:
    with pytest.raises(IncompleteError):
        WholeResponse("l2l").verdicts([TWO], Judged())
