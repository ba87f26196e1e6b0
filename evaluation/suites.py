"""Suites, their scenarios, and the versions that freeze the scenarios' wordings."""

from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from django.db import transaction

from evaluation.models import Revision, Scenario, Suite, Version
from lib.canonical_json import digest
from lib.faults import Conflict, Fault, Invalid, NotFound


class ScenarioBody(TypedDict):
    """The body of a PUT of a scenario, defaults applied."""

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


class Choice(NamedTuple):
    """A scenario of a suite, as a form offers it."""

    suite: str
    scenario: str
    instruction: str


def suite_named(slug: str) -> Suite:
    """The suite with this slug. Raises NotFound. 1 query."""
    found = Suite.objects.filter(slug=slug).first()
    if found is None:
        raise NotFound
    return found


def put_scenario(*, suite: Suite, key: str, body: ScenarioBody, at: datetime) -> tuple[Scenario, bool]:
    """Create the scenario or give it a new wording; returns whether it is new.

    Frozen versions keep the wording that they froze.
    """
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
    """The scenario with its present wording. Raises NotFound. 1 query."""
    found = suite.scenarios.select_related("current").filter(key=key, current__isnull=False).first()
    if found is None:
        raise NotFound
    return found


def scenario_choices() -> list[Choice]:
    """Every scenario that has a wording, by suite and key. 1 query."""
    rows = Scenario.objects.exclude(current=None).order_by("suite__slug", "key")
    return [Choice(*row) for row in rows.values_list("suite__slug", "key", "current__instruction")]


def scenario_faults(suite: str, scenario: str) -> list[Fault]:
    """Why no episode can be posted at this scenario; empty where one can. 1 query."""
    if Scenario.objects.filter(suite__slug=suite, key=scenario).exclude(current=None).exists():
        return []
    return [Fault("#/scenario", f"There is no scenario {scenario!r} in a suite {suite!r}.")]


def freeze(*, suite: Suite, slug: str, at: datetime) -> tuple[Version, bool]:
    """Freeze the present wordings of the suite's scenarios; returns whether the version is new.

    Freezing the same wordings again under the same slug changes nothing.

    Raises:
        Invalid: the suite has no scenarios.
        Conflict: the version has frozen other wordings.
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
