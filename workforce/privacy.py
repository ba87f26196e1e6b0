"""Erasing a person, and exporting their data to them. Every app registers the personal data that it keeps (`Holdings`).

An erasure removes the person's names and words, and leaves the bare judgements and sums, which then belong to nobody.
It is requested at once and done by a job, because it reads whole tables.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from audit import log
from audit.models import AuditEvent
from common.data.values import opaque_id
from common.redaction import REMOVED, Mentions
from jobs.models import Job
from jobs.outbox import Running, enqueue
from workforce.blocking import subject_of
from workforce.models import PrivacyReport, Worker

ERASE = "workforce.erase"
ATTEMPTS = 10
"""The number of tries of the job: its last step waits for readers of the database to finish."""
SHORTEST_NAME = 3
"""A shorter external id is not searched for by itself in texts of others, because too many texts contain it."""
_CHECKPOINTS = 5


@dataclass(frozen=True)
class Person:
    """A worker who is to be erased.

    Attributes:
        mentions: Finds the names of the worker in texts.
    """

    worker: Worker
    mentions: Mentions


Eraser = Callable[[Person, datetime], Mapping[str, int]]
Export = Callable[[Worker], list[dict[str, Any]]]


class OldText(NamedTuple):
    """One kind of free text: the rows that were written before a time, and a function that removes their text and
    returns their number."""

    older: Callable[[datetime], "QuerySet[Any]"]
    remove: Callable[[datetime], int]


@dataclass(frozen=True)
class Holdings:
    """The personal data that one app keeps.

    Attributes:
        erase: Called once in the transaction of an erasure; returns the number of removed things by kind.
        on_erasure_requested: Called in the transaction of the request: ends the person's access.
        exports: The sections of a worker's copy of their data. An export leaves out what a worker must not know: which
            tasks were checks, truths, scores.
        old_texts: Kinds of free text that are removed when they are old.
        unseen: Those of the workers who did nothing in this app since a time.
    """

    erase: Eraser | None = None
    on_erasure_requested: Callable[[Worker, datetime], object] | None = None
    exports: Mapping[str, Export] = field(default_factory=dict)
    old_texts: Mapping[str, OldText] = field(default_factory=dict)
    unseen: Callable[["QuerySet[Worker]", datetime], "QuerySet[Worker]"] | None = None


_holdings: dict[str, Holdings] = {}


class StillRead(Exception):
    """The log of the embedded database cannot be emptied yet, because another process reads from it. The job tries
    again."""


def register(name: str, holdings: Holdings) -> None:
    """Register the personal data of an app, or of a part of it, from its `AppConfig.ready`."""
    _holdings[name] = holdings


def all_holdings() -> list[Holdings]:
    """The registered holdings, in the order of registration."""
    return list(_holdings.values())


def data_of(worker: Worker) -> dict[str, list[dict[str, Any]]]:
    """All data about a worker that the worker may know, by section."""
    return {section: export(worker) for one in all_holdings() for section, export in one.exports.items()}


def request_erasure(*, worker: Worker, by: str, at: datetime) -> PrivacyReport:
    """Request the worker's erasure; a repeated request returns the same report.

    Their links end at once. A job does the rest; the report's `finished_at` is set when nothing is left.
    """
    with transaction.atomic():
        locked = Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
        if locked.erasure is not None:
            return locked.erasure
        report = PrivacyReport.objects.create(
            kind=PrivacyReport.Kind.ERASURE, requested_by=by, requested_at=at, finished_at=None
        )
        Worker.objects.filter(pk=locked.pk).update(erasure=report)
        log.record(verb="worker.erasure_requested", actor=by, subject=subject_of(locked), at=at)
        for one in all_holdings():
            if one.on_erasure_requested is not None:
                one.on_erasure_requested(locked, at)
        enqueue(ERASE, str(locked.pk), unique_key=f"{ERASE}:{locked.pk}", max_attempts=ATTEMPTS)
    return report


def erase_worker(running: Running) -> None:
    """Job handler: erase the worker named by the subject. It goes on where it stopped, and skips an erased worker."""
    worker = Worker.objects.filter(pk=running.subject).exclude(erasure=None).first()
    if worker is None:
        return
    if worker.erased_at is None:
        person = person_of(worker)
        # The slow part first and without a lock: texts about them, anywhere in the log.
        mentioned = log.redact_mentions(mentions=person.mentions, at=timezone.now())
        running.report(0.5)
        _erase(person, mentioned=mentioned, at=timezone.now())
    empty_log()
    PrivacyReport.objects.filter(pk__in=_report_of(worker), finished_at=None).update(finished_at=timezone.now())


def _report_of(worker: Worker) -> QuerySet[Worker, int | None]:
    return Worker.objects.filter(pk=worker.pk).values_list("erasure", flat=True)


def person_of(worker: Worker) -> Person:
    """The worker with the names that must be looked for."""
    names = [worker.identity, worker.pseudonym]
    if len(worker.external_id) >= SHORTEST_NAME:
        names.append(worker.external_id)
    return Person(worker, Mentions(names))


def _erase(person: Person, *, mentioned: int, at: datetime) -> None:
    """Remove everything in one transaction."""
    removed: Counter[str] = Counter(audit_texts=mentioned)
    with transaction.atomic():
        worker = Worker.objects.select_for_update(no_key=True).get(pk=person.worker.pk)
        if worker.erased_at is not None:
            return
        for one in all_holdings():
            if one.erase is not None:
                removed.update(one.erase(person, at))
        removed.update(_erase_here(person, at))
        is_blocked = worker.status == Worker.Status.BLOCKED
        Worker.objects.filter(pk=worker.pk).update(
            external_id=f"erased-{opaque_id()}",
            pseudonym=opaque_id(),
            blocked_reason="erased" if is_blocked else "",
            erased_at=at,
        )
        log.record(verb="worker.erased", actor="system", subject=subject_of(worker), at=at)
        counts = {kind: number for kind, number in sorted(removed.items()) if number}
        PrivacyReport.objects.filter(pk__in=_report_of(worker)).update(removed={"identities": 1, **counts})


def _erase_here(person: Person, at: datetime) -> dict[str, int]:
    """Erase what this app and those below it keep: consents, answers in quizzes, the log, errors of jobs."""
    worker = person.worker
    return {
        "consents": worker.consents.all().delete()[0],
        "quiz_answers": worker.attempts.filter(answers__isnull=False).update(answers=None),
        "audit_texts": log.redact(worker_id=worker.pk, at=at),
        "job_errors": _clean_jobs(person.mentions),
        "ledger_notes": worker.ledger.exclude(note="").update(note=REMOVED),
    }


def _clean_jobs(mentions: Mentions) -> int:
    """Take the names out of the errors of jobs; return the number of changed jobs."""
    named = Q()
    for word in mentions.words:
        named |= Q(error__icontains=word)
    found = [job for job in Job.objects.filter(named) if mentions.within(job.error)]
    for job in found:
        Job.objects.filter(pk=job.pk).update(error=mentions.without(job.error))
    return len(found)


def empty_log() -> None:
    """Write SQLite's log into the database and empty it, because it holds earlier states of the pages.

    Free pages are overwritten by `PRAGMA secure_delete`. PostgreSQL's old rows go with its next VACUUM.

    Raises:
        StillRead: a reader still needs an earlier state.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    for _ in range(_CHECKPOINTS):
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            busy, *_ = cursor.fetchone()
        if not busy:
            return
        time.sleep(0.2)
    raise StillRead


def export_identity(worker: Worker) -> list[dict[str, Any]]:
    """The identity. Not the pseudonym of the exports: together with those it would show which tasks were checks."""
    known = {
        "platform": worker.platform,
        "external_id": worker.external_id,
        "status": worker.status,
        "here_since": worker.created_at,
    }
    return [known | {"blocked_reason": worker.blocked_reason} if worker.blocked_reason else known]


def export_consents(worker: Worker) -> list[dict[str, Any]]:
    """The information pages that the worker agreed to."""
    rows = worker.consents.select_related("page").order_by("given_at", "pk")
    return [
        {
            "given_at": consent.given_at,
            "withdrawn_at": consent.withdrawn_at,
            "text": consent.page.text,
            "notes": consent.page.notes,
        }
        for consent in rows
    ]


def export_attempts(worker: Worker) -> list[dict[str, Any]]:
    """The worker's attempts at quizzes with answers and results, but not which answers are right."""
    rows = worker.attempts.select_related("qualification").order_by("started_at", "pk")
    return [
        {
            "qualification": attempt.qualification.title,
            "started_at": attempt.started_at,
            "finished_at": attempt.finished_at,
            "answers": attempt.answers,
            "passed": attempt.passed,
            "score": attempt.score,
        }
        for attempt in rows
    ]


def export_grants(worker: Worker) -> list[dict[str, Any]]:
    """The qualifications that the worker holds or held."""
    rows = worker.grants.select_related("qualification").order_by("granted_at", "pk")
    return [
        {
            "qualification": grant.qualification.title,
            "granted_at": grant.granted_at,
            "expires_at": grant.expires_at,
            "revoked_at": grant.revoked_at,
        }
        for grant in rows
    ]


def export_ledger(worker: Worker) -> list[dict[str, Any]]:
    """The worker's ledger; `for` names annotations by the ids that stand in the section of answers."""
    return [
        {
            "at": entry.at,
            "kind": entry.kind,
            "amount": str(entry.amount),
            "currency": entry.currency,
            "for": entry.reason,
            "state": entry.state,
            "why": entry.note,
        }
        for entry in worker.ledger.order_by("at", "pk")
    ]


def export_events(worker: Worker) -> list[dict[str, Any]]:
    """Events of the audit log by and about the worker, without names of staff and details (these may show checks)."""
    theirs = Q(actor=f"worker:{worker.pk}") | Q(subject_kind="worker", subject=str(worker.pk))
    rows = AuditEvent.objects.filter(theirs).order_by("at", "pk")
    return [{"at": event.at, "what": event.verb, "project": event.project, "reason": event.reason} for event in rows]
