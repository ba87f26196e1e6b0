"""Privacy pages of staff: retention, erasures, texts with personal data, and the data of one worker."""

from collections.abc import Mapping

from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import flagged_texts
from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import FlaggedText
from lib.faults import Forbidden, Invalid, NotFound
from web.http.exports import record_export
from web.staff.decorators import paged, staff_actor, staff_only
from web.work.privacy import data_file
from workforce import retention
from workforce.blocking import subject_of
from workforce.ledger import unpaid
from workforce.models import PrivacyReport, Worker
from workforce.privacy import request_erasure


@staff_only
@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """The retention periods, the data that the next run will delete, and reports of past runs."""
    roles.check_everywhere(request.user, Role.ADMIN)
    at = timezone.now()
    page = paged(request, PrivacyReport.objects.order_by("-pk"))
    ctx = {
        "section": "privacy",
        "text_days": settings.RETENTION_TEXT_DAYS,
        "identity_days": settings.RETENTION_IDENTITY_DAYS,
        "contact": settings.CONTACT,
        "tonight": _words(retention.preview(at=at)),
        "waiting": _waiting(request).count(),
        "page": page,
        "reports": [(report, _words(report.removed)) for report in page],
    }
    return render(request, "staff/workers/privacy.html", ctx)


def _words(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The counts of a report, with their names in words."""
    return [(kind.replace("_", " "), number) for kind, number in counts.items()]


@staff_only
@require_safe
def texts(request: HttpRequest) -> HttpResponse:
    """Texts of workers that may contain personal data."""
    page = paged(request, _waiting(request), size=20)
    ctx = {
        "section": "privacy" if roles.may_everywhere(request.user, Role.ADMIN) else "review",
        "page": page,
        "rows": [(flagged, flagged_texts.author_of(flagged), flagged_texts.pieces(flagged)) for flagged in page],
    }
    return render(request, "staff/workers/flagged_texts.html", ctx)


@staff_only
@require_POST
def decide_text(request: HttpRequest, pk: int) -> HttpResponse:
    """Redact a text, or keep it."""
    flagged = _flagged(request, pk)
    by, at = staff_actor(request), timezone.now()
    match request.POST.get("act"):
        case "redact":
            flagged_texts.redact_text(flagged=flagged, by=by, at=at)
            messages.success(request, "✓ Taken out of the text.")
        case "dismiss":
            flagged_texts.dismiss_text(flagged=flagged, by=by, at=at)
            messages.success(request, "✓ The text stays as it is.")
        case _:
            raise Invalid("A text can be redacted or let stand.")
    return redirect("staff-flagged-texts")


def _waiting(request: HttpRequest) -> QuerySet[FlaggedText]:
    """The texts that the account may decide on.

    Raises:
        Forbidden: the account is a reviewer of no project.
    """
    if not roles.may_somewhere(request.user, Role.REVIEWER):
        raise Forbidden(roles.NEEDS[Role.REVIEWER])
    return flagged_texts.flagged_for(
        roles.projects_for(request.user, Role.REVIEWER), with_quizzes=roles.may_everywhere(request.user, Role.REVIEWER)
    ).filter(decided_at=None)


def _flagged(request: HttpRequest, pk: int) -> FlaggedText:
    """The text, decided or not, for a reviewer of its project.

    Raises:
        NotFound: there is no such text, or the account has no role in its project.
        Forbidden: the account may see the text, but not decide on it.
    """
    visible = flagged_texts.flagged_for(
        roles.projects_for(request.user), with_quizzes=roles.may_everywhere(request.user, Role.VIEWER)
    )
    found = visible.filter(pk=pk).first()
    if found is None:
        raise NotFound
    if found.project is None:
        roles.check_everywhere(request.user, Role.REVIEWER)
    else:
        roles.check_in(request.user, found.project, Role.REVIEWER)
    return found


@staff_only
@require_safe
def worker_privacy(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of one worker's data, with export and erasure."""
    return _worker_page(request, _worker(request, pk))


def _worker(request: HttpRequest, pk: int) -> Worker:
    """The worker, for an admin of every project: an erasure changes data of all projects."""
    roles.check_everywhere(request.user, Role.ADMIN)
    return roles.worker_for(request.user, pk, Role.ADMIN)


def _worker_page(request: HttpRequest, worker: Worker, *, error: str = "") -> HttpResponse:
    ctx = {
        "section": "workers",
        "worker": worker,
        "report": worker.erasure,
        "consents": worker.consents.select_related("page").order_by("-given_at", "-pk")[:20],
        "owed": unpaid(worker),
        "error": error,
    }
    return render(request, "staff/workers/worker_privacy.html", ctx, status=422 if error else 200)


@staff_only
@require_safe
def worker_data(request: HttpRequest, pk: int) -> HttpResponse:
    """All data that is stored about the worker, as a file that can be sent to the worker."""
    worker = _worker(request, pk)
    record_export(request, what=subject_of(worker), by=staff_actor(request), with_identity=True)
    return data_file(worker)


@staff_only
@require_POST
def erase_worker(request: HttpRequest, pk: int) -> HttpResponse:
    """Erase the worker, if the account has typed the worker's name."""
    worker = _worker(request, pk)
    if request.POST.get("confirm", "").strip() != worker.identity:
        return _worker_page(request, worker, error=f"Type {worker.identity} exactly as it stands here.")
    report = request_erasure(worker=worker, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"✓ The erasure has begun. Report {report.pk} below tells when nothing is left.")
    return redirect("staff-privacy")
