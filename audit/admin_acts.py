"""Records what superusers add, change and delete in the admin."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model
from django.utils import timezone

from audit.changes import changes
from audit.log import Subject, record, staff_actor


def record_saved(
    sender: type[Model],
    *,
    instance: Model,
    kind: str,
    user: User,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    **_: Any,
) -> None:
    """Receiver of `saved_in_admin`, inside the transaction of the change."""
    differing = changes(before, after)
    if not differing:
        return
    _record(f"{kind}.changed" if before else f"{kind}.created", instance, kind=kind, user=user, **differing)


def record_deleted(
    sender: type[Model], *, instance: Model, kind: str, user: User, before: Mapping[str, Any], **_: Any
) -> None:
    """Receiver of `deleted_in_admin`, inside the transaction of the deletion."""
    _record(f"{kind}.deleted", instance, kind=kind, user=user, **changes(before, {}))


def _record(verb: str, instance: Model, *, kind: str, user: User, **detail: Any) -> None:
    name = str(getattr(instance, "slug", instance.pk))
    record(
        verb=verb,
        actor=staff_actor(user),
        subject=Subject(kind, name),
        project=name if kind == "project" else "",
        at=timezone.now(),
        page="admin",
        **detail,
    )
