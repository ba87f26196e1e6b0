"""When the server must look at a session by itself. Pure, but for the settings."""

from datetime import datetime, timedelta

from django.conf import settings

from interaction.models import Command, Session

STOPPING = timedelta(seconds=10)
"""How long an agent may take to stop."""
SILENCES_WITHOUT_AGENT = 4
MOST_SILENCES = 20
"""An agent that gives signs all the time still has so many silences for one command."""


def silence() -> timedelta:
    """How long an agent may give no sign while it has a command."""
    return timedelta(seconds=settings.AGENT_SILENCE_S)


def silent_from(session: Session, command: Command) -> datetime:
    """When the agent counts as stuck over this command, as things stand."""
    ends = [command.sent_at + MOST_SILENCES * silence()]
    if session.asked is None:
        # While it waits for the worker's choice, it is not the agent who is silent.
        ends.append(max(command.sent_at, session.agent_seen_at or command.sent_at) + silence())
    if command.stopped_at:
        ends.append(command.stopped_at + STOPPING)
    return min(ends)


def alone_from(session: Session) -> datetime | None:
    """When a session without an agent ends; None while it has one."""
    if session.process_id is not None:
        return None
    return max(session.agent_seen_at or session.created_at, session.created_at) + SILENCES_WITHOUT_AGENT * silence()


def minimum_from(session: Session) -> datetime | None:
    """When the worker has worked long enough; None before the clock runs."""
    return session.started_at + timedelta(seconds=session.minimum_s) if session.started_at else None


def next_due(session: Session, command: Command | None, *, at: datetime) -> datetime | None:
    """The next of these times; None where the session is over or nothing is to come."""
    if session.ended_at is not None:
        return None
    times = [alone_from(session)]
    if command is not None and not command.is_over:
        times.append(silent_from(session, command))
    minimum = minimum_from(session)
    if minimum is not None and minimum > at:
        times.append(minimum)
    return min((time for time in times if time is not None), default=None)
