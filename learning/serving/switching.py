"""The switch: deploying a model, trying it in a share of sessions or in the shadow, and rolling back.

One row a module says what sessions begin with; each change of it is one update, and a row of the history. Sessions that
run keep the models they began with (`sessions.py`).
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from audit.log import Subject, record
from events.log import Happened, note
from learning.models import Deployment, GateVerdict, Serving, TrainedModel
from lib.faults import Conflict, Invalid

Act = Deployment.Act
Status = TrainedModel.Status
LONGEST_REASON = 2000


class NotPassed(Conflict):
    """A model is to be deployed that did not pass the gate against what acts now."""

    code, title = "gate_not_passed", "The gate was not passed"
    sentence = (
        "This model has not passed the gate against what acts now. Ask for it with `gate/`, or force it with a reason."
    )


def has_passed(model: TrainedModel, against: TrainedModel | None) -> bool:
    """Whether the model's newest verdict against what acts now is that it passed. 1 query."""
    newest = GateVerdict.objects.filter(model=model, against=against).order_by("-pk").first()
    return newest is not None and newest.passed


def deploy(*, model: TrainedModel, share: float, shadow: bool, force_reason: str, by: str, at: datetime) -> Serving:
    """Let sessions that begin from now on begin with this model. What is so already changes nothing.

    Args:
        share: Of the sessions; below 1 the others keep what acts now.
        shadow: It predicts beside what acts, and does not act.
        force_reason: Why it is deployed without a passed gate; "" where it passed.

    Raises:
        NotPassed: it did not pass, and no reason was given.
        Invalid: a share of a shadow was asked for.
        Conflict: a person refused the model.
    """
    reason = force_reason.strip()
    if len(reason) > LONGEST_REASON:
        raise Invalid.at("#/force_reason", f"Say why in {LONGEST_REASON} characters at most.")
    if shadow and share < 1:
        raise Invalid.at("#/share", "A shadow predicts in every session; leave out the share.")
    with transaction.atomic():
        serving = _locked(model.module, at=at)
        if _is_so(serving, model, share=share, shadow=shadow):
            return serving
        model = TrainedModel.objects.select_for_update(of=("self",)).get(pk=model.pk)
        if model.status == Status.REFUSED and not reason:
            raise Conflict("A person refused this model. Say with a reason why it is deployed all the same.")
        passed = has_passed(model, serving.model)
        if not passed and not reason:
            raise NotPassed
        before, act = serving.model, Act.SHADOW if shadow else Act.SHARE if share < 1 else Act.DEPLOY
        if act == Act.SHADOW:
            serving.shadow = model
        elif act == Act.SHARE:
            _replace_tried(serving)
            serving.tried, serving.share = model, share
        else:
            _replace_tried(serving, keep=model)
            serving.model = model
            serving.shadow = None if serving.shadow_id == model.pk else serving.shadow
        _save(serving, at=at)
        if act != Act.SHADOW:
            _set(model, Status.DEPLOYED)
        if act == Act.DEPLOY and before is not None and before.pk != model.pk:
            _set(before, Status.RETIRED)
        _note(serving, act, model, before, share=share, forced="" if passed else reason, by=by, at=at)
    return serving


def roll_back(*, model: TrainedModel, by: str, at: datetime) -> Serving:
    """Take the model out of use: what acted before it acts again. The model stays, and can be deployed again.

    Raises:
        Conflict: it is not in use.
    """
    with transaction.atomic():
        serving = _locked(model.module, at=at)
        before = serving.model
        if serving.tried_id == model.pk:
            serving.tried, serving.share = None, 0
        elif serving.shadow_id == model.pk:
            serving.shadow = None
        elif serving.model_id == model.pk:
            serving.model = _acted_before(model)
        else:
            raise Conflict("This model is not in use, so nothing is to be rolled back.")
        _save(serving, at=at)
        is_other = serving.model_id != model.pk
        if is_other and model.status == Status.DEPLOYED:
            _set(model, Status.RETIRED)
        if serving.model is not None and is_other:
            _set(serving.model, Status.DEPLOYED)
        _note(serving, Act.ROLLBACK, model, before, share=1.0, forced="", by=by, at=at)
    return serving


def refuse(*, model: TrainedModel, reason: str, by: str, at: datetime) -> None:
    """Refuse a candidate, as a person: it is deployed only with a reason.

    Raises:
        Invalid: there is no reason.
        Conflict: it is no candidate.
    """
    if not reason.strip() or len(reason) > LONGEST_REASON:
        raise Invalid.at("#/reason", f"Say why, in {LONGEST_REASON} characters at most.")
    with transaction.atomic():
        changed = TrainedModel.objects.filter(pk=model.pk, status=Status.CANDIDATE).update(status=Status.REFUSED)
        if not changed:
            raise Conflict("Only a candidate can be refused.")
        record(verb="model.refused", actor=by, subject=subject_of(model), at=at, reason=reason.strip())


def subject_of(model: TrainedModel) -> Subject:
    return Subject("model", model.public_id)


def _locked(module: str, *, at: datetime) -> Serving:
    Serving.objects.get_or_create(module=module, defaults={"changed_at": at})
    rows = Serving.objects.select_for_update(of=("self",)).select_related("model", "tried", "shadow")
    return rows.get(module=module)


def _is_so(serving: Serving, model: TrainedModel, *, share: float, shadow: bool) -> bool:
    if shadow:
        return serving.shadow_id == model.pk
    if share < 1:
        return serving.tried_id == model.pk and serving.share == share
    return serving.model_id == model.pk and serving.tried_id is None


def _replace_tried(serving: Serving, *, keep: TrainedModel | None = None) -> None:
    """End the trial of a model in a share of sessions."""
    if serving.tried is not None and (keep is None or serving.tried.pk != keep.pk):
        _set(serving.tried, Status.CANDIDATE)
    serving.tried, serving.share = None, 0


def _save(serving: Serving, *, at: datetime) -> None:
    serving.changed_at = at
    serving.save(update_fields=["model", "tried", "share", "shadow", "changed_at"])


def _set(model: TrainedModel, status: Status) -> None:
    TrainedModel.objects.filter(pk=model.pk).update(status=status)
    model.status = status


def _acted_before(model: TrainedModel) -> TrainedModel | None:
    """The model that acted before the last deployment; None: the agent's own rules."""
    last = Deployment.objects.filter(model=model, act=Act.DEPLOY).select_related("before").first()
    return last.before if last is not None else None


def _note(
    serving: Serving,
    act: Deployment.Act,
    model: TrainedModel,
    before: TrainedModel | None,
    *,
    share: float,
    forced: str,
    by: str,
    at: datetime,
) -> None:
    Deployment.objects.create(
        module=serving.module, act=act, model=model, before=before, share=share, forced_because=forced, by=by, at=at
    )
    now = serving.model.public_id if serving.model else None
    facts: dict[str, Any] = {
        "module": serving.module,
        "act": str(act),
        "acts": now,
        "before": before.public_id if before else None,
        "share": share,
        "forced": bool(forced),
    }
    record(verb=f"model.{_VERBS[act]}", actor=by, subject=subject_of(model), at=at, reason=forced, **facts)
    if act != Act.SHADOW:
        note(Happened("model.deployed", model.public_id, {"model": model.public_id, **facts}), at=at)


_VERBS = {Act.DEPLOY: "deployed", Act.SHARE: "tried", Act.SHADOW: "shadowed", Act.ROLLBACK: "rolled_back"}
