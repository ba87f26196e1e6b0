"""The worker's page of agreements and stored data, and the pictures of instructions."""

import json
from datetime import datetime
from typing import Any

from django.core.files.storage import default_storage
from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Enrolment
from annotation.offer.information_page import notes_of
from annotation.offer.instruction_pictures import picture_named
from common.markdown import render_markdown
from lib.faults import NotFound
from web.http.byte_ranges import serve_file
from web.work.visitors import worker_page
from workforce.consent import current_consent, withdraw
from workforce.models import Worker
from workforce.privacy import data_of

Rows = list[dict[str, Any]]
A_YEAR_S = 365 * 24 * 3600
LEFT_OUT = [
    "Which of your tasks were checks, their right answers, and how yours compare with them or with other people's: "
    "with that, checks would check nothing.",
    "The random name that stands for you in exports: beside the exported data it would tell the same.",
    "The right answers of quizzes.",
]
"""The data that is left out, as the page and the file list it."""
SECTIONS = {
    "identity": "Who you are here",
    "consents": "What you agreed to",
    "projects": "Where you work",
    "assignments": "Tasks that you held",
    "answers": "Your answers",
    "decisions": "What was decided on your answers",
    "warnings_and_pauses": "Warnings and pauses",
    "quizzes": "Quizzes",
    "qualifications": "Qualifications",
    "money": "What you earned",
    "events": "What was noted",
}
"""The titles of sections on the page, by their keys in the file.

A section without a title here is shown under its key.
"""
ABOUT = {
    "identity": "Where you came from, the name that you have there, and since when you are here.",
    "consents": "Each page that you agreed to, when you did, and when you took it back.",
    "projects": "Each project that you were let into, how much you did there and what you earned.",
    "assignments": "Each task that you took: when, and how it ended.",
    "answers": "Each answer that you gave, when, and how long you were at work on it.",
    "decisions": "What people decided on your answers, and why.",
    "warnings_and_pauses": "When your work was paused or you got a warning, what you wrote back, and what came of it.",
    "quizzes": "Each quiz that you took, your answers and your score.",
    "qualifications": "Each quiz that you passed, and how long that holds.",
    "money": "Each amount that you are owed or were paid, and for what.",
    "events": "What happened around you here, such as a new link or an agreement.",
    "sessions": "Each time that you worked with an agent live.",
    "commands": "What you asked an agent to do.",
    "error_reports": "What you said that an agent did wrong.",
}
"""A sentence on each section, by its key in the file."""
COLUMNS = {
    "external_id": "your name there",
    "claimed_at": "taken",
    "closed_at": "ended",
    "submitted_at": "handed in",
    "lease_expires_at": "yours until",
    "active_s": "seconds at work",
    "given_at": "agreed",
    "withdrawn_at": "taken back",
    "granted_at": "passed",
    "expires_at": "holds until",
    "revoked_at": "taken away",
    "started_at": "begun",
    "finished_at": "finished",
    "at": "when",
    "for": "for what",
    "annotation": "answer's number",
    "assignment": "task's number",
}
"""The heads of columns in a person's words, by their names in the file; other names stand as they are."""
MOST_ROWS = 50
"""The number of rows of a section on the page, the newest ones. The file has all rows."""


@require_safe
@worker_page
def privacy(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """The worker's agreements with their dates, and the button to withdraw."""
    return render(request, "work/privacy.html", _privacy_context(enrolment))


def _privacy_context(enrolment: Enrolment) -> dict[str, Any]:
    project, worker = enrolment.project, enrolment.worker
    page = project.consent_page
    standing = current_consent(worker, page) if page else None
    earlier = worker.consents.select_related("page")
    if standing:
        earlier = earlier.exclude(pk=standing.pk)
    return {
        "project_title": project.title,
        "project_slug": project.slug,
        "asks": page is not None,
        "standing": standing,
        "text": render_markdown(page.text) if page else "",
        "notes": render_markdown((page.notes if page else "") or notes_of(project)),
        "earlier": earlier.order_by("-given_at", "-pk")[:MOST_ROWS],
    }


@require_POST
@worker_page
def withdraw_consent(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """Withdraw the worker's agreement. The next task asks for it again."""
    if enrolment.project.consent_page:
        withdraw(worker=enrolment.worker, page=enrolment.project.consent_page, at=timezone.now())
    ctx = {
        "title": "✓ You took your agreement back",
        "text": "You get no more tasks here. What you did stays, and stays paid. You can close this page, or agree "
        "again whenever you like.",
        "action": {"url": reverse("work", args=[enrolment.project.slug]), "label": "Read the information page again"},
    }
    return render(request, "work/message.html", ctx)


@require_safe
@worker_page
def my_data(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """All data that is stored about the worker, as a page."""
    stored = _in_order(data_of(enrolment.worker))
    ctx = {
        "project_title": enrolment.project.title,
        "project_slug": enrolment.project.slug,
        "sections": [_section(name, rows) for name, rows in stored.items()],
        "most": MOST_ROWS,
        "left_out": LEFT_OUT,
    }
    return render(request, "work/my_data.html", ctx)


def _section(name: str, rows: Rows) -> dict[str, Any]:
    shown = rows[-MOST_ROWS:]
    return {
        "name": SECTIONS.get(name, name.replace("_", " ").capitalize()),
        "about": ABOUT.get(name, ""),
        "count": len(rows),
        "columns": [COLUMNS.get(column, column.replace("_", " ")) for column in shown[0]] if shown else [],
        "rows": [[_words(value) for value in row.values()] for row in shown],
    }


def _words(value: object) -> str:
    """One value as text for the page."""
    if value is None or value == "":
        return "–"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if isinstance(value, dict) and set(value) == {"amount", "currency"}:
        return f"{value['amount']} {value['currency']}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_words(part)}" for name, part in value.items())
    return value if isinstance(value, str) else json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


@require_safe
@worker_page
def download(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """All data that is stored about the worker, as a file."""
    return data_file(enrolment.worker)


def data_file(worker: Worker) -> HttpResponse:
    """All data that is stored about a worker, as a JSON file."""
    content = json.dumps(data_document(worker), cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
    response = HttpResponse(content, content_type="application/json")
    # The file's name contains no name of a person: the file may lie in a shared folder for a long time.
    response["Content-Disposition"] = 'attachment; filename="my-data.json"'
    return response


def data_document(worker: Worker) -> dict[str, Any]:
    """The document for the worker: every section, and a list of what is left out."""
    return {"made_at": timezone.now(), "left_out": LEFT_OUT, **_in_order(data_of(worker))}


def _in_order(stored: dict[str, Rows]) -> dict[str, Rows]:
    """The sections in order: identity first, sections of other apps last."""
    return {**{name: stored[name] for name in SECTIONS if name in stored}, **stored}


@require_safe
def picture(request: HttpRequest, digest: str) -> HttpResponseBase:
    """A picture of instructions. Its address names its content, so browsers may cache it without limit."""
    try:
        found = picture_named(digest)
    except NotFound as error:
        raise Http404 from error
    response = serve_file(request, default_storage, found.file, content_type=found.content_type, etag=digest)
    response["Cache-Control"] = f"public, max-age={A_YEAR_S}, immutable"
    return response
