"""What workers are owed: one entry for one reason, whatever is repeated."""

from datetime import datetime
from decimal import Decimal

from workforce.models import LedgerEntry, Worker


def owe(*, worker: Worker, kind: LedgerEntry.Kind, reason: str, amount: Decimal, currency: str, at: datetime) -> bool:
    """Enter what is owed; False if this reason was entered before. Call inside the transaction that earned it."""
    _, is_new = LedgerEntry.objects.get_or_create(
        worker=worker,
        reason=reason,
        defaults={"kind": kind, "amount": amount, "currency": currency, "at": at},
    )
    return is_new
