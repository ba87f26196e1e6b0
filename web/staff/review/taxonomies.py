"""The taxonomies: their categories, and the number of findings in each."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Category
from annotation.review import taxonomies
from annotation.review.findings import Breakdown, breakdown
from lib.faults import Conflict, Invalid, NotFound
from lib.plots.intervals import Measured, interval_plot
from web.staff.decorators import staff_only
from web.staff.figure_files import Figure, file_asked
from web.staff.review.queue import Filters, filters_of

Taxonomy = Category.Taxonomy


@staff_only
@require_safe
def taxonomy_list(request: HttpRequest) -> HttpResponse:
    return _page(request)


def _page(request: HttpRequest, *, error: str = "", wrong: str = "", status: int = 200) -> HttpResponse:
    """The page; after a refused form, with what was typed in it.

    `wrong` is the category or the taxonomy of that form.
    """
    rows = list(Category.objects.annotate(found=Count("findings")).order_by("taxonomy", "position", "pk"))
    ctx = {
        "section": "review",
        "taxonomies": [
            (
                value,
                label,
                [row for row in rows if row.taxonomy == value and row.retired_at is None],
                [row for row in rows if row.taxonomy == value and row.retired_at is not None],
            )
            for value, label in Taxonomy.choices
        ],
        "error": error,
        "wrong": wrong,
        "typed": request.POST,
    }
    return render(request, "staff/review/taxonomies.html", ctx, status=status)


@staff_only
@require_POST
def add_category(request: HttpRequest) -> HttpResponse:
    roles.check_everywhere(request.user, Role.ADMIN)
    taxonomy = request.POST.get("taxonomy", "")
    try:
        made = taxonomies.add(taxonomy=taxonomy, **_words(request), by=_user(request), at=timezone.now())
    except (Invalid, Conflict) as error:
        return _page(request, error=error.reason, wrong=taxonomy, status=error.status)
    messages.success(request, f"✓ {made.label} is added.")
    return redirect(f"{reverse('staff-taxonomies')}#category-{made.pk}")


@staff_only
@require_POST
def change_category(request: HttpRequest, pk: int) -> HttpResponse:
    """Rename a category, move it, retire it or bring it back."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = Category.objects.filter(pk=pk).first()
    if found is None:
        raise NotFound
    by, at = _user(request), timezone.now()
    try:
        match request.POST.get("act", ""):
            case "change":
                taxonomies.change(category=found, **_words(request), by=by, at=at)
            case "up" | "down" as way:
                taxonomies.move(category=found, up=way == "up", by=by, at=at)
            case "retire" | "restore" as act:
                taxonomies.set_retired(category=found, retired=act == "retire", by=by, at=at)
            case _:
                raise Invalid.at("#/act", "Choose what to do.")
    except Invalid as error:
        return _page(request, error=error.faults[0].detail, wrong=str(pk), status=error.status)
    return redirect(f"{reverse('staff-taxonomies')}#category-{pk}")


def _words(request: HttpRequest) -> dict[str, str]:
    return {name: request.POST.get(name, "") for name in ("label", "description", "group")}


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - staff_only has seen to it
    return request.user


@staff_only
@require_safe
def breakdown_page(request: HttpRequest) -> HttpResponse:
    """How often each category was found, in one project or in all projects of the account."""
    filters = filters_of(request)
    drawn = file_asked(request, {taxonomy.value: lambda t=taxonomy: figure(t, filters) for taxonomy in Taxonomy})  # type: ignore[misc]
    if drawn:
        return drawn
    ctx = {
        "section": "review",
        "parts": [(part, _figure(part, filters)) for part in (breakdown(t, filters.projects) for t in Taxonomy)],
        "projects": roles.projects_for(request.user).order_by("title", "pk"),
        "project": filters.project,
    }
    return render(request, "staff/review/breakdown.html", ctx)


def figure(taxonomy: Category.Taxonomy, filters: Filters) -> Figure:
    """The plot of one taxonomy. 3 queries."""
    return _figure(breakdown(taxonomy, filters.projects), filters)


def _figure(part: Breakdown, filters: Filters) -> Figure:
    measured = [
        Measured(
            share.category.label,
            share.share,
            share.low,
            share.high,
            n=share.found,
            href=_findings_of(share.category, filters),
        )
        for share in part.shares
    ]
    return Figure(
        part.label,
        f"{part.tagged} tasks and answers carry at least one of these. Each dot is the share of them that carries it, "
        "with the 95 % Wilson interval; n is how many. One may carry several."
        if part.tagged
        else "No task and no answer carries any of these yet.",
        interval_plot(measured),
        ("taxonomy", "category", "group", "label", "findings", "share", "low", "high"),
        [
            (
                part.taxonomy,
                share.category.code,
                share.category.group,
                share.category.label,
                share.found,
                share.share,
                share.low,
                share.high,
            )
            for share in part.shares
        ]
        if part.tagged
        else [],
    )


def _findings_of(category: Category, filters: Filters) -> str:
    told = {"category": str(category.pk)} | ({"project": filters.project.slug} if filters.project else {})
    return f"{reverse('staff-findings')}?{urlencode(told)}"
