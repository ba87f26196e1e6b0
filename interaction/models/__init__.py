"""What live sessions keep."""

from interaction.models.commands import Command, Posting
from interaction.models.corpora import Corpus, CorpusCommand
from interaction.models.sessions import AgentProcess, Event, Session, SessionQuerySet

__all__ = [
    "AgentProcess",
    "Command",
    "Corpus",
    "CorpusCommand",
    "Event",
    "Posting",
    "Session",
    "SessionQuerySet",
]
