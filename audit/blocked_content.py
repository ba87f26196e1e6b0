"""Counts of what browsers blocked by the content security policy."""

from datetime import datetime, timedelta

from django.db.models import F

from audit.models import BlockedContent

KEEP = timedelta(days=30)
"""How long a kind is kept after it was last reported."""
MOST_KINDS = 500
"""Anybody may send reports, so a table that has this many kinds counts new ones together, by directive."""
MORE = "(more)"
"""The page and the blocked content of the kinds that are counted together."""


def count(*, page: str, directive: str, blocked: str, at: datetime) -> None:
    """Count one report of this kind. 1 query for a known kind, 6 for a new one at most."""
    kind = {"page": page, "directive": directive, "blocked": blocked}
    if _add(kind, at):
        return
    if BlockedContent.objects.count() >= MOST_KINDS:
        kind |= {"page": MORE, "blocked": MORE}
    _, is_new = BlockedContent.objects.get_or_create(**kind, defaults={"first_at": at, "last_at": at})
    if not is_new:
        _add(kind, at)


def _add(kind: dict[str, str], at: datetime) -> bool:
    return BlockedContent.objects.filter(**kind).update(count=F("count") + 1, last_at=at) == 1


def forget_old(at: datetime) -> int:
    """Delete the kinds that were not reported for `KEEP`; return how many."""
    return BlockedContent.objects.filter(last_at__lt=at - KEEP).delete()[0]
