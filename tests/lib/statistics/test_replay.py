"""Replays of a small campaign whose model is simply the set of items that it has learnt."""

from collections.abc import Sequence

import pytest

from lib.statistics.replay import Bought, Policy, Step, replayed

FIRST = [Bought("a", 1, False), Bought("b", 1, True), Bought("c", 1, True), Bought("d", 1, False)]
SECOND = [Bought("e", 1, True), Bought("f", 2, False)]


def run(policy: Policy, budget: float, seed: int = 0) -> tuple[list[Step], list[frozenset[str]]]:
    models: list[frozenset[str]] = []

    def learnt(items: Sequence[str]) -> frozenset[str]:
        models.append(frozenset(items))
        return models[-1]

    steps = replayed(
        [FIRST, SECOND],
        policy=policy,
        budget=budget,
        start=frozenset("d"),
        learnt=learnt,
        tested=lambda model: len(model) / 6,
        # Sure of what it has learnt, and of later letters more than of earlier ones.
        sureness=lambda model, item: 10 if item in model else ord(item) - ord("a"),
        seed=seed,
    )
    return steps, models


@pytest.mark.parametrize(
    ("policy", "bought"),
    [("in_order", ["ab", "abcd"]), ("errors", ["bc", "bce"]), ("unsure", ["ab", "abcd"])],
)
def test_a_policy_buys_in_its_order_within_the_budget(policy: Policy, bought: list[str]) -> None:
    steps, models = run(policy, budget=2)
    assert models == [frozenset(one) for one in bought]
    assert [step.items for step in steps] == [len(one) for one in bought]
    assert all(step.spent <= 2 * step.iteration for step in steps)
    assert [step.value for step in steps] == [len(one) / 6 for one in bought]


def test_money_that_is_left_goes_to_the_next_iteration() -> None:
    steps, models = run("errors", budget=5)
    assert [(step.spent, step.left) for step in steps] == [(2, 0), (3, 0)]
    assert models[1] == frozenset("bce")


def test_without_scarcity_all_policies_but_errors_buy_everything() -> None:
    for policy in ("in_order", "random", "unsure"):
        assert run(policy, budget=10)[0][-1].items == 6


def test_chance_is_the_same_for_the_same_seed() -> None:
    assert run("random", 2, seed=1) == run("random", 2, seed=1)
    assert len({run("random", 2, seed=seed)[1][0] for seed in range(8)}) > 1


def test_a_dear_answer_is_passed_over_and_may_be_bought_later() -> None:
    steps = replayed(
        [[Bought("dear", 3, True), Bought("cheap", 1, True)], []],
        policy="errors",
        budget=2,
        start="",
        learnt=lambda items: ",".join(items),
        tested=lambda model: len(model),
        sureness=lambda model, item: 0,
    )
    assert [(step.items, step.left) for step in steps] == [(1, 1), (2, 0)]
    with pytest.raises(ValueError, match="negative"):
        replayed(
            [[Bought("a", -1, True)]],
            policy="errors",
            budget=1,
            start="",
            learnt=str,
            tested=len,
            sureness=lambda m, i: 0,
        )
