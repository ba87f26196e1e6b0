"""Changes that time alone brings about in sessions: every server process with sockets checks once a second.

Each check is one transaction that reads the session anew, so it does not matter how many processes check.
"""

import asyncio
import logging
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from common.data import sqlite
from interaction.agents import matching
from interaction.db_threads import in_side_thread, of_running_loop
from interaction.models import Session
from interaction.session import deadlines, ending
from interaction.session.commands import fail, open_command
from interaction.session.event_log import SessionWrite, locked
from interaction.wakeups import subscriptions

logger = logging.getLogger(__name__)
MOST_AT_ONCE = 200
INTERVAL_S = 1.0
_LATEST_COMMIT: Final = timedelta(seconds=5)
"""How long after its own time a transaction may still commit: each check looks back so far."""


def tick(*, at: datetime) -> None:
    """Do everything that is due. 5 queries where nothing is."""
    matching.release_lost(at=at)
    ending.end_without_hold(at=at)
    due = Session.objects.unended().filter(due_at__lte=at).order_by("due_at")
    for pk in due.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        with ending.log_errors_of(pk), transaction.atomic():
            tick_session(locked(pk), at=at)
    matching.match_all(at=at)


def tick_session(session: Session, *, at: datetime) -> None:
    """Do what is due in one session. Locks: call with it locked."""
    if session.ended_at is not None:
        return
    write = SessionWrite(session, at)
    live = open_command(session)
    if live is not None and not live.is_over and deadlines.silent_from(session, live) <= at:
        reason = "no_agent" if session.process_id is None else "silent"
        logger.warning("session.agent_silent", extra={"session": session.pk, "command": live.pk})
        fail(write, live, reason=reason)
    alone = deadlines.alone_from(session)
    if alone is not None and alone <= at:
        ending.end(write, Session.Reason.AGENT_LOST)
    minimum = deadlines.minimum_from(session)
    if minimum is not None and minimum <= at:
        ending.review(write, open_command(session))
    session.due_at = deadlines.next_due(session, open_command(session), at=at)
    write.save()


# Every second ------------------------------------------------------------------------------------------------------


_running: dict[asyncio.AbstractEventLoop, asyncio.Task[None]] = {}


def start() -> None:
    """Start the checks of the running event loop, unless they run already."""
    of_running_loop(_running, lambda: asyncio.get_running_loop().create_task(_tick_every_second()))


async def _tick_every_second() -> None:
    """Tick, and wake the sockets that missed what other processes did to their sessions."""
    since = timezone.now()
    while True:
        await asyncio.sleep(INTERVAL_S)
        now = timezone.now()
        try:
            await in_side_thread(tick, at=now)
            await subscriptions().wake_those_behind(since=since - _LATEST_COMMIT)
            since = now
            await in_side_thread(sqlite.checkpoint)
        except Exception:
            # The database may be away for a while: sessions go on when it is back.
            logger.exception("sessions.tick_failed")
