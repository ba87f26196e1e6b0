"""Information pages in versions, and workers' consent to them."""

from datetime import datetime

from django.db import IntegrityError, transaction

from audit.changes import changes
from audit.log import record
from lib.canonical_json import digest
from workforce.blocking import subject_of
from workforce.models import Consent, InformationPage, Worker


def page_for(text: str, *, at: datetime, notes: str = "") -> InformationPage:
    """The information page with exactly this text, and these notes of the server below it; created if new."""
    page, _ = InformationPage.objects.get_or_create(
        digest=digest([text, notes] if notes else text), defaults={"text": text, "notes": notes, "created_at": at}
    )
    return page


def has_agreed(worker: Worker, page: InformationPage) -> bool:
    """True if the worker has agreed to this page and not withdrawn. 1 query."""
    return Consent.objects.current().filter(worker=worker, page=page).exists()


def current_consent(worker: Worker, page: InformationPage) -> Consent | None:
    """The worker's consent to this page, unless withdrawn. 1 query."""
    return Consent.objects.current().filter(worker=worker, page=page).first()


def agree(*, worker: Worker, page: InformationPage, at: datetime) -> None:
    """Store the worker's consent; a repeat changes nothing."""
    try:
        with transaction.atomic():
            Consent.objects.create(worker=worker, page=page, given_at=at)
            _note("consent.given", worker, page, agreed=True, at=at)
    except IntegrityError:
        return


def withdraw(*, worker: Worker, page: InformationPage, at: datetime) -> None:
    """Withdraw the consent; earlier work stays handed in and paid."""
    with transaction.atomic():
        if Consent.objects.current().filter(worker=worker, page=page).update(withdrawn_at=at):
            _note("consent.withdrawn", worker, page, agreed=False, at=at)


def _note(verb: str, worker: Worker, page: InformationPage, *, agreed: bool, at: datetime) -> None:
    changed = changes({"agreed": not agreed}, {"agreed": agreed})
    record(verb=verb, actor=f"worker:{worker.pk}", subject=subject_of(worker), at=at, page=page.pk, **changed)
