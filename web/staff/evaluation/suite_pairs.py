"""The compare room: two agents' continuations of one scenario side by side, all that was said of them on one axis."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Account
from annotation.models import Annotation, Assignment
from evaluation.figures.pairs import Pair, Try, pairs_of
from evaluation.models import Episode
from evaluation.ranking import rank_agents
from evaluation.suites import suite_named
from evaluation.video_addresses import video_address
from lib.plots.timeline import Mark, Timeline, timeline
from web.staff.decorators import staff_only
from web.staff.evaluation.episodes import marks_on, tasks_showing
from web.staff.evaluation.suite_figures import asked, menus

MOST_ANSWERS = 20
"""Answers of each continuation that are drawn."""


class Side(NamedTuple):
    """One continuation of the pair, its video, the marks on it, and what raters reported."""

    agent: str
    tried: Try
    episode: Episode
    video: str
    poster: str
    marks: list[Mark]
    reports: list[Assignment]


@staff_only
@require_safe
def pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """One pair of two agents, by default of the two best; the first pair is where they differ most."""
    suite = suite_named(slug)
    what = asked(request, suite, request.user)
    agents = [row.agent for row in rank_agents(**what._asdict()).rows]
    a = _named(request, "a", agents) or next(iter(agents), "")
    b = _named(request, "b", agents) or next((agent for agent in agents if agent != a), "")
    found = pairs_of(what, a=a, b=b) if a and b and a != b else []
    scenario = request.GET.get("scenario", "")
    if scenario:
        found = [one for one in found if one.scenario == scenario]
    at = _place(request.GET.get("pair", ""), len(found))
    sides = _sides(request.user, found[at], a, b) if found else []
    ctx = {
        "section": "suites",
        "suite": suite,
        "tab": "pairs",
        "asked": what,
        "agents": agents,
        "a": a,
        "b": b,
        "scenario": scenario,
        "pair": found[at] if found else None,
        "number": at + 1,
        "count": len(found),
        "sides": sides,
        "timeline": _timeline(sides) if sides else None,
        **menus(request, suite),
    }
    return render(request, "staff/evaluation/suite_pairs.html", ctx)


def _named(request: HttpRequest, name: str, agents: list[str]) -> str:
    given = request.GET.get(name, "")
    return given if given in agents else ""


def _place(text: str, count: int) -> int:
    """The place of the pair with this number, counted from 1; the nearest that there is."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1
    return max(min(number, count) - 1, 0)


def _sides(user: Account, pair: Pair, a: str, b: str) -> list[Side]:
    """Both continuations. 4 queries each."""
    tries = ((a, pair.a), (b, pair.b))
    episodes = Episode.objects.select_related("film", "revision").in_bulk([one.episode for _, one in tries])
    return [_side(user, agent, one, episodes[one.episode]) for agent, one in tries]


def _side(user: Account, agent: str, tried: Try, episode: Episode) -> Side:
    tasks = list(tasks_showing(episode, roles.projects_for(user)))
    standing = Annotation.objects.current().filter(task__in=tasks).select_related("worker", "project")
    reports = Assignment.objects.filter(task__in=tasks, status=Assignment.Status.REPORTED)
    hold = f"episode:{episode.external_id}"
    return Side(
        agent,
        tried,
        episode,
        video_address(hold, "video.mp4"),
        video_address(hold, "poster.jpg"),
        marks_on(user, episode, tasks, standing.order_by("pk")[:MOST_ANSWERS]),
        list(reports.order_by("-pk")[:MOST_ANSWERS]),
    )


def _timeline(sides: list[Side]) -> Timeline:
    """The marks of both on one axis, on which both agents take over at the same moment."""
    takeover = max(side.episode.takeover_s for side in sides)
    marks = [
        mark._replace(
            label=f"{side.agent}: {mark.label}",
            at_s=None if mark.at_s is None else mark.at_s - side.episode.takeover_s + takeover,
        )
        for side in sides
        for mark in side.marks
    ]
    after = max(side.episode.film.duration_s - side.episode.takeover_s for side in sides)
    deadline = takeover + max(side.episode.revision.continuation_s for side in sides)
    return timeline(duration_s=takeover + after, takeover_s=takeover, deadline_s=deadline, marks=marks)
