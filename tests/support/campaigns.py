"""Campaigns in the states that tests need, without going through them."""

from decimal import Decimal
from typing import Any

from annotation.models import Project
from learning.models import Campaign, Iteration, Tranche
from tests.support.builders import NOON


def plan_of(project: Project, **changes: Any) -> dict[str, Any]:
    """A plan as `PUT` takes it: one iteration of nlu."""
    return {
        "project": project.slug,
        "modules": ["nlu"],
        "sessions": 4,
        "budget": {"amount": "50.00", "currency": "USD"},
        "close_after": 10,
        "gate": {"seeds": 1},
        "stop": {"iterations": 1},
        **changes,
    }


def make_campaign(slug: str, *, project: Project, status: str = "draft") -> Campaign:
    """A campaign of nlu; one that waits asks a person about its first iteration, one that is done learnt from the last
    closed tranche."""
    is_over = status in ("done", "stopped")
    campaign = Campaign.objects.create(
        slug=slug,
        project=project,
        modules=["nlu"],
        sessions=4,
        budget=Decimal(50),
        currency="USD",
        close_after=10,
        gate={"seeds": 1, "ask": "not_passed"},
        most_iterations=1,
        status=status,
        spent_before={} if status == "draft" else {str(project.pk): "0"},
        by="test",
        created_at=NOON,
        started_at=None if status == "draft" else NOON,
        ended_at=NOON if is_over else None,
    )
    if is_over:
        Iteration.objects.create(
            campaign=campaign,
            number=1,
            module="nlu",
            step="ended",
            outcome="kept",
            tranche=Tranche.objects.filter(module="nlu").closed().latest("number"),
            sessions_until=4,
            spent_before=0,
            spent=1,
            started_at=NOON,
            ended_at=NOON,
        )
    if status == "waiting":
        last = Tranche.objects.filter(module="nlu").order_by("number").last()
        tranche = Tranche.objects.create(
            module="nlu", number=(last.number if last else 0) + 1, project=project, created_at=NOON
        )
        Iteration.objects.create(
            campaign=campaign,
            number=1,
            module="nlu",
            step="asking",
            reason="The gate was not passed.",
            tranche=tranche,
            sessions_until=4,
            spent_before=0,
            started_at=NOON,
        )
    return campaign
