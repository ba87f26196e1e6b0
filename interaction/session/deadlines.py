"""The times at which the server must act on a session by itself. Pure, except for the settings."""

from datetime import datetime, timedelta

from django.conf import settings

from interaction.models import LiveCommand, Session

STOPPING = timedelta(seconds=10)
"""How long an agent may take to stop."""
SILENCES_WITHOUT_AGENT = 4
MOST_SILENCES = 20
"""The limit for one command, counted in silences, for an agent that keeps giving signs of life."""


def silence() -> timedelta:
    """How long an agent may give no sign of life while it has a command."""
    return timedelta(seconds=settings.AGENT_SILENCE_S)


def silent_from(session: Session, live: LiveCommand) -> datetime:
    """The time at which the agent counts as stuck with this command, if nothing happens before."""
    given_at = live.command.at
    ends = [given_at + MOST_SILENCES * silence()]
    if session.asked is None:
        # While the agent waits for the worker's choice, its silence is not counted.
        ends.append(max(given_at, session.agent_seen_at or given_at) + silence())
    if live.stopped_at:
        ends.append(live.stopped_at + STOPPING)
    return min(ends)


def alone_from(session: Session) -> datetime | None:
    """The time at which a session without an agent ends; None while it has one."""
    if session.process_id is not None:
        return None
    return max(session.agent_seen_at or session.created_at, session.created_at) + SILENCES_WITHOUT_AGENT * silence()


def minimum_from(session: Session) -> datetime | None:
    """The time at which the worker has worked long enough; None before the clock runs."""
    return session.started_at + timedelta(seconds=session.minimum_s) if session.started_at else None


def next_due(session: Session, live: LiveCommand | None, *, at: datetime) -> datetime | None:
    """The earliest of these times; None where the session is over or none is to come."""
    if session.ended_at is not None:
        return None
    times = [alone_from(session)]
    if live is not None and not live.is_over:
        times.append(silent_from(session, live))
    minimum = minimum_from(session)
    if minimum is not None and minimum > at:
        times.append(minimum)
    return min((time for time in times if time is not None), default=None)
