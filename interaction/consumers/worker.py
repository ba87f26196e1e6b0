"""`/ws/work/{assignment}/`: the worker's side of a session. The newest page wins; an older one is told so."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import ClassVar, NamedTuple

from django.utils import timezone

from annotation import leases
from annotation.leases import AlreadySubmitted, LeaseLost
from annotation.models import Assignment
from common.api import BIGGEST
from interaction import log, scoring, sessions, tail
from interaction.bell import bell
from interaction.consumers.line import (
    BAD_TOKEN,
    ENDED,
    NOT_YOURS,
    REPLACED,
    Bucket,
    Frame,
    Line,
    Place,
    number_in,
    text_in,
    wall_time,
)
from interaction.models import Event
from interaction.pool import in_pool
from interaction.wakeups import of_session

SIGN = timedelta(seconds=10)
"""How often it is noted that a page is open that sends nothing but pings."""
LEASES_A_HOLD = 3
"""How often a hold is renewed in the time of one lease."""


class Hold(NamedTuple):
    """What a socket keeps of its worker's hold: thousands are open at a time, so no rows with all their columns."""

    assignment: int
    lease: timedelta


class WorkerLine(Line):
    """One page of one worker."""

    most_characters: ClassVar[int] = 16_000

    async def connect(self) -> None:
        self.bucket = Bucket(rate=30, most=90)
        self.hold: Hold | None = None
        self.is_replaced = False
        self.is_answered = asyncio.Event()
        self.is_answered.set()
        await super().connect()

    async def greet(self, frame: Frame) -> bool:
        token, resume = text_in(frame, "token", most=200), text_in(frame, "resume")
        have = number_in(frame, "have", least=0, most=BIGGEST)
        assignment = self.scope["url_route"]["kwargs"]["assignment"]
        now = timezone.now()
        try:
            seat = await in_pool(sessions.sit_down, token=token, assignment=assignment, resume=resume, at=now)
        except sessions.BadToken:
            await self.hang_up(BAD_TOKEN)
            return False
        except sessions.NotYours:
            await self.hang_up(NOT_YOURS)
            return False
        except sessions.Over:
            await self.hang_up(ENDED)
            return False
        session = seat.session
        self.have = min(have, session.last_seq)
        self.hold = Hold(seat.assignment.pk, timedelta(seconds=seat.enrolment.project.lease_s))
        self.sent_at = self.noted_at = self.renewed_at = now
        await in_pool(_renew, self.hold)
        await in_pool(scoring.warm, session)
        self.place = Place(session.pk, seat.sender, seat.size, {})
        self.counted[session.pk] = session.worker_cseq
        await self.say(
            t="welcome",
            epoch=seat.sender.epoch,
            last_cseq=session.worker_cseq,
            last_seq=session.last_seq,
            state=await in_pool(sessions.state_of, session, at=now),
            server_time=wall_time(now),
            same=seat.is_same,
        )
        self.bell = bell()
        self.bell.listen(of_session(session.pk), self)
        return True

    async def take(self, frame: Frame) -> None:
        self.is_answered.clear()
        try:
            await self.append(self.place, frame)
        finally:
            self.is_answered.set()
        self.sent_at = timezone.now()
        await self._renew()

    async def pass_on(self) -> None:
        """Most of the time the next event is at hand; the log is asked where it is not, and where nothing came."""
        if self.is_replaced:
            # Its ring may have come before this page listened.
            await self.hang_up(REPLACED)
            return
        place, told = self.place, False
        while not self.is_over and (events := tail.after(place.session, self.have)):
            await self._tell(events)
            told = events[-1].type != "closed"
        if told or self.is_over:
            return
        standing = await in_pool(sessions.standing_of, place.session)
        if standing.epoch != place.sender.epoch:
            await self.hang_up(REPLACED)
            return
        while self.have < standing.last_seq:
            await self._tell(await in_pool(log.events_after, place.session, self.have))
        if standing.is_over:
            # What ended it is perhaps a message of this page, which is still to be acknowledged.
            await self.is_answered.wait()
            await self.hang_up(ENDED)

    def hear(self) -> None:
        self.woken.set()

    def is_behind(self, last_seq: int, worker_epoch: int) -> bool:
        self.is_replaced = worker_epoch > self.place.sender.epoch
        return self.is_replaced or self.have < last_seq

    async def _tell(self, events: list[Event]) -> None:
        for event in events:
            await self.say_event(event, self.place)
            self.have = event.seq

    def addressed(self, text: str) -> Place | None:
        return self.place if self.hold else None

    async def beat(self) -> None:
        now = timezone.now()
        if self.hold is not None and now - self.noted_at >= SIGN:
            self.noted_at = now
            await in_pool(sessions.note_sign, self.place.session, self.place.sender, at=now)
        await self._renew()

    async def _renew(self) -> None:
        """Keep the hold for a worker who works; one who only left the page open loses it in the end."""
        hold, now = self.hold, timezone.now()
        if hold is None or now - self.renewed_at < hold.lease / LEASES_A_HOLD or now - self.sent_at > hold.lease:
            return
        self.renewed_at = now
        await in_pool(_renew, hold)

    async def gone(self) -> None:
        if self.hold is not None:
            self.bell.leave(of_session(self.place.session), self)
            await in_pool(sessions.stand_up, self.place.session, self.place.sender, at=timezone.now())


def _renew(hold: Hold) -> None:
    assignment = Assignment.objects.select_related("task__project").get(pk=hold.assignment)
    # Where it is lost, the look of the next second ends the session, and says so.
    with suppress(LeaseLost, AlreadySubmitted):
        leases.renew(assignment=assignment, project=assignment.task.project, at=timezone.now())
