"""Erasing a person, and telling them what is stored: what every app above keeps of workers is asked through a registry.

An erasure takes away who somebody was and what they wrote, and leaves the bare judgements and sums, which then belong
to nobody. It is asked for at once and done by a job, for it reads whole tables.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from audit import log
from audit.models import AuditEvent
from common.mentions import REMOVED, Mentions
from common.values import opaque_id
from jobs.models import Job
from jobs.outbox import Running, enqueue
from workforce.models import Attempt, PrivacyReport, Worker
from workforce.standing import subject_of

ERASE = "workforce.erase"
ATTEMPTS = 10
"""How often the job is tried: its last step waits for readers of the database to finish."""
SHORTEST_NAME = 3
"""A shorter external id is not looked for by itself in what others wrote: it would be found everywhere."""
_CHECKPOINTS = 5


@dataclass(frozen=True)
class Person:
    """Whoever is to be forgotten, as what must be erased may name them.

    `digests` are SHA-256 of their secrets (tokens), for answers that were kept with a secret in them.
    """

    worker: Worker
    mentions: Mentions
    digests: frozenset[str]


Eraser = Callable[[Person, datetime], Mapping[str, int]]
Teller = Callable[[Worker], list[dict[str, Any]]]
_shutters: dict[str, Callable[[Worker, datetime], object]] = {}
_digests: dict[str, Callable[[Worker], set[str]]] = {}
_erasers: dict[str, Eraser] = {}
_tellers: dict[str, Teller] = {}
_readers: list[Callable[[Attempt, datetime], object]] = []


class StillRead(Exception):
    """The log of the embedded database cannot be emptied yet: somebody reads from it. The job tries again."""


def register_eraser(
    name: str,
    eraser: Eraser,
    *,
    shut: Callable[[Worker, datetime], object] | None = None,
    digests: Callable[[Worker], set[str]] | None = None,
) -> None:
    """Say what is to be taken away when a person is erased, from an `AppConfig.ready`.

    Args:
        eraser: Called once in the transaction of the erasure; how many of each kind of thing it removed.
        shut: Called at the request already: ends what lets the person in.
        digests: SHA-256 of the person's secrets, asked before anything is erased.
    """
    _erasers[name] = eraser
    if shut is not None:
        _shutters[name] = shut
    if digests is not None:
        _digests[name] = digests


def register_teller(section: str, teller: Teller) -> None:
    """Say what is stored about a worker, as a section of their copy, from an `AppConfig.ready`.

    What a worker must not know (which tasks were checks, truths, scores) is left out by the teller.
    """
    _tellers[section] = teller


def register_reader(reader: Callable[[Attempt, datetime], object]) -> None:
    """Who looks for personal data in the text answers of a quiz, from an `AppConfig.ready`."""
    _readers[:] = [reader]


def answers_kept(attempt: Attempt, *, at: datetime) -> None:
    """Have the text answers of a finished attempt looked at; call in the transaction that keeps them."""
    for read in _readers:
        read(attempt, at)


def data_of(worker: Worker) -> dict[str, list[dict[str, Any]]]:
    """All that is stored about a worker and may be told them, by section."""
    return {section: teller(worker) for section, teller in _tellers.items()}


def request_erasure(*, worker: Worker, by: str, at: datetime) -> PrivacyReport:
    """Ask for the worker's erasure; the same report again for one that was asked for before.

    Their links end at once; the rest is a job's, and the report's `finished_at` tells when nothing is left.
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
        for shut in _shutters.values():
            shut(locked, at)
        enqueue(ERASE, str(locked.pk), unique_key=f"{ERASE}:{locked.pk}", max_attempts=ATTEMPTS)
    return report


def erase_worker(running: Running) -> None:
    """Job handler; begins again where it stopped, and does nothing for a person who is gone."""
    worker = Worker.objects.filter(pk=running.subject).exclude(erasure=None).first()
    if worker is None:
        return
    if worker.erased_at is None:
        person = person_of(worker)
        # The slow part first and without a lock: whoever wrote about them, anywhere in the log.
        mentioned = log.redact_mentions(mentions=person.mentions, at=timezone.now())
        running.report(0.5)
        _erase(person, mentioned=mentioned, at=timezone.now())
    empty_log()
    PrivacyReport.objects.filter(pk__in=_report_of(worker), finished_at=None).update(finished_at=timezone.now())


def _report_of(worker: Worker) -> QuerySet[Worker, int | None]:
    return Worker.objects.filter(pk=worker.pk).values_list("erasure", flat=True)


def person_of(worker: Worker) -> Person:
    """What to look for."""
    names = [worker.identity, worker.pseudonym]
    if len(worker.external_id) >= SHORTEST_NAME:
        names.append(worker.external_id)
    digests = {digest for digests_of in _digests.values() for digest in digests_of(worker)}
    return Person(worker, Mentions(names), frozenset(digests))


def _erase(person: Person, *, mentioned: int, at: datetime) -> None:
    """Take everything away in one transaction."""
    removed: Counter[str] = Counter(audit_texts=mentioned)
    with transaction.atomic():
        worker = Worker.objects.select_for_update(no_key=True).get(pk=person.worker.pk)
        if worker.erased_at is not None:
            return
        for eraser in (*_erasers.values(), _erase_here):
            removed.update(eraser(person, at))
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
    """What this app and those below it keep: consents, answers in quizzes, the log, errors of jobs."""
    worker = person.worker
    return {
        "consents": worker.consents.all().delete()[0],
        "quiz_answers": worker.attempts.filter(answers__isnull=False).update(answers=None),
        "audit_texts": log.redact(worker_id=worker.pk, at=at),
        "job_errors": _clean_jobs(person.mentions),
        "ledger_notes": worker.ledger.exclude(note="").update(note=REMOVED),
    }


def _clean_jobs(mentions: Mentions) -> int:
    named = Q()
    for word in mentions.words:
        named |= Q(error__icontains=word)
    found = [job for job in Job.objects.filter(named) if mentions.within(job.error)]
    for job in found:
        Job.objects.filter(pk=job.pk).update(error=mentions.without(job.error))
    return len(found)


def empty_log() -> None:
    """Write SQLite's log into the database and empty it, for it holds pages as they were before.

    Free pages are overwritten by `PRAGMA secure_delete`. PostgreSQL's old rows go with its next VACUUM.

    Raises:
        StillRead: somebody is still reading an older state.
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


def tell_identity(worker: Worker) -> list[dict[str, Any]]:
    """Who they are to us. Not the random name of the exports: beside those it would tell which tasks were checks."""
    told = {
        "platform": worker.platform,
        "external_id": worker.external_id,
        "status": worker.status,
        "here_since": worker.created_at,
    }
    return [told | {"blocked_reason": worker.blocked_reason} if worker.blocked_reason else told]


def tell_consents(worker: Worker) -> list[dict[str, Any]]:
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


def tell_attempts(worker: Worker) -> list[dict[str, Any]]:
    """Their tries at quizzes: what they answered and how it ended, not which answers are right."""
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


def tell_grants(worker: Worker) -> list[dict[str, Any]]:
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


def tell_ledger(worker: Worker) -> list[dict[str, Any]]:
    """What they are owed; `for` names annotations by the ids that their own answers have here."""
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


def tell_events(worker: Worker) -> list[dict[str, Any]]:
    """What was done to them and by them; not who of the staff did it, nor the detail, which may show a check."""
    theirs = Q(actor=f"worker:{worker.pk}") | Q(subject_kind="worker", subject=str(worker.pk))
    rows = AuditEvent.objects.filter(theirs).order_by("at", "pk")
    return [{"at": event.at, "what": event.verb, "project": event.project, "reason": event.reason} for event in rows]
