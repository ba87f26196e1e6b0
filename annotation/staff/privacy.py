"""Privacy for staff: what goes tonight, what was erased, free text that names somebody, one worker's data."""

from collections.abc import Mapping

from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import flagged_texts, roles
from annotation.doors.privacy import data_file
from annotation.models import FlaggedText
from annotation.roles import Role
from common.errors import Forbidden, Invalid, NotFound
from common.staff import paged, staff_actor, staff_only
from workforce import retention
from workforce.models import PrivacyReport, Worker
from workforce.privacy import request_erasure


@staff_only
@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """The retention, what its next run takes away, and the reports of what went."""
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
    return render(request, "staff/privacy.html", ctx)


def _words(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Counts of a report, each under words for people."""
    return [(kind.replace("_", " "), number) for kind, number in counts.items()]


@staff_only
@require_safe
def texts(request: HttpRequest) -> HttpResponse:
    """Free text in which something looks like personal data."""
    page = paged(request, _waiting(request), size=20)
    ctx = {
        "section": "privacy" if roles.may_everywhere(request.user, Role.ADMIN) else "review",
        "page": page,
        "rows": [(flagged, flagged_texts.worker_behind(flagged), flagged_texts.pieces(flagged)) for flagged in page],
    }
    return render(request, "staff/flagged_texts.html", ctx)


@staff_only
@require_POST
def decide_text(request: HttpRequest, pk: int) -> HttpResponse:
    """Take what was found out of the text, or let it stand."""
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
        Forbidden: it is no reviewer anywhere.
    """
    if not roles.may_somewhere(request.user, Role.REVIEWER):
        raise Forbidden(roles.NEEDS[Role.REVIEWER])
    return flagged_texts.flagged_for(
        roles.projects_for(request.user, Role.REVIEWER), with_quizzes=roles.may_everywhere(request.user, Role.REVIEWER)
    ).filter(decided_at=None)


def _flagged(request: HttpRequest, pk: int) -> FlaggedText:
    """The text, decided or not, for a reviewer of its project.

    Raises:
        NotFound: there is none, or the account has no role where it was written.
        Forbidden: it may look, but not decide.
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
    """One worker's data: taking it out, and erasing them."""
    return _worker_page(request, _worker(request, pk))


def _worker(request: HttpRequest, pk: int) -> Worker:
    """The worker, for an admin of every project: an erasure reaches into all of them."""
    roles.check_everywhere(request.user, Role.ADMIN)
    return roles.worker_for(request.user, pk, Role.ADMIN)


def _worker_page(request: HttpRequest, worker: Worker, *, error: str = "") -> HttpResponse:
    ctx = {
        "section": "workers",
        "worker": worker,
        "report": worker.erasure,
        "consents": worker.consents.select_related("page").order_by("-given_at", "-pk")[:20],
        "owed": worker.ledger.exists(),
        "error": error,
    }
    return render(request, "staff/worker_privacy.html", ctx, status=422 if error else 200)


@staff_only
@require_safe
def worker_data(request: HttpRequest, pk: int) -> HttpResponse:
    """All that is stored about the worker, to be sent to them."""
    return data_file(_worker(request, pk))


@staff_only
@require_POST
def erase_worker(request: HttpRequest, pk: int) -> HttpResponse:
    """Erase the worker, once the account has typed who."""
    worker = _worker(request, pk)
    if request.POST.get("confirm", "").strip() != worker.identity:
        return _worker_page(request, worker, error=f"Type {worker.identity} exactly as it stands here.")
    report = request_erasure(worker=worker, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"✓ The erasure has begun. Report {report.pk} below tells when nothing is left.")
    return redirect("staff-privacy")
