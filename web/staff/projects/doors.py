"""Doors of a project: the addresses that workers of panels enter by, their settings, and letting one in again."""

import re

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Door, Project
from annotation.tool_registry import Json
from annotation.work import doors
from annotation.work.doors import DoorBody
from lib.faults import Fault, Invalid, NotFound
from lib.name_patterns import EXTERNAL_ID, SLUG
from web.staff.decorators import staff_actor, staff_only
from web.staff.setup.fields import Field, Kind
from web.staff.setup.records import record_page
from web.staff.setup.records.record_page import Crumb, Record
from workforce.blocking import DIRECT
from workforce.models import Worker

FIELDS = [
    Field("is_open", "Open", Kind.YES, does="Closed: nobody enters here, and who is at work goes on."),
    Field("worker_parameter", "Parameter with the worker's id", is_needed=True, placeholder="PROLIFIC_PID"),
    Field("session_parameter", "Parameter with the session's id", is_needed=True, placeholder="SESSION_ID"),
    Field("study_parameter", "Parameter with the study's id", empty="", placeholder="STUDY_ID"),
    Field("study", "Only this study", empty="", does="Empty: every study of the panel."),
    Field(
        "done_url", "Way back after work", empty="", placeholder="https://", does="With the panel's completion code."
    ),
    Field("left_url", "Way back without an answer", empty="", placeholder="https://", does="Empty: a page of ours."),
]
_PARAMETER = r"[A-Za-z0-9_.-]{1,64}"


@staff_only
@require_safe
def door_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The doors of the project with their addresses; `?panel=` leads to the form of that panel."""
    project = roles.project_for(request.user, slug, Role.ADMIN)
    wanted = request.GET.get("panel", "").strip()
    if re.fullmatch(SLUG, wanted) and wanted != DIRECT:
        return redirect("staff-door", slug, wanted)
    kept = {door.panel: door for door in project.doors.order_by("panel")}
    prolific = doors.door_of(project, doors.PROLIFIC)
    shown = {doors.PROLIFIC: prolific, **kept} if prolific is not None else kept
    ctx = {
        "section": "projects",
        "project": project,
        "doors": [(door, _address(project, door)) for door in shown.values()],
        "is_wrong": bool(wanted),
    }
    return render(request, "staff/projects/doors.html", ctx)


def _address(project: Project, door: Door) -> str:
    """The address to give to the panel, with the panel's own placeholders where they are known."""
    is_prolific = door.panel == doors.PROLIFIC
    path = (
        reverse("enter-prolific", args=[project.slug])
        if is_prolific
        else reverse("enter-panel", args=[door.panel, project.slug])
    )
    names = [door.worker_parameter, door.study_parameter, door.session_parameter]
    query = "&".join(f"{name}={{{{%{name}%}}}}" if is_prolific else f"{name}=…" for name in names if name)
    return f"{settings.PUBLIC_URL}{path}?{query}"


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def door(request: HttpRequest, slug: str, panel: str) -> HttpResponse:
    """The settings of one door."""
    project = roles.project_for(request.user, slug, Role.ADMIN)
    if panel == DIRECT:
        raise NotFound
    found = doors.door_of(project, panel)
    body: Json = {"is_open": True}
    if found is not None:
        body = {name: getattr(found, name) for name in DoorBody.__annotations__}

    def save(typed: Json) -> str:
        _check(typed)
        content = DoorBody(**typed)  # type: ignore[typeddict-item]
        doors.put_door(project=project, panel=panel, body=content, by=staff_actor(request), at=timezone.now())
        return reverse("staff-doors", args=[slug])

    crumbs = [
        Crumb("Projects", reverse("staff-projects")),
        Crumb(project.title, reverse("staff-project", args=[slug])),
        Crumb("Doors", reverse("staff-doors", args=[slug])),
    ]
    about = "Workers come by an address that the panel completes with their ids."
    return record_page.answer(request, Record("projects", f"Door of {panel}", crumbs, FIELDS, body, about=about), save)


def _check(typed: Json) -> None:
    faults = []
    for name in ("worker_parameter", "session_parameter", "study_parameter"):
        if typed[name] and not re.fullmatch(_PARAMETER, typed[name]):
            faults.append(Fault(f"#/{name}", "Use letters, digits, _ . and - only; 64 at most."))
    if typed["study"] and not typed["study_parameter"]:
        faults.append(Fault("#/study_parameter", "Needed where only one study may enter."))
    if typed["study"] and not re.fullmatch(EXTERNAL_ID, typed["study"]):
        faults.append(Fault("#/study", "Use letters, digits, . _ : and - only; 128 at most."))
    for name in ("done_url", "left_url"):
        try:
            if typed[name]:
                URLValidator(schemes=["https", "http"])(typed[name])
        except ValidationError:
            faults.append(Fault(f"#/{name}", "This is no address such as https://example.org/done."))
    if faults:
        raise Invalid(faults=faults)


@staff_only
@require_POST
def let_in(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a worker of a panel enter in another browser."""
    project = roles.project_for(request.user, slug, Role.ADMIN)
    panel, name = request.POST.get("panel", ""), request.POST.get("worker", "").strip()
    here = Worker.objects.filter(platform=panel, external_id=name, enrolments__project=project)
    worker = here.exclude(platform=DIRECT).first()
    if worker is None:
        messages.error(request, "No such worker has entered this project.")
        return redirect("staff-doors", slug)
    doors.unbind(worker=worker, project=project, by=staff_actor(request), at=timezone.now())
    messages.success(request, "✓ The worker's next visit may come from any browser.")
    return redirect("staff-doors", slug)
