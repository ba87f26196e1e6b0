"""Making and switching off staff accounts, giving and taking roles. Each act is in the audit log, and one admin always
remains."""

import secrets
from datetime import datetime

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.access.roles import Role
from annotation.models import Membership, Project
from audit.changes import changes
from audit.log import Subject, record
from lib.faults import Conflict, Invalid

LAST_ADMIN = "Nobody would be left who may give roles. Make somebody else an admin of every project first."
SUPERUSER = "{name} is a superuser, so an admin everywhere: roles change nothing."


def subject_of(account: User) -> Subject:
    """The account as the audit log names it."""
    return Subject("account", str(account.pk))


def admins_everywhere() -> QuerySet[User]:
    """The accounts that may give every role: superusers, and admins of every project."""
    given = Membership.objects.filter(project=None, role=Role.ADMIN)
    return User.objects.filter(Q(is_superuser=True) | Q(pk__in=given.values("user")), is_active=True, is_staff=True)


def give_role(
    *, account: User, project: Project | None, role: Role, by: str, at: datetime, reason: str = ""
) -> Membership:
    """Give the account a role in the project, or everywhere, in place of its present one there; a repeat changes
    nothing.

    Raises:
        Conflict: the account is a superuser, or no account would be left to give roles.
    """
    if account.is_superuser:
        raise Conflict(SUPERUSER, name=account.get_username())
    with transaction.atomic():
        _lock_admins()
        given, is_new = Membership.objects.get_or_create(
            user=account, project=project, defaults={"role": role, "created_at": at}
        )
        if not is_new and given.role == role:
            return given
        before, given.role = given.role, role
        if not is_new:
            given.save(update_fields=["role"])
            _keep_an_admin()
        record(
            verb="member.added" if is_new else "member.changed",
            actor=by,
            subject=subject_of(account),
            project=project.slug if project else "",
            reason=reason,
            at=at,
            name=account.get_username(),
            **changes({} if is_new else {"role": before}, {"role": role.value}),
        )
    return given


def take_role(*, account: User, project: Project | None, by: str, at: datetime, reason: str = "") -> bool:
    """Take the account's role in the project, or the one everywhere, away; False if it had none there.

    Raises:
        Conflict: no account would be left to give roles.
    """
    with transaction.atomic():
        _lock_admins()
        given = Membership.objects.filter(user=account, project=project).first()
        if given is None:
            return False
        given.delete()
        _keep_an_admin()
        record(
            verb="member.removed",
            actor=by,
            subject=subject_of(account),
            project=project.slug if project else "",
            reason=reason,
            at=at,
            name=account.get_username(),
            **changes({"role": given.role}, {}),
        )
    return True


def add_account(*, name: str, email: str = "", by: str, at: datetime) -> tuple[User, str]:
    """Create a staff account without a role; return it with its password, of which only the hash is kept.

    Raises:
        Invalid: the name is taken or not valid, or the e-mail address belongs to another account or is not valid.
    """
    password = secrets.token_urlsafe(12)
    return add_account_with_password(name=name, email=email, password=password, by=by, at=at), password


def add_account_with_password(*, name: str, email: str = "", password: str, by: str, at: datetime) -> User:
    """Create a staff account without a role, whose password was checked before.

    Raises:
        Invalid: as for `add_account`.
    """
    _check_free(name, email)
    with transaction.atomic():
        account = User.objects.create_user(name, email=email, password=password, is_staff=True)
        record(verb="account.created", actor=by, subject=subject_of(account), at=at, name=name)
    return account


def _check_free(name: str, email: str) -> None:
    try:
        User._meta.get_field("username").run_validators(name)
    except ValidationError as error:
        raise Invalid.at("#/name", "Use letters, digits, @ . + - and _ only; 150 at most.") from error
    # Names that differ only in case would be taken for each other.
    if not name or User.objects.filter(username__iexact=name).exists():
        raise Invalid.at("#/name", "There is an account of this name already." if name else "An account needs a name.")
    if not email:
        return
    try:
        validate_email(email)
    except ValidationError as error:
        raise Invalid.at("#/email", "This is not an e-mail address.") from error
    if User.objects.filter(email__iexact=email).exists():
        raise Invalid.at("#/email", "Another account has this e-mail address.")


def set_active(*, account: User, is_active: bool, by: str, at: datetime, reason: str = "") -> bool:
    """Switch the account off, which ends its sessions, or on again; False if it was so before. Its roles stay.

    Raises:
        Conflict: no account would be left to give roles.
    """
    with transaction.atomic():
        _lock_admins()
        if not User.objects.filter(pk=account.pk, is_active=not is_active).update(is_active=is_active):
            return False
        _keep_an_admin()
        verb = "account.activated" if is_active else "account.deactivated"
        name = account.get_username()
        switched = changes({"is_active": not is_active}, {"is_active": is_active})
        record(verb=verb, actor=by, subject=subject_of(account), reason=reason, at=at, name=name, **switched)
    return True


def _lock_admins() -> None:
    """Make two admins who take each other's role away wait for each other: the second then sees the first change."""
    list(admins_everywhere().select_for_update().values_list("pk", flat=True))


def _keep_an_admin() -> None:
    """Raise if no admin is left. Call after the change, inside its transaction: the error undoes the change."""
    if not admins_everywhere().exists():
        raise Conflict(LAST_ADMIN)
