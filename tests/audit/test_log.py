"""Audit events are only added: our code and the database refuse other changes, except for a redaction."""

import pytest
from django.db import DatabaseError, connection, models, transaction

from audit.chain import REDACTED, seal
from audit.log import Subject, record, redact
from audit.models import AppendOnly, AuditEvent
from tests.support.builders import NOON

pytestmark = pytest.mark.django_db


def an_event(worker: int = 7) -> AuditEvent:
    return record(
        verb="worker.blocked",
        actor="staff:dora",
        subject=Subject("worker", str(worker)),
        at=NOON,
        reason="ann@example.org answers at random",
        count=3,
    )


def past_the_guard() -> "models.QuerySet[AuditEvent]":
    """A query set without our own refusal, so that the database refuses."""
    return models.QuerySet(AuditEvent)


def test_an_act_is_stored_with_all_its_fields() -> None:
    an_event()
    kept = AuditEvent.objects.get()
    assert (kept.verb, kept.actor, kept.subject_kind, kept.subject) == ("worker.blocked", "staff:dora", "worker", "7")
    assert kept.detail == {"count": 3}


def test_our_code_refuses_to_change_or_delete() -> None:
    an_event()
    with pytest.raises(AppendOnly):
        AuditEvent.objects.update(reason="")
    with pytest.raises(AppendOnly):
        AuditEvent.objects.all().delete()


@pytest.mark.parametrize(
    "change",
    [
        {"reason": ""},
        {"actor": "staff:eve"},
        {"detail": {}},
        # A redaction that alters more.
        {"reason": "", "detail": {}, "salt": "", "redacted_at": NOON, "actor": "staff:eve"},
        {"reason": "", "detail": {}, "salt": "", "redacted_at": NOON, "texts_digest": ""},
        # Another place in the chain, and none.
        {"number": 2},
        {"number": None},
        {"digest": "0" * 64},
    ],
)
def test_the_database_refuses_a_change(change: dict[str, object]) -> None:
    an_event()
    seal()
    with pytest.raises(DatabaseError), transaction.atomic():
        past_the_guard().update(**change)
    assert AuditEvent.objects.get().actor == "staff:dora"


def test_the_database_refuses_a_deletion() -> None:
    an_event()
    with pytest.raises(DatabaseError), transaction.atomic():
        past_the_guard().delete()
    assert AuditEvent.objects.exists()


def test_the_database_refuses_to_empty_or_replace() -> None:
    pk = an_event().pk
    if connection.vendor == "postgresql":
        refused = "TRUNCATE audit_auditevent CASCADE"
    else:
        columns = "actor, verb, subject_kind, subject, project, reason, detail, salt, texts_digest, digest"
        refused = (
            f"INSERT OR REPLACE INTO audit_auditevent (id, at, {columns}) "
            f"SELECT id, at, {columns.replace('actor', chr(39) + 'staff:eve' + chr(39))} FROM audit_auditevent"
        )
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(refused)
    assert AuditEvent.objects.get(pk=pk).actor == "staff:dora"


def test_a_redaction_empties_the_texts_about_one_worker_and_is_recorded() -> None:
    an_event(7), an_event(8)
    assert redact(worker_id=7, at=NOON) == 1
    assert redact(worker_id=7, at=NOON) == 0
    emptied, other, redaction = AuditEvent.objects.order_by("pk")
    assert (emptied.reason, emptied.detail, emptied.verb) == ("", {}, "worker.blocked")
    assert other.reason
    assert other.detail
    assert (redaction.verb, redaction.detail) == (REDACTED, {"events": [emptied.pk]})
