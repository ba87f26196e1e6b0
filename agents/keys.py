"""Making, finding and revoking API keys."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from agents.models import ApiKey

_USED_GRAIN = timedelta(minutes=1)


def key_digest(key: str) -> str:
    """The stored digest of a key. Keys are long and random, so a plain hash is as safe as a slow one."""
    return hashlib.sha256(key.encode()).hexdigest()


def create_key(*, name: str, scopes: Iterable[str], at: datetime, key: str | None = None) -> str:
    """Create a key and return its text, which is stored nowhere. A `key` that exists already stays as it is."""
    key = key or f"cw_{secrets.token_urlsafe(32)}"
    ApiKey.objects.get_or_create(
        digest=key_digest(key),
        defaults={"name": name, "prefix": key[:8], "scopes": sorted(set(scopes)), "created_at": at},
    )
    return key


def find_key(key: str, *, at: datetime) -> ApiKey | None:
    """The row of the usable key with this text, or None. Records its use at most once a minute. 1 or 2 queries."""
    found = ApiKey.objects.usable().filter(digest=key_digest(key)).first()
    if found and (found.used_at is None or at - found.used_at > _USED_GRAIN):
        ApiKey.objects.filter(pk=found.pk).update(used_at=at)
    return found
