"""The search over everything that an account may see. Each kind is found by the beginning of its name, by an index."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from django.db import connection
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from agents.models import Agent
from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.models import Task
from commands.models import Command
from evaluation.models import Episode, Suite
from web.staff.access import commands_for, reports_for, sessions_for
from web.staff.addresses import command_address
from web.staff.decorators import staff_only
from workforce.models import Worker

MOST = 8
"""The most results of one kind."""
LONGEST = 128
PLATFORMS = 20
"""The most platforms among which a worker's name is looked for."""
LAST = "\U0010ffff"


class Found(NamedTuple):
    """One result, with a word on where it belongs."""

    words: str
    address: str
    about: str = ""


class Kind(NamedTuple):
    label: str
    find: Callable[[Account, str], Iterable[Found]]


def begins(field: str, words: str) -> Q:
    """Whether the field begins with the words, in a form for which the database uses the field's index.

    SQLite uses none for LIKE with an escape character.
    """
    if connection.vendor == "sqlite":
        return Q(**{f"{field}__gte": words, f"{field}__lt": words + LAST})
    return Q(**{f"{field}__startswith": words})


@staff_only
@require_safe
def search(request: HttpRequest) -> HttpResponse:
    words = " ".join(request.GET.get("q", "").replace("\0", "").split())[:LONGEST]
    found = [(kind.label, list(kind.find(request.user, words))) for kind in KINDS] if words else []
    ctx = {
        "section": "",
        "q": words,
        "found": [(label, results, len(results) == MOST) for label, results in found if results],
        "kinds": [kind.label for kind in KINDS],
    }
    return render(request, "staff/search.html", ctx)


def _projects(user: Account, words: str) -> Iterable[Found]:
    # Projects are few: their titles are read from beginning to end.
    rows = roles.projects_for(user).filter(begins("slug", words) | Q(title__icontains=words))
    for project in rows.only("slug", "title", "status").order_by("slug")[:MOST]:
        yield Found(project.title, reverse("staff-project", args=[project.slug]), f"{project.slug}, {project.status}")


def _agents(user: Account, words: str) -> Iterable[Found]:
    for agent in Agent.objects.filter(begins("slug", words)).order_by("slug")[:MOST]:
        yield Found(agent.slug, reverse("staff-agent", args=[agent.slug]), agent.name)


def _suites(user: Account, words: str) -> Iterable[Found]:
    for suite in Suite.objects.filter(begins("slug", words)).order_by("slug")[:MOST]:
        yield Found(suite.title, reverse("staff-suite", args=[suite.slug]), suite.slug)


def _episodes(user: Account, words: str) -> Iterable[Found]:
    rows = Episode.objects.filter(begins("external_id", words)).select_related("agent", "scenario")
    for episode in rows.order_by("external_id")[:MOST]:
        about = f"{episode.agent.slug} at {episode.scenario.key}"
        yield Found(episode.external_id, reverse("staff-episode", args=[episode.external_id]), about)


def _workers(user: Account, words: str) -> Iterable[Found]:
    """By the pseudonym; for those who may know names also by name, or `platform:name`."""
    by_pseudonym = roles.workers_for(user).filter(begins("pseudonym", words)).order_by("pseudonym")
    found = {worker.pk: worker for worker in by_pseudonym[:MOST]}
    if roles.may_somewhere(user, Role.ADMIN):
        known = roles.workers_for(user, Role.ADMIN)
        platform, colon, name = words.partition(":")
        for one, beginning in [(platform, name)] if colon else [(one, words) for one in _platforms()]:
            named = known.filter(begins("external_id", beginning), platform=one).order_by("external_id")
            found |= {worker.pk: worker for worker in named[: MOST - len(found)]}
    for worker in list(found.values())[:MOST]:
        yield Found(roles.name_of(user, worker), reverse("staff-worker", args=[worker.pk]), worker.status)


def _platforms() -> list[str]:
    """The platforms on which there are workers, each by one look at the index."""
    found: list[str] = []
    rows = Worker.objects.order_by("platform").values_list("platform", flat=True)
    while len(found) < PLATFORMS:
        following = rows.filter(platform__gt=found[-1] if found else "").first()
        if following is None:
            break
        found.append(following)
    return found


def _tasks(user: Account, words: str) -> Iterable[Found]:
    rows = Task.objects.posted().filter(begins("key", words), project__in=_visible(user)).select_related("project")
    for task in rows.order_by("key")[:MOST]:
        yield Found(task.key, reverse("staff-task", args=[task.pk]), task.project.title)


def _sessions(user: Account, words: str) -> Iterable[Found]:
    rows = sessions_for(user).filter(begins("public_id", words)).select_related("project", "agent")
    for session in rows.order_by("public_id")[:MOST]:
        about = f"{session.agent.slug} in {session.project.title}"
        yield Found(session.public_id, reverse("staff-session", args=[session.public_id]), about)


def _commands(user: Account, words: str) -> Iterable[Found]:
    """By the id, or by the first words. A command given live leads to its session, a posted one to its project's
    errors."""
    rows: QuerySet[Command] = commands_for(user).select_related("live__session", "project")
    wanted = begins("public_id", words) | begins("plain_text", words.lower())
    for command in rows.filter(wanted, project__in=_visible(user)).order_by("-pk")[:MOST]:
        address = command_address(command) or reverse("staff-project", args=[command.project.slug])
        yield Found(command.text, address, command.project.title)


def _reports(user: Account, words: str) -> Iterable[Found]:
    rows = reports_for(user).filter(begins("public_id", words)).select_related("command")
    for report in rows.order_by("public_id")[:MOST]:
        yield Found(report.command.text, reverse("staff-report", args=[report.public_id]), report.outcome)


def _visible(user: Account) -> list[int]:
    """The ids of the account's projects: by a list of them the database walks the indexes that begin with a project."""
    return list(roles.projects_for(user).order_by().values_list("pk", flat=True))


KINDS = (
    Kind("Projects", _projects),
    Kind("Agents", _agents),
    Kind("Suites", _suites),
    Kind("Episodes", _episodes),
    Kind("Workers", _workers),
    Kind("Tasks", _tasks),
    Kind("Sessions", _sessions),
    Kind("Commands", _commands),
    Kind("Error reports", _reports),
)
