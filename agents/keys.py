"""Making, finding, rotating and revoking API keys. Each act but finding is in the audit log."""

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q

from agents.models import ApiKey
from audit.changes import changes
from audit.log import Subject, record
from lib.faults import Conflict, Invalid
from lib.name_patterns import SLUG

_USED_GRAIN = timedelta(minutes=1)
LEAST_CHARACTERS, LEAST_DIFFERENT = 16, 6
"""The bounds of a key that somebody chose. Its digest is fast to compute, so a short key could be guessed."""
LONGEST_OVERLAP = timedelta(days=30)
"""For how long both keys of a rotation may work."""


class Limits(NamedTuple):
    """The slugs that a key reaches. `ApiKey` says what empty ones mean."""

    projects: Collection[str] = ()
    suites: Collection[str] = ()
    agents: Collection[str] = ()


def key_digest(key: str) -> str:
    """The stored digest of a key. Keys are long and random, so a plain hash is as safe as a slow one."""
    return hashlib.sha256(key.encode()).hexdigest()


def weakness_of(key: str) -> str:
    """Why a key that somebody chose is refused, as a sentence; empty if it is strong enough."""
    if len(key) < LEAST_CHARACTERS:
        return f"it has {len(key)} characters, and needs at least {LEAST_CHARACTERS}."
    if len(set(key)) < LEAST_DIFFERENT:
        return f"it needs at least {LEAST_DIFFERENT} different characters."
    if not all("!" <= character <= "~" for character in key):
        return "use letters, digits and signs of ASCII, without blanks: the key travels in a header."
    try:
        CommonPasswordValidator().validate(key)
    except ValidationError:
        return "it is in the list of the most common passwords."
    return ""


def create_key(
    *,
    name: str,
    scopes: Iterable[str],
    at: datetime,
    key: str | None = None,
    owner: User | None = None,
    limits: Limits = Limits(),  # noqa: B008 - immutable
    expires_at: datetime | None = None,
    by: str = "system",
) -> str:
    """Create a key and return its text, which is stored nowhere. A `key` that exists already stays as it is.

    The first characters are kept, so that staff recognise the key, but never those of a key that somebody chose.

    Raises:
        Invalid: there is no name or no scope, a scope does not exist, a limit is no slug, or the key would have expired
            already.
    """
    wanted = sorted(set(scopes))
    if not name.strip():
        raise Invalid.at("#/name", "A key needs a name, by which people know whose program it is.")
    if not wanted or not set(wanted) <= set(ApiKey.Scope.values):
        raise Invalid.at("#/scopes", f"Choose at least one of {', '.join(ApiKey.Scope.values)}.")
    for kind, slugs in limits._asdict().items():
        if not all(re.fullmatch(SLUG, slug) for slug in slugs):
            raise Invalid.at(f"#/{kind}", "Name each by its slug: a to z, 0 to 9, - and _ only.")
    if expires_at is not None and expires_at <= at:
        raise Invalid.at("#/expires_at", "A key has to expire later than now.")
    prefix = ""
    if key is None:
        key = f"cw_{secrets.token_urlsafe(32)}"
        prefix = key[:8]
    content = {
        "name": name.strip(),
        "prefix": prefix,
        "scopes": wanted,
        "owner": owner,
        **{kind: sorted(set(slugs)) for kind, slugs in limits._asdict().items()},
        "created_at": at,
        "expires_at": expires_at,
    }
    with transaction.atomic():
        made, is_new = ApiKey.objects.get_or_create(digest=key_digest(key), defaults=content)
        if is_new:
            _note("key.made", made, by=by, at=at, **_described(made))
    return key


def revoke_key(key: ApiKey, *, by: str, at: datetime) -> bool:
    """End the key for good; False if it was revoked before."""
    with transaction.atomic():
        changed = ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=at)
        if changed:
            _note("key.revoked", key, by=by, at=at, **changes({"revoked": False}, {"revoked": True}))
    return changed == 1


def rotate_key(key: ApiKey, *, overlap: timedelta, by: str, at: datetime) -> str:
    """Create the key that follows this one, with the same name, scopes, owner and limits, and return its text.

    The old key works for the overlap, but no longer than it would have. A key that expires is followed by one with an
    equally long life.

    Raises:
        Invalid: the overlap is negative or too long.
        Conflict: the key has ended, or was rotated before.
    """
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise Invalid.at("#/overlap", f"Both keys may work for at most {LONGEST_OVERLAP.days} days.")
    with transaction.atomic():
        old = ApiKey.objects.select_for_update().get(pk=key.pk)
        if old.state(at=at) != "usable":
            raise Conflict("Only a key that works, and was not rotated before, can be rotated.")
        text = create_key(
            name=old.name,
            scopes=old.scopes,
            at=at,
            owner=old.owner,
            limits=Limits(old.projects, old.suites, old.agents),
            expires_at=at + (old.expires_at - old.created_at) if old.expires_at else None,
            by=by,
        )
        before = {"expires_at": old.expires_at.isoformat() if old.expires_at else None, "into": None}
        ends_at = min(at + overlap, old.expires_at or at + overlap)
        old.rotated_into = ApiKey.objects.get(digest=key_digest(text))
        old.expires_at = ends_at
        old.save(update_fields=["rotated_into", "expires_at"])
        differing = changes(before, {"expires_at": ends_at.isoformat(), "into": old.rotated_into_id})
        _note("key.rotated", old, by=by, at=at, into=old.rotated_into_id, works_until=ends_at.isoformat(), **differing)
    return text


def find_key(key: str, *, at: datetime, address: str = "") -> ApiKey | None:
    """The row of the usable key with this text, or None. Records its use at most once a minute. 1 or 2 queries."""
    found = ApiKey.objects.usable(at=at).filter(digest=key_digest(key)).first()
    if found and (found.used_at is None or at - found.used_at > _USED_GRAIN):
        # Of requests at the same time one writes.
        unused = Q(used_at=None) | Q(used_at__lt=at - _USED_GRAIN)
        ApiKey.objects.filter(unused, pk=found.pk).update(used_at=at, used_from=address)
    return found


def _described(key: ApiKey) -> dict[str, object]:
    """The facts of a new key for the audit log."""
    return {
        "name": key.name,
        "scopes": key.scopes,
        "owner": key.owner.get_username() if key.owner else None,
        "projects": key.projects,
        "suites": key.suites,
        "agents": key.agents,
        "expires_at": key.expires_at.isoformat() if key.expires_at else None,
    }


def _note(verb: str, key: ApiKey, *, by: str, at: datetime, **detail: Any) -> None:
    record(verb=verb, actor=by, subject=Subject("key", str(key.pk)), at=at, **detail)
