"""Alarms about live projects: budget, references, raters, hourly pay. Each costs 1 or 2 queries, but for the last."""

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.db.models import Count, FloatField, Q, Sum
from django.db.models.functions import Cast

from annotation.models import Project, Record, Task
from annotation.pay.hourly_rate import LEAST_N, hourly_rate_of
from annotation.quality.accuracy import Confusion
from common.data.values import money
from events.alarms import Found, Kind

LEAST_JUDGED = 20
"""Answers to references from which a crowd is judged."""
MOST_PROJECTS = 200
"""Live projects that are looked at, the newest first."""


def _live() -> list[Project]:
    rows = Project.objects.filter(status=Project.Status.LIVE).defer("instructions", "gates", "settings")
    return list(rows.order_by("-pk")[:MOST_PROJECTS])


def budget_nearly_out(share: float, at: datetime) -> Iterator[Found]:
    limited = Project.objects.filter(status=Project.Status.LIVE, budget__gt=0)
    spent = limited.annotate(used=Cast("spent", FloatField()) / Cast("budget", FloatField())).filter(used__gte=share)
    for project in spent.order_by("-pk")[:MOST_PROJECTS]:
        if project.budget is None:
            continue
        left = money(project.budget - project.spent, project.currency)
        yield Found(
            project.slug,
            f"{project.title} has {left['amount']} {left['currency']} of its budget left.",
            project.slug,
        )


def references_short(least: float, at: datetime) -> Iterator[Found]:
    """Projects that have had references, and now have few to serve."""
    live = {project.pk: project for project in _live() if project.serves_references}
    rows = Task.objects.posted().filter(project__in=live, is_reference__in=[True]).order_by().values_list("project")
    served = Count("pk", filter=Q(open=True) | Q(is_whole=True, retired_at=None))
    for pk, n in rows.annotate(n=served):
        if n < least:
            project = live[pk]
            yield Found(project.slug, f"{project.title} has {n} references left to check workers with.", project.slug)


def raters_at_chance(chance: float, at: datetime) -> Iterator[Found]:
    """Projects whose workers together are not shown to be better than chance."""
    live = {project.pk: project for project in _live()}
    rows = Record.objects.filter(project__in=live, references__gt=0).order_by().values_list("project")
    for pk, *counts in rows.annotate(*(Sum(name) for name in Confusion._fields)):
        accuracy = Confusion(*counts).accuracy
        if accuracy.n >= LEAST_JUDGED and accuracy.low is not None and accuracy.low <= chance:
            project = live[pk]
            yield Found(
                project.slug,
                f"The workers of {project.title} are not shown to be better than chance: "
                f"{accuracy.low * 100:.0f} to {(accuracy.high or 0) * 100:.0f} % on {accuracy.n} checks.",
                project.slug,
            )


def hourly_rate_low(share: float, at: datetime) -> Iterator[Found]:
    """Projects in which an hour earns less than this share of the floor. 2 queries a project that pays."""
    for project in _live():
        found = hourly_rate_of(project) if project.spent else None
        if found is None or found.rates.n < LEAST_N:
            continue
        if float(found.rates.median) < share * float(settings.LEAST_HOURLY_PAY):
            earned = money(found.rates.median, found.currency)
            yield Found(
                project.slug,
                f"An hour in {project.title} earns {earned['amount']} {earned['currency']}; "
                f"the floor is {settings.LEAST_HOURLY_PAY}.",
                project.slug,
            )


KINDS = (
    Kind("budget", "The budget is nearly out", "share of the budget that is spent", 0.9, 0.1, 1, budget_nearly_out),
    Kind("references", "References run short", "references that must be left", 5, 1, 10_000, references_short),
    Kind(
        "raters",
        "Raters no better than chance",
        "balanced accuracy that the interval must lie above",
        0.5,
        0.5,
        0.95,
        raters_at_chance,
    ),
    Kind(
        "hourly_rate", "An hour earns too little", "share of the floor that it must earn", 1, 0.1, 10, hourly_rate_low
    ),
)
