"""The models of live sessions."""

from interaction.models.commands import LiveCommand, Posting
from interaction.models.sessions import AgentProcess, Event, Session, SessionQuerySet

__all__ = [
    "AgentProcess",
    "Event",
    "LiveCommand",
    "Posting",
    "Session",
    "SessionQuerySet",
]
