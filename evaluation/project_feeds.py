"""Feeds: a project takes the ready episodes of a suite as tasks."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from agents.models import Agent
from annotation.models import Project, Task
from annotation.tools.marker.tool import TOLERANCE_S
from annotation.work.posting import MOST_AT_ONCE, TaskBody, post_tasks
from audit.changes import changes
from audit.log import record
from common.data.put_row import put_row
from evaluation.marker import marker
from evaluation.models import Episode, Feed, Suite, Version
from lib.faults import Conflict, Fault, Invalid


def set_feed(
    *, project: Project, suite: str | None, version: str | None, agents: Sequence[str] | None, by: str, at: datetime
) -> None:
    """Let the project take the ready episodes of the suite, and post those that exist as its tasks.

    Raises:
        Invalid: the suite, version or an agent does not exist, or a version or agents are named without a suite.
        Conflict: the suite would change although the project has tasks.
    """
    earlier = Feed.objects.select_related("suite", "version").filter(project=project).first()
    before = _content(earlier)
    if (earlier.suite.slug if earlier else None) != suite and project.tasks.exists():
        raise Conflict(faults=[Fault("#/suite", "The suite cannot change once there are tasks.")])
    if suite is None:
        if version or agents:
            raise Invalid.at("#/suite", "Name the suite that the version or the agents belong to.")
        if earlier:
            with transaction.atomic():
                earlier.delete()
                _record(project, changes(before, {}), by=by, at=at)
        return
    if not marker.is_tool_of(project):
        raise Invalid.at("#/suite", f"Only a project with the tool `{marker.name}` takes episodes of a suite.")
    found = Suite.objects.filter(slug=suite).first()
    if found is None:
        raise Invalid.at("#/suite", f"There is no suite {suite!r}.")
    if found.archived_at is not None:
        raise Invalid.at("#/suite", f"The suite {suite!r} is archived. Put it back first.")
    with transaction.atomic():
        content = {"suite": found, "version": _version(found, version)}
        feed, _ = put_row(Feed, names={"project": project}, content=content, when_new={})
        feed.agents.set(_agents(agents or []))
        if differing := changes(before, _content(feed)):
            _record(project, differing, by=by, at=at)
        post_waiting_episodes(feed=feed, at=at)


def feed_of(project: Project) -> Feed | None:
    """Which episodes the project takes, with suite, version and agents; None if it takes no suite. 2 queries."""
    return feeds_of([project]).get(project.pk)


def feeds_of(projects: Iterable[Project]) -> dict[int, Feed]:
    """The same for several projects, by the project's id. 2 queries, however many there are."""
    rows = Feed.objects.select_related("suite", "version").prefetch_related("agents").filter(project__in=projects)
    return {feed.project_id: feed for feed in rows}


def _content(feed: Feed | None) -> dict[str, Any]:
    if feed is None:
        return {}
    return {
        "suite": feed.suite.slug,
        "version": feed.version.slug if feed.version else None,
        "agents": sorted(feed.agents.values_list("slug", flat=True)),
    }


def _record(project: Project, changed: dict[str, Any], *, by: str, at: datetime) -> None:
    subject = project.audit_subject
    record(verb="project.episodes", actor=by, subject=subject, project=project.slug, at=at, **changed)


def _version(suite: Suite, slug: str | None) -> Version | None:
    if slug is None:
        return None
    found = suite.versions.filter(slug=slug).first()
    if found is None:
        raise Invalid.at("#/version", f"The suite has no version {slug!r}.")
    return found


def _agents(slugs: Sequence[str]) -> list[Agent]:
    found = {agent.slug: agent for agent in Agent.objects.filter(slug__in=slugs)}
    missing = [
        Fault(f"#/agents/{index}", f"There is no agent {slug!r}.")
        for index, slug in enumerate(slugs)
        if slug not in found
    ]
    if missing:
        raise Invalid(faults=missing)
    return list(found.values())


def post_waiting_episodes(*, feed: Feed, at: datetime) -> None:
    """Post a task for every ready episode that the feed takes and for which its project has no task."""
    there = Task.objects.filter(project=feed.project, key=OuterRef("external_id"))
    ready = Episode.objects.ready().filter(~Exists(there), scenario__suite=feed.suite).order_by("pk")
    if feed.version_id:
        ready = ready.filter(revision__versions=feed.version_id)
    chosen = list(feed.agents.all())
    if chosen:
        ready = ready.filter(agent__in=chosen)
    ready = ready.exclude(external_id=_practised(feed), reference__isnull=False)
    waiting = iter(ready.iterator(chunk_size=MOST_AT_ONCE))
    while batch := list(islice(waiting, MOST_AT_ONCE)):
        post_tasks(project=feed.project, bodies=_bodies(batch), at=at)


def post_to_projects(*, episode: Episode, at: datetime) -> None:
    """Post a ready episode as a task of every project that takes it. Call it in the transaction that makes it ready.

    A project that already has a task with this key keeps that task: a task that a client posted under this key must not
    make a good episode fail.
    """
    there = Task.objects.filter(project=OuterRef("project"), key=episode.external_id)
    takers = (
        Feed.objects.filter(suite_id=episode.scenario.suite_id)
        .filter(Q(agents=None) | Q(agents=episode.agent_id))
        .filter(Q(version=None) | Q(version__revisions=episode.revision_id))
        .filter(~Exists(there))
        .filter(project__archived_at=None)
        .exclude(project__status=Project.Status.CLOSED)
        .select_related("project")
        .distinct()
    )
    for feed in takers:
        if episode.reference is not None and episode.external_id == _practised(feed):
            continue
        post_tasks(project=feed.project, bodies=_bodies([episode]), at=at)


def _practised(feed: Feed) -> str:
    """The episode of the project's practice: workers see its right answer there, so it is no reference; "" for none."""
    return str(feed.project.practice_payload.get("episode", ""))


def _bodies(episodes: Iterable[Episode]) -> list[TaskBody]:
    return [_body(episode) for episode in episodes]


def _body(episode: Episode) -> TaskBody:
    body = TaskBody(key=episode.external_id, payload={"episode": episode.external_id})
    truth = episode.reference
    if truth is not None:
        answer = {key: truth[key] for key in ("outcome", "time_s") if truth.get(key) is not None}
        body["reference"] = {"answers": [answer], "tolerance_s": truth.get("tolerance_s", TOLERANCE_S)}
    return body
