"""`/ws/work/{assignment}/`: the socket of a worker's page. If a worker opens a second page, the first one is closed."""

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from typing import ClassVar, NamedTuple

from django.conf import settings
from django.utils import timezone

from annotation.models import Assignment
from annotation.work import leases
from annotation.work.leases import AlreadySubmitted, LeaseLost
from common.serializers import BIGGEST
from interaction.db_threads import in_pool
from interaction.session import event_log, opening, recent_events, score, ticks
from interaction.session.recent_events import LoggedEvent
from interaction.session.refusals import TooMany
from interaction.wakeups import of_session, subscriptions
from lib.faults import TooManyRequests
from web.api.throttles import take_request
from web.sockets.connection import (
    ENDED,
    NOT_YOURS,
    REPLACED,
    Connection,
    Frame,
    SessionRef,
    number_in,
    text_in,
    wall_time,
)
from web.sockets.limits import Bucket

NOTE_PAGE_EVERY = timedelta(seconds=10)
"""How often the server notes that a page is open that sends only pings."""
LEASES_A_HOLD = 3
"""How often a lease is renewed before it would end."""


class Hold(NamedTuple):
    """The worker's assignment, reduced to two values. Thousands of sockets are open at a time.

    Whole rows would fill memory.
    """

    assignment: int
    lease: timedelta


class WorkerConnection(Connection):
    """The socket of one page of one worker."""

    kind: ClassVar[str] = "worker"
    most_characters: ClassVar[int] = 16_000

    async def connect(self) -> None:
        rate = settings.WORKER_FRAMES_A_SECOND
        self.bucket = Bucket(rate, most=3 * rate)
        self.refusals = Bucket(rate=5, most=100)
        self.hold: Hold | None = None
        self.is_replaced = False
        self.is_answered = asyncio.Event()
        self.is_answered.set()
        await super().connect()

    async def on_hello(self, frame: Frame) -> bool:
        token, resume = text_in(frame, "token", most=200), text_in(frame, "resume")
        have = number_in(frame, "have", least=0, most=BIGGEST)
        assignment = self.scope["url_route"]["kwargs"]["assignment"]
        now = timezone.now()
        try:
            joined = await in_pool(opening.join, token=token, assignment=assignment, resume=resume, at=now)
        except opening.BadToken:
            await self.close_with_bad_credential()
            return False
        except opening.NotYours:
            await self.close_with(NOT_YOURS)
            return False
        except opening.Over:
            await self.close_with(ENDED)
            return False
        try:
            await in_pool(take_request, joined.enrolment)
        except TooManyRequests as refusal:
            raise TooMany(refusal.detail) from None
        session = joined.session
        self.have = min(have, session.last_seq)
        self.hold = Hold(joined.assignment.pk, timedelta(seconds=joined.enrolment.project.lease_s))
        self.sent_at = self.noted_at = self.renewed_at = now
        await in_pool(_renew, self.hold)
        await in_pool(score.warm, session)
        self.session_ref = SessionRef(session.pk, joined.sender, joined.size, {})
        self.last_cseqs[session.pk] = session.worker_cseq
        await self.send_frame(
            t="welcome",
            epoch=joined.sender.epoch,
            last_cseq=session.worker_cseq,
            last_seq=session.last_seq,
            state=await in_pool(opening.state_of, session, at=now),
            server_time=wall_time(now),
            same=joined.is_same,
        )
        ticks.start()
        self.subscriptions = subscriptions()
        self.subscriptions.subscribe(of_session(session.pk), self)
        return True

    async def on_send(self, frame: Frame) -> None:
        self.is_answered.clear()
        try:
            await self.append(self.session_ref, frame)
        finally:
            self.is_answered.set()
        self.sent_at = timezone.now()
        await self._renew(at=self.sent_at)

    async def send_new_events(self) -> None:
        """Send new events from memory where possible.

        Otherwise read the log, which also shows whether the session has ended.
        """
        if self.is_replaced:
            # The wake-up may have come before this page listened.
            await self.close_with(REPLACED)
            return
        ref, is_up_to_date = self.session_ref, False
        while not self.is_closed and (events := recent_events.after(ref.session, self.have)):
            await self._send_events(events)
            is_up_to_date = events[-1].type != "closed"
        if is_up_to_date or self.is_closed:
            return
        progress = await in_pool(opening.progress_of, ref.session)
        if progress.epoch != ref.sender.epoch:
            await self.close_with(REPLACED)
            return
        while self.have < progress.last_seq:
            await self._send_events(await in_pool(event_log.events_after, ref.session, self.have))
        if progress.is_over:
            # The session may have ended by a message of this page; that message is acknowledged first.
            await self.is_answered.wait()
            await self.close_with(ENDED)

    def on_wake(self) -> None:
        self.woken.set()

    def is_behind(self, last_seq: int, worker_epoch: int) -> bool:
        self.is_replaced = worker_epoch > self.session_ref.sender.epoch
        return self.is_replaced or self.have < last_seq

    async def _send_events(self, events: list[LoggedEvent]) -> None:
        for event in events:
            await self.send_event(event, self.session_ref)
            self.have = event.seq

    def session_named_in(self, text: str) -> SessionRef | None:
        return self.session_ref if self.hold else None

    async def on_heartbeat(self) -> None:
        now = timezone.now()
        if self.hold is not None and now - self.noted_at >= NOTE_PAGE_EVERY:
            self.noted_at = now
            await in_pool(opening.note_open_page, self.session_ref.session, self.session_ref.sender, at=now)
        await self._renew(at=now)

    async def _renew(self, *, at: datetime) -> None:
        """Renew the lease while the worker sends messages. A page that is only left open loses its lease in the end."""
        hold = self.hold
        if hold is None or at - self.renewed_at < hold.lease / LEASES_A_HOLD or at - self.sent_at > hold.lease:
            return
        self.renewed_at = at
        await in_pool(_renew, hold)

    async def on_close(self) -> None:
        if self.hold is not None:
            self.subscriptions.unsubscribe(of_session(self.session_ref.session), self)
            await in_pool(opening.leave, self.session_ref.session, self.session_ref.sender, at=timezone.now())


def _renew(hold: Hold) -> None:
    assignment = Assignment.objects.select_related("task__project").get(pk=hold.assignment)
    # If the lease is lost, the check that runs every second ends the session and informs the worker.
    with suppress(LeaseLost, AlreadySubmitted):
        leases.renew(assignment=assignment, project=assignment.task.project, at=timezone.now())
