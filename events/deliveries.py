"""Deliveries: each webhook gets each of its events at least once, and those of one subject in their order.

One job at a time sends, for some seconds, from a few threads of its own. A webhook has at most `LANES` of these, and
one that does not answer at all rests ever longer: a slow or hostile receiver holds up neither the other webhooks nor
other jobs. An event that was not delivered within `TRIED_FOR` is parked, and the later ones of its subject go on.

Locks: the webhook's row, for writing deliveries and for ending them: both decide which delivery of a subject is next.
"""

import json
import logging
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Min, Q
from django.utils import timezone

from agents.models import ApiKey
from common.data.complete_reads import complete_rows
from events import log
from events.kinds import types_of
from events.models import Delivery, Event, Webhook
from events.signing import signed_headers
from jobs.outbox import Running, enqueue
from lib.faults import Conflict
from lib.outbound import TOTAL_S, Answer, Unreachable, post

logger = logging.getLogger(__name__)

TRIED_FOR = timedelta(days=3)
PAUSES_S = (5, 30, 120, 600, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600)
"""After each failed attempt, the seconds until the next; the last one stands for all further ones."""
RESTS_S = (5, 15, 60, 300)
"""How long a webhook rests after requests without any answer, by how many came one after another."""
LANES = 4
"""Requests to one webhook at a time."""
THREADS = 16
SLICE_S = 8.0
"""How long one job begins further requests."""
_BATCH = 500
_KEPT_ANSWER = 1000
_LEASE = timedelta(seconds=3 * TOTAL_S)
"""After this, a delivery whose job died is due again."""
_GONE = 410
_NO_ANSWER = "There was no answer in time."


def deliver(running: Running) -> None:
    """Job handler: give the webhooks what happened, and send for `SLICE_S` what is due."""
    # Whatever is committed from now on asks for another job.
    running.free_key()
    fan_out(at=timezone.now())
    park_overdue(at=timezone.now())
    is_all_sent = _Sender().run()
    _ask_again(is_all_sent=is_all_sent, at=timezone.now())


def each_minute(at: datetime) -> None:
    """Ask for the job if there are webhooks: for retries, and where a process died before it asked."""
    if Webhook.objects.active().exists():
        enqueue(log.DELIVER, "", unique_key=log.DELIVER)


def _ask_again(*, is_all_sent: bool, at: datetime) -> None:
    """Ask for the next job, if that of the next minute would be too late."""
    due = Delivery.objects.waiting().filter(_SENDABLE, next_at__lt=at + timedelta(minutes=1))
    found = due.aggregate(first=Min("next_at"))["first"]
    if found is None:
        return
    rests = Webhook.objects.active().filter(rests_until__gt=at).exists()
    wait_s = max((found - at).total_seconds(), 0.0 if not is_all_sent else 1.0 if not rests else 5.0)
    enqueue(log.DELIVER, "", unique_key=log.DELIVER, after=timedelta(seconds=wait_s))


_SENDABLE = Q(webhook__status=Webhook.Status.ACTIVE)


# Writing deliveries --------------------------------------------------------------------------------------------------


def fan_out(*, at: datetime) -> int:
    """Write a delivery for each new event that a webhook wants and may have; returns how many. 2 queries if there are
    none."""
    hooks = list(Webhook.objects.active().select_related("key"))
    if not hooks:
        return 0
    newest = complete_rows(Event.objects.all()).order_by("-pk").values_list("pk", flat=True).first() or 0
    return sum(_give(hook, newest=newest, at=at) for hook in hooks if hook.read_to < newest)


def _give(hook: Webhook, *, newest: int, at: datetime) -> int:
    """Write the webhook's deliveries of the events up to `newest`, in batches."""
    given = 0
    key = _working_key(hook, at=at)
    may_read = log.visible_to(key).filter(type__in=types_of(hook.events), pk__lte=newest)
    if hook.key_id is not None and key is None:
        may_read = may_read.none()
    while True:
        with transaction.atomic():
            locked = Webhook.objects.select_for_update().get(pk=hook.pk)
            found = list(may_read.filter(pk__gt=locked.read_to).order_by("pk").only("pk", "subject")[:_BATCH])
            _write(locked, found, at=at)
            Webhook.objects.filter(pk=hook.pk).update(read_to=found[-1].pk if len(found) == _BATCH else newest)
        given += len(found)
        if len(found) < _BATCH:
            return given


def _working_key(hook: Webhook, *, at: datetime) -> ApiKey | None:
    """The webhook's key, or the one that it was rotated into; None where none works any more."""
    key = hook.key
    while key is not None and key.state(at=at) not in {"usable", "ending"}:
        key = key.rotated_into if key.revoked_at is None else None
    return key


def _write(hook: Webhook, events: list[Event], *, at: datetime) -> None:
    subjects = {event.subject for event in events}
    # The first one of a subject is due now, unless another one waits already.
    busy = set(hook.deliveries.waiting().filter(subject__in=subjects).values_list("subject", flat=True))
    rows = []
    for event in events:
        next_at = None if event.subject in busy else at
        busy.add(event.subject)
        rows.append(
            Delivery(
                webhook=hook,
                event=event,
                subject=event.subject,
                next_at=next_at,
                give_up_at=at + TRIED_FOR,
                created_at=at,
            )
        )
    Delivery.objects.bulk_create(rows, ignore_conflicts=True)


# Ending them ---------------------------------------------------------------------------------------------------------


def park_overdue(*, at: datetime) -> int:
    """Park what was not delivered within `TRIED_FOR`; the later events of each subject go on. Returns how many."""
    overdue = Delivery.objects.waiting().filter(give_up_at__lte=at).order_by("pk")
    parked = 0
    for hook, pk, subject in list(overdue.values_list("webhook_id", "pk", "subject")[:_BATCH]):
        with _locked(hook):
            changed = Delivery.objects.waiting().filter(pk=pk).update(status=Delivery.Status.PARKED, next_at=None)
            _free_next(hook, subject, at=at, follows_gap=True)
        parked += changed
    if parked:
        logger.warning("webhook.parked", extra={"deliveries": parked})
    return parked


def resend(delivery: Delivery, *, at: datetime) -> None:
    """Send a delivery again, at once, whatever became of it and of others of its subject.

    Raises:
        Conflict: it waits to be sent already.
    """
    with transaction.atomic(), _locked(delivery.webhook_id):
        ended = Delivery.objects.exclude(status=Delivery.Status.WAITING).filter(pk=delivery.pk)
        if not ended.update(
            status=Delivery.Status.WAITING, next_at=at, give_up_at=at + TRIED_FOR, attempts=0, delivered_at=None
        ):
            raise Conflict("This delivery waits to be sent already.")
        transaction.on_commit(log.deliver_soon, robust=True)


@contextmanager
def _locked(hook: int) -> Iterator[None]:
    with transaction.atomic():
        list(Webhook.objects.select_for_update().filter(pk=hook).values_list("pk"))
        yield


def _free_next(hook: int, subject: str, *, at: datetime, follows_gap: bool) -> None:
    """Let the first waiting delivery of the subject be sent."""
    rows = Delivery.objects.waiting().filter(webhook=hook, subject=subject).order_by("pk")
    first = rows.values_list("pk", flat=True).first()
    if first is not None:
        gap = {"follows_gap": True} if follows_gap else {}
        rows.filter(pk=first, next_at=None).update(next_at=at, **gap)


# Sending -------------------------------------------------------------------------------------------------------------


def body_of(event: Event) -> bytes:
    return json.dumps(log.as_json(event), ensure_ascii=False, separators=(",", ":")).encode()


def _headers(delivery: Delivery, body: bytes, *, at: datetime) -> dict[str, str]:
    gap = {"crosswalk-gap": "1"} if delivery.follows_gap else {}
    signed = signed_headers(delivery.webhook, event=delivery.event.public_id, body=body, at=at)
    return {"Content-Type": "application/json", "User-Agent": "Crosswalk", **signed, **gap}


def _post(url: str, body: bytes, headers: dict[str, str]) -> Answer | str:
    """The receiver's answer, or the sentence that says why there is none. It does not use the database."""
    try:
        return post(url, body, headers, may_be_private=settings.ALLOW_PRIVATE_URLS)
    except Unreachable as error:
        return str(error)


class _Sender:
    """One slice of sending. The database is used on the thread of the job alone."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="webhooks")
        self._flying: dict[Future[Answer | str], Delivery] = {}
        self._busy: Counter[int] = Counter()
        self._ready: dict[int, deque[Delivery]] = {}

    def run(self) -> bool:
        """Send what is due; returns whether all was sent that could be."""
        began = time.monotonic()
        is_all_sent = False
        try:
            while time.monotonic() - began < SLICE_S:
                self._begin()
                if not self._flying:
                    is_all_sent = True
                    break
                self._take(timeout=1.0)
            ends = time.monotonic() + TOTAL_S + 1.0
            while self._flying and time.monotonic() < ends:
                self._take(timeout=1.0)
            for delivery in self._flying.values():
                # Only the look-up of a name takes longer than a request may.
                _note_failure(delivery, _NO_ANSWER, at=timezone.now())
        finally:
            self._threads.shutdown(wait=False, cancel_futures=True)
        return is_all_sent

    def _begin(self) -> None:
        """Begin as many requests as there is room for, of each webhook in turn."""
        now = timezone.now()
        hooks = Webhook.objects.active().filter(Q(rests_until=None) | Q(rests_until__lte=now)).order_by("pk")
        for hook in hooks:
            while self._busy[hook.pk] < LANES and len(self._flying) < THREADS:
                delivery = self._next(hook, at=now)
                if delivery is None:
                    break
                body = body_of(delivery.event)
                future = self._threads.submit(_post, hook.url, body, _headers(delivery, body, at=now))
                self._flying[future] = delivery
                self._busy[hook.pk] += 1

    def _next(self, hook: Webhook, *, at: datetime) -> Delivery | None:
        """The webhook's next delivery, leased to this job."""
        ready = self._ready.setdefault(hook.pk, deque())
        if not ready:
            rows = hook.deliveries.sendable(at=at).select_related("event").order_by("next_at")
            ready.extend(rows[: 10 * LANES])
        while ready:
            found = ready.popleft()
            found.webhook = hook
            # The UPDATE decides, should two jobs run at once.
            taken = Delivery.objects.waiting().filter(pk=found.pk, next_at=found.next_at)
            if taken.update(next_at=at + _LEASE, attempts=F("attempts") + 1, tried_at=at):
                found.attempts += 1
                return found
        return None

    def _take(self, *, timeout: float) -> None:
        """Note the answers that have come."""
        done, _ = wait(self._flying, timeout=timeout, return_when=FIRST_COMPLETED)
        for future in done:
            delivery = self._flying.pop(future)
            self._busy[delivery.webhook_id] -= 1
            answer, now = future.result(), timezone.now()
            if isinstance(answer, Answer) and 200 <= answer.status < 300:
                _note_success(delivery, answer, at=now)
            else:
                _note_failure(delivery, answer, at=now)


def _note_success(delivery: Delivery, answer: Answer, *, at: datetime) -> None:
    with _locked(delivery.webhook_id):
        Delivery.objects.filter(pk=delivery.pk).update(
            status=Delivery.Status.DELIVERED,
            next_at=None,
            delivered_at=at,
            answer_status=answer.status,
            answer=answer.text[:_KEPT_ANSWER],
            problem="",
        )
        _free_next(delivery.webhook_id, delivery.subject, at=at, follows_gap=False)
        _note_answered(delivery.webhook_id)


def _note_failure(delivery: Delivery, answer: Answer | str, *, at: datetime) -> None:
    """Let the delivery wait for its next attempt, and a webhook that did not answer at all rest."""
    pause_s = PAUSES_S[min(delivery.attempts, len(PAUSES_S)) - 1]
    status, text = (answer.status, answer.text) if isinstance(answer, Answer) else (None, "")
    problem = f"The receiver answered {status}." if status else str(answer)
    with transaction.atomic():
        Delivery.objects.waiting().filter(pk=delivery.pk).update(
            next_at=at + timedelta(seconds=pause_s),
            answer_status=status,
            answer=text[:_KEPT_ANSWER],
            problem=problem[:400],
        )
        if status == _GONE:
            Webhook.objects.filter(pk=delivery.webhook_id).update(status=Webhook.Status.GONE)
        elif status is not None:
            _note_answered(delivery.webhook_id)
        else:
            hook = Webhook.objects.select_for_update().filter(pk=delivery.webhook_id).first()
            if hook is not None:
                rest_s = RESTS_S[min(hook.misses, len(RESTS_S) - 1)]
                hook.misses, hook.rests_until = hook.misses + 1, at + timedelta(seconds=rest_s)
                hook.save(update_fields=["misses", "rests_until"])


def _note_answered(hook: int) -> None:
    Webhook.objects.filter(pk=hook).exclude(misses=0).update(misses=0, rests_until=None)
