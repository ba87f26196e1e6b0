"""Information pages in versions, and workers' consent to them."""

from datetime import datetime

from django.db import IntegrityError, transaction

from common.values import digest
from workforce.models import Consent, InformationPage, Worker


def page_for(text: str, *, at: datetime) -> InformationPage:
    """The information page with exactly this text, made if it is new."""
    page, _ = InformationPage.objects.get_or_create(digest=digest(text), defaults={"text": text, "created_at": at})
    return page


def has_agreed(worker: Worker, page: InformationPage) -> bool:
    """Whether the worker's yes to this page stands. 1 query."""
    return Consent.objects.standing().filter(worker=worker, page=page).exists()


def agree(*, worker: Worker, page: InformationPage, at: datetime) -> None:
    """Note the worker's yes; a repeat changes nothing."""
    try:
        with transaction.atomic():
            Consent.objects.create(worker=worker, page=page, given_at=at)
    except IntegrityError:
        return


def withdraw(*, worker: Worker, page: InformationPage, at: datetime) -> None:
    """Take the yes back; work done stays done and paid."""
    Consent.objects.standing().filter(worker=worker, page=page).update(withdrawn_at=at)
