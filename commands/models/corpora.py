"""Corpora: the accepted commands that new commands are compared with."""

from django.db import models
from django.db.models import Q

from commands.models.commands import Command


class Corpus(models.Model):
    """One corpus, under the slug of the project that it began with."""

    slug = models.SlugField(max_length=63, unique=True)
    version = models.PositiveIntegerField(default=0, help_text="The number of its last command.")
    generation = models.PositiveIntegerField(default=0, help_text="Counts how often texts were taken out of it.")

    class Meta:
        verbose_name_plural = "corpora"

    def __str__(self) -> str:
        return self.slug


class CorpusCommand(models.Model):
    """One command of a corpus: append-only, except that an erasure empties its text."""

    corpus = models.ForeignKey(Corpus, models.PROTECT, related_name="commands", db_index=False)
    number = models.PositiveIntegerField(help_text="1, 2, 3… within the corpus.")
    text = models.CharField(max_length=500, blank=True, help_text="Empty: it was erased.")
    command = models.ForeignKey(Command, models.SET_NULL, null=True, blank=True, related_name="in_corpora")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "number"], name="corpus_command_number_once"),
            models.UniqueConstraint(
                fields=["corpus", "command"], condition=Q(command__isnull=False), name="corpus_command_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus_id}/{self.number}"
