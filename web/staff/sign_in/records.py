"""The audit events of sign-ins and of changes of accounts."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils import timezone

from audit.changes import changes
from audit.log import Subject, record
from web.edge.client_address import address_of_request

UNKNOWN = "unknown"
"""The subject of a failed sign-in to an account that does not exist."""


_SWITCHED = {
    "account.second_factor_on": changes({"second_factor": False}, {"second_factor": True}),
    "account.second_factor_off": changes({"second_factor": True}, {"second_factor": False}),
    "account.second_factor_removed": changes({"second_factor": True}, {"second_factor": False}),
    "account.service_connected": changes({"service": False}, {"service": True}),
    "account.service_removed": changes({"service": True}, {"service": False}),
}
"""The fields that some of the verbs change. Passwords and codes are never in the log."""


def note(verb: str, account: User, *, by: User | None = None) -> None:
    """Record a change of an account, by its owner or by another account. Call it in the transaction of the change."""
    actor = (by or account).get_username()
    record(
        verb=verb,
        actor=f"staff:{actor}",
        subject=_subject(account),
        at=timezone.now(),
        **_SWITCHED.get(verb, {}),
    )


def note_sign_in(request: HttpRequest, account: User) -> None:
    """Record a sign-in with its address."""
    record(
        verb="sign_in.done",
        actor=f"staff:{account.get_username()}",
        subject=_subject(account),
        at=timezone.now(),
        address=address_of_request(request),
    )


def note_failure(request: HttpRequest, account: User | None, *, step: str) -> None:
    """Record a sign-in that failed at this step, `password` or `code`, with its address.

    A name without an account is left out, because some people type their password into that field.
    """
    record(
        verb="sign_in.failed",
        actor="system",
        subject=_subject(account) if account else Subject("account", UNKNOWN),
        at=timezone.now(),
        address=address_of_request(request),
        step=step,
    )


def note_code(account: User) -> None:
    """Record that an operator printed a code for the account."""
    record(verb="sign_in.code_made", actor="system", subject=_subject(account), at=timezone.now())


def _subject(account: User) -> Subject:
    return Subject("account", str(account.pk))
