"""The states of a session on staff pages, and its clock as text."""

from django.db.models import Q

from interaction.models import Session

WAITING, BEFORE, RUNNING = "waiting", "before", "running"
LIVE, ENDED = "live", "ended"
REASONS: dict[str, str] = {
    Session.Reason.FINISHED: "handed in",
    Session.Reason.LEFT: "worker left",
    Session.Reason.EXPIRED: "time ran out",
    Session.Reason.AGENT_LOST: "agent lost",
    Session.Reason.STAFF: "ended by staff",
}
STATES: dict[str, str] = {
    LIVE: "all that are live",
    WAITING: "waiting for an agent",
    BEFORE: "before the clock",
    RUNNING: "running",
    ENDED: "all that have ended",
    **REASONS,
}
"""The states by which the list can be filtered, in words.

Besides `live` and `ended`, a session has exactly one of them.
"""
_FILTERS: dict[str, Q] = {
    LIVE: Q(ended_at=None),
    WAITING: Q(ended_at=None, process=None),
    BEFORE: Q(ended_at=None, process__isnull=False, started_at=None),
    RUNNING: Q(ended_at=None, process__isnull=False, started_at__isnull=False),
    ENDED: Q(ended_at__isnull=False),
}


def among(state: str) -> Q:
    """A filter for the sessions in one of `STATES`."""
    return _FILTERS.get(state) or Q(reason=state)


def state_of(session: Session) -> str:
    """The session's state, one of `STATES`."""
    if session.ended_at is not None:
        return session.reason
    if session.process_id is None:
        return WAITING
    return RUNNING if session.started_at else BEFORE


def clock(seconds: float) -> str:
    """Minutes and seconds, with hours if there are any.

    >>> clock(65.9), clock(3600)
    ('1:05', '1:00:00')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
