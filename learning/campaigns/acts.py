"""Starting and stopping a campaign, and what a person decides where a rule asks one.

Locks: all code that changes a campaign or its iterations locks the campaign's row first.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import Project
from annotation.projects.projects import ProjectBody, put_project, show_project
from audit.changes import changes
from audit.log import record
from common.serializers import read, serializer_for
from interaction.project.tool import OWN
from jobs.outbox import enqueue
from learning.campaigns.plans import annotating, subject_of
from learning.campaigns.progress import books, spent
from learning.models import Campaign, Iteration
from learning.models.campaigns import UNDER_WAY
from learning.serving import switching
from learning.training import requests
from lib.faults import Conflict, Invalid

ADVANCE = "learning.campaign"
"""The kind of job that takes a campaign as far as it can go; its subject is the campaign's primary key."""
BY_RULE = "rule:campaign"
"""The actor of the audit log where a campaign acts by itself."""
DEPLOY, KEEP, AGAIN = "deploy", "keep", "again"
DECISIONS = (DEPLOY, KEEP, AGAIN)
LONGEST_REASON = 2000
Status = Campaign.Status
Step = Iteration.Step
Outcome = Iteration.Outcome


def start(*, campaign: Campaign, by: str, at: datetime) -> Campaign:
    """Start a campaign; one that runs already stays as it is.

    Raises:
        Conflict: it has ended, or another campaign of its project is under way.
        Invalid: its project cannot go live.
    """
    with transaction.atomic():
        campaign = locked(campaign.pk)
        if campaign.status in UNDER_WAY:
            return campaign
        if campaign.status != Status.DRAFT:
            raise Conflict("This campaign has ended. Plan another one under another name.")
        other = Campaign.objects.under_way().filter(project=campaign.project_id).first()
        if other is not None:
            raise Conflict(f"The campaign {other.slug!r} of the same project is under way. Stop it first.")
        for project in annotating(campaign):
            _set_quality(project, campaign, at=at)
        go_live(campaign, begun(campaign.project) + campaign.sessions, at=at)
        campaign.status, campaign.started_at, campaign.spent_before = Status.RUNNING, at, books(campaign)
        campaign.save(update_fields=["status", "started_at", "spent_before"])
        _record("campaign.started", campaign, Status.DRAFT, by=by, at=at)
        advance_soon(campaign)
    return campaign


def stop(*, campaign: Campaign, by: str, at: datetime) -> Campaign:
    """Stop a campaign by hand: no further session begins, and its training is cancelled. Data and models stay.

    Raises:
        Conflict: it was never started.
    """
    with transaction.atomic():
        campaign = locked(campaign.pk)
        if campaign.status == Status.DRAFT:
            raise Conflict("This campaign was never started.")
        if campaign.status in UNDER_WAY:
            for row in campaign.iterations.unfinished().select_related("training"):
                if row.training is not None:
                    requests.cancel(training=row.training, by=by, at=at)
                end_iteration(row, campaign, Outcome.STOPPED, "", at=at)
            end(campaign, Status.STOPPED, "It was stopped by hand.", by=by, at=at)
    return campaign


def decide(*, campaign: Campaign, decision: str, reason: str, by: str, at: datetime) -> Campaign:
    """Decide what the campaign asks a person: deploy the model all the same, keep it as a candidate, or train again.

    Where several modules ask, the first in the campaign's order is decided.

    Raises:
        Invalid: there is no reason.
        Conflict: nobody is asked, or there is no model to deploy.
    """
    reason = reason.strip()
    if not reason or len(reason) > LONGEST_REASON:
        raise Invalid.at("#/reason", f"Say why, in {LONGEST_REASON} characters at most.")
    with transaction.atomic():
        campaign = locked(campaign.pk)
        asked = campaign.iterations.filter(step=Step.ASKING).select_related("model", "training", "tranche")
        row = min(asked, key=lambda one: campaign.modules.index(one.module), default=None)
        if row is None or campaign.status != Status.WAITING:
            raise Conflict("This campaign asks nobody: there is nothing to decide.")
        if decision == DEPLOY:
            if row.model is None:
                raise Conflict("The training made no model, so there is nothing to deploy.")
            switching.deploy(model=row.model, share=1.0, shadow=False, force_reason=reason, by=by, at=at)
            end_iteration(row, campaign, Outcome.DEPLOYED, reason, at=at)
        elif decision == KEEP:
            end_iteration(row, campaign, Outcome.KEPT if row.model else Outcome.FAILED, reason, at=at)
        else:
            row.step, row.training, row.model, row.verdict, row.reason = Step.COLLECTING, None, None, None, ""
            row.save(update_fields=["step", "training", "model", "verdict", "reason"])
        if not campaign.iterations.filter(step=Step.ASKING).exists():
            campaign.status = Status.RUNNING
            campaign.save(update_fields=["status"])
        record(
            verb="campaign.decided", actor=by, subject=subject_of(campaign.slug), at=at, reason=reason,
            decision=decision, iteration=row.number, module=row.module, project=campaign.project.slug,
        )  # fmt: skip
        advance_soon(campaign)
    return campaign


# What acts and steps share -----------------------------------------------------------------------------------------


def locked(pk: int) -> Campaign:
    """The campaign with its row locked, and its project."""
    return Campaign.objects.select_for_update(of=("self",)).select_related("project").get(pk=pk)


def advance_soon(campaign: Campaign) -> None:
    """Have the campaign go on; call it in a transaction."""
    enqueue(ADVANCE, str(campaign.pk), unique_key=f"{ADVANCE}@{campaign.pk}")


def end_iteration(row: Iteration, campaign: Campaign, outcome: Outcome, reason: str, *, at: datetime) -> None:
    """End the turn of one module, with what it cost. Call it with the campaign locked."""
    row.step, row.outcome, row.reason, row.ended_at = Step.ENDED, outcome, reason or row.reason, at
    row.spent = max(spent(campaign) - row.spent_before, row.spent_before * 0)
    row.save(update_fields=["step", "outcome", "reason", "ended_at", "spent"])


def end(campaign: Campaign, status: Status, why: str, *, by: str, at: datetime) -> None:
    """End the campaign, and let no further session of it begin. Call it with the campaign locked."""
    before = campaign.status
    end_sessions(campaign, at=at)
    campaign.spent = spent(campaign)
    campaign.status, campaign.ended_at, campaign.ended_because = status, at, why
    campaign.save(update_fields=["status", "ended_at", "ended_because", "spent"])
    _record("campaign.ended", campaign, before, by=by, at=at, why=why)


def begun(project: Project) -> int:
    """How many sessions the project has had. 1 query."""
    return project.tasks.ordinary().filter(key__startswith=OWN).count()


def end_sessions(campaign: Campaign, *, at: datetime) -> None:
    """Let no further session of the project begin; those that run go on."""
    project, until = Project.objects.get(pk=campaign.project_id), begun(campaign.project)
    if until == 0:
        # A project wants one session at least, so one that had none is paused.
        _replace(project, {"status": Project.Status.PAUSED}, at=at)
    else:
        _replace(project, {"settings": {**project.settings, "sessions": until}}, at=at)


def go_live(campaign: Campaign, until: int, *, at: datetime) -> None:
    """Let the project have so many sessions in all, and put it live.

    Raises:
        Invalid: it is not complete enough to go live.
    """
    project = Project.objects.get(pk=campaign.project_id)
    _replace(project, {"settings": {**project.settings, "sessions": until}, "status": Project.Status.LIVE}, at=at)


def _set_quality(project: Project, campaign: Campaign, *, at: datetime) -> None:
    changed: dict[str, Any] = {}
    if campaign.redundancy is not None:
        changed["redundancy"] = campaign.redundancy
    if campaign.threshold is not None:
        aggregation = show_project(project)["aggregation"]
        most = aggregation["most"] or max(campaign.redundancy or project.redundancy, aggregation["least"]) * 2
        changed["aggregation"] = {**aggregation, "confidence": campaign.threshold, "most": most}
    if changed:
        _replace(project, changed, at=at)


def _replace(project: Project, changed: dict[str, Any], *, at: datetime) -> None:
    content = {name: value for name, value in show_project(project).items() if name != "slug"}
    if all(content[name] == value for name, value in changed.items()):
        return
    body = read(serializer_for(ProjectBody), {**content, **changed})
    put_project(slug=project.slug, body=ProjectBody(**body), by=BY_RULE, at=at)


def _record(verb: str, campaign: Campaign, before: str, *, by: str, at: datetime, **facts: Any) -> None:
    record(
        verb=verb, actor=by, subject=subject_of(campaign.slug), at=at, project=campaign.project.slug, **facts,
        **changes({"status": before}, {"status": campaign.status}),
    )  # fmt: skip
