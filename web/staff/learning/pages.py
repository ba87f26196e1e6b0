"""The page of learning, and the pages of one training and one model."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Role
from learning.data.kinds import modules
from learning.data.tranches import counts_of
from learning.models import Deployment, GateVerdict, TrainedModel, Training, Tranche
from learning.models.trainings import ENDED, Kind
from learning.serving.gate import NLU, serving_of
from learning.serving.switching import has_passed
from learning.trainers.registry import trainers
from learning.training.artefacts import model_named
from learning.training.lineage import annotations_behind, workers_behind
from learning.training.metrics import metrics_of
from learning.training.requests import training_named
from lib.extras import how_to_install, is_installed
from lib.plots.charts import Point, line_plot
from web.http.streams import EVENT_STREAM, Followed
from web.staff.decorators import chosen, staff_only
from web.staff.figure_files import Figure, file_asked
from web.staff.learning.figures import errors_by_action, errors_by_noun, errors_of_gate, shown_model
from web.staff.learning.paper_figures import LEVELS, paper_figures
from web.staff.learning.vision_funnel import VISION, vision_funnel

MOST_TRAININGS, MOST_MODELS, MOST_DEPLOYMENTS = 20, 50, 20
LOOK_EVERY_S, FOLLOWED_S = 2.0, 300.0


@staff_only
@require_safe
def learning(request: HttpRequest) -> HttpResponseBase:
    """Tranches, trainings and models of one module, which model acts, and how good they are."""
    roles.check_everywhere(request.user, Role.ADMIN)
    module = chosen(request, "module", modules()) or modules()[0]
    tranches = list(Tranche.objects.filter(module=module).select_related("project").order_by("number"))
    serving = serving_of(module)
    figures = _figures(module, tranches, shown_model(module, serving))
    file = file_asked(request, figures)
    if file is not None:
        return file
    known = [trainer for trainer in trainers() if trainer.module == module]
    trainings = Training.objects.filter(module=module).prefetch_related("tranches", "runs")
    models = (
        TrainedModel.objects.filter(module=module).select_related("run").prefetch_related("tranches", "tests__tranche")
    )
    ctx = {
        "section": "learning",
        "module": module,
        "modules": modules(),
        "tranches": [(tranche, counts_of(tranche)) for tranche in tranches],
        "trainings": [_row_of(one) for one in trainings.order_by("-pk")[:MOST_TRAININGS]],
        "models": [(one, _newest_value(one)) for one in models.order_by("-pk")[:MOST_MODELS]],
        "most_models": MOST_MODELS,
        "serving": serving,
        "trainers": [trainer.name for trainer in known],
        "missing": [
            (trainer.name, how_to_install(trainer.extra)) for trainer in known if not is_installed(trainer.extra)
        ],
        "kinds": Kind.choices,
        "figures": [(name, figure()) for name, figure in figures.items()],
    }
    return render(request, "staff/learning/learning.html", ctx)


def _figures(module: str, tranches: list[Tranche], model: TrainedModel | None) -> Mapping[str, Callable[[], Figure]]:
    """The plots of the page, by name: those of the paper, and where errors are."""
    found = paper_figures(module, tranches)
    tested = [one for one in tranches if one.status == Tranche.Status.CLOSED and one.test]
    if tested:
        found["errors_by_action"] = partial(errors_by_action, model, tested)
        found["errors_by_noun"] = partial(errors_by_noun, model, tested)
    if module == VISION:
        found["vision_funnel"] = vision_funnel
    return found


def _row_of(training: Training) -> dict[str, Any]:
    runs = list(training.runs.all())
    return {
        "training": training,
        "tranches": ", ".join(str(one.number) for one in sorted(training.tranches.all(), key=lambda one: one.number)),
        "done": sum(run.status == "done" for run in runs),
        "runs": len(runs),
        "share": sum(run.share for run in runs) / max(len(runs), 1),
    }


def _newest_value(model: TrainedModel) -> Any:
    """The test of the model on the newest tranche; None if it was tested on none."""
    return max(model.tests.all(), key=lambda one: one.tranche.number, default=None)


# One training ---------------------------------------------------------------------------------------------------------


@staff_only
@require_safe
def training(request: HttpRequest, public_id: str) -> HttpResponse:
    roles.check_everywhere(request.user, Role.ADMIN)
    found = training_named(public_id)
    ctx = {"section": "learning", **_training_ctx(found)}
    curve = ctx["curve"]
    file = file_asked(request, {"curve": lambda: curve} if curve else {})
    return file or render(request, "staff/learning/training.html", ctx)


@staff_only
@require_safe
def training_live(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The part that changes while a training runs: as it is now, or as a stream of events."""
    roles.check_everywhere(request.user, Role.ADMIN)
    pk, name = training_named(public_id).pk, request.user.get_username()

    def look() -> str | None:
        user = User.objects.filter(username=name, is_active=True, is_staff=True).first()
        if user is None or not roles.may_everywhere(user, Role.ADMIN):
            return None
        found = Training.objects.get(pk=pk)
        return render_to_string("staff/learning/_training_live.html", {**_training_ctx(found), "request": request})

    if request.headers.get("Accept") == EVENT_STREAM:
        return Followed(look, every_s=LOOK_EVERY_S, for_s=FOLLOWED_S)
    return HttpResponse(look() or "")


def _training_ctx(training: Training) -> dict[str, Any]:
    runs = list(training.runs.select_related("model").order_by("number"))
    models = [run.model for run in runs if hasattr(run, "model")]
    current = next((run for run in reversed(runs) if run.curve), None)
    return {
        "training": training,
        "tranches": sorted(one.number for one in training.tranches.all()),
        "runs": [(run, getattr(run, "model", None)) for run in runs],
        "metrics": metrics_of(models),
        "curve": _curve(current) if current else None,
        "is_over": training.status in ENDED,
    }


def _curve(run: Any) -> Figure:
    """The share of right answers on the validation items while a run was trained."""
    points = [(step, loss, valid) for step, loss, valid in run.curve if valid is not None]
    last = max((step for step, _, _ in points), default=1)
    return Figure(
        f"{run.get_kind_display()}, seed {run.seed}",
        "Share of right answers on validation items, by report.",
        line_plot(
            [Point(step / last, valid) for step, _, valid in points],
            bounds=(0, 1),
            edges=[(0.0, "0"), (1.0, f"report {last}")],
            levels=LEVELS,
        ),
        ("step", "loss", "valid"),
        points,
    )


# One model ------------------------------------------------------------------------------------------------------------


@staff_only
@require_safe
def model(request: HttpRequest, public_id: str) -> HttpResponse:
    roles.check_everywhere(request.user, Role.ADMIN)
    found = model_named(public_id)
    serving = serving_of(found.module)
    acting = serving.model if serving else None
    verdicts = list(found.verdicts.select_related("against", "tranche"))
    figures = _gate_figures(found.module, verdicts)
    file = file_asked(request, figures)
    if file is not None:
        return file
    ctx = {
        "section": "learning",
        "model": found,
        "tranches": found.tranches.order_by("number"),
        "tests": found.tests.select_related("tranche").order_by("tranche__number"),
        "annotations": annotations_behind(found).count(),
        "workers": workers_behind(found).count(),
        "serving": serving,
        "acts": acting is not None and acting.pk == found.pk,
        "in_use": serving is not None and found.pk in (serving.model_id, serving.tried_id, serving.shadow_id),
        "verdicts": verdicts,
        "figures": [(name, figure()) for name, figure in figures.items()],
        "has_passed": has_passed(found, acting),
        "deployments": Deployment.objects.filter(model=found).select_related("before")[:MOST_DEPLOYMENTS],
    }
    return render(request, "staff/learning/model.html", ctx)


def _gate_figures(module: str, verdicts: list[GateVerdict]) -> Mapping[str, Callable[[], Figure]]:
    """How often the rules err that gave the newest verdict; none for masks, which are compared by another test."""
    newest = verdicts[0] if module == NLU and verdicts and verdicts[0].content["n"] else None
    return {"gate_errors": partial(errors_of_gate, newest)} if newest else {}
