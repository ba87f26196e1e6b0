"""The gate: which models pass, wait or are refused, by which rule, and how often it errs."""

from typing import Any

import pytest

from lib.statistics.model_gate.error_rates import gate_errors
from lib.statistics.model_gate.rules import Answered, GateSettings, Verdict, judge, worse_actions


def answers(*, gained: int = 0, lost: int = 0, same: int = 0, group: str = "BUILD") -> list[Answered]:
    return [Answered(group, 0, 1)] * gained + [Answered(group, 1, 0)] * lost + [Answered(group, 1, 1)] * same


BETTER = answers(gained=30, lost=8, same=300)
AS_AT_FIRST = answers(gained=10, lost=10, same=800)


def verdict(tested: list[Answered] = BETTER, first: list[Answered] = AS_AT_FIRST, **changed: Any) -> Verdict:
    usual: dict[str, Any] = {"look": 1, "smoke": [True] * 30, "valid": [True] * 338, "latencies_ms": [2.0] * 338}
    return judge(tested, first, **{**usual, **changed})


def failed(found: Verdict) -> list[str]:
    return [reason.rule for reason in found.reasons if not reason.passed]


def test_a_better_model_passes_with_all_rules() -> None:
    found = verdict()
    assert (found.passed, found.status, found.n, found.gained, found.lost) == (True, "passed", 338, 30, 8)
    assert [reason.rule for reason in found.reasons] == ["mcnemar", "t0", "actions", "smoke", "valid", "latency"]
    assert found.p < found.alpha < 0.05


@pytest.mark.parametrize(
    ("rule", "changed"),
    [
        ("mcnemar", {"tested": answers(gained=8, lost=30, same=300, group="")}),
        ("t0", {"first": answers(lost=40, gained=5, same=400)}),
        ("t0", {"first": []}),
        ("actions", {"tested": [*BETTER, *answers(lost=12, same=20, group="MOVE"), *answers(gained=60, group="DIG")]}),
        ("smoke", {"smoke": [True] * 29 + [False]}),
        ("valid", {"valid": [True] * 337 + [False]}),
        ("latency", {"latencies_ms": [2.0] * 300 + [21.0] * 38}),
    ],
)
def test_one_rule_alone_refuses_a_model(rule: str, changed: dict[str, Any]) -> None:
    found = verdict(**changed)
    assert (found.passed, found.status) == (False, "refused")
    assert rule in failed(found)
    assert set(failed(found)) <= {rule, "actions"}


def test_a_model_that_is_not_proved_better_is_left_to_a_person() -> None:
    found = verdict(answers(gained=20, lost=15, same=300))
    assert (found.passed, found.status, found.is_look) == (False, "unproved", True)
    assert failed(found) == ["mcnemar"]


def test_too_few_discordant_items_wait_and_use_up_no_look() -> None:
    found = verdict(answers(gained=6, same=300))
    assert (found.passed, found.status, found.is_look) == (False, "waits", False)
    assert verdict(answers(gained=7, same=300)).status == "passed"
    assert verdict(answers(gained=7, same=300), look=2).status == "waits"


def test_a_later_look_asks_for_more_proof() -> None:
    tested = answers(gained=16, lost=4, same=300)
    assert verdict(tested, look=1).passed
    assert not verdict(tested, look=3).passed


def test_a_blocked_model_does_not_wait() -> None:
    assert verdict(answers(gained=1), valid=[False]).status == "refused"


def test_actions_with_few_items_are_not_looked_at() -> None:
    tested = [*BETTER, *answers(lost=19, group="MOVE")]
    assert set(worse_actions(tested, least=20)) == {"BUILD"}
    assert verdict([*tested, *answers(gained=30, group="DIG")]).passed


def test_the_margin_is_a_setting() -> None:
    first = answers(lost=12, gained=8, same=180)
    assert verdict(first=first, settings=GateSettings(margin=0.1)).passed
    assert failed(verdict(first=first)) == ["t0"]


def test_scenes_are_compared_by_their_iou() -> None:
    better = [Answered("scene", 0.4 + 0.001 * number, 0.5 + 0.002 * number) for number in range(40)]
    found = judge(better, better, look=1, are_shares=True)
    assert found.passed
    assert [reason.rule for reason in found.reasons][:2] == ["wilcoxon", "t0"]
    worse = [Answered(one.group, one.new, one.old) for one in better]
    assert failed(judge(worse, worse, look=1, are_shares=True)) == ["wilcoxon", "t0"]
    assert judge(better[:5], better, look=1, are_shares=True).status == "waits"


@pytest.mark.parametrize("changed", [0.1, 0.2])
def test_from_1000_items_on_the_gate_seldom_errs(changed: float) -> None:
    for point in gate_errors([1000, 2000], changed=changed, runs=600):
        assert point.unchanged_refused <= 0.10
        assert point.unchanged_passed <= 0.05
        assert point.worse_passed <= 0.05
        assert point.forgetful_passed <= 0.05 + 0.02  # of 600 runs
    assert gate_errors([100], changed=changed, runs=200)[0].unchanged_refused > 0.3
