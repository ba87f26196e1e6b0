"""The ledger: amounts that workers are owed, one entry for one reason however often it is repeated, and their payment.

An entry is written once, by the code that earned it, and its amount never changes: a wrong amount is corrected by
another entry. Only the state changes, along `FROM`. One UPDATE decides each change, so of two equal requests at once
one makes the change and the other finds it made.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import transaction
from django.db.models import Case, F, QuerySet, Sum, TextField, Value, When

from audit.changes import changes
from audit.log import Subject, record
from lib.faults import Conflict, Invalid
from workforce.models import LedgerEntry, Worker

State = LedgerEntry.State
FROM: Final[Mapping[State, frozenset[State]]] = {
    State.APPROVED: frozenset({State.OWED, State.FAILED, State.REJECTED}),
    State.REJECTED: frozenset({State.OWED}),
    State.SENT: frozenset({State.APPROVED}),
    State.CONFIRMED: frozenset({State.SENT}),
    State.FAILED: frozenset({State.SENT}),
}
"""The states from which an entry may change to each state; an entry is `owed` only at its creation."""
NEEDS_NOTE: Final = frozenset({State.FAILED, State.REJECTED})
OF_NO_ANSWER: Final = (LedgerEntry.Kind.PARTIAL, LedgerEntry.Kind.BONUS)
"""Kinds that, while owed, are for work that was never handed in: a bonus for an answer is approved at its creation."""
PAYABLE: Final = tuple(state for state in State if state != State.REJECTED)
"""The states of entries that are paid, or still will be."""
UNPAID: Final = (State.OWED, State.APPROVED, State.FAILED)
"""The states of entries whose money has not been sent, and still will be."""
MOST_NAMED = 1000
"""The most entries that one line of the audit log names."""


def unpaid(worker: Worker) -> list[tuple[str, Decimal]]:
    """The sums still owed to the worker, by currency. 1 query."""
    rows = worker.ledger.filter(state__in=UNPAID).order_by("currency").values_list("currency")
    return [(currency, total) for currency, total in rows.annotate(total=Sum("amount")) if total]


def owe(
    *,
    worker: Worker,
    kind: LedgerEntry.Kind,
    reason: str,
    amount: Decimal,
    currency: str,
    at: datetime,
    account: str = "",
    inputs: Mapping[str, Any] | None = None,
    state: State = State.OWED,
    by: str = "",
    note: str = "",
    is_first: bool = False,
) -> bool:
    """Write an entry; False if this reason was entered before. Call inside the transaction that earned it.

    Of two equal calls at once, in whatever processes, one writes the entry: the database makes the second wait until
    the first has committed.

    Args:
        account: The account that is charged, as the slug of a project.
        inputs: The values from which the amount was computed. `seconds` is the time that it pays for, where no answer
            has that.
        state: `approved` where no decision is needed any more; then `by` names the one who approved.
        is_first: The reason names a row that this transaction has made, so no earlier entry is looked for. The database
            refuses a second one.
    """
    content = {
        "kind": kind,
        "amount": amount,
        "currency": currency,
        "at": at,
        "account": account,
        "inputs": None if inputs is None else dict(inputs),
        "state": state,
        "state_at": None if state == State.OWED else at,
        "state_by": by,
        "note": note,
    }
    if is_first:
        LedgerEntry.objects.create(worker=worker, reason=reason, **content)
        return True
    return LedgerEntry.objects.get_or_create(worker=worker, reason=reason, defaults=content)[1]


def move(entries: "QuerySet[LedgerEntry]", *, to: State, by: str, at: datetime, note: str = "") -> int:
    """Change the state of those of the entries that may have this state next; return their number. The others stay.

    Corrections keep the reason for which they were made until a failure has its own. Call inside a transaction that
    writes to the audit log; `move_on_record` writes to it by itself. 1 query.

    Raises:
        Invalid: a failure or a rejection without a reason.
    """
    if to in NEEDS_NOTE and not note.strip():
        raise Invalid.at("#/reason", "Say why; the worker is told.")
    movable = entries.order_by().filter(state__in=FROM[to])
    words = Value(note.strip(), TextField())
    kept = When(kind=LedgerEntry.Kind.CORRECTION, then=words if note.strip() else F("note"))
    return movable.update(state=to, state_at=at, state_by=by, note=Case(kept, default=words))


def move_on_record(
    *parts: "QuerySet[LedgerEntry]", to: State, by: str, at: datetime, note: str = "", account: str = ""
) -> int:
    """`move` the entries of one part or several, and write a line in the audit log for each state that some had before.

    Costs: for each state that may come before, 2 queries a part, and 1.
    """
    with transaction.atomic():
        return sum(
            _move_from(before, parts, to=to, by=by, at=at, note=note, account=account) for before in sorted(FROM[to])
        )


def _move_from(
    before: State,
    parts: "Sequence[QuerySet[LedgerEntry]]",
    *,
    to: State,
    by: str,
    at: datetime,
    note: str,
    account: str,
) -> int:
    """Move those entries that have one state, so that their event has one old value."""
    moved, named = 0, list[int]()
    for part in parts:
        entries = part.filter(state=before)
        named += entries.order_by("pk").select_for_update().values_list("pk", flat=True)[:MOST_NAMED]
        moved += move(entries, to=to, by=by, at=at, note=note)
    if moved:
        record(
            verb=f"ledger.{to.value}",
            actor=by,
            subject=Subject("ledger", account or "all"),
            at=at,
            project=account,
            reason=note.strip(),
            entries=named[:MOST_NAMED],
            count=moved,
            **changes({"state": before.value}, {"state": to.value}),
        )
    return moved


def correct(
    *,
    worker: Worker,
    account: str,
    amount: Decimal,
    currency: str,
    earned: Decimal,
    why: str,
    by: str,
    at: datetime,
    key: str,
) -> bool:
    """Write a correction, which raises or lowers what the worker is owed; False if its key was used for the same
    before.

    A person decides it, so it needs no approval.

    Args:
        amount: Less than zero takes back.
        earned: What the worker has earned from the account so far, for the audit log.
        key: Chosen by the caller, another for each correction: the same key again is the same correction.

    Raises:
        Invalid: the amount is zero, or there is no reason.
        Conflict: another correction has this key.
    """
    if not amount:
        raise Invalid.at("#/amount", "A correction of nothing corrects nothing.")
    if not why.strip():
        raise Invalid.at("#/reason", "Say why; it is kept with the entry.")
    reason = f"correction:{key}"
    with transaction.atomic():
        is_new = owe(
            worker=worker,
            kind=LedgerEntry.Kind.CORRECTION,
            reason=reason,
            amount=amount,
            currency=currency,
            at=at,
            account=account,
            state=State.APPROVED,
            by=by,
            note=why.strip(),
        )
        if is_new:
            record(
                verb="ledger.corrected",
                actor=by,
                subject=Subject("worker", str(worker.pk)),
                at=at,
                project=account,
                reason=why.strip(),
                amount=str(amount),
                currency=currency,
                **changes({"earned": earned}, {"earned": earned + amount, "state": State.APPROVED.value}),
            )
            return True
        earlier = LedgerEntry.objects.get(worker=worker, reason=reason)
    if (earlier.amount, earlier.currency, earlier.account) != (amount, currency, account):
        raise Conflict("This form was sent before with another amount. Load the page again to make another correction.")
    return False
