"""Workers, blocks of workers, and consent."""

import pytest
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from audit.models import AuditEvent
from jobs.models import Job
from lib.faults import Invalid
from tests.support.builders import NOON
from workforce import blocking, consent
from workforce.blocking import REWEIGH
from workforce.models import Consent, InformationPage, Worker


def test_a_worker_is_made_once(db: None) -> None:
    first = blocking.worker_on("direct", "ann", at=NOON)
    assert blocking.worker_on("direct", "ann", at=NOON) == first
    assert blocking.worker_on("prolific", "ann", at=NOON) != first
    assert len({worker.pseudonym for worker in Worker.objects.all()}) == 2


def test_blocking_and_unblocking_are_recorded_when_something_changed(alice: Worker) -> None:
    for reason in ("random", "again"):
        blocking.block(worker=alice, reason=reason, by="staff:dora", at=NOON)
    for _ in range(2):
        blocking.unblock(worker=alice, by="staff:dora", at=NOON)
    events = [(event.verb, event.reason, event.actor) for event in AuditEvent.objects.order_by("pk")]
    assert events == [("worker.blocked", "random", "staff:dora"), ("worker.unblocked", "", "staff:dora")]
    alice.refresh_from_db()
    assert (alice.status, alice.blocked_reason) == ("active", "")


def test_a_block_needs_a_reason_in_the_database_too(alice: Worker) -> None:
    for reason in ("", "  "):
        with pytest.raises(Invalid):
            blocking.block(worker=alice, reason=reason, by="staff:dora", at=NOON)
    with pytest.raises(IntegrityError), transaction.atomic():
        Worker.objects.filter(pk=alice.pk).update(status="blocked")


def test_one_text_is_one_page(db: None) -> None:
    page = consent.page_for("One.", at=NOON)
    assert consent.page_for("One.", at=NOON) == page
    assert consent.page_for("One. ", at=NOON) != page
    assert InformationPage.objects.count() == 2


def test_consent_stands_until_it_is_withdrawn(alice: Worker, bob: Worker) -> None:
    page, other = consent.page_for("One.", at=NOON), consent.page_for("Two.", at=NOON)
    assert not consent.has_agreed(alice, page)
    for _ in range(2):
        consent.agree(worker=alice, page=page, at=NOON)
    assert consent.has_agreed(alice, page)
    assert not consent.has_agreed(alice, other)
    assert not consent.has_agreed(bob, page)
    consent.withdraw(worker=alice, page=page, at=NOON)
    assert not consent.has_agreed(alice, page)
    consent.agree(worker=alice, page=page, at=NOON)
    assert consent.has_agreed(alice, page)
    assert Consent.objects.count() == 2, "both times are kept"


def test_every_change_of_the_weighting_asks_for_the_tasks_to_be_renewed_and_nothing_else_does(alice: Worker) -> None:
    def asked() -> list[str]:
        """The subjects of the jobs; as the job does, this lets the next change ask anew."""
        found = list(Job.objects.filter(kind=REWEIGH).values_list("subject", flat=True))
        Job.objects.all().delete()
        return found

    drop, keep = Worker.Weighting.NONE, Worker.Weighting.FULL
    blocking.block(worker=alice, reason="spam", by="staff:dora", at=NOON, weighting=keep)
    assert asked() == []
    for _ in range(2):
        blocking.block(worker=alice, reason="spam", by="staff:dora", at=NOON, weighting=drop)
    assert asked() == [str(alice.pk)]
    blocking.block(worker=alice, reason="spam", by="staff:dora", at=NOON, weighting=drop)
    blocking.block(worker=alice, reason="spam", by="staff:dora", at=NOON)
    assert asked() == []
    for _ in range(2):
        blocking.unblock(worker=alice, by="staff:dora", at=NOON)
    assert asked() == [str(alice.pk)]
    blocking.unblock(worker=alice, by="staff:dora", at=NOON)
    assert asked() == []
    events = AuditEvent.objects.filter(verb="worker.weighting").order_by("pk")
    assert [(event.reason, event.detail) for event in events] == [
        ("spam", {"weighting": "none", "before": {"weighting": "full"}, "after": {"weighting": "none"}}),
        ("", {"weighting": "full", "before": {"weighting": "none"}, "after": {"weighting": "full"}}),
    ]


def test_workers_are_found_by_name_and_made_where_they_are_new(
    alice: Worker, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    names = ["direct:alice", "panel:alice", *(f"panel:{number}" for number in range(50)), "panel:a:b"]
    with django_assert_max_num_queries(5):
        found = blocking.workers_on(names, at=NOON)
    assert set(found) == set(names)
    assert found["direct:alice"] == alice
    assert (found["panel:a:b"].platform, found["panel:a:b"].external_id) == ("panel", "a:b")
    assert blocking.workers_on(names, at=NOON) == found
    assert blocking.workers_on([], at=NOON) == {}
    assert Worker.objects.count() == len(names)
