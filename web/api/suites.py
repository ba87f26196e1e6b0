"""`/suites/`: suites with their scenarios and frozen versions."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import (
    ExternalIdField,
    IntegerField,
    MetadataField,
    NoBody,
    NumberField,
    SlugField,
    StrictSerializer,
    TextField,
    read,
)
from evaluation import archive, suites
from evaluation.models import CONTINUATIONS, Scenario, Suite, Version
from lib.faults import NotFound
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of
from web.http.endpoints import Endpoint
from web.http.openapi import listed
from web.http.replaceable import Replaceable, archived, archives, replaceable

MOST_TAG = 100


class SuiteBody(StrictSerializer):
    title = TextField(max_length=200)
    description = TextField(default="", allow_blank=True)
    continuations = IntegerField(default=CONTINUATIONS, min_value=1, max_value=1000)


class SuiteAnswer(SuiteBody):
    slug = SlugField()
    archived_at = serializers.DateTimeField(required=False, help_text="Only while it is archived.")


class ScenarioMedia(StrictSerializer):
    """The episode that shows what happens before the takeover. It may be posted later."""

    episode = ExternalIdField()


class ScenarioBody(StrictSerializer):
    instruction = TextField(max_length=5000)
    category = TextField(max_length=100)
    skill = TextField(max_length=100)
    takeover_s = NumberField(min_value=0)
    # A continuation lasts some time.
    continuation_s = NumberField(more_than=0)
    criteria = TextField(max_length=5000, default="", allow_blank=True)
    prompt = TextField(max_length=5000, default="", allow_blank=True)
    tags = serializers.ListField(child=TextField(max_length=MOST_TAG), max_length=100, default=list)
    difficulty = serializers.JSONField(default=None, allow_null=True)
    chance = NumberField(
        min_value=0, max_value=1, default=None, allow_null=True, help_text="The share of successes by guessing."
    )
    media = ScenarioMedia(default=None, allow_null=True)
    source = serializers.JSONField(default=None, allow_null=True)  # type: ignore[assignment]
    metadata = MetadataField(default=dict)


class ScenarioAnswer(ScenarioBody):
    key = ExternalIdField()


class VersionBody(StrictSerializer):
    """An empty object: a version freezes the present scenarios."""


class VersionAnswer(StrictSerializer):
    version = SlugField()
    suite = SlugField()
    scenarios = serializers.ListField(child=serializers.CharField())
    frozen_at = serializers.DateTimeField()
    sha256 = serializers.CharField(help_text="Of the keys and wordings that it froze.")
    parent = SlugField(allow_null=True, help_text="The version that was frozen before it.")  # type: ignore[assignment]


def show_suite(suite: Suite) -> dict[str, Any]:
    return {
        "slug": suite.slug,
        **{name: getattr(suite, name) for name in suites.SuiteBody.__annotations__},
        **archived(suite),
    }


def show_scenario(scenario: Scenario) -> dict[str, Any]:
    revision = scenario.current
    if revision is None:
        raise NotFound
    return {"key": scenario.key, **{name: getattr(revision, name) for name in suites.ScenarioBody.__annotations__}}


def show_version(version: Version) -> dict[str, Any]:
    frozen = suites.frozen_content(version)
    return {
        "version": version.slug,
        "suite": version.suite.slug,
        "scenarios": [key for key, _ in frozen],
        "frozen_at": version.created_at,
        "sha256": suites.frozen_digest(frozen),
        "parent": suites.parent_of(version),
    }


def put_suite_content(*, slug: str, data: Any, by: str, at: datetime) -> bool:
    """Create or replace the suite with the content of a `PUT`; returns whether it is new."""
    body = suites.SuiteBody(**read(SuiteBody, data))  # type: ignore[typeddict-item]
    return suites.put_suite(slug=slug, body=body, by=by, at=at)[1]


def put_scenario_content(*, suite: Suite, key: str, data: Any, by: str, at: datetime) -> bool:
    """Create or replace the scenario with the content of a `PUT`; returns whether it is new."""
    body = suites.ScenarioBody(**read(ScenarioBody, data))  # type: ignore[typeddict-item]
    return suites.put_scenario(suite=suite, key=key, body=body, by=by, at=at)[1]


class Suites(Endpoint):
    """All suites."""

    @listed("list_suites", SuiteAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, Suite.objects.listed(), show_suite)


@replaceable("suite", SuiteBody, SuiteAnswer)
class OneSuite(Replaceable):
    """One suite by its slug."""

    def rows(self, **names: str) -> QuerySet[Suite]:
        return Suite.objects.filter(**names)

    def shown(self, **names: str) -> dict[str, Any]:
        return show_suite(suites.suite_named(**names))

    def replace(self, data: Any, **names: str) -> bool:
        return put_suite_content(slug=names["slug"], data=data, by=actor_of(self.request), at=timezone.now())

    @archives("suite")
    def delete(self, request: Request, slug: str) -> Response:
        with transaction.atomic():
            self.present(slug=slug)
            archive.archive_suite(suite=suites.suite_named(slug), by=actor_of(request), at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class RestoreSuite(Endpoint):
    """Put an archived suite back."""

    @extend_schema(operation_id="restore_suite", request=NoBody, responses=SuiteAnswer)
    def post(self, request: Request, slug: str) -> Response:
        read(NoBody, request.data)
        archive.restore_suite(suite=suites.suite_named(slug), by=actor_of(request), at=timezone.now())
        return Response(show_suite(suites.suite_named(slug)))


class Scenarios(Endpoint):
    """The present scenarios of a suite."""

    @listed("list_scenarios", ScenarioAnswer)
    def get(self, request: Request, slug: str) -> Response:
        rows = suites.suite_named(slug).scenarios.exclude(current=None).select_related("current")
        return page_of(request, rows, show_scenario)


@replaceable("scenario", ScenarioBody, ScenarioAnswer)
class OneScenario(Replaceable):
    """One scenario by its key. A change does not alter frozen versions."""

    def rows(self, slug: str, key: str) -> QuerySet[Scenario]:  # type: ignore[override]
        return Scenario.objects.filter(suite__slug=slug, key=key, current__isnull=False)

    def shown(self, slug: str, key: str) -> dict[str, Any]:  # type: ignore[override]
        return show_scenario(suites.scenario_for(suites.suite_named(slug), key))

    def replace(self, data: Any, slug: str, key: str) -> bool:  # type: ignore[override]
        suite = suites.suite_named(slug)
        return put_scenario_content(suite=suite, key=key, data=data, by=actor_of(self.request), at=timezone.now())


@replaceable("version", VersionBody, VersionAnswer)
class OneVersion(Replaceable):
    """A frozen version of the suite's scenarios."""

    def rows(self, slug: str, version: str) -> QuerySet[Version]:  # type: ignore[override]
        return Version.objects.filter(suite__slug=slug, slug=version)

    def shown(self, slug: str, version: str) -> dict[str, Any]:  # type: ignore[override]
        found = suites.suite_named(slug).versions.select_related("suite").filter(slug=version).first()
        if found is None:
            raise NotFound
        return show_version(found)

    def replace(self, data: Any, slug: str, version: str) -> bool:  # type: ignore[override]
        suite = suites.suite_named(slug)
        read(VersionBody, data)
        return suites.freeze(suite=suite, slug=version, by=actor_of(self.request), at=timezone.now())[1]

    def tag_of(self, shown: Mapping[str, Any]) -> str:
        """A version never changes."""
        return f'"{shown["version"]}"'
