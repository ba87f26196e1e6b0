"""Efficiency: errors found for the money and time of a project's sessions, compared by arm or another property.

The page also shows the distributions of commands and scores, before and after a day, or arm by arm.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache, partial
from typing import NamedTuple

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.models import Enrolment, Project
from annotation.offer.experiments import arms_of
from common.data.days import day_if_any, midnight
from interaction.project.tool import interaction
from interaction.reports import efficiency
from interaction.reports.efficiency import Group
from interaction.reports.session_sums import ANY, MOST_SESSIONS, Facts, facts_of
from lib.faults import NotFound
from lib.statistics.bootstrap import LEAST_CLUSTERS, Estimate
from lib.trees.tree import NLU_ERROR
from web.staff.decorators import chosen, staff_only
from web.staff.figure_files import Figure, file_asked
from web.staff.sessions import efficiency_figures as figures


class Cell(NamedTuple):
    """An estimate in the table."""

    value: str
    interval: str


class Row(NamedTuple):
    """A group with its estimates, in the order of the columns."""

    group: Group
    cells: tuple[Cell, ...]


class Drawn(NamedTuple):
    """An arm of the running experiment: its planned share of workers, and the number of workers in it."""

    label: str
    share: float
    workers: int


@staff_only
@require_safe
def efficiency_page(request: HttpRequest) -> HttpResponse:
    projects = list(interaction.projects(roles.projects_for(request.user)).order_by("title", "pk"))
    project = _project(request, projects)
    if project is None:
        return render(request, "staff/sessions/efficiency.html", {"section": "efficiency", "projects": projects})
    since, until, split = (day_if_any(request.GET.get(name, "")) for name in ("since", "until", "split"))
    found = facts_of(project, since=midnight(since), until=midnight(until, days_later=1))
    outcomes = {**efficiency.outcomes_in(found), ANY: "any of these"}
    outcome = chosen(request, "outcome", list(outcomes)) or NLU_ERROR
    default = "arm" if project.experiment or any(facts.arm for facts in found) else "instructions"
    by = chosen(request, "by", list(efficiency.GROUPINGS)) or default
    # The table, its plot and its file use the same bootstrap draws.
    compared = cache(partial(_compared, found, by=by, project=project, outcome=outcome))
    what = "Errors" if outcome == ANY else f"{outcome} marks"
    table = partial(_table, compared, currency=project.currency, what=what, is_in_time=by in efficiency.SPANS)
    spread = _spread(_parts(found, project=project, split=split))
    if (file := file_asked(request, {"efficiency": table, **spread})) is not None:
        return file
    groups = compared()
    ctx = {
        "section": "efficiency",
        "projects": projects,
        "project": project,
        "since": since,
        "until": until,
        "split": split,
        "outcomes": outcomes.items(),
        "outcome": outcome,
        "groupings": efficiency.GROUPINGS.items(),
        "by": by,
        "grouping": efficiency.GROUPINGS[by],
        "drawn": _drawn(project),
        "rows": [_row(group) for group in groups],
        "sentences": _sentences(groups, project=project),
        "first": groups[0].words if groups else "",
        "sessions": len(found),
        "undecided": sum(facts.is_undecided for facts in found),
        "dropped": sum(facts.is_dropped for facts in found),
        "most": MOST_SESSIONS,
        "least_workers": LEAST_CLUSTERS,
        "table": table(),
        "spread": [
            [(name, make()) for name, make in spread.items() if name.startswith(kind)]
            for kind in ("commands", "scores")
        ],
    }
    return render(request, "staff/sessions/efficiency.html", ctx)


def _project(request: HttpRequest, projects: Sequence[Project]) -> Project | None:
    """The project in the address, or the first one with an experiment, or the first one.

    Raises:
        NotFound: the account has no role in the named project, or there is no project.
    """
    slug = request.GET.get("project", "")
    if not slug:
        return next((one for one in projects if one.experiment), projects[0] if projects else None)
    found = next((one for one in projects if one.slug == slug), None)
    if found is None:
        raise NotFound
    return found


def _compared(found: Sequence[Facts], *, by: str, project: Project, outcome: str) -> list[Group]:
    return efficiency.compare(efficiency.grouped(found, by=by, project=project), outcome=outcome)


def _drawn(project: Project) -> list[Drawn]:
    """The arms of the running experiment. 1 query if there is one."""
    arms = arms_of(project)
    if not arms:
        return []
    counts = dict(Enrolment.objects.filter(project=project).order_by().values_list("arm").annotate(n=Count("pk")))
    total = sum(arm.share for arm in arms)
    return [Drawn(arm.label, arm.share / total, counts.get(arm.name, 0)) for arm in arms]


# The table -----------------------------------------------------------------------------------------------------------


def _row(group: Group) -> Row:
    rates = (group.per_money, group.times_per_money, group.per_hour, group.times_per_hour)
    return Row(group, (*(_number(one) for one in rates), _percent(group.recall), _percent(group.precision)))


def _number(found: Estimate) -> Cell:
    if found.value is None:
        return Cell("–", "")
    if found.low is None:
        return Cell(f"{found.value:.2f}", "")
    return Cell(
        f"{found.value:.2f}", f"{found.low:.2f} {f'to {found.high:.2f}' if found.high is not None else 'and more'}"
    )


def _percent(found: Estimate) -> Cell:
    if found.value is None:
        return Cell("–", "")
    said = f"{found.value * 100:.0f} %"
    if found.low is None or found.high is None:
        return Cell(said, "")
    return Cell(said, f"{found.low * 100:.0f} to {found.high * 100:.0f} %")


def _sentences(groups: Sequence[Group], *, project: Project) -> list[tuple[str, str, str]]:
    """For each group but the first, a sentence that compares it to the first, for money and for time."""
    return [
        (
            group.words,
            efficiency.in_words(group.times_per_money, what=f"errors per {project.currency}"),
            efficiency.in_words(group.times_per_hour, what="errors an hour"),
        )
        for group in groups[1:]
    ]


# The plots -----------------------------------------------------------------------------------------------------------


def _table(compared: Callable[[], list[Group]], *, currency: str, what: str, is_in_time: bool) -> Figure:
    return figures.efficiency(compared(), currency=currency, what=what, is_in_time=is_in_time)


def _spread(parts: Mapping[str, Sequence[Facts]]) -> dict[str, Callable[[], Figure]]:
    """The distributions of commands and scores in each part, by the plot's name in the address."""
    return {
        f"{name}-{number}": partial(make, part, words=words)
        for name, make in (("commands", figures.commands), ("scores", figures.scores))
        for number, (words, part) in enumerate(parts.items(), start=1)
    }


def _parts(found: Sequence[Facts], *, project: Project, split: date | None) -> dict[str, list[Facts]]:
    """The parts that are compared: before and after a day, or the arms, or all sessions as one."""
    if split is not None:
        before = [facts for facts in found if facts.at.date() < split]
        return {f"before {split}": before, f"from {split} on": [facts for facts in found if facts.at.date() >= split]}
    if any(facts.arm for facts in found):
        return efficiency.grouped(found, by="arm", project=project)
    return {"all": list(found)}
