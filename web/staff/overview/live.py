"""The figures of the overview that change while one looks: work, money, accuracy, agreement, sessions, alarms.

At most 12 queries, each served by an index, over the newest `MOST` live projects that the account may see. A project's
counts are of what it wants in the end, not of what exists so far.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, F, FloatField, Q, QuerySet, Sum, TextField
from django.db.models.functions import Cast, Substr
from django.urls import reverse

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.models import Annotation, Project, Record
from annotation.quality.accuracy import Confusion
from annotation.review import queue
from events.models import Alarm
from interaction.agents.matching import SILENT
from interaction.models import AgentProcess, Session
from interaction.project.settings import Chosen
from interaction.project.tool import interaction
from jobs import health
from lib.plots.charts import bar_plot
from lib.plots.intervals import Measured, interval_plot
from lib.statistics.intervals import wilson
from web.staff.figure_files import Figure
from web.staff.projects.projects import Standing, standings

MOST = 10
"""The number of rows of each kind. The overview fits one screen; each heading links to the whole list."""
HOURS = 24
"""The hours of work that are drawn, and from which the end of a budget is projected."""
MOST_ALARMS = 20


class Running(NamedTuple):
    """A live project: its progress, and the money that it has spent of its budget."""

    standing: Standing
    share_spent: float | None
    money_ends_at: datetime | None

    @property
    def project(self) -> Project:
        return self.standing.project


class SilentAgent(NamedTuple):
    slug: str
    project: Project


class SessionsNow(NamedTuple):
    """Sessions that have not ended, those of them without an agent, and agents that are wanted and silent."""

    n: int
    waiting: int
    silent: Sequence[SilentAgent]


class Live(NamedTuple):
    """Everything that the overview draws anew by itself."""

    running: Sequence[Running]
    live_count: int
    answers: Figure
    last_hour: int
    accuracy: Figure
    agreement: Figure
    sessions: SessionsNow
    waiting: queue.Counts
    alarms: Sequence[Alarm]
    faults: Sequence[str]


def live_for(user: Account, *, at: datetime, waiting: queue.Counts | None = None) -> Live:
    """The figures of what the account may see.

    Args:
        waiting: The number of waiting cases, if the caller has counted them.
    """
    theirs = roles.projects_for(user)
    live = theirs.filter(status=Project.Status.LIVE)
    # What is shown of a project needs neither its pages nor its gates.
    projects = list(live.defer("instructions", "gates").order_by("-created_at", "-pk")[:MOST])
    by_hour = _answers_by_hour(projects, at=at)
    is_chief = roles.may_everywhere(user, Role.ADMIN)
    found = standings(projects, at=at)
    return Live(
        running=[_running(one, sum(by_hour[one.project.pk].values()), at=at) for one in found],
        live_count=live.count() if len(projects) == MOST else len(projects),
        answers=_answers(by_hour.values(), at=at),
        last_hour=sum(one.last_hour for one in found),
        **_quality(projects),
        sessions=_sessions(projects, at=at),
        waiting=waiting or queue.count(theirs),
        alarms=_alarms(theirs, is_chief=is_chief),
        faults=health.alarms(at=at) if is_chief else [],
    )


def _running(standing: Standing, lately: int, *, at: datetime) -> Running:
    """The project with the time at which its budget ends, if each answer costs what the answers until now did."""
    project = standing.project
    if not project.budget:
        return Running(standing, None, None)
    left, ends_at = project.budget - project.spent, None
    if lately and project.spent and project.annotation_count:
        an_hour = project.spent / project.annotation_count * lately / HOURS
        ends_at = at + timedelta(hours=min(float(left / an_hour), 10_000)) if left > 0 else at
    return Running(standing, float(project.spent / project.budget), ends_at)


# Work ----------------------------------------------------------------------------------------------------------------


def _answers_by_hour(projects: Sequence[Project], *, at: datetime) -> dict[int, dict[str, int]]:
    """The number of answers in each of the last `HOURS` hours, by project and by hour as `2026-11-23 09`. 1 query."""
    # The text of the moment and not `TruncHour`, which SQLite would ask Python for, row by row.
    hour = Substr(Cast("submitted_at", TextField()), 1, 13)
    rows = Annotation.objects.current().on_tasks().filter(project__in=projects, submitted_at__gte=_first_hour(at))
    found: dict[int, dict[str, int]] = defaultdict(dict)
    counted = rows.annotate(hour=hour).order_by().values_list("project_id", "hour").annotate(n=Count("pk"))
    for project, when, n in counted:
        found[project][when] = n
    return found


def _first_hour(at: datetime) -> datetime:
    return (at - timedelta(hours=HOURS - 1)).replace(minute=0, second=0, microsecond=0)


def _answers(by_hour: Collection[dict[str, int]], *, at: datetime) -> Figure:
    hours = [_first_hour(at) + timedelta(hours=number) for number in range(HOURS)]
    rows = [(hour, sum(counts.get(f"{hour:%Y-%m-%d %H}", 0) for counts in by_hour)) for hour in hours]
    total = sum(n for _, n in rows)
    return Figure(
        "Answers an hour",
        f"The last {HOURS} hours, in UTC; the last bar is the hour that has begun.",
        bar_plot([(f"{hour:%H}:00", n) for hour, n in rows]),
        ["hour", "answers"],
        [[hour.isoformat(), n] for hour, n in rows] if total else [],
    )


# Quality -------------------------------------------------------------------------------------------------------------


def _quality(projects: Sequence[Project]) -> dict[str, Figure]:
    """Accuracy and agreement of the workers of each project together, from their records. 1 query."""
    named = {project.pk: project for project in projects}
    rows = Record.objects.filter(project__in=projects).order_by("-project").values_list("project")
    agreed = Sum(F("agreement") * F("compared"), output_field=FloatField())
    accuracies, agreements = [], []
    for pk, *cells, compared, agreeing in rows.annotate(
        *(Sum(name) for name in Confusion._fields), Sum("compared"), agreed=agreed
    ):
        project = named[pk]
        row = Measured(project.title, None, href=reverse("staff-project-quality", args=[project.slug]))
        accuracy = Confusion(*(n or 0 for n in cells)).accuracy
        if accuracy.value is not None:
            low, high = accuracy.low, accuracy.high
            accuracies.append(row._replace(value=accuracy.value, low=low, high=high, n=accuracy.n))
        if compared:
            low, high = wilson(min(agreeing or 0.0, compared), compared)
            agreements.append(row._replace(value=(agreeing or 0.0) / compared, low=low, high=high, n=compared))
    return {
        "accuracy": _intervals(
            "Accuracy of the crowd",
            "Balanced accuracy on references, all workers together, with 95 % intervals. Guessing gets 50 %.",
            accuracies,
        ),
        "agreement": _intervals(
            "Agreement", "How many answers are like the consensus of their task, with 95 % intervals.", agreements
        ),
    }


def _intervals(title: str, about: str, measured: list[Measured]) -> Figure:
    rows = [[one.label, one.value, one.low, one.high, one.n] for one in measured]
    return Figure(title, about, interval_plot(measured), ["project", "rate", "low", "high", "n"], rows)


# Sessions and alarms -------------------------------------------------------------------------------------------------


def _sessions(projects: Sequence[Project], *, at: datetime) -> SessionsNow:
    """The sessions of these projects now. 2 queries; none where no project has any."""
    wanted = {agent: project for project in projects if project.tool == interaction.name for agent in _agents(project)}
    if not wanted:
        return SessionsNow(0, 0, [])
    unended = Session.objects.unended().filter(project__in=projects)
    counts: dict[str, Any] = unended.aggregate(n=Count("pk"), waiting=Count("pk", filter=Q(process=None)))
    here = AgentProcess.objects.filter(agent__slug__in=wanted, is_connected=True, seen_at__gte=at - SILENT)
    heard = set(here.values_list("agent__slug", flat=True))
    silent = [SilentAgent(agent, project) for agent, project in sorted(wanted.items()) if agent not in heard]
    return SessionsNow(counts["n"], counts["waiting"], silent)


def _agents(project: Project) -> list[str]:
    agent = Chosen(project).agent
    return [agent] if agent else []


def _alarms(theirs: QuerySet[Project], *, is_chief: bool) -> list[Alarm]:
    """The alarms that stand: those of projects that the account may see; for admins of all, those of the server too."""
    rows = Alarm.objects.standing().order_by("-raised_at", "-pk")
    if not is_chief:
        rows = rows.filter(project__in=theirs.values("slug"))
    return list(rows[:MOST_ALARMS])
