"""Decisions by many at once, on a real database: one of them decides, and the budget holds whatever the schedule."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from random import Random
from time import monotonic, sleep

import pytest
from django.db.models import Sum

from annotation.models import Annotation, Approval, Assignment, Enrolment, Project
from annotation.pay import budget
from annotation.pay.approvals import AlreadyDecided, Decided, approve, overturn, reject
from annotation.pay.budget import OverBudget
from annotation.work.claims import Refused, claim_next
from annotation.work.submissions import submit
from tests.support.builders import NOON, annotate, claim, make_project, make_worker
from tests.support.crowds import PATIENCE_S, PAY, check, fresh, make_enrolments, post_many, race, succeed
from tests.support.paying_marker import pay_bonuses
from workforce.ledger import PAYABLE, owe
from workforce.models import LedgerEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

BONUS = Decimal("0.45")


@pytest.fixture(autouse=True)
def _with_bonus(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that pays a bonus once its work is approved, as sessions do."""
    pay_bonuses(monkeypatch, BONUS, pay_bonus)


def pay_bonus(annotation: Annotation, approval: Approval, at: datetime) -> None:
    if approval.decision == Approval.Decision.REJECTED:
        return
    is_new = owe(
        worker=annotation.worker,
        kind=LedgerEntry.Kind.BONUS,
        reason=f"{budget.BONUS}{annotation.public_id}",
        amount=BONUS,
        currency="USD",
        at=at,
        account=annotation.project.slug,
        state=LedgerEntry.State.APPROVED,
    )
    if is_new:
        budget.charge(annotation.project, {annotation.worker_id: BONUS})


def owed_for(project: Project) -> Decimal:
    rows = LedgerEntry.objects.filter(account=project.slug, state__in=PAYABLE)
    return Decimal(rows.aggregate(total=Sum("amount"))["total"] or 0)


def check_money(project: Project) -> None:
    project.refresh_from_db()
    assert project.spent == owed_for(project)
    earned = Enrolment.objects.filter(project=project).aggregate(total=Sum("earned"))["total"]
    assert earned == project.spent
    assert project.budget is None or project.spent <= project.budget


def test_of_several_decisions_at_once_one_is_taken_and_takes_the_money_back_once() -> None:
    project = make_project(base_pay=PAY)
    post_many(project, 8)
    worker = make_worker()
    for number in range(8):
        annotation = annotate(claim(project, worker))
        refuse = partial(reject, annotations=[annotation], reason="no", at=NOON)
        if number % 2:
            ends = race(*(partial(refuse, is_soft=False, by=f"staff:{name}") for name in ("a", "b", "c")))
            assert sorted(succeed(ends)) == [Decided(0, 1), Decided(0, 1), Decided(1, 0)]
        else:
            ends = race(
                partial(approve, annotations=[annotation], by="staff:dora", at=NOON),
                partial(refuse, is_soft=False, by="staff:rita"),
                partial(refuse, is_soft=True, by="staff:victor"),
            )
            assert sorted(type(end).__name__ for end in ends) == ["AlreadyDecided", "AlreadyDecided", "Decided"]
    check(project)
    check_money(project)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_schedule_the_budget_is_never_passed(seed: int) -> None:
    """Workers claim and hand in; two people approve, reject, reject softly and overturn what they find."""
    project = make_project(base_pay=PAY, budget=Decimal("5.00"))
    post_many(project, 30)
    crowd = make_enrolments(project, 3)
    restored: set[int] = set()

    def work(one: Enrolment) -> None:
        for _ in range(15):
            try:
                held = claim_next(enrolment=fresh(one), at=NOON)
            except Refused:
                continue
            if held is not None:
                hand_in(one, held)

    def hand_in(one: Enrolment, held: Assignment) -> None:
        loaded = Assignment.objects.select_related("task").get(pk=held.pk)
        answer = {"outcome": "success", "frame": 20}
        submit(enrolment=fresh(one), assignment=loaded, answer=answer, active_s=None, at=NOON)

    def decide(by: str, random: Random) -> None:
        # On a busy machine it takes a while until anybody has handed anything in.
        rounds, until = 0, monotonic() + PATIENCE_S / 2
        while rounds < 25 and monotonic() < until:
            found = list(Annotation.objects.filter(project=project).order_by("?")[: random.randint(1, 4)])
            if not found:
                sleep(0.01)
                continue
            rounds += 1
            try:
                one_act(found, by, random)
            except (AlreadyDecided, OverBudget):
                continue
            assert Project.objects.values_list("spent", flat=True).get(pk=project.pk) <= Decimal("5.00")

    def one_act(found: Sequence[Annotation], by: str, random: Random) -> None:
        match random.randrange(4):
            case 0:
                approve(annotations=found, by=by, at=NOON)
            case 1:
                restored.update(one.task_id for one in found)
                overturn(annotations=found, reason="right", by=by, at=NOON)
            case way:
                reject(annotations=found, reason="wrong", is_soft=way == 2, by=by, at=NOON)

    people = [partial(decide, f"staff:{number}", Random(seed * 10 + number)) for number in range(2)]
    succeed(race(*(partial(work, one) for one in crowd), *people))

    check(project, restored=restored)
    check_money(project)
    assert Approval.objects.count() > 0
    approve(annotations=Annotation.objects.undecided().filter(project=project), by="staff:last", at=NOON)
    check_money(project)
