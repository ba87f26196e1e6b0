"""The acts of staff on the pages of learning: close, train, cancel, judge, deploy, roll back, refuse."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.access import roles
from annotation.access.roles import Role
from common.serializers import read
from learning.data import tranches
from learning.serving import gate, switching
from learning.training import requests
from learning.training.artefacts import model_named
from learning.training.requests import SEEDS, TrainingBody, training_named
from lib.faults import Invalid
from web.api.trainings import TrainingContent
from web.staff.decorators import staff_actor, staff_only


@staff_only
@require_POST
def close(request: HttpRequest, module: str, number: int) -> HttpResponse:
    """Close a tranche now."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = tranches.tranche_named(module, number)
    tranches.close_tranche(tranche=found, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"Tranche {number} is closed: it stays as it is now.")
    return _to_learning(module)


@staff_only
@require_POST
def train(request: HttpRequest) -> HttpResponse:
    """Ask for a training of the tranches that are ticked."""
    roles.check_everywhere(request.user, Role.ADMIN)
    posted = request.POST
    body = {
        "module": posted.get("module", ""),
        "kind": posted.get("kind", ""),
        "tranches": [_number(text, "tranches") for text in posted.getlist("tranche")],
        "seeds": _number(posted.get("seeds") or str(SEEDS), "seeds"),
        **({"trainer": posted["trainer"]} if posted.get("trainer") else {}),
    }
    wanted = cast(TrainingBody, read(TrainingContent, body))
    made, _ = requests.request_training(body=wanted, by=staff_actor(request), at=timezone.now())
    return redirect("staff-training", made.public_id)


def _number(text: str, name: str) -> int:
    if not text.isdecimal() or len(text) > 4:
        raise Invalid.at(f"#/{name}", "This is a whole number.")
    return int(text)


@staff_only
@require_POST
def cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    """Cancel what is left of a training."""
    roles.check_everywhere(request.user, Role.ADMIN)
    requests.cancel(training=training_named(public_id), by=staff_actor(request), at=timezone.now())
    messages.success(request, "Cancelled. Models that were made stay.")
    return redirect("staff-training", public_id)


@staff_only
@require_POST
def act(request: HttpRequest, public_id: str) -> HttpResponse:
    """Judge, deploy, roll back or refuse a model, as `act` says."""
    roles.check_everywhere(request.user, Role.ADMIN)
    model, by, at, posted = model_named(public_id), staff_actor(request), timezone.now(), request.POST
    match posted.get("act"):
        case "gate":
            verdict = gate.judge_model(model=model, by=by, at=at)
            told = messages.success if verdict.passed else messages.warning
            told(request, verdict.content["sentence"])
        case "deploy" | "share" | "shadow" as how:
            switching.deploy(
                model=model,
                share=_share(posted.get("share", "")) if how == "share" else 1.0,
                shadow=how == "shadow",
                force_reason=posted.get("reason", ""),
                by=by,
                at=at,
            )
            messages.success(
                request, "Sessions that begin from now on begin with it. Those that run keep what they have."
            )
        case "rollback":
            switching.roll_back(model=model, by=by, at=at)
            messages.success(request, "Rolled back: sessions that begin from now on begin with what acted before.")
        case "refuse":
            switching.refuse(model=model, reason=posted.get("reason", ""), by=by, at=at)
            messages.success(request, "Refused.")
        case _:
            raise Invalid.at("#/act", "Choose what is to be done.")
    return redirect("staff-model", public_id)


def _share(text: str) -> float:
    if not text.isdecimal() or not 0 < int(text) < 100:
        raise Invalid.at("#/share", "The share is a number of per cent from 1 to 99.")
    return int(text) / 100


def _to_learning(module: str) -> HttpResponse:
    return redirect(f"{reverse('staff-learning')}?module={module}")
