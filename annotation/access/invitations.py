"""Inviting staff by a link: it works once and expires, and whoever opens it chooses a name and a password."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from annotation.access import roles
from annotation.access.members import add_account_with_password, give_role
from annotation.access.roles import Role
from annotation.models import Invitation, Project
from audit.changes import changes
from audit.log import Subject, record
from lib.faults import Conflict, Fault, Invalid, NotFound

LIVES = {"1": "a day", "7": "a week", "30": "30 days"}
"""For how many days an invitation may work, and the words for it."""
LONGEST_NOTE = 200


def subject_of(invitation: Invitation) -> Subject:
    """The invitation as the audit log names it."""
    return Subject("invitation", str(invitation.pk))


def invite(
    *, role: Role, project: Project | None, days: int, note: str, by: User, at: datetime
) -> tuple[Invitation, str]:
    """Make an invitation; return it with the token of its link, of which only the digest is kept.

    Raises:
        Invalid: the note is too long.
    """
    if len(note) > LONGEST_NOTE:
        raise Invalid.at("#/note", f"Use {LONGEST_NOTE} characters at most.")
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        made = Invitation.objects.create(
            digest=_digest(token),
            role=role,
            project=project,
            note=note,
            by=by,
            created_at=at,
            expires_at=at + timedelta(days=days),
        )
        record(
            verb="invitation.made",
            actor=f"staff:{by.get_username()}",
            subject=subject_of(made),
            project=project.slug if project else "",
            at=at,
            role=role.value,
            expires_at=made.expires_at.isoformat(),
        )
    return made, token


def open_invitations(*, at: datetime) -> QuerySet[Invitation]:
    """The invitations that still work, if their inviters may still invite."""
    return Invitation.objects.filter(used_at=None, withdrawn_at=None, expires_at__gt=at).select_related("by", "project")


def invitation_of(token: str, *, at: datetime) -> Invitation:
    """The invitation that the link is for. 2 queries.

    Raises:
        NotFound: it never was, has expired, was used or withdrawn, or its inviter may not invite any more.
    """
    found = open_invitations(at=at).filter(digest=_digest(token)).first()
    if found is None or not roles.may_everywhere(found.by, Role.ADMIN):
        raise NotFound
    return found


def accept(*, token: str, name: str, password: str, at: datetime) -> User:
    """Make the account of the invited person, with the role; the link works no more.

    Raises:
        NotFound: as for `invitation_of`, or somebody else was quicker.
        Invalid: the name is taken or not valid, or the password is refused by the rules for passwords.
    """
    with transaction.atomic():
        found = invitation_of(token, at=at)
        _check_password(password, name)
        if not open_invitations(at=at).filter(pk=found.pk).update(used_at=at):
            raise NotFound
        inviter = f"staff:{found.by.get_username()}"
        account = add_account_with_password(name=name, password=password, by=inviter, at=at)
        give_role(account=account, project=found.project, role=Role(found.role), by=inviter, at=at)
        Invitation.objects.filter(pk=found.pk).update(account=account)
        record(
            verb="invitation.accepted",
            actor=f"staff:{name}",
            subject=subject_of(found),
            project=found.project.slug if found.project else "",
            at=at,
            account=account.pk,
            **changes({"used": False}, {"used": True}),
        )
    return account


def withdraw(*, invitation: Invitation, by: str, at: datetime) -> None:
    """Make the link work no more.

    Raises:
        Conflict: it was used, or withdrawn before.
    """
    with transaction.atomic():
        rows = Invitation.objects.filter(pk=invitation.pk, used_at=None, withdrawn_at=None)
        if not rows.update(withdrawn_at=at):
            raise Conflict("This invitation was used or withdrawn before.")
        record(
            verb="invitation.withdrawn",
            actor=by,
            subject=subject_of(invitation),
            project=invitation.project.slug if invitation.project else "",
            at=at,
            **changes({"withdrawn": False}, {"withdrawn": True}),
        )


def _check_password(password: str, name: str) -> None:
    try:
        validate_password(password, User(username=name))
    except ValidationError as error:
        raise Invalid(faults=[Fault("#/password", sentence) for sentence in error.messages]) from error


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
