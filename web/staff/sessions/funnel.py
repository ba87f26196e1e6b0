"""The funnel.

From all commands to misunderstood ones, precision and recall of the workers' marks, repeated commands.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.models import Agent
from annotation.access import roles
from annotation.access.roles import Account
from commands.models import Command
from common.data.days import day_if_any, midnight
from interaction.project.tool import interaction
from interaction.reports import funnel
from interaction.reports.funnel import PAPER, Funnel, Version
from web.staff.access import commands_for
from web.staff.decorators import chosen, staff_only
from web.staff.figure_files import Figure, file_asked
from web.staff.sessions import funnel_figures as figures
from web.staff.sessions.funnel_figures import PRECISION, RECALL, Rate, rate_of
from workforce.models import Worker

NEWEST_DAYS = 90
MOST_VERSIONS = 50
MOST_WORKERS = 1000
WORKERS_A_PAGE = 20
NEWEST_WORDS = 20_000
"""The number of newest commands among which repeated ones are counted."""
MOST_WORDS = 200
WORDS_SHOWN = 20


class Line(NamedTuple):
    """A row of the funnel, with the paper's numbers."""

    label: str
    meaning: str
    n: int
    papers: int


class Standing(NamedTuple):
    """A version or a worker, with precision and recall of the marks."""

    funnel: Funnel
    precision: Rate
    recall: Rate
    version: Version | None = None
    worker: Worker | None = None
    may_open: bool = False


class Parts:
    """The data of the page and its files. Each part is read when it is first needed: 1 query, 2 by worker."""

    def __init__(self, rows: QuerySet[Command]) -> None:
        self.whole = cache(partial(funnel.funnel_of, rows))
        self.days = cache(partial(funnel.by_day, rows, newest=NEWEST_DAYS))
        self.versions = cache(partial(funnel.by_version, rows, most=MOST_VERSIONS))
        self.workers = cache(partial(_workers, rows))
        self.words = cache(partial(funnel.said_again, rows, newest=NEWEST_WORDS, most=MOST_WORDS))
        self.left_out = cache(lambda: funnel.left_out(rows, self.whole()))


@staff_only
@require_safe
def funnel_page(request: HttpRequest) -> HttpResponse:
    projects = list(interaction.projects(roles.projects_for(request.user)).order_by("title", "pk"))
    mine = commands_for(request.user)
    agents = list(Agent.objects.filter(Exists(mine.filter(agent=OuterRef("pk")))).order_by("slug"))
    project = chosen(request, "project", [one.slug for one in projects])
    agent = chosen(request, "agent", [one.slug for one in agents])
    since, until = (day_if_any(request.GET.get(name, "")) for name in ("since", "until"))
    rows = funnel.narrowed(
        mine, project=project, agent=agent, since=midnight(since), until=midnight(until, days_later=1)
    )
    parts = Parts(rows)
    plots = _figures(parts, request.user)
    if (file := file_asked(request, plots)) is not None:
        return file
    whole = parts.whole()
    page = Paginator(parts.workers(), WORKERS_A_PAGE).get_page(request.GET.get("page"))
    ctx = {
        "section": "funnel",
        "projects": projects,
        "agents": agents,
        "project": project,
        "agent": agent,
        "since": since,
        "until": until,
        "is_narrowed": bool(project or agent or since or until),
        "whole": whole,
        "lines": _lines(whole),
        "rates": [
            (name.capitalize(), figures.ABOUT[name], rate_of(whole, name), rate_of(PAPER, name))
            for name in (PRECISION, RECALL)
        ],
        "paper": PAPER,
        "figures": {name.replace("-", "_"): (name, make()) for name, make in plots.items()},
        "versions": [_standing(found, version=version) for version, found in parts.versions()],
        "most_versions": MOST_VERSIONS,
        "page": page,
        "workers": _named(request, list(page)),
        "most_workers": MOST_WORKERS,
        "words": parts.words()[:WORDS_SHOWN],
        "newest_words": NEWEST_WORDS,
    }
    return render(request, "staff/sessions/funnel.html", ctx)


def _figures(parts: Parts, user: Account) -> Mapping[str, Callable[[], Figure]]:
    """The plots, by their names in the address."""
    plots: dict[str, Callable[[], Figure]] = {
        "funnel": lambda: figures.whole(parts.whole()),
        "left-out": lambda: figures.left_out(parts.left_out()),
        "said-again": lambda: figures.repeated(parts.words()),
    }
    for rate in (PRECISION, RECALL):
        plots[f"{rate}-by-day"] = partial(_by_day, parts, rate)
        plots[f"{rate}-by-version"] = partial(_by_version, parts, rate)
        plots[f"{rate}-by-worker"] = partial(_by_worker, parts, user, rate)
    return plots


def _by_day(parts: Parts, rate: str) -> Figure:
    return figures.over_days(parts.days(), rate=rate, newest=NEWEST_DAYS)


def _by_version(parts: Parts, rate: str) -> Figure:
    return figures.by_name([(str(version), found) for version, found in parts.versions()], rate=rate, by="agent")


def _by_worker(parts: Parts, user: Account, rate: str) -> Figure:
    """Workers have the same names as elsewhere on the page: the account sees one name for one worker."""
    named = [(roles.name_of(user, worker), found) for worker, found in parts.workers()]
    return figures.by_name(named, rate=rate, by="worker")


def _lines(whole: Funnel) -> list[Line]:
    return [
        Line(label, meaning, getattr(whole, name), getattr(PAPER, name))
        for name, (label, meaning) in figures.ROWS.items()
    ]


def _workers(rows: QuerySet[Command]) -> list[tuple[Worker, Funnel]]:
    """The workers with the most commands first. 2 queries."""
    counted = funnel.by_worker(rows, most=MOST_WORKERS)
    workers = Worker.objects.in_bulk([pk for pk, _ in counted])
    return [(workers[pk], found) for pk, found in counted]


def _named(request: HttpRequest, counted: Sequence[tuple[Worker, Funnel]]) -> list[Standing]:
    """The workers with these ids, with the names that the account may know. 1 query."""
    shown = [worker.pk for worker, _ in counted]
    # A worker of posted commands may have no enrolment, and then no page here.
    known = set(roles.workers_for(request.user).filter(pk__in=shown).values_list("pk", flat=True))
    return [_standing(found, worker=worker, may_open=worker.pk in known) for worker, found in counted]


def _standing(
    found: Funnel, *, version: Version | None = None, worker: Worker | None = None, may_open: bool = False
) -> Standing:
    return Standing(found, rate_of(found, PRECISION), rate_of(found, RECALL), version, worker, may_open)
