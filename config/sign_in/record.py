"""What is done to staff accounts, in the audit log."""

from django.contrib.auth.models import User
from django.utils import timezone

from audit.log import Subject, record


def note(verb: str, account: User, *, by: User | None = None) -> None:
    """Record what its owner did to an account, or another: call it inside the transaction that does it."""
    actor = (by or account).get_username()
    record(verb=verb, actor=f"staff:{actor}", subject=Subject("account", str(account.pk)), at=timezone.now())
