"""Quizzes: made and edited. For admins of all projects, since a quiz may stand before several."""

import re
from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from annotation.tool_registry import Json
from common.serializers import read
from lib.faults import Conflict, Fault, Invalid
from lib.name_patterns import SLUG
from web.api.qualifications import QualificationBodySerializer, show_qualification
from web.staff.decorators import staff_actor, staff_only
from web.staff.setup.api_call import body_in, put_call
from web.staff.setup.edits_of_others import saved_in_turn
from web.staff.setup.fields import Field, Shown, highest_row
from web.staff.setup.records import record_page
from web.staff.setup.records.quiz_fields import NEW_QUIZ, RULES, as_form, from_form, page_fields, question_fields
from web.staff.setup.records.record_page import Crumb, Record, slug_in
from workforce.models import Qualification
from workforce.qualifications import QualificationBody, put_qualification, qualification_named

TEMPLATE = "staff/setup/records/qualification.html"


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def new_qualification(request: HttpRequest) -> HttpResponse:
    """An empty form, and making a quiz with it."""
    roles.check_everywhere(request.user, Role.ADMIN)
    fields = _fields(request, NEW_QUIZ)

    def save(typed: Json) -> str:
        slug = slug_in(typed, of="title", otherwise="quiz")
        if Qualification.objects.filter(slug=slug).exists():
            raise Conflict(faults=[Fault("#/slug", "There is a quiz of this name already. Choose another.")])
        return _put(request, slug, typed)

    record = Record(
        "qualifications",
        "A new quiz",
        [Crumb("Qualifications", reverse("staff-qualifications"))],
        [record_page.SLUG, *fields],
        as_form(NEW_QUIZ),
        about="Save it to get room for more questions and pages.",
        template=TEMPLATE,
    )
    return record_page.answer(request, record, save, draw=_in_rows)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
@saved_in_turn(lambda slug: Qualification.objects.filter(slug=slug))
def edit_qualification(request: HttpRequest, slug: str) -> HttpResponse:
    """The pages, questions and rules of a quiz."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = qualification_named(slug)
    body = body_in(show_qualification(found), QualificationBodySerializer)
    record = Record(
        "qualifications",
        f"Edit {found.title}",
        [
            Crumb("Qualifications", reverse("staff-qualifications")),
            Crumb(found.title, reverse("staff-qualification", args=[slug])),
        ],
        _fields(request, body),
        as_form(body),
        call=put_call(request, f"qualifications/{slug}/", body),
        about="Who has begun the quiz goes on with the questions as they were. Who passed it, has passed it.",
        template=TEMPLATE,
    )
    return record_page.answer(request, record, lambda typed: _put(request, slug, typed), draw=_in_rows)


def _fields(request: HttpRequest, body: Json) -> list[Field]:
    """The fields for what is stored, and for what a posted form has beside it."""
    pages = max(len(body["pages"]), highest_row(request.POST, "pages"))
    questions = max(len(body["questions"]), highest_row(request.POST, "questions"))
    return [*RULES, *page_fields(pages), *(field for row in question_fields(questions) for field in row)]


def _put(request: HttpRequest, slug: str, typed: Json) -> str:
    if not re.fullmatch(SLUG, slug):
        raise Invalid.at("#/slug", "Use small letters, digits, - and _ only; 63 at most.")
    body = QualificationBody(**read(QualificationBodySerializer, from_form(typed)))  # type: ignore[typeddict-item]
    put_qualification(slug=slug, body=body, by=staff_actor(request), at=timezone.now())
    return reverse("staff-qualification", args=[slug])


def _in_rows(drawn: Sequence[Shown]) -> Json:
    """The fields as the page groups them: rules, pages, and a row for each question."""
    rows: dict[str, list[Shown]] = {}
    for one in drawn:
        if one.field.path.startswith("questions/"):
            rows.setdefault(one.field.path.split("/")[1], []).append(one)
    return {
        "rules": [one for one in drawn if not one.field.path.startswith(("pages/", "questions/"))],
        "pages": [one for one in drawn if one.field.path.startswith("pages/")],
        "questions": list(rows.values()),
    }
