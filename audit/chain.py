"""The hash chain of the audit log: sealing events, and finding what was changed, removed or moved since.

Sealing gives an event its number (1, 2, 3 … without gaps) and a digest over its content and the digest before it. It
happens just after the transaction of the act has committed, and not inside it: the end of the chain would be locked
until that transaction ends, so every act would wait for the slowest one, and acts that lock further rows afterwards
could wait for each other for ever.

The reason and the detail of an event enter the chain as a salted digest of their own. An erasure empties them together
with the salt, so nobody can guess them from the digest, and the chain still holds. Each redaction is an event too
(`audit.redacted`), which names the emptied events: a text that was emptied without one is found.
"""

import logging
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from audit import anchor
from audit.anchor import Head
from audit.models import AuditEvent, ChainCheck
from lib.canonical_json import digest, plain_json

logger = logging.getLogger(__name__)

REDACTED = "audit.redacted"
"""The verb of the events that name redacted events by id, as `detail["events"]`."""
VERIFY_NOW = "audit.verify_now"
"""The kind of the job that verifies the chain because a person asked for it."""
BATCH = 500
"""The most events that one transaction seals."""
MOST_KEPT = 50
"""The number of faults whose sentences a verification keeps; the others are counted."""
_SEALER_LOCK = 0x61756469
"""The key of PostgreSQL's advisory lock that one sealer holds at a time."""
_EMPTY = Head(0, "")
# Django's `bulk_update` takes fifteen times as long, and our own query set refuses every update.
_PLACE = "UPDATE audit_auditevent SET number = %s, salt = %s, texts_digest = %s, digest = %s WHERE id = %s"


# Sealing ---------------------------------------------------------------------------------------------------------


def head() -> Head:
    """The last sealed event. 1 query."""
    found = _sealed().order_by("-number").first()
    return _head_at(found) if found else _EMPTY


def unsealed() -> "QuerySet[AuditEvent]":
    """Events that have no place in the chain yet."""
    return AuditEvent.objects.filter(number=None)


def seal_soon() -> None:
    """Seal what this transaction records, right after its commit. An error is logged: the act has happened."""
    transaction.on_commit(seal, robust=True)


def seal() -> int:
    """Seal up to `BATCH` events, oldest first, and write the new head to the anchor file; returns how many.

    Call it outside a transaction. Costs: 1 query where there is nothing to seal.
    """
    if not unsealed().exists():
        return 0
    with anchor.locked():
        before, events = _seal_batch()
        if events:
            _anchor(_head_at(events[-1]), had_events=before.number > 0)
    return len(events)


def seal_all() -> None:
    """Seal what is left, as after a crash between an act and its sealing, and anchor the head."""
    while seal() == BATCH:
        pass
    with anchor.locked():
        last = head()
        if anchor.last_number() < last.number:
            _anchor(last, had_events=True)


def _seal_batch() -> tuple[Head, list[AuditEvent]]:
    """The head before, and the events that follow it now."""
    with transaction.atomic():
        _wait_for_other_machines()
        last = before = head()
        # An event that another transaction redacts now is sealed later, or its old text would be in the digest.
        events = list(unsealed().select_for_update(skip_locked=True).order_by("pk")[:BATCH])
        for event in events:
            event.salt = secrets.token_hex(16)
            event.texts_digest = _texts_digest(event)
            event.number = last.number + 1
            event.digest = _digest(event, previous=last.digest)
            last = _head_at(event)
        with connection.cursor() as cursor:
            cursor.executemany(_PLACE, [(one.number, one.salt, one.texts_digest, one.digest, one.pk) for one in events])
    return before, events


def _anchor(last: Head, *, had_events: bool) -> None:
    is_begun = had_events and not anchor.anchor_file().exists()
    anchor.add(last, at=timezone.now())
    if is_begun:
        # Heads of earlier events are gone: the log itself says since when the end of the chain is known here.
        AuditEvent.objects.create(
            verb="audit.anchor_begun",
            actor="system",
            subject_kind="audit",
            subject=str(last.number),
            at=timezone.now(),
        )


def _wait_for_other_machines() -> None:
    """Let one of the machines that share a PostgreSQL database seal at a time."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_SEALER_LOCK])


def _head_at(event: AuditEvent) -> Head:
    return Head(event.number or 0, event.digest)


def _sealed() -> "QuerySet[AuditEvent]":
    return AuditEvent.objects.exclude(number=None)


def _texts_digest(event: AuditEvent) -> str:
    # Numbers are written plainly: PostgreSQL returns 1e22 as a whole number.
    return digest([event.salt, event.reason, plain_json(event.detail)])


def _digest(event: AuditEvent, *, previous: str) -> str:
    return digest(
        [
            previous,
            event.number,
            event.pk,
            event.at.astimezone(UTC).isoformat(timespec="microseconds"),
            event.actor,
            event.verb,
            event.subject_kind,
            event.subject,
            event.project,
            event.texts_digest,
        ]
    )


# Verifying -------------------------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """The findings of a verification.

    Attributes:
        head: The last event of the chain.
        anchored: The highest number in the anchor file.
        unsealed: The number of events without a place in the chain. They are sealed within seconds.
        fault_count: 0: the chain holds.
        faults: The sentences of the first faults.
    """

    head: Head
    anchored: int
    unsealed: int
    fault_count: int
    faults: list[str]


@dataclass
class _Walk:
    """The state of a walk along the chain."""

    heads: dict[int, set[str]]
    redactions: set[int]
    last: Head = _EMPTY
    fault_count: int = 0
    faults: list[str] = field(default_factory=list)

    def fault(self, sentence: str) -> None:
        self.fault_count += 1
        if len(self.faults) < MOST_KEPT:
            self.faults.append(sentence)

    def see(self, event: AuditEvent) -> None:
        """Compare one event with its digests, with the event before it, and with the heads that name it."""
        number = event.number or 0
        is_next = number == self.last.number + 1
        if not is_next:
            gone = (
                f"{self.last.number + 1}" if number == self.last.number + 2 else f"{self.last.number + 1}–{number - 1}"
            )
            self.fault(f"Gap: number {gone} of the chain is missing.")
        # After a gap the digest before this event is not known, so its own cannot be computed.
        if is_next and event.digest != _digest(event, previous=self.last.digest):
            self.fault(f"Changed: event {event.pk} (number {number}) does not fit its digest and the event before it.")
        self._see_texts(event)
        if self.heads.pop(number, {event.digest}) != {event.digest}:
            self.fault(f"Anchor: number {number} has another digest in the anchor than in the database.")
        self.last = _head_at(event)

    def _see_texts(self, event: AuditEvent) -> None:
        if event.salt:
            if event.texts_digest != _texts_digest(event):
                self.fault(f"Changed: the reason or the detail of event {event.pk} (number {event.number}).")
        elif event.pk not in self.redactions or event.reason or event.detail or event.redacted_at is None:
            self.fault(f"Emptied: no redaction names event {event.pk} (number {event.number}), whose texts are gone.")


def verify(*, known: Collection[Head] = ()) -> Verdict:
    """Compare every event with the chain, and the chain with the anchor file and with the `known` heads.

    Costs: reads the whole log once, row by row.
    """
    anchors = anchor.read()
    heads: dict[int, set[str]] = {}
    for one in (*anchors.heads, *known):
        heads.setdefault(one.number, set()).add(one.digest)
    walk = _Walk(heads, _named_by_redactions())
    for place in anchors.unreadable_lines:
        walk.fault(f"Anchor: line {place} of the anchor file cannot be read.")
    for event in _sealed().order_by("number").iterator(chunk_size=2000):
        walk.see(event)
    beyond = [number for number in walk.heads if number > walk.last.number]
    if beyond:
        walk.fault(f"Cut: the anchor knows number {max(beyond)}, and the chain ends at {walk.last.number}.")
    if walk.last.number and not anchors.exists:
        walk.fault("Anchor: there is no anchor file, so a cut end could not be seen.")
    return Verdict(
        head=walk.last,
        anchored=max((one.number for one in anchors.heads), default=0),
        unsealed=unsealed().count(),
        fault_count=walk.fault_count,
        faults=walk.faults,
    )


def _named_by_redactions() -> set[int]:
    """The ids of the events that were emptied by an erasure."""
    details = AuditEvent.objects.filter(verb=REDACTED).values_list("detail", flat=True)
    return {pk for detail in details.iterator() for pk in detail.get("events", ())}


class State(NamedTuple):
    """The state of the chain for the staff page: its end, the number of events to be sealed, the last verification."""

    head: Head
    unsealed: int
    check: ChainCheck | None


def state() -> State:
    """The state of the chain now. 3 queries."""
    return State(head(), unsealed().count(), ChainCheck.objects.order_by("-at", "-pk").first())


def check() -> ChainCheck:
    """Verify the chain, and keep and log the result."""
    found = verify()
    facts = {"head": str(found.head), "anchored": found.anchored, "unsealed": found.unsealed}
    if found.fault_count:
        logger.error("audit.chain_broken", extra={**facts, "faults": found.faults})
    else:
        logger.info("audit.chain_holds", extra=facts)
    return ChainCheck.objects.create(
        at=timezone.now(),
        number=found.head.number,
        digest=found.head.digest,
        anchored=found.anchored,
        unsealed=found.unsealed,
        fault_count=found.fault_count,
        faults=found.faults,
    )
