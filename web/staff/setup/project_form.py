"""The forms of a project: two steps of its setup, and the page of all its settings."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access.roles import Role, project_for
from annotation.models import Project
from annotation.projects.consequences import consequences
from annotation.projects.projects import ProjectBody
from annotation.tool_registry import Json, tool_named
from annotation.tools.marker.tool import Marker
from annotation.tools.practice import PRACTICE, practice_of
from lib.faults import Conflict, Fault, Invalid, NotFound
from web.staff.decorators import staff_actor, staff_only
from web.staff.setup import project_fields as parts
from web.staff.setup.api_call import put_call
from web.staff.setup.edits_of_others import SENTENCE, marks_of_fields, merged_form, saved_in_turn
from web.staff.setup.expected_pay import expected_of
from web.staff.setup.fields import OTHER, Field, Shown, errors_of, shown, shown_again, with_choices
from web.staff.setup.practice_fields import practice_fields
from web.staff.setup.project_body import FEED, body_of, check_body, put_body
from web.staff.setup.project_fields import Section, as_form, gate_fields, read_project
from web.staff.setup.steps import NAMES, after, steps_of

PRACTICE_TITLE = "Practice"


class Drawn(NamedTuple):
    """A section of a form as a page draws it."""

    title: str
    fields: list[Shown]


class Form(NamedTuple):
    """The sections of a form, and whether gates stand in it."""

    sections: list[Section]
    gates: list[list[Field]]

    @property
    def fields(self) -> list[Field]:
        return [field for section in self.sections for field in section.fields] + [
            field for row in self.gates for field in row
        ]


def _quality(project: Project) -> list[Section]:
    quiz = with_choices([parts.QUALIFICATION], "qualification", parts.qualification_choices())
    return [
        Section("Who may work", quiz),
        *([Section(PRACTICE_TITLE, tried)] if (tried := practice_fields(project)) else []),
        Section("References", parts.REFERENCES),
        Section("How many answers, and what they come to", parts.HOW_MANY),
        Section("Review", parts.REVIEW),
    ]


def _everything(project: Project, body: Json) -> list[Section]:
    sources = with_choices(parts.SOURCES, "suite", parts.suite_choices())
    sources = with_choices(sources, "version", parts.version_choices(body["suite"]))
    return [
        Section("What it is", parts.WHAT),
        *([Section("Which episodes", sources)] if isinstance(tool_named(body["tool"]), Marker) else []),
        *_quality(project),
        Section("Money", parts.MONEY),
        Section("Holding and limits", parts.WORK),
        Section("Tool and experiment", parts.EXPERT),
    ]


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
@saved_in_turn(lambda slug: Project.objects.filter(slug=slug))
def section(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """A step of the setup: quality or money. What is saved is saved at once, and the next step follows."""
    project = project_for(request.user, slug, Role.ADMIN)
    body = body_of(project)
    if step == "quality":
        form = Form(_quality(project), gate_fields(body, request.POST))
    elif step == "money":
        form = Form([Section("Pay and budget", parts.MONEY), Section("Holding and limits", parts.WORK)], [])
    else:
        raise NotFound
    here = after(project, step) if "on" in request.POST else request.path
    return _answer(request, project, body, form, step=step, then=here)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
@saved_in_turn(lambda slug: Project.objects.filter(slug=slug))
def settings_page(request: HttpRequest, slug: str) -> HttpResponse:
    """All settings of a project on one page."""
    project = project_for(request.user, slug, Role.ADMIN)
    body = body_of(project)
    form = Form(_everything(project, body), gate_fields(body, request.POST))
    return _answer(request, project, body, form, step="", then=reverse("staff-project-settings", args=[slug]))


def _answer(request: HttpRequest, project: Project, body: Json, form: Form, *, step: str, then: str) -> HttpResponse:
    """Show the form, or store what was typed. With errors it comes back as it was typed."""
    stored = shown(form.fields, as_form(body))
    if request.method != "POST":
        return _page(request, project, form=form, drawn=_drawn(form, stored), step=step, body=body)
    sent, conflicts = merged_form(request.POST, stored)
    typed, errors = read_project(form.fields, sent, body)
    status = 422
    if conflicts:
        errors, status = {**errors, **conflicts, OTHER: SENTENCE}, 409
    if not errors:
        try:
            content = check_body(typed)
            follows = _follows(project, content) if "confirmed" not in sent else []
            if follows:
                drawn = _drawn(form, shown_again(form.fields, sent, {}))
                return _page(request, project, form=form, drawn=drawn, step=step, body=body, follows=follows)
            put_body(slug=project.slug, body=typed, by=staff_actor(request), at=timezone.now())
            messages.success(request, "✓ Saved.")
            return redirect(then)
        except (Invalid, Conflict) as error:
            errors, status = errors_of(_at_fields(error), form.fields), error.status
    drawn = _drawn(form, shown_again(form.fields, sent, errors))
    return _page(request, project, form=form, drawn=drawn, step=step, body=body, errors=errors, status=status)


def _follows(project: Project, content: Json) -> list[str]:
    """The consequences of the change for people and work; a draft has none."""
    if project.status == Project.Status.DRAFT:
        return []
    own = {name: value for name, value in content.items() if name not in FEED}
    return consequences(project=project, body=ProjectBody(**own))


def _at_fields(error: Invalid | Conflict) -> Invalid | Conflict:
    """The error with its faults at the form's own places of a currency and of the practice."""
    return type(error)(error.detail, faults=[Fault(_place(fault.pointer), fault.detail) for fault in error.faults])


def _place(pointer: str) -> str:
    if pointer.endswith("/currency"):
        return f"#/{parts.CURRENCY}"
    return pointer.replace(f"#/settings/{PRACTICE}", f"#/{PRACTICE}", 1)


def _drawn(form: Form, fields: Sequence[Shown]) -> tuple[list[Drawn], list[list[Shown]]]:
    by_path = {one.field.path: one for one in fields}
    sections = [Drawn(title, [by_path[field.path] for field in mine]) for title, mine in form.sections]
    return sections, [[by_path[field.path] for field in row] for row in form.gates]


def _page(
    request: HttpRequest,
    project: Project,
    *,
    form: Form,
    drawn: tuple[list[Drawn], list[list[Shown]]],
    step: str,
    body: Json,
    errors: Mapping[str, str] | None = None,
    follows: Sequence[str] = (),
    status: int = 200,
) -> HttpResponse:
    ctx: dict[str, Any] = {
        "section": "projects",
        "project": project,
        "seen": marks_of_fields(shown(form.fields, as_form(body))),
        "steps": steps_of(project, step),
        "heading": NAMES.get(step, "Settings"),
        "step": step,
        "sections": drawn[0],
        "gates": drawn[1],
        "errors": errors or {},
        "other": (errors or {}).get("", ""),
        "follows": follows,
        "call": put_call(request, f"projects/{project.slug}/", body),
        "practice_title": PRACTICE_TITLE,
        "has_practice": practice_of(project) is not None,
        "expected": expected_of(project, task_s=_seconds(request)) if step == "money" else None,
    }
    return render(request, "staff/setup/project_form.html", ctx, status=status)


def _seconds(request: HttpRequest) -> float | None:
    """The time of a task that `?seconds=` names, to see what it would earn."""
    text = request.GET.get("seconds", "")
    return float(text) if text.isascii() and text.isdigit() and 0 < len(text) < 6 and int(text) else None
