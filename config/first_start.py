"""Rows that must exist when the server starts."""

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from agents.keys import create_key, key_digest
from agents.models import Agent, ApiKey
from annotation.review import taxonomies
from builder import BUILDER
from routing import tree_versions

ADMIN = "admin"


def prepare_first_start() -> None:
    """Create the API key and the password of the environment, the taxonomies, decision trees and built-in agent.

    A repeat changes nothing.
    """
    now = timezone.now()
    if settings.FIRST_API_KEY:
        # The key has every scope, also those that a later release adds.
        ApiKey.objects.filter(digest=key_digest(settings.FIRST_API_KEY)).update(scopes=sorted(ApiKey.Scope.values))
        create_key(
            name="from CROSSWALK_API_KEY",
            scopes=ApiKey.Scope.values,
            at=now,
            key=settings.FIRST_API_KEY,
        )
    if settings.FIRST_ADMIN_PASSWORD:
        set_admin_password(settings.FIRST_ADMIN_PASSWORD)
    taxonomies.make_first()
    tree_versions.make_first(at=now)
    Agent.objects.get_or_create(
        slug=BUILDER,
        defaults={
            "name": "Builder",
            "description": "The built-in agent: it builds, digs, fetches and answers in a world of blocks.",
            "created_at": now,
        },
    )


def set_admin_password(password: str) -> None:
    """Create the user `admin` or set its password."""
    admin, _ = User.objects.get_or_create(username=ADMIN, defaults={"is_staff": True, "is_superuser": True})
    if not admin.check_password(password):
        admin.set_password(password)
        admin.save(update_fields=["password"])
