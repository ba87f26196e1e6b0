"""The gate: whether a new model may replace the one that serves. Both answered the same items.

A new model passes if it is proved better on the newest test items and no rule blocks it. It waits while too few items
differ to prove anything, is refused where a rule blocks it or it is proved worse, and else stays unproved: a person may
decide.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from lib.statistics.paired_tests import (
    Discordant,
    alpha_of_look,
    at_least,
    least_discordant,
    lower_end,
    lower_end_of_mean,
    mcnemar,
    wilcoxon,
)
from lib.statistics.suites.paired import holm

Rule = Literal["mcnemar", "wilcoxon", "t0", "actions", "smoke", "valid", "latency"]
Status = Literal["passed", "waits", "unproved", "refused"]


class GateSettings(NamedTuple):
    """The bounds of the gate.

    Attributes:
        alpha: The level of all looks together.
        margin: By how much the share of right answers on the first test items may at most be lower, as far as the
            one-sided 95 % interval tells.
        action_items: An action with so many test items is looked at by itself.
        latency_ms: The bound of the 95th percentile of the time for one answer.
    """

    alpha: float = 0.05
    margin: float = 0.05
    action_items: int = 20
    latency_ms: float = 20.0


class Answered(NamedTuple):
    """One test item that both models answered.

    Attributes:
        group: For commands the type of the true form's action; any text for scenes.
        old, new: How right the models are: 1 or 0, or the IoU of a mask.
    """

    group: str
    old: float
    new: float


class Reason(NamedTuple):
    """The finding of one rule."""

    rule: Rule
    value: float
    bound: float
    passed: bool
    sentence: str


class Verdict(NamedTuple):
    """The decision of the gate about a new model.

    Attributes:
        n, gained, lost: The newest test items, and on how many the new model is better or worse.
        p, alpha: The p value of the test of these, and the level that it had to reach.
        look: Which test of this series it was, from 1.
        is_look: Whether the test was made. While the gate waits, none is made, and the next one has the same level.
    """

    passed: bool
    status: Status
    n: int
    gained: int
    lost: int
    p: float
    alpha: float
    look: int
    is_look: bool
    reasons: list[Reason]
    sentence: str


_USUAL = GateSettings()


def judge(
    tested: Sequence[Answered],
    first: Sequence[Answered],
    *,
    look: int,
    smoke: Sequence[bool] = (),
    valid: Sequence[bool] = (),
    latencies_ms: Sequence[float] = (),
    are_shares: bool = False,
    settings: GateSettings = _USUAL,
) -> Verdict:
    """Judge a new model against the one that serves.

    Args:
        tested: The newest frozen test items (T_n).
        first: The first test items (T_0), on which it must not have become worse.
        look: How many tests this series has had, with this one.
        smoke: Whether each command of the fixed list was parsed.
        valid: Whether each answer is whole and valid.
        latencies_ms: The time that each answer took.
        are_shares: The answers are not right or wrong, but have an IoU.
    """
    alpha = alpha_of_look(look, alpha=settings.alpha)
    found = Discordant(sum(one.new > one.old for one in tested), sum(one.new < one.old for one in tested))
    proof = _better_on_scenes(tested, alpha) if are_shares else _better(found, alpha)
    reasons = [
        proof,
        _not_worse_at_first(first, settings.margin, are_shares=are_shares),
        *([] if are_shares else [_no_action_worse(tested, settings)]),
        _all("smoke", smoke, "commands of the smoke list", "parsed"),
        _all("valid", valid, "answers", "whole and valid"),
        _fast(latencies_ms, settings.latency_ms),
    ]
    is_look = found.n >= least_discordant(alpha)
    blocked = [one for one in reasons[1:] if not one.passed]
    is_worse = is_look and proof.value < alpha and not proof.passed
    status: Status
    if blocked or is_worse:
        status = "refused"
    elif not is_look:
        status = "waits"
    else:
        status = "passed" if proof.passed else "unproved"
    return Verdict(
        passed=status == "passed",
        status=status,
        n=len(tested),
        gained=found.gained,
        lost=found.lost,
        p=proof.value,
        alpha=alpha,
        look=look,
        is_look=is_look,
        reasons=reasons,
        sentence=_sentence(status, blocked or [proof]),
    )


def _better(found: Discordant, alpha: float) -> Reason:
    p = mcnemar(*found)
    least = least_discordant(alpha)
    if found.n < least:
        told = f"Only {found.n} test items differ; with fewer than {least} nothing can be proved."
    else:
        told = (
            f"Only the new model is right on {found.gained} test items, only the serving one on {found.lost}: "
            f"p = {p:.2g}, to be below {alpha:.2g}."
        )
    passed = found.n >= least and p < alpha and found.gained > found.lost
    return Reason("mcnemar", p, alpha, passed, told)


def _better_on_scenes(tested: Sequence[Answered], alpha: float) -> Reason:
    ranks = wilcoxon([one.new - one.old for one in tested])
    passed = ranks.n >= least_discordant(alpha) and ranks.p < alpha and ranks.above > ranks.below
    told = f"The IoU differs in {ranks.n} scenes: p = {ranks.p:.2g}, to be below {alpha:.2g} with higher values."
    return Reason("wilcoxon", ranks.p, alpha, passed, told)


def _not_worse_at_first(first: Sequence[Answered], margin: float, *, are_shares: bool) -> Reason:
    if are_shares:
        low = lower_end_of_mean([one.new - one.old for one in first])
    else:
        low = lower_end(sum(one.new > one.old for one in first), sum(one.new < one.old for one in first), len(first))
    told = f"On the {len(first)} first test items the difference may be {low:+.3f}; the bound is {-margin:+.3f}."
    return Reason("t0", low, -margin, low > -margin, told)


def _no_action_worse(tested: Sequence[Answered], settings: GateSettings) -> Reason:
    """Whether no action is proved worse: one-sided sign tests, corrected for their number."""
    adjusted = worse_actions(tested, least=settings.action_items)
    if not adjusted:
        told = f"No action has {settings.action_items} test items."
        return Reason("actions", 1.0, settings.alpha, True, told)
    worst = min(adjusted, key=lambda name: adjusted[name])
    p = adjusted[worst]
    passed = p >= settings.alpha
    told = (
        f"None of {len(adjusted)} actions is proved worse; the nearest is {worst} (corrected p = {p:.2g})."
        if passed
        else f"{worst} became worse (corrected p = {p:.2g})."
    )
    return Reason("actions", p, settings.alpha, passed, told)


def worse_actions(tested: Sequence[Answered], *, least: int) -> dict[str, float]:
    """The p value of “this action became worse” for each action with `least` items, corrected by Holm."""
    groups: Mapping[str, list[Answered]] = defaultdict(list)
    for one in tested:
        groups[one.group].append(one)
    p = {}
    for name, items in sorted(groups.items()):
        if len(items) >= least:
            lost, gained = sum(one.new < one.old for one in items), sum(one.new > one.old for one in items)
            p[name] = at_least(lost, lost + gained)
    return dict(zip(p, holm(list(p.values())), strict=True)) if p else {}


def _all(rule: Rule, each: Sequence[bool], things: str, verb: str) -> Reason:
    right = sum(each)
    return Reason(rule, right, len(each), right == len(each), f"{right} of {len(each)} {things} are {verb}.")


def _fast(latencies_ms: Sequence[float], bound: float) -> Reason:
    value = percentile(latencies_ms, 0.95)
    return Reason(
        "latency", value, bound, value <= bound, f"95 % of answers take at most {value:.1f} ms; {bound:g} may be."
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that so great a share of them does not exceed; 0 without values.

    >>> percentile([4, 1, 3, 2], 0.5)
    2
    """
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)] if ordered else 0.0


def _sentence(status: Status, reasons: Sequence[Reason]) -> str:
    told = " ".join(one.sentence for one in reasons)
    match status:
        case "passed":
            return f"The new model is better. {told}"
        case "waits":
            return f"More test items are needed. {told}"
        case "unproved":
            return f"The new model is not proved better. {told}"
        case "refused":
            return f"The new model is not deployed by itself. {told}"
