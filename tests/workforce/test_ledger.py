"""The ledger: one entry for one reason, states along one way, corrections once under their key."""

from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from audit.models import AuditEvent
from lib.faults import Conflict, Invalid
from tests.support.builders import NOON, make_worker
from tests.support.crowds import race, succeed
from workforce.ledger import FROM, correct, move, move_on_record, owe
from workforce.models import LedgerEntry, Worker

State = LedgerEntry.State
LATER = NOON + timedelta(hours=1)


def enter(worker: Worker, reason: str, **changes: Any) -> LedgerEntry:
    fields = {"kind": LedgerEntry.Kind.BASE, "amount": Decimal("0.30"), "currency": "USD", "at": NOON}
    assert owe(worker=worker, reason=reason, **{**fields, **changes})
    return LedgerEntry.objects.get(worker=worker, reason=reason)


def entries(*rows: LedgerEntry) -> Any:
    return LedgerEntry.objects.filter(pk__in=[row.pk for row in rows])


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_of_many_equal_entries_at_once_one_is_written() -> None:
    worker = make_worker()

    def pay(number: int) -> bool:
        with transaction.atomic():
            return owe(
                worker=worker,
                kind=LedgerEntry.Kind.BONUS,
                reason="bonus:one",
                amount=Decimal(number),
                currency="USD",
                at=NOON,
            )

    told = succeed(race(*(partial(pay, number) for number in range(1, 7))))

    assert sorted(told) == [False] * 5 + [True]
    assert LedgerEntry.objects.get().amount == told.index(True) + 1


def test_one_reason_is_owed_once_to_each_worker_and_keeps_its_inputs(alice: Worker, bob: Worker) -> None:
    entry = enter(alice, "bonus:one", account="building", inputs={"score": 6.2, "per_point": "0.30"})
    assert (entry.account, entry.inputs) == ("building", {"score": 6.2, "per_point": "0.30"})
    assert (entry.state, entry.state_at) == (State.OWED, None)
    kind = LedgerEntry.Kind.BASE
    assert not owe(worker=alice, kind=kind, reason="bonus:one", amount=Decimal(9), currency="USD", at=NOON)
    assert alice.ledger.get().amount == Decimal("0.30")
    enter(bob, "bonus:one")
    approved = enter(alice, "bonus:two", state=State.APPROVED, by="staff:dora")
    assert (approved.state, approved.state_at, approved.state_by) == (State.APPROVED, NOON, "staff:dora")


ALLOWED = {
    ("owed", "approved"),
    ("owed", "rejected"),
    ("approved", "sent"),
    ("sent", "confirmed"),
    ("sent", "failed"),
    ("failed", "approved"),
    ("rejected", "approved"),
}


@pytest.mark.parametrize("before", list(State))
def test_an_entry_moves_along_its_way_and_no_other(before: State, alice: Worker) -> None:
    entry = enter(alice, "one")
    for after in FROM:
        LedgerEntry.objects.update(state=before, state_at=NOON, note="so it was")
        moved = move(entries(entry), to=after, by="staff:dora", at=LATER, note="so it is")
        entry.refresh_from_db()
        found = (moved, entry.state, entry.state_at, entry.note)
        is_allowed = (before.value, after.value) in ALLOWED
        assert found == ((1, after, LATER, "so it is") if is_allowed else (0, before, NOON, "so it was"))


@pytest.mark.parametrize("to", [State.FAILED, State.REJECTED])
def test_a_move_against_a_worker_needs_a_reason(to: State, alice: Worker) -> None:
    entry = enter(alice, "one")
    with pytest.raises(Invalid):
        move(entries(entry), to=to, by="staff:dora", at=LATER, note="  ")
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.update(state=to, state_at=LATER)


def test_a_move_of_many_moves_those_that_may_and_notes_them_once(alice: Worker) -> None:
    ready = [enter(alice, f"one-{number}", state=State.APPROVED) for number in range(3)]
    owed = enter(alice, "another")
    assert move_on_record(entries(*ready, owed), to=State.SENT, by="staff:dora", at=LATER, account="building") == 3
    assert move_on_record(entries(*ready, owed), to=State.SENT, by="staff:rita", at=LATER, account="building") == 0
    event = AuditEvent.objects.get()
    assert (event.verb, event.actor, event.project) == ("ledger.sent", "staff:dora", "building")
    state = {"before": {"state": "approved"}, "after": {"state": "sent"}}
    assert event.detail == {"entries": [row.pk for row in ready], "count": 3, **state}
    owed.refresh_from_db()
    assert owed.state == State.OWED


def test_each_event_of_a_move_has_one_earlier_state(alice: Worker) -> None:
    owed, failed = enter(alice, "a"), enter(alice, "b", state=State.APPROVED)
    move(entries(failed), to=State.SENT, by="staff:dora", at=NOON)
    move(entries(failed), to=State.FAILED, by="staff:dora", at=NOON, note="No such account.")
    assert move_on_record(entries(owed), entries(failed), to=State.APPROVED, by="staff:dora", at=LATER) == 2
    noted = {event.detail["before"]["state"]: event.detail["entries"] for event in AuditEvent.objects.all()}
    assert noted == {"owed": [owed.pk], "failed": [failed.pk]}


def put_right(worker: Worker, amount: str, key: str, **changes: Any) -> bool:
    fields = {"account": "building", "currency": "USD", "why": "the clock stood still", "by": "staff:dora", "at": NOON}
    return correct(worker=worker, amount=Decimal(amount), earned=Decimal(3), key=key, **{**fields, **changes})


def test_a_correction_is_entered_once_under_its_key_approved_and_on_record(alice: Worker) -> None:
    assert put_right(alice, "-0.25", "k1")
    assert not put_right(alice, "-0.25", "k1")
    assert put_right(alice, "-0.25", "k2")
    with pytest.raises(Conflict):
        put_right(alice, "2.00", "k1")
    entry, _ = LedgerEntry.objects.order_by("pk")
    assert (entry.amount, entry.kind) == (Decimal("-0.25"), "correction")
    assert (entry.state, entry.note) == ("approved", "the clock stood still")
    assert AuditEvent.objects.filter(verb="ledger.corrected", subject=str(alice.pk)).count() == 2


@pytest.mark.parametrize("changes", [{"amount": "0"}, {"why": " "}])
def test_a_correction_needs_an_amount_and_a_reason(changes: dict[str, str], alice: Worker) -> None:
    amount = changes.pop("amount", "1.00")
    with pytest.raises(Invalid):
        put_right(alice, amount, "k1", **changes)
    assert not LedgerEntry.objects.exists()
