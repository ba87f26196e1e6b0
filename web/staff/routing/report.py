"""One error report: the command and its context, its repairs, and the acts on it."""

import json
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.scene_store import scene_named
from annotation.tool_registry import Json
from audit.models import AuditEvent
from commands.privacy import ERASED
from commands.readout import sentence_of
from common.redaction import REMOVED
from lib import command_text
from lib.faults import NotFound
from lib.trees.tree import CAPABILITY_ERROR, KNOWN_OUTCOMES
from lib.voxels.mask import Keys, Size, keys_of, runs_of
from lib.voxels.picture import picture_of as drawn
from lib.voxels.picture import svg_of
from routing.models import ErrorReport, Sending
from routing.reports import SUBJECT
from web.staff.access import report_for, reports_for, sendings_of, targets_for
from web.staff.addresses import command_address
from web.staff.decorators import staff_only

MOST_EVENTS = 100
MOST_MERGED = 50
MOST_ALIKE = 8
LOOKED_AT = 500
"""How many reports that share a word are compared for similarity."""


Why = Sending.Why
_FAULTS: Mapping[str, str] = {
    **command_text.FAULTS,
    CAPABILITY_ERROR: "The agent cannot do such things, so it is no valid command for it.",
    ERASED: "Its words were erased.",
}


class Answered(NamedTuple):
    """A question of the decision tree, the worker's choice, and the worker's own words if the choice asks for them."""

    ask: str
    chose: str
    words: str


class Thing(NamedTuple):
    """An object that the agent found for a phrase. `mask` is the part of its `voxels` inside the scene."""

    number: int
    phrase: str
    voxels: int
    mask: Keys


@staff_only
@require_safe
def report(request: HttpRequest, public_id: str) -> HttpResponse:
    return report_page(request, report_for(request.user, public_id))


def report_page(
    request: HttpRequest,
    found: ErrorReport,
    *,
    act: str = "",
    error: str = "",
    typed: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page. After a refused form `act` is the form, and `error` the reason beside it."""
    user = request.user
    may_act = roles.may_in(user, found.project, Role.REVIEWER)
    size = _size(found)
    things = things_of(found, size)
    seen = reports_for(user)
    command = found.command
    worker = command.worker
    ctx = {
        "section": "reports",
        "report": found,
        "command": command,
        "live": getattr(command, "live", None),
        "means": KNOWN_OUTCOMES.get(found.outcome, ""),
        "address": command_address(command),
        "sees_worker": worker is not None and roles.workers_for(user).filter(pk=worker.pk).exists(),
        "form": "" if command.form is None else json.dumps(command.form, indent=2, ensure_ascii=False),
        "form_in_words": understood(found),
        "answers": path_in_words(found),
        "things": things,
        "outside": sum(thing.voxels - thing.mask.size for thing in things) if size else 0,
        "picture": _picture(found, things, size) if size else None,
        "sendings": [(one, why_in_words(one)) for one in sendings_of([found]).get(command.pk, [])],
        "may_route": roles.may_everywhere(user, Role.ADMIN),
        "merged_into": found.merged_into if found.merged_into and _is_seen(user, found.merged_into) else None,
        "merged": list(
            seen.filter(merged_into=found).select_related("project", "command").order_by("-at", "-pk")[:MOST_MERGED]
        ),
        "events": list(_events(found)[:MOST_EVENTS]),
        "may_act": may_act,
        "targets": list(targets_for(user)) if may_act else [],
        "alike": alike(user, found) if may_act and found.merged_into_id is None else [],
        "act": act,
        "error": error,
        "typed": typed or {},
    }
    return render(request, "staff/routing/report.html", ctx, status=status)


def understood(found: ErrorReport) -> str:
    """The agent's parse as a sentence.

    It can quote the command, so it is removed where the command's words are erased.
    """
    command = found.command
    return REMOVED if command.text == REMOVED else sentence_of(command.form, text=command.text)


def _is_seen(user: Account, other: ErrorReport) -> bool:
    return roles.may_in(user, other.project, Role.VIEWER)


def _events(found: ErrorReport) -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(subject_kind=SUBJECT, subject=found.public_id).order_by("-at", "-pk")


def why_in_words(sending: Sending) -> str:
    """The reason why no task was made, as a sentence; "" if a task was made."""
    match sending.why_not:
        case Why.NOT_DRAWN:
            return "Not drawn: the route takes a share of the commands."
        case Why.NOT_VALID:
            return _FAULTS.get(sending.detail, f"Its words are no valid command: {sending.detail}.")
        case Why.REFUSED:
            return f"The project did not take it. {sending.detail}"
    return sending.detail


def alike(user: Account, found: ErrorReport) -> list[ErrorReport]:
    """Other open reports with similar words that the account may act on, newest first. 1 query.

    Reports with the longest common word are candidates; the newest `LOOKED_AT` of them are compared.
    """
    said = command_text.plain(found.command.text)
    longest = max(said.split(), key=len, default="")
    if not longest:
        return []
    rows = reports_for(user, Role.REVIEWER).exclude(pk=found.pk).exclude(state=ErrorReport.State.DISMISSED)
    rows = (
        rows.filter(command__text__icontains=longest)
        .select_related("project", "command")
        .only("public_id", "command__text", "outcome", "state", "at", "project__title", "project__slug")
    )
    return [one for one in rows.order_by("-at", "-pk")[:LOOKED_AT] if command_text.plain(one.command.text) == said][
        :MOST_ALIKE
    ]


def path_in_words(found: ErrorReport) -> list[Answered]:
    """The worker's path through the tree in words. If the tree is unknown, the ids of its nodes are shown."""
    nodes = found.tree.read().nodes if found.tree else {}
    answers = []
    for turn in found.command.path:
        name, number, words = str(turn.get("node", "")), turn.get("choice"), str(turn.get("text", ""))
        node = nodes.get(name)
        is_known = node is not None and type(number) is int and 0 <= number < len(node.choices)
        chose = node.choices[number].label if node is not None and is_known else f"choice {number}"
        answers.append(Answered(node.ask if node else name, chose, words))
    return answers


# The scene -----------------------------------------------------------------------------------------------------


def _size(found: ErrorReport) -> Size | None:
    scene = found.scene
    return (scene.size_x, scene.size_y, scene.size_z) if scene else None


def things_of(found: ErrorReport, size: Size | None) -> list[Thing]:
    return [
        Thing(number, str(one.get("phrase", "")), len(one.get("voxels", [])), _within(one.get("voxels", []), size))
        for number, one in enumerate(found.command.objects_found, 1)
    ]


def _within(voxels: list[list[int]], size: Size | None) -> Keys:
    """The voxels inside a scene of this size. Posted reports may contain others."""
    if size is None:
        return keys_of([])
    places = np.asarray(voxels, dtype=np.int64).reshape(-1, 3)
    return keys_of(places[((places >= 0) & (places < np.array(size))).all(axis=1)])


def _picture(found: ErrorReport, things: list[Thing], size: Size) -> Json:
    """The data for the island that shows masks (its twin is `frontend/src/staff/scene_review/payload.ts`)."""
    scene = scene_named(found.scene.digest) if found.scene else None
    return {
        "scene": scene.as_json() if scene else {},
        "still": reverse("staff-report-picture", args=[found.public_id]),
        "phrase": "",
        "layers": [
            {
                "id": f"object-{thing.number}",
                "name": f"“{thing.phrase}”",
                "cells": runs_of(thing.mask, size),
                "count": int(thing.mask.size),
            }
            for thing in things
            if thing.mask.size
        ],
        "steps": [],
    }


@staff_only
@require_safe
def report_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """A picture of the scene at the time of the command, with the objects that the agent found."""
    found = report_for(request.user, public_id)
    size = _size(found)
    if found.scene is None or size is None:
        raise NotFound
    masks = [thing.mask for thing in things_of(found, size)]
    mask = np.unique(np.concatenate(masks)) if masks else None
    svg = svg_of(drawn(scene_named(found.scene.digest), mask), title=f"The scene of “{found.command.text}”")
    return HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
