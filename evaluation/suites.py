"""Suites, their scenarios, and versions that freeze them."""

from datetime import datetime
from typing import Any, TypedDict

from django.db import transaction

from common.errors import Conflict, Invalid, NotFound
from common.values import digest
from evaluation.models import Revision, Scenario, Suite, Version


class ScenarioBody(TypedDict):
    """A scenario as it is put, defaults applied."""

    instruction: str
    category: str
    skill: str
    takeover_s: float
    continuation_s: float
    criteria: str
    prompt: str
    tags: list[str]
    difficulty: Any
    source: Any
    metadata: dict[str, Any]


def suite_named(slug: str) -> Suite:
    """The suite; 404 if there is none. 1 query."""
    found = Suite.objects.filter(slug=slug).first()
    if found is None:
        raise NotFound
    return found


def put_scenario(*, suite: Suite, key: str, body: ScenarioBody, at: datetime) -> tuple[Scenario, bool]:
    """Make the scenario or give it a new wording; whether it is new. Frozen versions keep the wording they froze."""
    with transaction.atomic():
        scenario, is_new = Scenario.objects.select_for_update().get_or_create(
            suite=suite, key=key, defaults={"created_at": at}
        )
        revision, _ = Revision.objects.get_or_create(
            scenario=scenario, digest=digest(body), defaults={**body, "created_at": at}
        )
        if scenario.current_id != revision.pk:
            scenario.current = revision
            scenario.save(update_fields=["current"])
    return scenario, is_new


def scenario_for(suite: Suite, key: str) -> Scenario:
    """The scenario with its present wording; 404 if there is none. 1 query."""
    found = suite.scenarios.select_related("current").filter(key=key, current__isnull=False).first()
    if found is None:
        raise NotFound
    return found


def freeze(*, suite: Suite, slug: str, at: datetime) -> tuple[Version, bool]:
    """Freeze the present scenarios; whether the version is new. The same scenarios again change nothing.

    Raises:
        Invalid: the suite has no scenarios.
        Conflict: the version froze other scenarios.
    """
    with transaction.atomic():
        Suite.objects.select_for_update().get(pk=suite.pk)
        present = set(suite.scenarios.exclude(current=None).values_list("current_id", flat=True))
        if not present:
            raise Invalid("There are no scenarios to freeze in this suite yet.")
        version = suite.versions.filter(slug=slug).first()
        if version is None:
            version = Version.objects.create(suite=suite, slug=slug, created_at=at)
            version.revisions.set(present)
            return version, True
        if set(version.revisions.values_list("pk", flat=True)) != present:
            raise Conflict(
                "This version is frozen, and the scenarios have changed since. Freeze them under another name."
            )
    return version, False
