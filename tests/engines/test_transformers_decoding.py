from collections import Counter
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from cfe_local.engines.transformers_decoding import Row, RowChooser  # noqa: E402 - needs torch
from cfe_local.engines.transformers_prompts import collate  # noqa: E402
from cfe_local.records import Sampling  # noqa: E402

N = 10
STOP, START, END = 9, 7, 8
LOGITS = [0.0, 3.0, 2.0, 1.0, 0.5, 0.0, -1.0, -20.0, -20.0, -20.0]
"""Token 1 is likeliest, then 2, 3, 4; marks and stop are next to impossible."""


def row(sampling: Sampling | None = None, seed: int = 0, **changes: Any) -> Row:
    settings: dict[str, Any] = {
        "sampling": sampling or Sampling(temperature=0.0, max_tokens=5),
        "prompt_ids": torch.tensor([5, 6]),
        "stop_ids": frozenset({STOP}),
        "start_ids": (START,),
        "end_ids": (END,),
        "phase": "undecided",
        "budget": 0,
        "generator": torch.Generator().manual_seed(seed),
        **changes,
    }
    return Row(**settings)


def run(one: Row, steps: int = 40, logits: list[float] | None = None) -> list[int]:
    for _ in range(steps):
        if one.finish:
            break
        one.choose(torch.tensor(logits or LOGITS))
    return one.token_ids


def draws(sampling: Sampling, n: int = 3000) -> Counter[int]:
    """How often each token comes first, over many seeds."""
    return Counter(row(sampling, seed=seed).choose(torch.tensor(LOGITS)) for seed in range(n))


def test_greedy_takes_the_likeliest_token_until_the_limit() -> None:
    one = row()
    assert run(one) == [1] * 5
    assert one.finish == "length"


def test_a_stop_token_ends_the_response_and_is_no_part_of_it() -> None:
    one = row()
    one.choose(torch.tensor(LOGITS))
    one.choose(torch.eye(N)[STOP] * 50)
    assert (one.token_ids, one.finish) == ([1], "stop")


def test_the_same_seed_gives_the_same_response_and_another_seed_another() -> None:
    sampling = Sampling(temperature=1.5, max_tokens=30)
    first, again, other = (run(row(sampling, seed=seed)) for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_neighbours_in_the_batch_change_nothing() -> None:
    sampling = Sampling(temperature=1.5, max_tokens=12)
    alone = run(row(sampling, seed=3))
    rows = [row(sampling, seed=8), row(sampling, seed=3), row(Sampling(temperature=0.0, max_tokens=2))]
    chooser = RowChooser(rows, pad_id=0)
    for _ in range(12):
        left = chooser(torch.zeros(3, 1), torch.tensor([LOGITS] * 3))
        assert (left == 0).sum(-1).tolist() == [1, 1, 1]
    assert rows[1].token_ids == alone
    assert rows[2].token_ids == [1, 1]
    assert chooser.finished(torch.zeros(3, 1), None).tolist() == [True, True, True]


@pytest.mark.parametrize(
    ("sampling", "allowed"),
    [
        (Sampling(temperature=1.0, top_k=2), {1, 2}),
        (Sampling(temperature=1.0, top_k=1), {1}),
        # Probabilities 0.58, 0.21, 0.08, ...: 0.58 < 0.7, so the second is still in.
        (Sampling(temperature=1.0, top_p=0.7), {1, 2}),
        (Sampling(temperature=1.0, top_p=0.5), {1}),
        # 0.3 of the likeliest: only the second (exp(-1) = 0.37 of it) is above.
        (Sampling(temperature=1.0, min_p=0.3), {1, 2}),
        (Sampling(temperature=0.01), {1}),
    ],
)
def test_what_a_cut_leaves_out_never_comes(sampling: Sampling, allowed: set[int]) -> None:
    assert set(draws(sampling, n=400)) == allowed


def test_sampling_follows_the_probabilities() -> None:
    expected = torch.tensor(LOGITS).softmax(-1)
    counts = draws(Sampling(temperature=1.0))
    for token_id in range(5):
        assert counts[token_id] / 3000 == pytest.approx(float(expected[token_id]), abs=0.04)


def test_presence_penalty_counts_what_was_generated_and_repetition_penalty_the_prompt_too() -> None:
    assert run(row(Sampling(temperature=0.0, max_tokens=4, presence_penalty=1.5))) == [1, 2, 1, 1]
    # Token 5 stands in the prompt: a score of 4 halved is less than 3.
    logits = [*LOGITS[:5], 4.0, *LOGITS[6:]]
    assert run(row(Sampling(temperature=0.0, max_tokens=1)), logits=logits) == [5]
    assert run(row(Sampling(temperature=0.0, max_tokens=1, repetition_penalty=2.0)), logits=logits) == [1]


class TestThinking:
    def test_a_budget_closes_thinking_by_force_and_the_answer_has_its_own_limit(self) -> None:
        one = row(phase="thinking", budget=3)
        assert run(one) == [1, 1, 1, END, 1, 1, 1, 1, 1]
        assert (one.by_budget, one.n_thinking, one.finish) == (True, 4, "length")

    def test_thinking_that_ends_by_itself_is_not_cut(self) -> None:
        one = row(phase="thinking", budget=30)
        one.choose(torch.tensor(LOGITS))
        one.choose(torch.eye(N)[END] * 50)
        run(one)
        assert one.token_ids == [1, END, 1, 1, 1, 1, 1]
        assert not one.by_budget

    def test_a_budget_of_nothing_closes_at_once(self) -> None:
        one = row(phase="thinking", budget=0)
        one.close_at_once()
        assert run(one)[:2] == [END, 1]

    def test_a_stop_inside_thinking_leaves_it_open(self) -> None:
        one = row(phase="thinking", budget=30)
        one.choose(torch.tensor(LOGITS))
        one.choose(torch.eye(N)[STOP] * 50)
        assert (one.finish, one.n_thinking, one.phase) == ("stop", 1, "thinking")

    def test_a_model_that_opens_thinking_itself_is_capped_too(self) -> None:
        one = row(budget=2)
        one.choose(torch.eye(N)[START] * 50)
        assert run(one)[:4] == [START, 1, 1, END]

    def test_an_end_mark_of_several_tokens_is_forced_whole(self) -> None:
        one = row(phase="thinking", budget=1, end_ids=(6, 5, 6))
        assert run(one)[:5] == [1, 6, 5, 6, 1]

    def test_a_model_without_marks_only_answers(self) -> None:
        one = row(start_ids=())
        one.choose(torch.eye(N)[START] * 50)
        assert (one.phase, one.n_thinking) == ("answer", 0)


def test_a_guide_sees_every_token_and_nothing_else_comes_out() -> None:
    seen: list[list[int]] = []

    def only_four(token_ids: Any, scores: Any) -> Any:
        seen.append(token_ids[0].tolist())
        masked = torch.full_like(scores, float("-inf"))
        masked[0, 4] = scores[0, 4]
        return masked

    one = row(Sampling(temperature=1.0, max_tokens=3), guide=only_four)
    assert run(one) == [4, 4, 4]
    assert seen == [[0], [4], [4, 4]]


def test_logprobs_are_of_the_answer_alone_and_leave_out_what_cannot_come() -> None:
    def two_or_three(token_ids: Any, scores: Any) -> Any:
        masked = torch.full_like(scores, float("-inf"))
        masked[0, 2:4] = scores[0, 2:4]
        return masked

    one = row(Sampling(temperature=0.0, max_tokens=1, n_logprobs=5), guide=two_or_three)
    run(one)
    (chosen,) = one.chosen
    assert set(chosen.alternatives) == {2, 3}
    assert chosen.logprob == pytest.approx(-0.3133, abs=1e-3)  # log(1 / (1 + exp(-1)))


def test_prompts_are_padded_on_the_left_and_images_follow_each_other() -> None:
    a = {"input_ids": torch.tensor([[1, 2, 3]]), "attention_mask": torch.ones(1, 3), "pixels": torch.ones(2, 4)}
    b = {"input_ids": torch.tensor([[4]]), "attention_mask": torch.ones(1, 1)}
    c = {"input_ids": torch.tensor([[5, 6]]), "attention_mask": torch.ones(1, 2), "pixels": torch.zeros(1, 4)}
    joined = collate([a, b, c], pad_id=0)
    assert joined["input_ids"].tolist() == [[1, 2, 3], [0, 0, 4], [0, 5, 6]]
    assert joined["attention_mask"].tolist() == [[1, 1, 1], [0, 0, 1], [0, 1, 1]]
    assert joined["pixels"].tolist() == [[1.0] * 4] * 2 + [[0.0] * 4]
