"""“New project”: what one wants to know, and a draft with everything that a template fills in."""

from dataclasses import replace

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from annotation.projects.projects import put_project
from annotation.projects.templates.all import TEMPLATES, template_named
from annotation.projects.templates.template import Template
from lib.faults import Invalid
from web.staff.decorators import staff_actor, staff_only
from web.staff.setup.names import free_name, slug_of
from web.staff.setup.steps import address_of
from workforce.models import Qualification
from workforce.qualifications import put_qualification

MOST_TITLE = 200
QUIZ = "-quiz"
"""Stands behind the slug of a project in that of its quiz."""


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    """Ask for the question and the title; a posted form makes the draft and its quiz."""
    roles.check_everywhere(request.user, Role.ADMIN)
    if request.method != "POST":
        return _page(request, chosen=next(iter(TEMPLATES)))
    chosen, title = request.POST.get("template", ""), request.POST.get("title", "").replace("\0", "").strip()
    try:
        template = template_named(chosen)
        if not 0 < len(title) <= MOST_TITLE:
            raise Invalid.at("#/title", f"Give it a title, of {MOST_TITLE} characters at most.")
        project = _make(template, title=title, by=staff_actor(request))
    except Invalid as error:
        return _page(request, chosen=chosen, title=title, error=error)
    return redirect(address_of(project, "material"))


def _page(request: HttpRequest, *, chosen: str, title: str = "", error: Invalid | None = None) -> HttpResponse:
    ctx = {
        "section": "projects",
        "templates": TEMPLATES.values(),
        "chosen": chosen,
        "title": title,
        "most": MOST_TITLE,
        "errors": {fault.pointer.removeprefix("#/"): fault.detail for fault in error.faults} if error else {},
    }
    return render(request, "staff/setup/new_project.html", ctx, status=error.status if error else 200)


@transaction.atomic
def _make(template: Template, *, title: str, by: str) -> Project:
    now = timezone.now()
    slug = _slug_for(title)
    quiz = f"{slug}{QUIZ}"
    put_qualification(slug=quiz, body=template.quiz, by=by, at=now)
    project, _ = put_project(slug=slug, body=replace(template.body, title=title, qualification=quiz), by=by, at=now)
    return project


def _slug_for(title: str) -> str:
    """A slug for a project of this title, which no project and no quiz of a project has. 2 queries."""
    wanted = slug_of(title, otherwise="project")
    quizzes = Qualification.objects.filter(slug__startswith=wanted, slug__endswith=QUIZ).values_list("slug", flat=True)
    projects = Project.objects.filter(slug__startswith=wanted).values_list("slug", flat=True)
    return free_name(wanted, {*projects, *(slug.removesuffix(QUIZ) for slug in quizzes)})
