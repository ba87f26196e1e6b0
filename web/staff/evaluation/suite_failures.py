"""How agents and people fail: samples of failures, coded by two people each (paper 000, table 1)."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.models import Agent
from annotation.access import roles
from annotation.access.roles import Role
from common.serializers import ChoiceField, IntegerField
from evaluation.failures.samples import MOST, USUAL, categories_of, code, decide, draw, next_to_code, sample_of
from evaluation.failures.table import samples_of, table_of
from evaluation.models import FailureSample, Suite
from evaluation.suites import suite_named
from evaluation.video_addresses import video_address
from lib.faults import Invalid, NotFound
from web.http.query_parameters import QuerySerializer, read_query
from web.staff.decorators import paged, staff_actor, staff_only
from web.staff.evaluation.suite_figures import asked_in, menus

USUAL_NUMBER = 100


class DrawForm(QuerySerializer):
    """The numbers of the form; project, version and categories are read apart."""

    number = IntegerField(min_value=2, max_value=MOST, default=USUAL_NUMBER)
    seed = IntegerField(min_value=0, max_value=2**31, default=0)
    kind = ChoiceField(choices=Agent.Kind.values, default=Agent.Kind.AGENT)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def failures(request: HttpRequest, slug: str) -> HttpResponse:
    """The samples with their tables; a POST of an admin of the project draws another one."""
    suite = suite_named(slug)
    refusal = None
    if request.method == "POST":
        try:
            sample = _drawn(request, suite)
        except Invalid as error:
            refusal = error
        else:
            messages.success(request, f"✓ {sample.sampled.count()} of {sample.failures} failures were drawn.")
            return redirect("staff-suite-failures-sample", slug, sample.pk)
    typed = request.POST
    page = paged(request, samples_of(suite, among=roles.projects_for(request.user)), size=10)
    ctx = {
        "section": "suites",
        "suite": suite,
        "tab": "failures",
        "page": page,
        "tables": [table_of(sample) for sample in page],
        "kinds": Agent.Kind.choices,
        "refusal": refusal and refusal.reasons,
        "kind": typed.get("kind"),
        "number": typed.get("number", USUAL_NUMBER),
        "seed": typed.get("seed", 0),
        "categories": typed.get("categories", "\n".join(USUAL)),
        "most": MOST,
        "may_draw": roles.projects_for(request.user, Role.ADMIN).filter(feed__suite=suite).exists(),
        **menus(request, suite),
    }
    return render(request, "staff/evaluation/suite_failures.html", ctx, status=422 if refusal else 200)


def _drawn(request: HttpRequest, suite: Suite) -> FailureSample:
    """The sample that the form asks for. Raises Invalid, Forbidden."""
    what = asked_in(request.POST, suite, request.user)
    if what.project is None:
        raise Invalid("No project that you may see judges this suite.")
    roles.check_in(request.user, what.project, Role.ADMIN)
    fields = request.POST.copy()
    for name in [name for name in fields if name not in DrawForm().fields or not str(fields[name]).strip()]:
        fields.pop(name)
    return draw(
        what,
        **read_query(DrawForm, fields),
        categories=categories_of(request.POST.get("categories", "")),
        by=staff_actor(request),
        at=timezone.now(),
    )


def _sample(request: HttpRequest, slug: str, pk: int, role: Role) -> FailureSample:
    """The sample, for an account with this role in its project. Raises NotFound, Forbidden."""
    found = sample_of(suite_named(slug), pk)
    if not roles.may_in(request.user, found.project, Role.VIEWER):
        raise NotFound
    roles.check_in(request.user, found.project, role)
    return found


@staff_only
@require_safe
def sample(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One sample: the next failure to code, its table, and for admins the codes that differ.

    Nobody sees the code of the other person before both have given theirs.
    """
    found = _sample(request, slug, pk, Role.VIEWER)
    coder = staff_actor(request)
    may_code = roles.may_in(request.user, found.project, Role.REVIEWER)
    failure = next_to_code(found, coder) if may_code else None
    hold = f"episode:{failure.episode.external_id}" if failure and hasattr(failure.episode, "film") else ""
    ctx = {
        "section": "suites",
        "suite": found.suite,
        "tab": "failures",
        "sample": found,
        "table": table_of(found),
        "failure": failure,
        "video_url": video_address(hold, "video.mp4") if hold else "",
        "is_coder": coder in {found.first_coder, found.second_coder},
        "may_code": may_code,
        "may_decide": roles.may_in(request.user, found.project, Role.ADMIN),
    }
    return render(request, "staff/evaluation/suite_failure_sample.html", ctx)


@staff_only
@require_POST
def code_failure(request: HttpRequest, slug: str, pk: int, failure: int) -> HttpResponse:
    found = _sample(request, slug, pk, Role.REVIEWER)
    code(found, failure=failure, category=request.POST.get("category", ""), coder=staff_actor(request))
    return redirect("staff-suite-failures-sample", slug, pk)


@staff_only
@require_POST
def decide_failure(request: HttpRequest, slug: str, pk: int, failure: int) -> HttpResponse:
    found = _sample(request, slug, pk, Role.ADMIN)
    decide(found, failure=failure, category=request.POST.get("category", ""), by=staff_actor(request))
    return redirect("staff-suite-failures-sample", slug, pk)
