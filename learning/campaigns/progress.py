"""Where a campaign is: what it spent, what it waits for, and what its iterations brought."""

from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, Q

from annotation.models import Project, Task
from common.data.values import money
from interaction.project.tool import OWN
from jobs.models import Job
from learning.campaigns.plans import annotating, show_plan
from learning.data.tranches import counts_of
from learning.models import Campaign, Iteration, Tranche
from routing.dispatch import ROUTE
from routing.models import Sending

Step = Iteration.Step


class Collected(NamedTuple):
    """How far the sessions of an iteration and their annotation are.

    Attributes:
        begun: Sessions that the project has had, since it began.
        running: Those of them that have not ended.
        routing: Commands that wait to be sent to a project.
        open: Tasks that commands became and that are not settled.
    """

    begun: int
    running: int
    routing: int
    open: int

    def is_over(self, until: int) -> bool:
        """True if nothing more will come of this iteration's sessions."""
        return self.begun >= until and not (self.running or self.routing or self.open)


def spent(campaign: Campaign) -> Decimal:
    """The money that its projects spent from its start until now, or until its end. 3 queries."""
    if campaign.spent is not None:
        return campaign.spent
    if campaign.started_at is None:
        return Decimal(0)
    now = dict(Project.objects.filter(pk__in=campaign.spent_before).values_list("pk", "spent"))
    before = {int(pk): Decimal(amount) for pk, amount in campaign.spent_before.items()}
    return sum((now.get(pk, amount) - amount for pk, amount in before.items()), Decimal(0))


def books(campaign: Campaign) -> dict[str, str]:
    """The money that each of its projects has spent by now, by primary key. 3 queries."""
    return {str(one.pk): str(one.spent) for one in {campaign.project, *annotating(campaign)}}


def collected(project: Project) -> Collected:
    """How far the sessions of a project are, and the annotation of their commands. 3 queries."""
    tasks = (
        project.tasks.ordinary()
        .filter(key__startswith=OWN)
        .aggregate(begun=Count("pk"), running=Count("pk", filter=Q(status=Task.Status.OPEN)))
    )
    routing = Job.objects.unfinished().filter(kind=ROUTE, subject__startswith=f"{project.pk}:").count()
    sent = Sending.objects.filter(command__project=project, is_dropped=False, task__status=Task.Status.OPEN)
    return Collected(tasks["begun"], tasks["running"], routing, sent.values("task").distinct().count())


def show_campaign(campaign: Campaign) -> dict[str, Any]:
    """The campaign as the API shows it. Some 10 queries, and those of an open tranche."""
    rows = list(campaign.iterations.select_related("tranche", "training", "model", "verdict"))
    return {
        "slug": campaign.slug,
        **show_plan(campaign),
        "status": campaign.status,
        "waiting_for": waiting_for(campaign, rows),
        "spent": money(spent(campaign), campaign.currency),
        "ended_because": campaign.ended_because or None,
        "created_at": campaign.created_at,
        "started_at": campaign.started_at,
        "ended_at": campaign.ended_at,
        "iterations": [_show(row, campaign) for row in rows],
    }


def _show(row: Iteration, campaign: Campaign) -> dict[str, Any]:
    cost = row.spent if row.spent is not None else spent(campaign) - row.spent_before
    return {
        "n": row.number,
        "module": row.module,
        "step": row.step,
        "outcome": row.outcome or None,
        "reason": row.reason or None,
        "tranche": row.tranche.number,
        "training": row.training.public_id if row.training else None,
        "model": row.model.public_id if row.model else None,
        "gate": row.verdict.content if row.verdict else None,
        "deployed": row.outcome == Iteration.Outcome.DEPLOYED,
        "spent": money(cost, campaign.currency),
        "started_at": row.started_at,
        "ended_at": row.ended_at,
    }


def waiting_for(campaign: Campaign, rows: list[Iteration]) -> str | None:
    """A sentence about the event that the campaign waits for; None where it waits for nothing."""
    if campaign.status == Campaign.Status.DRAFT:
        return "It waits to be started."
    if campaign.status not in (Campaign.Status.RUNNING, Campaign.Status.WAITING):
        return None
    current = [row for row in rows if row.step != Step.ENDED]
    if not current:
        return "The next iteration begins within a minute."
    return " ".join(_sentence(row, campaign) for row in current)


def _sentence(row: Iteration, campaign: Campaign) -> str:
    match row.step:
        case Step.COLLECTING:
            return _collecting(row, campaign)
        case Step.TRAINING:
            assert row.training is not None  # noqa: S101 - the step is entered with a training
            shares = [run.share for run in row.training.runs.all()]
            return f"{row.module}: training, {sum(shares) / max(len(shares), 1):.0%}."
        case Step.JUDGING:
            return f"{row.module}: the gate compares the new model with what acts now."
    return f"{row.module}: a person decides. {row.reason}"


def _collecting(row: Iteration, campaign: Campaign) -> str:
    found = collected(campaign.project)
    first = row.sessions_until - campaign.sessions
    items = sum(counts_of(row.tranche).values()) if row.tranche.status == Tranche.Status.OPEN else campaign.close_after
    return (
        f"{row.module}: sessions, {max(found.begun - found.running - first, 0)} of {campaign.sessions} have ended; "
        f"annotation, {found.open + found.routing} commands are not settled; "
        f"tranche {row.tranche.number} has {items} of {campaign.close_after} items."
    )
