"""Routes: what each made of its commands, and the pages that make and change one. For admins of all projects."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from lib.faults import Conflict, CrosswalkError, Invalid, NotFound
from lib.trees.tree import KNOWN_OUTCOMES
from routing import routes
from routing.models import Route, Sending
from routing.routes import EVERY
from web.staff.decorators import staff_actor, staff_only
from web.staff.routing.route_form import Typed, errors_by_field, options_for, typed_in, typed_of
from web.staff.setup.edits_of_others import SEEN, SENTENCE, marks_of, merged, saved_in_turn

WHY = Sending.Why


class Made(NamedTuple):
    """The results of a route for its commands. `repeated` counts commands that share a task with an equal command."""

    tasks: int = 0
    repeated: int = 0
    not_drawn: int = 0
    not_valid: int = 0
    nothing: int = 0
    refused: int = 0

    @property
    def all(self) -> int:
        return sum(self)

    @property
    def left(self) -> list[tuple[int, str]]:
        """The numbers of commands without a task, by reason."""
        reasons = {
            "not drawn": self.not_drawn,
            "not valid": self.not_valid,
            "with nothing to mark": self.nothing,
            "refused": self.refused,
        }
        return [(n, words) for words, n in reasons.items() if n]


def means_of(outcome: str) -> str:
    """An outcome in words; "" if only a tree defines it."""
    return "every valid command, marked or not" if outcome == EVERY else KNOWN_OUTCOMES.get(outcome, "")


def made_by(found: list[Route]) -> dict[int, Made]:
    """The results of each route, by the route's id. A route without commands is missing. 1 query."""
    rows = Sending.objects.filter(route__in=found).order_by().values_list("route")
    counted = rows.annotate(
        tasks=Count("task", distinct=True),
        sent=Count("task"),
        **{why.value: Count("pk", filter=Q(why_not=why)) for why in WHY},
    )
    return {
        pk: Made(tasks, sent - tasks, not_drawn, not_valid, nothing, refused)
        for pk, tasks, sent, not_drawn, not_valid, nothing, refused in counted
    }


# Making and changing --------------------------------------------------------------------------------------------


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def new_route(request: HttpRequest) -> HttpResponse:
    """The empty form, and creating a route with it."""
    roles.check_everywhere(request.user, Role.ADMIN)
    if request.method != "POST":
        return _form_page(request, None, Typed())
    typed = typed_in(request)
    if Route.objects.filter(slug=typed.slug).exists():
        taken = Invalid.at("#/slug", "There is a route of this name already. Choose another, or change that one.")
        return _refused(request, None, typed, taken)
    return _put(request, None, typed)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
@saved_in_turn(lambda slug: Route.objects.filter(slug=slug))
def route(request: HttpRequest, slug: str) -> HttpResponse:
    """One route: its results, and the form that changes it."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = Route.objects.select_related("project", "tree").filter(slug=slug).first()
    if found is None:
        raise NotFound
    if request.method != "POST":
        return _form_page(request, found, typed_of(found))
    typed = replace(typed_in(request), slug=slug)
    texts, conflicts = merged(request.POST.get(SEEN, ""), typed.texts, typed_of(found).texts)
    if conflicts:
        errors = {**conflicts, "other": SENTENCE}
        return _form_page(request, found, typed.with_texts(texts), errors=errors, status=409)
    return _put(request, found, typed.with_texts(texts))


def _put(request: HttpRequest, found: Route | None, typed: Typed) -> HttpResponse:
    try:
        put, is_new = routes.put_route(slug=typed.slug, body=typed.body, by=staff_actor(request), at=timezone.now())
    except (Invalid, Conflict) as error:
        return _refused(request, found, typed, error)
    messages.success(
        request, f"✓ The route {put.slug} is {'made' if is_new else 'changed'}. It takes commands from now on."
    )
    return redirect("staff-routes")


def _refused(request: HttpRequest, found: Route | None, typed: Typed, error: CrosswalkError) -> HttpResponse:
    errors = errors_by_field(error.faults) if error.faults else {"other": error.detail}
    return _form_page(request, found, typed, errors=errors, status=error.status)


def _form_page(
    request: HttpRequest,
    found: Route | None,
    typed: Typed,
    *,
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    ctx = {
        "section": "routes",
        "route": found,
        "made": made_by([found]).get(found.pk, Made()) if found else None,
        "typed": typed,
        "seen": marks_of(typed_of(found).texts) if found else "",
        "errors": errors or {},
        "any": EVERY,
        "any_means": means_of(EVERY),
        **options_for(typed),
    }
    return render(request, "staff/routing/route.html", ctx, status=status)
