"""Suites, their scenarios, and the versions that freeze the scenarios' wordings."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from django.db import transaction

from audit.changes import changes
from audit.log import Subject, record
from common.data.put_row import put_row
from evaluation.models import Revision, Scenario, Suite, Version
from lib.canonical_json import digest
from lib.faults import Conflict, Fault, Invalid, NotFound


class SuiteBody(TypedDict):
    """The body of a PUT of a suite, defaults applied."""

    title: str
    description: str
    continuations: int


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
    chance: float | None
    media: dict[str, Any] | None
    source: Any
    metadata: dict[str, Any]


_LATER = ("chance", "media")


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


def check_not_archived(suite: Suite) -> None:
    """Refuse to change an archived suite.

    Raises:
        Conflict
    """
    if suite.archived_at is not None:
        raise Conflict("This suite is archived. Put it back first.")


def put_suite(*, slug: str, body: SuiteBody, by: str, at: datetime) -> tuple[Suite, bool]:
    """Create the suite or change its words; returns whether it is new.

    Raises:
        Conflict: it is archived.
    """
    with transaction.atomic():
        found = Suite.objects.select_for_update().filter(slug=slug).first()
        if found is not None:
            check_not_archived(found)
        before = {name: getattr(found, name) for name in body} if found else {}
        suite, is_new = put_row(Suite, names={"slug": slug}, content=body, when_new={"created_at": at})
        if differing := changes(before, body):
            verb = "suite.created" if is_new else "suite.changed"
            record(verb=verb, actor=by, subject=Subject("suite", slug), at=at, **differing)
    return suite, is_new


def put_scenario(*, suite: Suite, key: str, body: ScenarioBody, by: str, at: datetime) -> tuple[Scenario, bool]:
    """Create the scenario or give it a new wording; returns whether it is new.

    Frozen versions keep the wording that they froze.

    Raises:
        Conflict: the suite is archived.
    """
    check_not_archived(suite)
    with transaction.atomic():
        scenario, _ = Scenario.objects.select_for_update().get_or_create(
            suite=suite, key=key, defaults={"created_at": at}
        )
        is_new = scenario.current_id is None
        revision, _ = Revision.objects.get_or_create(
            scenario=scenario, digest=wording_digest(body), defaults={**body, "created_at": at}
        )
        make_present(scenario, revision, by=by, at=at)
    return scenario, is_new


def make_present(scenario: Scenario, revision: Revision, *, by: str, at: datetime) -> bool:
    """Make the revision the present wording of its scenario; returns whether it was not. Locks: call it with the
    scenario's row locked."""
    earlier = scenario.current
    if earlier == revision:
        return False
    scenario.current = revision
    scenario.save(update_fields=["current"])
    record(
        verb="scenario.changed" if earlier else "scenario.created",
        actor=by,
        subject=Subject("suite", scenario.suite.slug),
        at=at,
        scenario=scenario.key,
        **changes(wording_of(earlier) if earlier else {}, wording_of(revision)),
    )
    return True


def wording_of(revision: Revision) -> dict[str, Any]:
    """The body of the PUT that made this wording."""
    return {name: getattr(revision, name) for name in ScenarioBody.__annotations__}


def wording_digest(body: ScenarioBody) -> str:
    """The digest of a wording, of which those of versions are made.

    A wording without `chance` and `media` keeps the digest that it had before there were such fields.
    """
    return digest({name: value for name, value in body.items() if name not in _LATER or value is not None})


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


def freeze(*, suite: Suite, slug: str, by: str, at: datetime) -> tuple[Version, bool]:
    """Freeze the present wordings of the suite's scenarios; returns whether the version is new.

    Freezing the same wordings again under the same slug changes nothing.

    Raises:
        Invalid: the suite has no scenarios.
        Conflict: the version has frozen other wordings, or the suite is archived.
    """
    check_not_archived(suite)
    with transaction.atomic():
        Suite.objects.select_for_update().get(pk=suite.pk)
        present = set(suite.scenarios.exclude(current=None).values_list("current_id", flat=True))
        if not present:
            raise Invalid("There are no scenarios to freeze in this suite yet.")
        version = suite.versions.filter(slug=slug).first()
        if version is None:
            version = Version.objects.create(suite=suite, slug=slug, created_at=at)
            version.revisions.set(present)
            record(
                verb="suite.frozen",
                actor=by,
                subject=Subject("suite", suite.slug),
                at=at,
                version=slug,
                scenarios=len(present),
            )
            return version, True
        if set(version.revisions.values_list("pk", flat=True)) != present:
            raise Conflict(
                "This version is frozen, and the scenarios have changed since. Freeze them under another name."
            )
    return version, False


def frozen_content(version: Version) -> list[tuple[str, str]]:
    """The scenarios that the version froze: each key with the digest of its wording, by key. 1 query."""
    # Sorted here: each database orders texts by rules of its own.
    return sorted(version.revisions.values_list("scenario__key", "digest"))


def frozen_digest(frozen: Iterable[tuple[str, str]]) -> str:
    """The SHA-256 of a version that froze these."""
    return digest(sorted(frozen))


def parent_of(version: Version) -> str | None:
    """The version of the suite that was frozen before this one. 1 query."""
    earlier = Version.objects.filter(suite=version.suite_id, pk__lt=version.pk).order_by("-pk")
    return earlier.values_list("slug", flat=True).first()
