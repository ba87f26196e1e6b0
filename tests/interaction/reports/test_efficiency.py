"""Errors for money and time: sums, groups and comparisons, each worked out by hand."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Approval, InstructionVersion, Project
from annotation.pay.budget import BONUS
from interaction.models import Session
from interaction.reports.efficiency import Group, compare, grouped, in_words, outcomes_in
from interaction.reports.session_sums import ANY, Facts, facts_of
from lib.statistics.bootstrap import Estimate
from tests.support.builders import NOON, make_worker
from tests.support.sessions import both, judged, make_live_project, past_session, pay
from workforce.models import LedgerEntry, Worker

pytestmark = pytest.mark.django_db

NLU = "nlu_error"


@pytest.fixture
def project() -> Project:
    return make_live_project("live")


def only(project: Project) -> Facts:
    [found] = facts_of(project)
    return found


def by_arm(project: Project, *, outcome: str = NLU) -> dict[str, Group]:
    found = grouped(facts_of(project), by="arm", project=project)
    return {group.words: group for group in compare(found, outcome=outcome)}


# One session -------------------------------------------------------------------------------------------------------


def test_a_session_counts_marked_errors_and_true_errors(project: Project, alice: Worker) -> None:
    past_session(project, alice, ["ok", NLU, NLU, NLU, "task_error", ""], misread=[0, 1], known=[2], minutes=30)
    found = only(project)
    assert (found.commands, found.marked(NLU), found.marked("task_error"), found.marked(ANY)) == (6, 3, 1, 4)
    assert (found.nlu_known, found.nlu_true, found.misread) == (2, 1, 2)
    assert (found.cost, found.hours, found.worker) == (Decimal("0.5000"), 0.5, alice.pk)


def test_the_cost_is_all_that_the_session_earned(project: Project, alice: Worker) -> None:
    session = past_session(project, alice, [NLU], bonus=Decimal("1.20"))
    pay(session, f"{BONUS}{session.assignment.annotation.public_id}", "1.20", LedgerEntry.Kind.BONUS)
    pay(session, "bonus:session:another", "9.00", LedgerEntry.Kind.BONUS)
    assert only(project).cost == Decimal("1.7000")


def test_the_bonus_that_is_expected_counts_until_somebody_decides(project: Project, alice: Worker) -> None:
    session = past_session(project, alice, [NLU], bonus_expected=Decimal("0.90"))
    assert (only(project).cost, only(project).is_undecided) == (Decimal("1.4000"), True)
    Approval.objects.create(
        annotation=session.assignment.annotation, decision=Approval.Decision.REJECTED, reason="No.", by="x", at=NOON
    )
    assert (only(project).cost, only(project).is_undecided) == (Decimal("0.5000"), False)


def test_rejected_pay_costs_nothing(project: Project, alice: Worker) -> None:
    past_session(project, alice, [NLU])
    LedgerEntry.objects.update(state=LedgerEntry.State.REJECTED, state_at=NOON, note="No.")
    assert only(project).cost == 0


def test_a_worker_who_left_is_paid_in_part_and_counted_to_their_last_sign(project: Project, alice: Worker) -> None:
    seen = NOON + timedelta(minutes=3)
    session = past_session(project, alice, [NLU], minutes=60, reason=Session.Reason.EXPIRED, worker_seen_at=seen)
    pay(session, f"partial:session:{session.public_id}", "0.30", LedgerEntry.Kind.PARTIAL)
    assert (only(project).cost, only(project).hours) == (Decimal("0.3000"), 0.05)


def test_sessions_that_go_on_or_never_began_are_not_counted(project: Project, alice: Worker, bob: Worker) -> None:
    past_session(project, alice, started_at=None, reason=Session.Reason.LEFT)
    worker, agent = both(project)
    judged(worker, agent)
    assert facts_of(project) == []
    assert by_arm(project) == {}


def test_only_sessions_that_began_within_the_days_are_read(project: Project, alice: Worker) -> None:
    for days in range(4):
        past_session(project, alice, at=NOON + timedelta(days=days))
    found = facts_of(project, since=NOON + timedelta(days=1), until=NOON + timedelta(days=3))
    assert [facts.at for facts in found] == [NOON + timedelta(days=1), NOON + timedelta(days=2)]


@pytest.mark.parametrize("sessions", [2, 6])
def test_reading_takes_two_queries(sessions: int, project: Project, alice: Worker) -> None:
    for _ in range(sessions):
        past_session(project, alice, ["ok", NLU])
    with CaptureQueriesContext(connection) as queries:
        assert len(facts_of(project)) == sessions
    assert len(queries) == 2


# Groups ------------------------------------------------------------------------------------------------------------


def test_arms_stand_in_the_order_of_the_experiment(project: Project, alice: Worker) -> None:
    plain: dict[str, object] = {"share": 1, "instructions": None, "pay": None, "settings": {}}
    project.experiment = {"name": "x", "arms": [{**plain, "name": "b"}, {**plain, "name": "a"}]}
    for arm in ("", "old/a", "x/a", "x/b"):
        past_session(project, alice, arm=arm)
    assert list(grouped(facts_of(project), by="arm", project=project)) == ["x/b", "x/a", "old/a", "no arm"]


def test_sessions_are_grouped_by_instructions_pay_agent_and_time(project: Project, alice: Worker) -> None:
    words = [
        InstructionVersion.objects.create(project=project, number=number, pages=[], by="x", created_at=NOON)
        for number in (1, 2)
    ]
    past_session(project, alice, instruction_version=words[1], at=NOON)
    past_session(project, alice, instruction_version=words[0], cost="1.00", stoplight=None, at=NOON + timedelta(days=2))
    found = facts_of(project)

    def names(by: str) -> list[str]:
        return list(grouped(found, by=by, project=project))

    assert names("instructions") == ["version 1", "version 2"]
    assert names("pay") == ["0.50 USD, 0.30 a point up to 3.00", "1.00 USD"]
    assert names("agent") == ["agent-of-live"]
    assert names("day") == ["2026-11-21", "2026-11-23"]
    assert names("week") == ["week of 2026-11-16", "week of 2026-11-23"]


def test_a_tree_may_have_outcomes_of_its_own(project: Project, alice: Worker) -> None:
    past_session(project, alice, ["too_slow", "ok", ""])
    words = outcomes_in(facts_of(project))
    assert words["too_slow"] == "too_slow"
    assert words[NLU] == "the agent misunderstood the words"
    assert not {"ok", ""} & set(words)


# Comparisons -------------------------------------------------------------------------------------------------------


def crowd(project: Project, arm: str, marked: list[int], *, cost: str = "0.50", minutes: float = 6) -> None:
    """One session of a worker of their own for each number of marks."""
    for n in marked:
        past_session(project, make_worker(), [NLU] * n + ["ok"], arm=arm, cost=cost, minutes=minutes)


def test_errors_for_a_dollar_and_an_hour_are_ratios_of_sums(project: Project) -> None:
    crowd(project, "x/a", [1, 1, 2, 0, 1, 1])
    crowd(project, "x/b", [2, 3, 2, 4, 2, 2], cost="1.00", minutes=3)
    groups = by_arm(project)
    first, second = groups["x/a"], groups["x/b"]
    assert (first.workers, first.sessions, first.commands, first.marked) == (6, 6, 12, 6)
    assert first.cost == Decimal(3)
    assert first.hours == pytest.approx(0.6)
    assert first.per_money.value == pytest.approx(6 / 3)
    assert first.per_hour.value == pytest.approx(6 / 0.6)
    assert second.per_money.value == pytest.approx(15 / 6)
    assert second.times_per_money.value == pytest.approx(2.5 / 2)
    assert second.times_per_hour.value == pytest.approx(50 / 10)
    assert first.times_per_money == Estimate(1.0)
    assert second.times_per_hour.low is not None
    assert second.times_per_hour.low > 1, "five times as many is no chance"


def test_equal_sessions_give_equal_intervals_in_whatever_order_they_come(project: Project) -> None:
    crowd(project, "x/a", [1, 1, 2, 0, 1, 1])
    crowd(project, "x/b", [2, 3, 2, 4, 2, 2])
    found = facts_of(project)
    both_ways = [
        compare(grouped(facts, by="pay", project=project), outcome=NLU) for facts in (found, list(reversed(found)))
    ]
    assert both_ways[0] == both_ways[1]


def test_many_sessions_of_few_workers_say_less_than_of_many(project: Project) -> None:
    """The same sessions: of 6 workers with five each, or of 30 workers."""

    def width(group: Group) -> float:
        assert group.per_money.low is not None
        assert group.per_money.high is not None
        return group.per_money.high - group.per_money.low

    for n in (0, 1, 2, 3, 4, 5):
        worker = make_worker()
        for _ in range(5):
            past_session(project, worker, [NLU] * n + ["ok"], arm="x/few")
            past_session(project, make_worker(), [NLU] * n + ["ok"], arm="x/many")
    groups = by_arm(project)
    assert width(groups["x/few"]) > 2 * width(groups["x/many"])


def test_recall_and_precision_of_marking_are_by_arm_too(project: Project, alice: Worker, bob: Worker) -> None:
    past_session(project, alice, [NLU, NLU, "ok", "ok"], misread=[0, 2, 3], known=[1], arm="x/a")
    past_session(project, bob, [NLU, NLU, "ok"], misread=[0, 1], known=[2], arm="x/b")
    groups = by_arm(project)
    assert groups["x/a"].recall.value == pytest.approx(1 / 3)
    assert groups["x/a"].precision.value == 0.5
    assert (groups["x/b"].recall.value, groups["x/b"].precision.value) == (1.0, 1.0)
    assert (groups["x/a"].true, groups["x/b"].true) == (1, 2)


def test_recall_and_precision_are_unknown_where_no_true_form_is_known(project: Project, alice: Worker) -> None:
    past_session(project, alice, [NLU])
    [group] = by_arm(project).values()
    assert (group.true, group.recall.value, group.precision.value) == (None, None, None)


def test_errors_of_rejected_work_do_not_count_and_its_cost_does(project: Project, alice: Worker) -> None:
    past_session(project, alice, [NLU, NLU])
    past_session(project, alice, [NLU, NLU], misread=[0], is_dropped=True)
    [group] = by_arm(project).values()
    assert (group.sessions, group.commands, group.marked, group.true, group.cost) == (2, 4, 2, 0, Decimal(1))


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (Estimate(1.42, 1.1, 1.84), "1.4 times as many errors, between 1.1 and 1.8"),
        (Estimate(0.5, 0.4, 0.7), "0.5 times as many errors, between 0.4 and 0.7"),
        (Estimate(1.2, 0.8, 1.7), "no clear difference: 1.2 times as many errors, between 0.8 and 1.7"),
        (Estimate(2.0, 0.9, None), "2.0 times as many errors, 0.9 at least"),
        (Estimate(2.0), "2.0 times as many errors, of too few workers to say how sure that is"),
        (Estimate(None), "errors cannot be compared yet"),
    ],
)
def test_a_difference_in_words(times: Estimate, said: str) -> None:
    assert in_words(times, what="errors") == said
