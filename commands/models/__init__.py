"""Commands, and the corpora that new commands are compared with."""

from commands.models.commands import Command, CommandQuerySet
from commands.models.corpora import Corpus, CorpusCommand

__all__ = ["Command", "CommandQuerySet", "Corpus", "CorpusCommand"]
