"""Rows that must exist when the server starts."""

import logging
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils import timezone

from agents.keys import Limits, create_key, key_digest, weakness_of
from agents.models import Agent, ApiKey
from annotation.review import taxonomies
from builder import BUILDER
from config.private_files import BUILDER_KEY, kept_secret
from routing import tree_versions

logger = logging.getLogger(__name__)
ADMIN = "admin"


class WeakCredential(Exception):
    """The environment names a credential that is too easy to guess; the sentence says why."""


def prepare_first_start() -> None:
    """Create the API key and the password of the environment, the taxonomies, decision trees and built-in agent.

    A repeat changes nothing.

    Raises:
        WeakCredential: the key or the password would be made now, and is too weak.
    """
    now = timezone.now()
    if settings.FIRST_API_KEY:
        make_first_key(settings.FIRST_API_KEY, name="from CROSSWALK_API_KEY")
    if settings.FIRST_ADMIN_PASSWORD:
        make_first_admin(settings.FIRST_ADMIN_PASSWORD)
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


def make_first_key(key: str, *, name: str) -> None:
    """Create this key with every scope, unless a pipeline's key exists: usable, expired or revoked.

    The key of the built-in agent does not count.

    Raises:
        WeakCredential: the key is too weak.
    """
    if any(set(scopes) != {ApiKey.Scope.AGENTS} for scopes in ApiKey.objects.values_list("scopes", flat=True)):
        if not ApiKey.objects.filter(digest=key_digest(key)).exists():
            logger.warning("first_key.unused", extra={"why": "API keys exist: make others on the staff page of keys"})
        return
    why = weakness_of(key)
    if why:
        raise WeakCredential(f"CROSSWALK_API_KEY is too weak: {why}")
    create_key(name=name, scopes=ApiKey.Scope.values, at=timezone.now(), key=key)


def make_first_admin(password: str) -> None:
    """Create the superuser `admin` with this password, unless that user or another superuser exists.

    Raises:
        WeakCredential: the password is too weak.
    """
    if User.objects.filter(Q(username=ADMIN) | Q(is_superuser=True)).exists():
        return
    try:
        validate_password(password, User(username=ADMIN))
    except ValidationError as error:
        raise WeakCredential(f"CROSSWALK_ADMIN_PASSWORD is too weak. {' '.join(error.messages)}") from None
    # Another process may start at the same moment.
    User.objects.get_or_create(
        username=ADMIN, defaults={"is_staff": True, "is_superuser": True, "password": make_password(password)}
    )


def make_builder_key(*, at: datetime) -> str:
    """The API key of this installation's own agent: its text is kept beside the other secrets. A repeat changes
    nothing.
    """
    return create_key(
        name="the built-in agent",
        scopes=[ApiKey.Scope.AGENTS],
        limits=Limits(agents=[BUILDER]),
        at=at,
        key=kept_secret(Path(settings.DATA_DIR) / BUILDER_KEY, prefix="cw_"),
    )


def renew_builder_key(*, at: datetime) -> None:
    """Let the built-in agent in that the keeper of this process starts: the keeper has written its key. Without one
    nothing is made.
    """
    if (Path(settings.DATA_DIR) / BUILDER_KEY).exists():
        make_builder_key(at=at)
