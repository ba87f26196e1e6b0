"""Taking a campaign from one step to the next.

Each step is one transaction with the campaign's row locked: it looks at what is there and does what is missing. So a
process that is killed between two steps, or in the middle of one, loses and doubles nothing: the next look goes on.
"""

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from jobs.outbox import Running
from learning.campaigns.acts import (
    BY_RULE,
    Outcome,
    Status,
    Step,
    advance_soon,
    begun,
    end,
    end_iteration,
    end_sessions,
    go_live,
    locked,
)
from learning.campaigns.plans import ALWAYS, NEVER
from learning.campaigns.progress import collected, spent
from learning.data.tranches import TrancheBody, close_tranche, put_tranche
from learning.models import Campaign, Iteration, TrainedModel, Training, Tranche
from learning.models.trainings import ENDED, Kind
from learning.serving import gate, switching
from learning.training.requests import request_training
from lib.faults import Conflict, CrosswalkError, ServerFault

logger = logging.getLogger(__name__)


def ask_for_steps(at: datetime) -> None:
    """Have the campaigns that run looked at; each minute. 1 query where there is none."""
    for campaign in Campaign.objects.filter(status=Status.RUNNING):
        advance_soon(campaign)


def advance(running: Running) -> None:
    """Job handler: take the campaign of the subject as far as it can go now."""
    pk = int(running.subject)
    while step(pk, at=timezone.now()):
        running.report(0.0)


def step(pk: int, *, at: datetime) -> bool:
    """Take one step; False if there is none to take now."""
    campaign = Campaign.objects.select_related("project").get(pk=pk)
    if campaign.status != Status.RUNNING:
        return False
    current = list(campaign.iterations.unfinished().order_by("pk"))
    if not current:
        return _next_iteration(pk, at=at)
    return any(_STEPS[Step(row.step)](row.pk, pk, at) for row in current if row.step in _STEPS)


# Iterations --------------------------------------------------------------------------------------------------------


def _next_iteration(pk: int, *, at: datetime) -> bool:
    with transaction.atomic():
        campaign = locked(pk)
        if campaign.status != Status.RUNNING or campaign.iterations.unfinished().exists():
            return True
        last = campaign.iterations.aggregate(last=Max("number"))["last"] or 0
        why = _why_it_ends(campaign, last)
        if why:
            end(campaign, Status.DONE, why, by=BY_RULE, at=at)
            return False
        try:
            with transaction.atomic():
                _begin(campaign, last + 1, at=at)
        except ServerFault:
            raise
        except CrosswalkError as refused:
            reasons = " ".join([refused.detail, *(fault.detail for fault in refused.faults)])
            end(campaign, Status.STOPPED, f"No further session could begin: {reasons}", by=BY_RULE, at=at)
            return False
    return True


def _why_it_ends(campaign: Campaign, last: int) -> str:
    """The stop rule that holds after this iteration, as a sentence; "" where the campaign goes on."""
    if last and campaign.most_iterations is not None and last >= campaign.most_iterations:
        return f"It has gone through {last} iterations, as planned."
    outcomes: dict[int, bool] = {}
    for number, outcome in campaign.iterations.values_list("number", "outcome"):
        outcomes[number] = outcomes.get(number, False) or outcome == Outcome.DEPLOYED
    in_vain = 0
    for number in sorted(outcomes, reverse=True):
        if outcomes[number]:
            break
        in_vain += 1
    if campaign.no_gain is not None and in_vain >= campaign.no_gain:
        return f"{in_vain} iterations in a row deployed nothing."
    if spent(campaign) >= campaign.budget:
        return "Its budget is spent."
    return ""


def _begin(campaign: Campaign, number: int, *, at: datetime) -> None:
    # The start has already asked for the sessions of the first iteration, and some of them may have begun.
    is_first = number == 1
    until = campaign.project.settings["sessions"] if is_first else begun(campaign.project) + campaign.sessions
    cost = spent(campaign)
    for module in campaign.modules:
        Iteration.objects.create(
            campaign=campaign,
            number=number,
            module=module,
            tranche=_open_tranche(campaign, module, at=at),
            sessions_until=until,
            spent_before=cost,
            started_at=at,
        )
    go_live(campaign, until, at=at)


def _open_tranche(campaign: Campaign, module: str, *, at: datetime) -> Tranche:
    """The tranche that the project's items go into: the one that is open, else the next."""
    collecting = Tranche.objects.filter(module=module, project=campaign.project).open().collected()
    found = collecting.order_by("number").first()
    last = Tranche.objects.filter(module=module).aggregate(last=Max("number"))["last"] or 0
    body = TrancheBody(
        project=campaign.project.slug,
        opens_at=found.opens_at if found else None,
        closes_at=found.closes_at if found else None,
        close_after=campaign.close_after,
    )
    return put_tranche(module=module, number=found.number if found else last + 1, body=body, by=BY_RULE, at=at)[0]


# The steps of one module -------------------------------------------------------------------------------------------


def _collect(row_pk: int, pk: int, at: datetime) -> bool:
    """Once the tranche is closed, or nothing more will come, have models trained."""
    with transaction.atomic():
        campaign, row = locked(pk), _row(row_pk)
        if row.step != Step.COLLECTING:
            return True
        tranche = row.tranche
        if tranche.status == Tranche.Status.OPEN:
            is_spent = spent(campaign) >= campaign.budget
            if is_spent:
                end_sessions(campaign, at=at)
            if not is_spent and not collected(campaign.project).is_over(row.sessions_until):
                return False
            try:
                with transaction.atomic():
                    close_tranche(tranche=tranche, by=BY_RULE, at=at)
            except Conflict as reason:
                end_iteration(row, campaign, Outcome.NO_DATA, reason.detail, at=at)
                return True
        return _request(row, campaign, Kind.UPDATED, at=at)


def _request(row: Iteration, campaign: Campaign, kind: Kind, *, at: datetime) -> bool:
    closed = Tranche.objects.filter(module=row.module, number__lte=row.tranche.number)
    usable = closed.closed() | closed.filter(number=0)
    numbers = sorted(usable.values_list("number", flat=True))
    try:
        with transaction.atomic():
            row.training, _ = request_training(
                body={"module": row.module, "tranches": numbers, "kind": kind, "seeds": campaign.gate["seeds"]},
                by=BY_RULE,
                at=at,
            )
    except ServerFault:
        raise
    except CrosswalkError as refused:
        return _ask(row, campaign, f"No training could begin: {refused.detail}")
    row.step = Step.TRAINING
    row.save(update_fields=["step", "training"])
    return True


def _follow(row_pk: int, pk: int, at: datetime) -> bool:
    """Once the training has ended, choose the model that does best on the validation items."""
    with transaction.atomic():
        campaign, row = locked(pk), _row(row_pk)
        if row.step != Step.TRAINING or row.training is None:
            return True
        if row.training.status not in ENDED:
            return False
        row.model = best_of(row.training)
        if row.model is None:
            errors = " ".join(sorted({run.error for run in row.training.runs.all() if run.error}))
            return _ask(row, campaign, f"The training made no model. {errors}".strip())
        row.step = Step.JUDGING
        row.save(update_fields=["step", "model"])
    return True


def best_of(training: Training) -> TrainedModel | None:
    """The model of the training's own kind that was best on the validation items, of equal ones that of the first
    seed."""
    runs = training.runs.filter(kind=training.kind, model__isnull=False).select_related("model").order_by("seed")
    found = max(runs, key=lambda run: _valid(run.curve), default=None)
    return found.model if found is not None else None


def _valid(curve: list[list[float | None]]) -> float:
    known = [value for _, _, value in curve if value is not None]
    return known[-1] if known else -1.0


def _judge(row_pk: int, pk: int, at: datetime) -> bool:
    """Compare the model with what acts now; deploy it, train a re-biased one, ask a person, or go on.

    The comparison itself is outside of the transaction, since it takes long. Repeated, it is the same verdict.
    """
    row = _row(row_pk)
    if row.step != Step.JUDGING or row.model is None:
        return True
    try:
        verdict = gate.judge_model(model=row.model, by=BY_RULE, at=at)
    except ServerFault:
        raise
    except CrosswalkError as refused:
        with transaction.atomic():
            campaign, row = locked(pk), _row(row_pk)
            return row.step != Step.JUDGING or _ask(row, campaign, refused.detail)
    with transaction.atomic():
        campaign, row = locked(pk), _row(row_pk)
        if row.step != Step.JUDGING or row.model is None or campaign.status != Status.RUNNING:
            return True
        row.verdict = verdict
        row.save(update_fields=["verdict"])
        ask = campaign.gate["ask"]
        if verdict.passed and ask != ALWAYS:
            switching.deploy(model=row.model, share=1.0, shadow=False, force_reason="", by=BY_RULE, at=at)
            end_iteration(row, campaign, Outcome.DEPLOYED, "", at=at)
        elif not verdict.passed and _may_rebias(row):
            return _request(row, campaign, Kind.REBIASED, at=at)
        elif ask == NEVER:
            end_iteration(row, campaign, Outcome.KEPT, verdict.content["sentence"], at=at)
        else:
            return _ask(row, campaign, verdict.content["sentence"])
    return True


def _may_rebias(row: Iteration) -> bool:
    """True if the model forgot tranche 0 and was not trained on it again: then a re-biased one is tried."""
    assert row.training is not None and row.verdict is not None  # noqa: S101, PT018 - set by the steps before
    forgot = any(reason["rule"] == "t0" and not reason["passed"] for reason in row.verdict.content["reasons"])
    has_first = row.training.tranches.filter(number=0, train__gt=0).exists()
    return forgot and has_first and row.training.kind == Kind.UPDATED


def _ask(row: Iteration, campaign: Campaign, reason: str) -> bool:
    """Ask a person, and rest until they have decided."""
    row.step, row.reason = Step.ASKING, reason
    row.save(update_fields=["step", "reason", "training", "model"])
    campaign.status = Status.WAITING
    campaign.save(update_fields=["status"])
    logger.info("campaign.asks", extra={"campaign": campaign.slug, "iteration": row.number})
    return False


def _row(pk: int) -> Iteration:
    return Iteration.objects.select_related("tranche", "training", "model", "verdict").get(pk=pk)


_STEPS = {Step.COLLECTING: _collect, Step.TRAINING: _follow, Step.JUDGING: _judge}
